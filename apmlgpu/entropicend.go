package apmlgpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// solved is a problem at its end.
type solved struct {
	f, g      []float64 // potentials by different point
	out       *backend.Transported
	value     float64
	rowError  float64
	rowWorst  float64
	colError  float64
	mass      float64
	converged bool
}

// end takes the last log-domain steps, goes through the plan and makes the value.
func (e *entropic) end(near, grad bool) (*solved, error) {
	n, m := e.factors.Size()
	r := &solved{f: make([]float64, n), g: make([]float64, m)}
	var err error
	if e.near {
		copy(r.f, e.x.base)
		copy(r.g, e.y.base)
	} else {
		err = e.fromY(r.f, e.y.base)
	}
	switch {
	case err != nil || e.near:
	case e.self() && !near: // a whole step would swing
		for i, f := range r.f {
			r.f[i] = (f + e.x.base[i]) / 2
		}
		r.g = r.f
	case e.self():
		r.g = r.f
	case near: // both from the same pair: both marginals are met to first order
		err = e.fromX(r.g, e.x.base)
	default:
		err = e.fromX(r.g, r.f)
	}
	if err != nil {
		return nil, err
	}
	if e.x.met() && e.y.met() && !e.self() {
		e.centre(r)
	}
	if !e.factors.Covers(r.f, r.g) { // a list of them, or all pairs
		if _, err := e.factors.Hold(r.f, r.g, e.eps); err != nil {
			e.factors.Drop()
		}
	}
	r.out, err = e.factors.Transport(backend.Transport{F: r.f, G: r.g, A: e.x.mass, B: e.y.mass, Eps: e.eps, Grad: grad})
	if err != nil {
		return nil, err
	}
	for i, sum := range r.out.Rows {
		to := e.x.mass[i] * e.x.target(r.f[i])
		off := math.Abs(sum - to)
		r.mass += sum
		r.rowError += off / e.x.total
		r.rowWorst = max(r.rowWorst, off/to)
	}
	for j, sum := range r.out.Cols {
		r.colError += math.Abs(sum-e.y.mass[j]*e.y.target(r.g[j])) / e.y.total
	}
	r.value = e.x.dual(r.f) + e.y.dual(r.g) - e.eps*(r.mass-e.x.total*e.y.total)
	return r, nil
}

// centre moves a constant from f to g: Σ a f = 0.
func (e *entropic) centre(r *solved) {
	mean := 0.0
	for i, a := range e.x.mass {
		mean += a * r.f[i]
	}
	mean /= e.x.total
	for i := range r.f {
		r.f[i] -= mean
	}
	for j := range r.g {
		r.g[j] += mean
	}
}
