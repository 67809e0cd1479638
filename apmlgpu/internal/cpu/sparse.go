package cpu

// sparse is a plan by its support: CSR, CSC, and rank-one terms.
type sparse struct {
	x, y *half
	csr  *matrix
	csc  *matrix
	ties uniforms
	crew *crew
}

func (p *sparse) rows(dst, w []float64) error { return p.csr.multiply(dst, w, p.ties, p.crew) }
func (p *sparse) cols(dst, w []float64) error { return p.csc.multiply(dst, w, p.ties.flip(), p.crew) }

// pull walks the stored lines; a tied line walks all points of the other side,
// every other line the tied points of the other side.
func (p *sparse) pull(g *gradient) error {
	m, ties := p.csr, p.ties
	if g.transpose {
		m, ties = p.csc, p.ties.flip()
	}
	tied, beta := ties.tied()
	g.part = make([]totals, len(m.blocks))
	tiles := make([]tile, p.crew.threads)
	return p.crew.run(len(g.part), func(w, k int) {
		var all []float64
		var far []farSum
		l, b := g.line(), &m.blocks[k]
		if ties.some(b.lo, b.hi) && g.a.dim == 3 {
			far = tiles[w].far(g, ties, b.lo, b.hi, p.crew)
		}
		for i := b.lo; i < b.hi && !p.crew.halt(); i++ {
			l.start(i)
			lo, hi := m.line(b, i)
			if b.wide != nil {
				add(l, b.idx[lo:hi], b.wide[lo:hi], 1)
			} else {
				add(l, b.idx[lo:hi], b.narrow[lo:hi], down)
			}
			switch {
			case ties.alpha != nil && ties.alpha[i] != 0 && far != nil:
				l.addFar(far[i-b.lo])
			case ties.alpha != nil && ties.alpha[i] != 0:
				if all == nil {
					all = make([]float64, g.b.n)
				}
				for j := range all {
					all[j] = ties.alpha[i]
					if ties.beta != nil {
						all[j] = ties.both(all[j], ties.beta[j])
					}
				}
				add(l, nil, all, 1)
			case tied != nil:
				add(l, tied, beta, 1)
			}
			l.end(&g.part[k])
		}
	})
}

func (p *sparse) line(i int, f func(j int, v float64)) {
	alpha := 0.0
	if p.ties.alpha != nil {
		alpha = p.ties.alpha[i]
	}
	b := &p.csr.blocks[i/chunkRows]
	lo, hi := p.csr.line(b, i)
	value := func(k int64) float64 {
		if b.wide != nil {
			return b.wide[k]
		}
		return float64(b.narrow[k]) * down
	}
	if alpha == 0 && p.ties.beta == nil {
		for k := lo; k < hi; k++ {
			f(int(b.idx[k]), value(k))
		}
		return
	}
	for j := range p.y.s.n {
		v := alpha
		if p.ties.beta != nil {
			v = p.ties.both(alpha, p.ties.beta[j])
		}
		if lo < hi && int(b.idx[lo]) == j {
			v += value(lo)
			lo++
		}
		if v != 0 {
			f(j, v)
		}
	}
}
