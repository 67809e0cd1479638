package cpu

// sparse is a plan by its support: CSR, CSC, and rank-one terms.
type sparse struct {
	x, y *half
	csr  *matrix
	csc  *matrix
	ties uniforms
	crew *crew
}

func (p *sparse) rows(dst, w []float64) error { return multiply(p.csr, dst, w, p.ties, p.crew) }
func (p *sparse) cols(dst, w []float64) error { return multiply(p.csc, dst, w, p.ties.flip(), p.crew) }

// multiply is dst = (m + rank-one terms) w.
func multiply(m *matrix, dst, w []float64, u uniforms, c *crew) error {
	err := c.run(len(m.cut)-1, func(_, k int) {
		if m.wide != nil {
			gather4(m, m.wide, dst, w, m.cut[k], m.cut[k+1], 1)
		} else {
			gather4(m, m.narrow, dst, w, m.cut[k], m.cut[k+1], down)
		}
	})
	u.add(dst, w)
	return err
}

// gather4 multiplies the lines lo to hi, with four partial sums a line.
func gather4[V float32 | float64](m *matrix, values []V, dst, w []float64, lo, hi int32, factor float64) {
	for i := lo; i < hi; i++ {
		idx, val := m.idx[m.ptr[i]:m.ptr[i+1]], values[m.ptr[i]:m.ptr[i+1]]
		var a, b, c, d float64
		for len(idx) >= 4 && len(val) >= 4 {
			a += float64(val[0]) * w[idx[0]]
			b += float64(val[1]) * w[idx[1]]
			c += float64(val[2]) * w[idx[2]]
			d += float64(val[3]) * w[idx[3]]
			idx, val = idx[4:], val[4:]
		}
		for t, j := range idx {
			a += float64(val[t]) * w[j]
		}
		dst[i] = ((a + b) + (c + d)) * factor
	}
}

// pull walks the stored lines; a tied line walks all points of the other side,
// every other line the tied points of the other side.
func (p *sparse) pull(g *gradient) error {
	m, ties := p.csr, p.ties
	if g.transpose {
		m, ties = p.csc, p.ties.flip()
	}
	tied, beta := ties.tied()
	g.part = make([]totals, len(m.cut)-1)
	return p.crew.run(len(g.part), func(_, k int) {
		var all []float64
		l := g.line()
		for i := int(m.cut[k]); i < int(m.cut[k+1]) && !p.crew.halt(); i++ {
			l.start(i)
			lo, hi := m.ptr[i], m.ptr[i+1]
			if m.wide != nil {
				add(l, m.idx[lo:hi], m.wide[lo:hi], 1)
			} else {
				add(l, m.idx[lo:hi], m.narrow[lo:hi], down)
			}
			if ties.alpha != nil && ties.alpha[i] != 0 {
				if all == nil {
					all = make([]float64, g.b.n)
				}
				for j := range all {
					all[j] = ties.alpha[i]
					if ties.beta != nil {
						all[j] += ties.beta[j]
					}
				}
				add(l, nil, all, 1)
			} else if tied != nil {
				add(l, tied, beta, 1)
			}
			l.end(&g.part[k])
		}
	})
}

// value is entry k of the rows.
func (p *sparse) value(k int64) float64 {
	if p.csr.wide != nil {
		return p.csr.wide[k]
	}
	return float64(p.csr.narrow[k]) * down
}

func (p *sparse) line(i int, f func(j int, v float64)) {
	alpha := 0.0
	if p.ties.alpha != nil {
		alpha = p.ties.alpha[i]
	}
	lo, hi := p.csr.ptr[i], p.csr.ptr[i+1]
	if alpha == 0 && p.ties.beta == nil {
		for k := lo; k < hi; k++ {
			f(int(p.csr.idx[k]), p.value(k))
		}
		return
	}
	for j := range p.y.s.n {
		v := alpha
		if p.ties.beta != nil {
			v += p.ties.beta[j]
		}
		if lo < hi && int(p.csr.idx[lo]) == j {
			v += p.value(lo)
			lo++
		}
		if v != 0 {
			f(j, v)
		}
	}
}
