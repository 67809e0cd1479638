package cpu

import "github.com/gondola-lab/gondola/internal/vec"

// A plan of few entries is held by its rows alone: what a row gives to its columns is
// added to them row by row. That saves the matrix by columns, a half of the memory, and
// a root and a division in two of the gradients.

// spreadMost is the entries up to which that is done. Beyond it the columns' sums leave
// the near caches, and threads want columns of their own.
const spreadMost = 1 << 18

// spreadParts is how many parts the rows of a plan have, by its entries: each has its
// own sums of the columns, which are added up in their order.
func spreadParts(entries int64) int { return int(1 + entries>>17) }

// spreadBytes is the memory of a plan by rows beyond its entries: sums, and what the
// gradient has of them, later.
func spreadBytes(entries int64, cols int) (sums, back int64) {
	parts := int64(spreadParts(entries))
	return (parts - 1) * int64(cols) * 8, parts * int64(cols) * 8 * vec.Given
}

// spread is dst = mᵀ w. sums has room for the columns of every part but the first.
func (m *matrix) spread(dst, w []float64, sums [][]float64, c *crew) error {
	parts := len(sums) + 1
	err := c.run(parts, func(_, k int) {
		to := dst
		if k > 0 {
			to = sums[k-1]
		}
		clear(to)
		for _, b := range m.blocks[len(m.blocks)*k/parts : len(m.blocks)*(k+1)/parts] {
			vec.Spread(to, m.ptr[b.lo:b.hi+1], b.idx, b.wide, w[b.lo:b.hi])
		}
	})
	for _, s := range sums {
		for j, v := range s {
			dst[j] += v
		}
	}
	return err
}

// byRows makes p a plan by rows alone.
func (p *sparse) byRows(entries int64) {
	p.sums = make([][]float64, spreadParts(entries)-1)
	for k := range p.sums {
		p.sums[k] = make([]float64, p.y.s.n)
	}
}

// exchange is pull of the rows, which keeps what they give to the columns for the pull
// of those.
func (p *sparse) exchange(g *gradient) error {
	m, parts := p.csr, len(p.sums)+1
	p.back = make([][]float64, parts)
	g.part = make([]totals, len(m.blocks))
	err := p.crew.run(parts, func(_, k int) {
		back, l := make([]float64, vec.Given*g.b.n), g.line()
		p.back[k] = back
		for at := len(m.blocks) * k / parts; at < len(m.blocks)*(k+1)/parts; at++ {
			b := &m.blocks[at]
			for i := b.lo; i < b.hi && !p.crew.halt(); i++ {
				l.start(i)
				lo, hi := m.line(b, i)
				u, floor := g.u[i]*g.a.times(i), g.floor/g.a.unit
				f := vec.Exchange((*[3]float32)(g.a.row(i)), g.b.x, b.idx[lo:hi], b.wide[lo:hi], g.w, u, floor, back)
				l.take(f, 1)
				l.end(&g.part[at])
			}
		}
	})
	return err
}

// given is pull of the columns, after exchange.
func (p *sparse) given(g *gradient) error {
	back := p.back
	p.back = nil
	g.part = make([]totals, (g.a.n+scaleRows-1)/scaleRows)
	return p.crew.each(g.a.n, scaleRows, func(k, lo, hi int) {
		l := g.line()
		for j := lo; j < hi; j++ {
			l.start(j)
			for _, part := range back {
				b := part[vec.Given*j : vec.Given*j+vec.Given]
				l.take(vec.Force{Mass: b[3], X: b[0], Y: b[1], Z: b[2]}, 1)
			}
			l.end(&g.part[k])
		}
	})
}
