package apmlgpu

import (
	"context"
	"fmt"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Potentials are the dual variables of a transport problem in the caller's
// order, in units of the cost. A point of weight zero has 0.
//
// Of EMD f_i + g_j <= C_ij for all pairs, with equality where the exact plan has
// mass. Of Sinkhorn the plan is P_ij = a_i b_j exp((f_i + g_j − C_ij)/ε); balanced,
// they are centred: Σ a_i f_i is 0. Those of Sinkhorn carry its self-terms' too, for
// a warm start.
type Potentials struct {
	F, G []float64

	selfX, selfY []float64
}

// Potentials returns the potentials of EMD or Sinkhorn, a copy. Other losses
// answer ErrOption.
func (r Result) Potentials() (Potentials, error) {
	if r.potentials == nil {
		return Potentials{}, &Error{"apmlgpu.Potentials", fmt.Errorf("%w: %s has no potentials", ErrOption, r.loss),
			"call EMD or Sinkhorn for potentials"}
	}
	p := r.potentials
	return Potentials{slices.Clone(p.F), slices.Clone(p.G), slices.Clone(p.selfX), slices.Clone(p.selfY)}, nil
}

// planOf is the plan of a call, made when it is asked for.
func (s *sinkhorn) planOf(end *solved) func() (*Plan, error) {
	kx, ky, o := keep(s.x), keep(s.y), s.opt
	c := s.common
	c.context = context.Background() // that of the call may have ended with it
	c.backend = s.stats.Backend      // its order of the points is that of the potentials
	return func() (*Plan, error) {
		const op = "apmlgpu.Plan"
		p, _, err := c.open(op, kx, ky, true)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		h, err := p.Gibbs(backend.GibbsForm{Sides: backend.Between, Cost: costOf(o.Cost), Method: backend.Streaming})
		if err != nil {
			return nil, failed(op, err)
		}
		x, tx := p.Points(false)
		y, ty := p.Points(true)
		e := entries{factors: h, f: end.f, g: end.g, eps: o.Epsilon, a: make([]float64, len(tx)), b: make([]float64, len(ty))}
		for k, times := range [][]float64{tx, ty} {
			a, b := h.Shares()
			of, share, mass := e.a, a, s.massX
			if k == 1 {
				of, share, mass = e.b, b, s.massY
			}
			for i, t := range times {
				of[i] = mass * share[i] / t // of one copy
			}
		}
		ones := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
		return newPlan(&backend.Plan{N: kx.N, M: ky.N, X: x, Y: y, U: ones(len(tx)), V: ones(len(ty)), Stored: e}, kx, ky,
			c.maxBytes), nil
	}
}

// entries are those of an entropic plan, computed when they are asked for.
type entries struct {
	factors backend.Gibbs
	f, g    []float64
	a, b    []float64 // masses of one copy
	eps     float64
}

// Line calls f for every column.
func (e entries) Line(i int, f func(j int, v float64)) {
	line := make([]float64, len(e.g))
	e.factors.Factors(line, i, e.f[i], e.g, e.eps)
	for j, k := range line {
		f(j, e.a[i]*e.b[j]*k)
	}
}

// At is one entry.
func (e entries) At(i, j int) float64 {
	return e.a[i] * e.b[j] * e.factors.Factor(i, j, e.f[i], e.g[j], e.eps)
}
