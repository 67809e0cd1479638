package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// denominators sums up the similarities of the columns, in the order of the rows.
func (m *merger) denominators(csr *matrix) error {
	y := m.y
	z := y.q
	clear(z)
	m.crew.parts(len(z), m.total.Load(), func(from, to int32) {
		for k := range csr.blocks {
			if m.crew.halt() {
				return
			}
			b := &csr.blocks[k]
			for i := b.lo; i < b.hi; i++ {
				lo, hi := csr.line(b, i)
				cols, first := within(b.idx[lo:hi], from, to)
				lo += int64(first)
				t := m.x.s.times(i)
				if o := &m.other[k]; o.wide != nil {
					accumulate(z, cols, o.wide[lo:], t)
				} else {
					accumulate(z, cols, o.narrow[lo:], t*down)
				}
			}
		}
	})
	for j, v := range z {
		z[j] = 0
		if y.gap[j] != 0 {
			z[j] = y.share * y.s.weight(j) / v
		}
	}
	return m.crew.err()
}

// accumulate adds |val| times t to z at idx.
func accumulate[V float32 | float64](z []float64, idx []int32, val []V, t float64) {
	val = val[:len(idx)]
	for e, j := range idx {
		z[j] += float64(math.Abs(float64(val[e])) * t)
	}
}

// join makes the plan before balancing of both sides' similarities: half the sum of
// their probabilities, or by count their mean over the sides that have the pair.
func (m *merger) join(csr *matrix) error {
	return m.crew.run(len(csr.blocks), func(_, k int) {
		b, o := &csr.blocks[k], &m.other[k]
		for i := b.lo; i < b.hi; i++ {
			lo, hi := csr.line(b, i)
			if b.wide != nil {
				joinRow(m, i, b.idx[lo:hi], b.wide[lo:hi], o.wide[lo:hi])
			} else {
				joinRow(m, i, b.idx[lo:hi], b.narrow[lo:hi], o.narrow[lo:hi])
			}
		}
		bytes := int64(len(b.idx)) * partBytes(b.wide == nil)
		*o = part{}
		m.ledger.drop(bytes)
		m.bytes.Add(-bytes)
	})
}

func joinRow[V float32 | float64](m *merger, i int, idx []int32, a, b []V) {
	q, y := m.x.q[i], m.y.q
	a, b = a[:len(idx)], b[:len(idx)]
	if !m.byCount {
		for e, j := range idx {
			a[e] = V(float64(float64(a[e])*q) + float64(float64(b[e])*y[j]))
		}
		return
	}
	u := m.x.uniform(i)
	for e, j := range idx {
		v := float64(math.Abs(float64(a[e]))*q) + float64(math.Abs(float64(b[e]))*y[j])
		if math.Signbit(float64(a[e])) {
			v /= 2
		}
		// A uniform line holds every pair too, in its rank-one term: such a pair has the
		// mean of both.
		for _, tied := range [2]float64{u, m.y.uniform(int(j))} {
			if tied != 0 {
				v = (v - tied) / 2
			}
		}
		a[e] = V(v)
	}
}

// sparse makes the plan by its support, or nil where the support is not small
// or does not fit and the method is free.
func (a *apml) sparse(pinned bool, logInverse float64) (plan, error) {
	x, y := a.x, a.y
	a.ledger.enter("support")
	m := &merger{
		x: x, y: y, byCount: a.q.CountMerge, mayNarrow: logInverse <= narrowTo, narrowAt: narrowFrom,
		most: int64(min(float64(x.s.n)*float64(y.s.n)/backend.SparseShare, 9e18)), crew: a.crew, ledger: a.ledger,
	}
	if pinned {
		m.most = 9e18
	}
	lines, balls := 8*int64(x.s.n+y.s.n), y.s.ballBytes()
	if err := a.ledger.take("the sparse plan", lines+balls); err != nil {
		return nil, a.tooLarge(err, pinned)
	}
	m.balls = newBalls(y)
	csr, ok, err := m.run()
	m.balls = nil
	a.ledger.drop(balls)
	a.held = lines + m.bytes.Load()
	p := &sparse{x: x, y: y, csr: csr, ties: uniformsOf(x, y, a.q.CountMerge), crew: a.crew, ledger: a.ledger}
	a.use(p.ties.bytes())
	entries := m.total.Load()
	rows := entries <= spreadMost && !m.narrow() && p.ties.alpha == nil && p.ties.beta == nil && x.s.dim == 3
	if ok && err == nil {
		columns, back := m.bytes.Load(), int64(0)
		if rows {
			columns, back = spreadBytes(entries, y.s.n)
		}
		if err = a.ledger.reserve("the sparse plan", back); err == nil {
			a.back, err = back, a.ledger.take("the sparse plan", columns)
		}
		if err == nil {
			a.held, a.turned = a.held+columns, columns
		}
	}
	if err != nil || !ok {
		a.giveBack()
		return nil, a.tooLarge(err, pinned)
	}
	if rows {
		p.byRows(entries)
	} else {
		p.csc = csr.flip(y.s.n, m.narrow(), a.crew)
	}
	out := a.out
	out.Method, out.Stored = backend.Sparse, entries
	out.NNZ, out.NNZRows, out.NNZCols = m.all.Load(), m.byRow.Load(), m.byCol.Load()
	return p, a.crew.err()
}

// tooLarge turns a lack of memory into nothing where another way is open.
func (a *apml) tooLarge(err error, pinned bool) error {
	if _, memory := err.(*backend.MemoryError); memory && !pinned {
		return nil
	}
	return err
}
