package cpu

import (
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// held is a balanced plan as its caller keeps it: by different points, with the
// scalings beside it.
type held struct {
	p    plan
	u, v []float64
}

func (h held) Line(i int, f func(j int, v float64)) {
	h.p.line(i, func(j int, v float64) { f(j, v*h.u[i]*h.v[j]) })
}

func (h held) At(i, j int) float64 { return h.p.at(i, j) * h.u[i] * h.v[j] }

// keep makes the plan for the caller. Memory: 4 bytes a point of the caller; the
// entries are those of the balance.
func (a *apml) keep(p plan, b *balance) error {
	x, y := a.pair.x, a.pair.y
	bytes := 4 * (int64(x.size) + int64(y.size))
	if err := a.ledger.take("the plan", bytes); err != nil {
		return err
	}
	defer a.ledger.drop(bytes)
	if s, ok := p.(*sparse); ok {
		s.x, s.y, s.csc, s.sums, s.back, s.far = nil, nil, nil, nil, nil, nil // what only the balance needs
		a.ledger.drop(a.turned)
		a.held, a.turned = a.held-a.turned, 0
	}
	ties := p.rankOne()
	a.out.Plan = &backend.Plan{
		N: x.size, M: y.size, X: x.points(), Y: y.points(), U: b.u, V: b.v,
		Alpha: ties.alpha, Beta: ties.beta, Half: ties.byCount, Stored: held{p, b.u, b.v},
	}
	return a.crew.err()
}

// points is the point of each of the caller's rows, −1 for one of weight zero.
func (s *side) points() []int32 {
	point := make([]int32, s.size)
	for i := range point {
		point[i] = -1
	}
	for k := range s.n {
		s.copies(k, func(original int) { point[original] = int32(k) })
	}
	return point
}

func (p *sparse) rankOne() uniforms { return p.ties }

// value is entry e of a block.
func (b *block) value(e int64) float64 {
	if b.wide != nil {
		return b.wide[e]
	}
	return float64(b.narrow[e]) * down
}

func (p *sparse) line(i int, f func(j int, v float64)) {
	b := &p.csr.blocks[i/chunkRows]
	lo, hi := p.csr.line(b, i)
	for e := lo; e < hi; e++ {
		f(int(b.idx[e]), b.value(e))
	}
}

func (p *sparse) at(i, j int) float64 {
	b := &p.csr.blocks[i/chunkRows]
	lo, hi := p.csr.line(b, i)
	if k, ok := slices.BinarySearch(b.idx[lo:hi], int32(j)); ok {
		return b.value(lo + int64(k))
	}
	return 0
}

func (p *dense) rankOne() uniforms { return uniforms{} }

func (p *dense) line(i int, f func(j int, v float64)) {
	m := p.y.s.n
	buf := []float64(nil)
	if p.p != nil {
		buf = p.row(i)
	} else {
		buf = make([]float64, m)
		p.fill(buf, p.x, p.y, i, newFiller(m))
	}
	for j, v := range buf {
		if v != 0 {
			f(j, v)
		}
	}
}

func (p *dense) at(i, j int) float64 {
	m := p.y.s.n
	if p.p != nil {
		return p.row(i)[j]
	}
	buf := make([]float64, m)
	p.fill(buf, p.x, p.y, i, newFiller(m))
	return buf[j]
}
