package cpu

import (
	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// Transport goes through all pairs twice, or those of the list, by rows and by
// columns, with factors computed in float64.
func (h *gibbs) Transport(q backend.Transport) (*backend.Transported, error) {
	out := &backend.Transported{Rows: make([]float64, h.x.n), Cols: make([]float64, h.y.n)}
	cost := make([]float64, h.x.n)
	if q.Grad {
		out.GradX = make([]float64, h.x.n*len(h.x.col))
		out.GradY = make([]float64, h.y.n*len(h.y.col))
	}
	by := passage{h: h, a: h.x, b: h.y, f: q.F, g: q.G, own: q.A, other: q.B, eps: q.Eps, sum: out.Rows, cost: cost, grad: out.GradX}
	var err error
	if all := newBoth(by, q, out); all != nil {
		err = all.run()
	} else if err = by.run(); err == nil && h.x != h.y {
		back := passage{h: h, a: h.y, b: h.x, f: q.G, g: q.F, own: q.B, other: q.A, eps: q.Eps, sum: out.Cols, grad: out.GradY}
		err = back.run()
	} else {
		copy(out.Cols, out.Rows)
		copy(out.GradY, out.GradX)
	}
	for _, v := range cost {
		out.Cost += v
	}
	return out, err
}

// passage is one direction of Transport: by lines of a.
type passage struct {
	h          *gibbs
	a, b       *spots
	f, g       []float64
	own, other []float64 // masses
	eps        float64
	sum        []float64 // of each line
	cost       []float64 // of each line; nil: not wanted
	grad       []float64 // by point of a; nil: not wanted
}

func (p *passage) run() error {
	crew := p.h.pair.crew
	bias := over(p.g, p.eps)
	moments := p.moments()
	return crew.each(p.a.n, fewRows(p.b.n), func(_, lo, hi int) {
		w := lineWork{e: make([]float64, p.b.n), price: make([]float64, p.b.n)}
		if p.h.list != nil {
			w.some = make([]float64, p.b.n)
		}
		for i := lo; i < hi && !crew.halt(); i++ {
			p.line(i, bias, moments, w)
		}
	})
}

// moments are the masses of b, and those times each of three coordinates.
func (p *passage) moments() []float64 {
	if len(p.b.col) != 3 {
		return nil
	}
	n := p.b.n
	m := make([]float64, 4*n)
	copy(m, p.other)
	for c, col := range p.b.col {
		for j, v := range col {
			m[(c+1)*n+j] = p.other[j] * v
		}
	}
	return m
}

// lineWork is what a line needs: factors, costs, and numbers gathered.
type lineWork struct{ e, price, some []float64 }

// factors fills the work for point i of a, and returns the partners; nil: all.
func (p *passage) factors(i int, bias []float64, w *lineWork) []int32 {
	idx := p.h.line(p.a, p.b, i)
	if idx != nil {
		n := len(idx)
		w.e, w.price, w.some = w.e[:n], w.price[:n], w.some[:n]
		squaresAt(w.price, p.a, p.b, i, idx)
		pick(w.some, bias, idx)
		bias = w.some
	} else {
		squares(w.price, p.a, p.b, i)
	}
	copy(w.e, w.price)
	f := p.f[i] / p.eps
	most := vec.Bias(w.e, bias, p.h.scale(1, p.eps), p.h.form.Cost == backend.Plain)
	p.h.powers(w.e, f, most+f)
	return idx
}

// line does point i of a.
func (p *passage) line(i int, bias, moments []float64, w lineWork) {
	idx := p.factors(i, bias, &w)
	quick := idx == nil && moments != nil && p.h.form.Cost != backend.Plain
	if quick {
		p.quick(i, moments, w.e)
		if p.cost != nil {
			p.cost[i] = p.own[i] * p.h.scale(1, 1) * vec.Triple(w.e, p.other, w.price)
		}
		return
	}
	other := p.other
	if idx != nil {
		pick(w.some, other, idx)
		other = w.some
	}
	p.h.prices(w.price, 1)
	sum, cost := 0.0, 0.0
	for j, m := range other {
		v := w.e[j] * m
		w.e[j] = v
		sum += v
		cost += v * w.price[j]
	}
	if p.cost != nil {
		p.cost[i] = p.own[i] * cost
	}
	p.sum[i] = p.own[i] * sum
	if p.grad != nil {
		p.pull(i, idx, w)
	}
}

// quick makes the sum and the gradient of a line of squared costs: coordinates are
// seen from a point of the pair, so that Σ P (x − y) may be x Σ P − Σ P y.
func (p *passage) quick(i int, moments, e []float64) {
	var sums [4]float64
	vec.Dots(&sums, moments, len(e), e)
	p.sum[i] = p.own[i] * sums[0]
	if p.grad == nil {
		return
	}
	for c := range 3 {
		p.grad[3*i+c] = p.own[i] * (p.a.col[c][i]*sums[0] - sums[c+1]) * p.slope()
	}
}

// slope is what a difference of coordinates counts in the derivative of a squared
// cost.
func (p *passage) slope() float64 {
	if p.h.form.Cost == backend.Square {
		return 2 * p.h.x.unit
	}
	return p.h.x.unit
}

// pull makes the gradient of point i of a, differences first.
func (p *passage) pull(i int, idx []int32, w lineWork) {
	scale := p.slope()
	if p.h.form.Cost == backend.Plain {
		for j, d := range w.price { // the distance, 0 between equal points
			if d > 0 {
				w.e[j] *= scale / d
			} else {
				w.e[j] = 0
			}
		}
	}
	dim := len(p.a.col)
	for c := range dim {
		at, s, col := p.a.col[c][i], 0.0, p.b.col[c]
		if idx == nil {
			col = col[:len(w.e)]
			for j, v := range w.e {
				s += v * (at - col[j])
			}
		} else {
			for k, v := range w.e {
				s += v * (at - col[idx[k]])
			}
		}
		if p.h.form.Cost == backend.Plain {
			p.grad[i*dim+c] = p.own[i] * s
		} else {
			p.grad[i*dim+c] = p.own[i] * s * scale
		}
	}
}
