package apmlgpu

import (
	"fmt"
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// emd is one call of EMD that has been solved.
type emd struct {
	common
	cost   Cost
	factor float64 // of the cost to that which was solved
	x, y   cloud.Cloud
	out    *backend.EMDResult
	stats  Stats
	work   work
}

// result makes value, gradients, potentials, certificate and plan.
func (e *emd) result() (Result, error) {
	o, f := e.out, e.factor
	s := &e.stats
	s.Method, s.Converged = o.Method, o.Converged
	s.N, s.M, s.UniqueN, s.UniqueM = o.N, o.M, o.UniqueN, o.UniqueM
	s.NNZ, s.Stored, s.Mass = int64(len(o.Arcs)), int64(len(o.Arcs)), 1
	s.Iterations = int(o.Bids + o.Paths + o.Pivots)
	s.Gap, s.WorstReducedCost = f*o.Gap, f*o.Worst
	if o.Dust > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%d points have weights below 1e-13 of the total and do not count", o.Dust))
	}
	value := f * o.Primal
	r := Result{Value: value, loss: "EMD", cost: &value, potentials: &Potentials{F: times(o.F, f), G: times(o.G, f)}}
	r.certificate = &Certificate{Primal: value, Dual: f * o.Dual, Gap: f * o.Gap, WorstReducedCost: f * o.Worst,
		Violations: o.Violations}
	points := int64(e.x.N) + int64(e.y.N)
	if err := e.work.take("the plan", 16*int64(len(o.Arcs))+16*points); err != nil {
		return Result{}, err
	}
	if !e.noGrad {
		g := 16 * int64(len(e.x.X)+len(e.y.X))
		if err := e.work.stage("gradient", g, 0, func() error { return e.gradients(&r) }); err != nil {
			return Result{}, err
		}
	}
	r.plan = e.plan()
	e.work.spend(s)
	r.Stats = *s
	r.Stats.OutputBytes = r.outputBytes()
	if !o.Converged {
		return r, &Error{e.work.op, fmt.Errorf("%w: the duality gap is %.3g of a value of %.6g after %d steps", ErrNotConverged,
			s.Gap, value, s.Iterations), "raise MaxIter, or leave it out"}
	}
	return r, nil
}

// gradients adds up Σ P dC over the entries of the plan: rows in order, and of
// columns too, for they ascend in each row.
func (e *emd) gradients(r *Result) error {
	gx, gy := make([]float64, len(e.x.X)), make([]float64, len(e.y.X))
	d := e.x.D
	for k, a := range e.out.Arcs {
		if k%chunkPoints == 0 {
			if err := e.goOn(); err != nil {
				return err
			}
		}
		p, q := e.x.X[int(a.I)*d:(int(a.I)+1)*d], e.y.X[int(a.J)*d:(int(a.J)+1)*d]
		pull := a.Mass * 2 * e.factor
		if e.cost == Euclidean {
			s := 0.0
			for c, v := range p {
				w := float64(v) - float64(q[c])
				s += w * w
			}
			if s == 0 {
				continue
			}
			pull = a.Mass / math.Sqrt(s)
		}
		for c, v := range p {
			w := pull * (float64(v) - float64(q[c]))
			gx[int(a.I)*d+c] += w
			gy[int(a.J)*d+c] -= w
		}
	}
	beyond := 0
	for k, g := range [][]float64{gx, gy} {
		out := make([]float32, len(g))
		for i, v := range g {
			fits := false
			if out[i], fits = narrow(v); !fits {
				beyond++
			}
		}
		*[]*[]float32{&r.GradX, &r.GradY}[k] = out
	}
	noteBeyond(&e.stats, beyond)
	if e.grad64 {
		r.GradX64, r.GradY64 = gx, gy
	}
	return nil
}

// plan gives the plan in the caller's points.
func (e *emd) plan() func() (*Plan, error) {
	kx, ky, most := keep(e.x), keep(e.y), e.maxBytes
	s := &assigned{start: make([]int64, kx.N+1), arcs: e.out.Arcs}
	for _, a := range s.arcs {
		s.start[a.I+1]++
	}
	for i := range kx.N {
		s.start[i+1] += s.start[i]
	}
	return func() (*Plan, error) {
		p := &backend.Plan{N: kx.N, M: ky.N, X: own(kx.W, kx.N), Y: own(ky.W, ky.N),
			U: slices.Repeat([]float64{1}, kx.N), V: slices.Repeat([]float64{1}, ky.N), Stored: s}
		return newPlan(p, kx, ky, most), nil
	}
}

// own numbers points by their index, −1 where the weight is zero.
func own(w []float64, n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		if all[i] = int32(i); w != nil && w[i] == 0 {
			all[i] = -1
		}
	}
	return all
}

// assigned are the entries of an exact plan, row by row.
type assigned struct {
	start []int64
	arcs  []backend.Arc
}

// Line calls f for the entries of row i, columns ascending.
func (s *assigned) Line(i int, f func(j int, v float64)) {
	for _, a := range s.arcs[s.start[i]:s.start[i+1]] {
		f(int(a.J), a.Mass)
	}
}

// At is the entry (i, j).
func (s *assigned) At(i, j int) float64 {
	for _, a := range s.arcs[s.start[i]:s.start[i+1]] {
		if int(a.J) == j {
			return a.Mass
		}
	}
	return 0
}
