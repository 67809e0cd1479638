package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// plan is the plan before balancing, stored or computed again when asked for.
type plan interface {
	rows(dst, w []float64) error // dst_i = Σ_j P_ij w_j over the points of y
	cols(dst, w []float64) error // dst_j = Σ_i P_ij w_i over the points of x
	pull(g *gradient) error      // see value.go
	put(a, b []int32) error      // see drift.go
	// line calls f with the stored entries of row i, columns ascending; at is one
	// of them, or 0. What is not stored is in rankOne.
	line(i int, f func(j int, p float64))
	at(i, j int) float64
	rankOne() uniforms
}

// balance is the state of the balancing: scaled entries are u_i P_ij v_j.
type balance struct {
	x, y      *side
	u, v      []float64 // float64: they pass 1e39 on dissimilar clouds
	sum, wide []float64 // sums of a half-step; u or v times multiplicity
	done      int
	converged bool
	drift     drift
}

// balanceBytes is the memory of a balance.
func balanceBytes(x, y *side) int64 {
	lines := 8 * int64(max(x.n, y.n))
	if x.mult != nil || y.mult != nil {
		lines *= 2
	}
	return 8*int64(x.n+y.n) + lines
}

// tiny is the number that the published dense code adds to every sum.
const tiny = 1e-8

// huge is where a scaling stops to grow: a row whose every entry has vanished
// would else end as Inf · 0.
const huge = 1e290

func newBalance(x, y *side) *balance {
	n := max(x.n, y.n)
	b := &balance{x: x, y: y, u: make([]float64, x.n), v: make([]float64, y.n), sum: make([]float64, n)}
	if x.mult != nil || y.mult != nil {
		b.wide = make([]float64, n)
	}
	for i := range b.u {
		b.u[i] = 1
	}
	for j := range b.v {
		b.v[j] = 1
	}
	return b
}

// counted is w times the multiplicities of s.
func (b *balance) counted(s *side, w []float64) []float64 {
	if s.mult == nil {
		return w
	}
	for i, v := range w {
		b.wide[i] = v * float64(s.mult[i])
	}
	return b.wide[:len(w)]
}

// run balances p: rows first, columns last, a fixed number of rounds, or until
// the row error is at most Tol. A line is divided by its sum plus 1e-8; in the
// published code by its sum where that is above 1e-8.
func (b *balance) run(p plan, q backend.APML, l *ledger, c *crew) error {
	most := q.Iterations
	if q.Tol > 0 {
		most = q.MaxIter
	}
	for b.done = 0; ; b.done++ {
		last := b.done == most
		if last && q.Tol == 0 && q.Trace == nil {
			b.converged = true
			return c.err()
		}
		sum := b.sum[:b.x.n]
		if err := p.rows(sum, b.counted(b.y, b.v)); err != nil {
			return err
		}
		if b.done > 0 && (q.Tol > 0 || q.Trace != nil) {
			e := b.rowError(sum)
			if q.Trace != nil {
				q.Trace(b.done, e)
			}
			b.converged = q.Tol == 0 || e <= q.Tol
		}
		if last || b.done > 0 && q.Tol > 0 && b.converged {
			return c.err()
		}
		b.drift.reset()
		if err := b.scale(b.u, sum, b.x, q.Reference, &b.drift.u, c); err != nil {
			return err
		}
		sum = b.sum[:b.y.n]
		if err := p.cols(sum, b.counted(b.x, b.u)); err != nil {
			return err
		}
		if err := b.scale(b.v, sum, b.y, q.Reference, &b.drift.v, c); err != nil {
			return err
		}
		if err := b.hold(p, l); err != nil {
			return err
		}
	}
}

// scaleRows is the lines of a chunk of scalings.
const scaleRows = 1 << 13

// scale divides every line by its sum, so that it becomes its share, and tells
// between which numbers the scalings lie.
func (b *balance) scale(u, sum []float64, s *side, reference bool, to *extent, c *crew) error {
	part := make([]extent, (len(u)+scaleRows-1)/scaleRows)
	err := c.each(len(u), scaleRows, func(k, lo, hi int) {
		e := extent{math.Inf(1), 0}
		if !reference && s.share == nil {
			part[k] = plainScale(u[lo:hi], sum[lo:hi])
			return
		}
		for i, v := range u[lo:hi] {
			line := v * sum[lo+i]
			switch {
			case reference && !(line > tiny):
				e.add(v)
				continue
			case reference:
				v /= line
			default:
				v /= line + tiny
			}
			v = min(v*s.weight(lo+i), huge)
			u[lo+i] = v
			e.add(v)
		}
		part[k] = e
	})
	for _, e := range part {
		to.low, to.high = min(to.low, e.low), max(to.high, e.high)
	}
	return err
}

// plainScale is scale of lines without weights.
func plainScale(u, sum []float64) extent {
	e := extent{math.Inf(1), 0}
	sum = sum[:len(u)]
	for i, v := range u {
		line := v * sum[i]
		v /= line + tiny
		if v > huge {
			v = huge
		}
		u[i] = v
		e.add(v)
	}
	return e
}

// rowError is the L1 error of the rows as a share of the mass: the target of a
// row is M a_i, that is its share times M/N.
func (b *balance) rowError(sum []float64) float64 {
	off := 0.0
	per := float64(b.y.total) / float64(b.x.total)
	for i, v := range sum {
		off += b.x.times(i) * math.Abs(b.u[i]*v-per*b.x.weight(i))
	}
	return off / float64(b.y.total)
}
