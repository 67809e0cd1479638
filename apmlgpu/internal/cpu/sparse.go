package cpu

// sparse is a plan by its support: CSR, CSC, and rank-one terms. A small one without
// such terms has no CSC: see spread.go.
type sparse struct {
	x, y *half
	csr  *matrix
	csc  *matrix
	sums [][]float64 // of columns, by part but the first; with no CSC
	back [][]float64 // what rows give to columns, by part; with no CSC
	ties uniforms
	far  *far // made by the first pull
	crew *crew

	ledger *ledger
}

func (p *sparse) rows(dst, w []float64) error { return p.csr.multiply(dst, w, p.ties, p.crew) }
func (p *sparse) cols(dst, w []float64) error {
	if p.csc == nil {
		return p.csr.spread(dst, w, p.sums, p.crew)
	}
	return p.csc.multiply(dst, w, p.ties.flip(), p.crew)
}

// pull walks the stored lines. What tied lines and columns give to all pairs
// comes from far, which is made once, with the rows; in more than three
// dimensions a tied line walks all points of the other side, and every other
// line the tied ones.
func (p *sparse) pull(g *gradient) error {
	switch {
	case p.csc == nil && g.transpose:
		return p.given(g)
	case p.csc == nil:
		return p.exchange(g)
	}
	m, ties := p.csr, p.ties
	if g.transpose {
		m, ties = p.csc, p.ties.flip()
	}
	if err := p.takeFar(g); err != nil {
		return err
	}
	sums := ties.products(g.w)
	tied, beta := ties.tied()
	g.part = make([]totals, len(m.blocks))
	return p.crew.run(len(g.part), func(_, k int) {
		l, b := g.line(), &m.blocks[k]
		for i := b.lo; i < b.hi && !p.crew.halt(); i++ {
			l.start(i)
			lo, hi := m.line(b, i)
			if b.wide != nil {
				add(l, b.idx[lo:hi], b.wide[lo:hi], 1)
			} else {
				add(l, b.idx[lo:hi], b.narrow[lo:hi], down)
			}
			switch {
			case g.far != nil:
				l.mass += ties.times(i, sums)
			case ties.alpha != nil && ties.alpha[i] != 0:
				l.addAll(ties)
			case tied != nil:
				add(l, tied, beta, 1)
			}
			l.end(&g.part[k])
		}
	})
}

// takeFar hands the far sums to g where there are any.
func (p *sparse) takeFar(g *gradient) (err error) {
	if g.a.dim != 3 || p.ties.alpha == nil && p.ties.beta == nil {
		return nil
	}
	if g.transpose {
		g.far = p.far.y
		return nil
	}
	bytes := farBytes(g.a.n, g.b.n)
	if err := p.ledger.take("the sum over tied lines", bytes); err != nil {
		return err
	}
	defer p.ledger.drop(bytes)
	if p.far, err = farOf(g, p.ties, p.ledger, p.crew); err != nil {
		return err
	}
	g.far, g.farCost = p.far.x, p.far.cost
	return nil
}
