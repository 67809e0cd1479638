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
	err := by.run()
	if err == nil && h.x != h.y {
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
	return crew.each(p.a.n, fewRows(p.b.n), func(_, lo, hi int) {
		w := lineWork{e: make([]float64, p.b.n), price: make([]float64, p.b.n)}
		if p.h.list != nil {
			w.some = make([]float64, p.b.n)
		}
		for i := lo; i < hi && !crew.halt(); i++ {
			p.line(i, bias, w)
		}
	})
}

// lineWork is what a line needs: factors times masses, costs, and numbers gathered.
type lineWork struct{ e, price, some []float64 }

// factors fills the work for point i of a, and returns the partners; nil: all.
func (p *passage) factors(i int, bias []float64, w *lineWork) []int32 {
	idx := p.h.line(p.a, p.b, i)
	other := p.other
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
	vec.Bias(w.e, bias, p.h.scale(1, p.eps), p.h.form.Cost == backend.Plain)
	f := p.f[i] / p.eps
	for j := range w.e {
		w.e[j] = min(w.e[j]+f, mostWide)
	}
	vec.Exp(w.e)
	if idx != nil {
		pick(w.some, other, idx)
		other = w.some
	}
	for j, m := range other {
		w.e[j] *= m
	}
	return idx
}

// line does point i of a.
func (p *passage) line(i int, bias []float64, w lineWork) {
	idx := p.factors(i, bias, &w)
	sum := 0.0
	for _, v := range w.e {
		sum += v
	}
	p.sum[i] = p.own[i] * sum
	if p.cost == nil && p.grad == nil {
		return
	}
	p.h.prices(w.price, 1)
	if p.cost != nil {
		c := 0.0
		for j, v := range w.e {
			c += v * w.price[j]
		}
		p.cost[i] = p.own[i] * c
	}
	if p.grad != nil {
		p.pull(i, idx, w)
	}
}

// pull makes the gradient of point i of a.
func (p *passage) pull(i int, idx []int32, w lineWork) {
	scale := p.h.x.unit
	switch p.h.form.Cost {
	case backend.Square:
		scale *= 2
	case backend.Plain:
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
		p.grad[i*dim+c] = p.own[i] * s * scale
	}
}
