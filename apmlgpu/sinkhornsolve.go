package apmlgpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// sinkhorn is one call of Sinkhorn.
type sinkhorn struct {
	common
	opt   SinkhornOptions // resolved
	op    string
	x, y  cloud.Cloud
	pair  backend.Pair
	stats Stats

	kx, ky       []int32   // the different point of each of the caller's, −1: weight zero
	tx, ty       []float64 // how often each different point is there
	massX, massY float64
	selfX, selfY []float64 // potentials of the self-terms, by different point
	beyond       int       // numbers of the gradient beyond float32
	gradX, gradY []float64 // by different point and coordinate, of all its copies
	dimX         int
	late         bool // a self-term has not converged
}

// solve is the whole call after the checks.
func (s *sinkhorn) solve() (Result, error) {
	s.kx, s.tx = s.pair.Points(false)
	s.ky, s.ty = s.pair.Points(true)
	s.massX, s.massY = 1, 1
	if !math.IsInf(s.opt.ReachX, 1) || !math.IsInf(s.opt.ReachY, 1) {
		s.massX, s.massY = mass(s.x, 1), mass(s.y, 1)
	}
	s.count()
	end, err := s.between()
	if err != nil {
		return Result{}, err
	}
	value := end.value
	if !s.opt.Biased {
		s.pair.Enter("self-terms")
		for _, ofY := range []bool{false, true} {
			own, err := s.within(ofY)
			if err != nil {
				return Result{}, err
			}
			value -= own / 2
		}
		if d := s.massX - s.massY; d != 0 {
			value += s.opt.Epsilon / 2 * d * d
		}
	}
	if value-value != 0 {
		return Result{}, &Error{s.op, errBeyond, "scale the clouds or their weights"}
	}
	s.pair.Enter("")
	return s.result(value, end)
}

// count fills what Stats says of the clouds.
func (s *sinkhorn) count() {
	st := &s.stats
	st.Epsilon, st.UniqueN, st.UniqueM = s.opt.Epsilon, len(s.tx), len(s.ty)
	for k, times := range [][]float64{s.tx, s.ty} {
		n := 0.0
		for _, t := range times {
			n += t
		}
		*[]*int{&st.N, &st.M}[k] = int(n)
	}
}

// rho is the weight of a marginal of a reach.
func (s *sinkhorn) rho(reach float64) float64 {
	if math.IsInf(reach, 1) {
		return reach
	}
	return s.opt.Cost.epsilon(reach)
}

// open makes a problem of two sides.
func (s *sinkhorn) open(sides, coarse int) (*entropic, error) {
	n, m := len(s.tx), len(s.ty)
	rhoX, rhoY, massX, massY := s.rho(s.opt.ReachX), s.rho(s.opt.ReachY), s.massX, s.massY
	switch sides {
	case backend.WithinX:
		m, rhoY, massY = n, rhoX, massX
	case backend.WithinY:
		n, rhoX, massX = m, rhoY, massY
	}
	e := &entropic{eps: s.opt.Epsilon, forms: s.forms(n, m)}
	if coarse > 0 {
		e.forms = []backend.GibbsForm{{Method: backend.Stored, Coarse: coarse}}
	}
	e.reopen = func(form backend.GibbsForm) (backend.Gibbs, error) {
		form.Sides, form.Cost = sides, costOf(s.opt.Cost)
		return s.pair.Gibbs(form)
	}
	var err error
	if e.factors, err = e.reopen(e.forms[0]); err != nil {
		return nil, err
	}
	a, b := e.factors.Shares()
	e.x = newScaled(a, massX, rhoX)
	e.y = e.x
	if sides == backend.Between {
		e.y = newScaled(b, massY, rhoY)
	}
	n, m = e.factors.Size()
	e.col, e.bias = make([]float64, m), make([]float64, max(n, m))
	return e, nil
}

// mostStored is the points of a cloud above which lists of what matters are tried
// before all pairs are stored.
const mostStored = 8192

// wideBelow is the tolerance below which float32 factors are not good enough.
const wideBelow = 1e-6

// forms are the ways to hold factors that are tried, one after the other. A list of
// what matters must be a quarter of the memory of all pairs, where those fit.
func (s *sinkhorn) forms(n, m int) (forms []backend.GibbsForm) {
	narrow := backend.GibbsForm{Method: backend.Stored, Narrow: true}
	wide := backend.GibbsForm{Method: backend.Stored}
	pairs, room := float64(n)*float64(m), 0.9*float64(s.maxBytes)
	exact := s.opt.Tol < wideBelow
	if s.opt.Method == MethodTruncated || s.opt.Method == MethodAuto && max(n, m) > mostStored && s.x.D <= 3 && !exact {
		list := backend.GibbsForm{Method: backend.Truncated}
		if s.opt.Method == MethodAuto && 4.5*pairs <= room {
			list.Most = int64(pairs / 16)
		}
		forms = append(forms, list)
	}
	all := s.opt.Method == MethodAuto
	if !exact && (s.opt.Method == MethodStored || all && 4.5*pairs <= room) {
		forms = append(forms, narrow)
	}
	if s.opt.Method == MethodStored && len(forms) == 0 || (all || s.opt.Method == MethodStored) && 8.5*pairs <= room {
		forms = append(forms, wide)
	}
	if s.opt.Method == MethodTruncated || s.opt.Method == MethodStored {
		return forms
	}
	return append(forms, backend.GibbsForm{Method: backend.Streaming})
}

// coarsePoints is the clusters of a side that the schedule works on where all
// points would be more work than that is worth.
const (
	coarsePoints = 256
	coarseFrom   = 512 * 512
	coarseTol    = 1e-2
	coarseRounds = 100
)

// between is OT_ε of both clouds.
func (s *sinkhorn) between() (*solved, error) {
	s.pair.Enter("schedule")
	e, err := s.open(backend.Between, 0)
	if err != nil {
		return nil, err
	}
	defer func() { e.factors.Close() }()
	if t := s.opt.Trace; t != nil {
		e.trace = func(k int, err float64) { t(Step{Iteration: k, RowError: err}) }
	}
	n, m := e.factors.Size()
	e.groups = n*m > coarseFrom && s.x.D <= 3 // neighbours are together: clusters mean something
	switch {
	case s.opt.Warm != nil:
		gathered := [][]float64{s.opt.Warm.F, s.opt.Warm.G}
		take(e.x.base, gathered[0], s.kx)
		take(e.y.base, gathered[1], s.ky)
	case e.groups:
		err = s.coarse(e)
	default:
		err = e.schedule(s.opt.Cost, s.opt.Scaling)
	}
	if err != nil {
		return nil, err
	}
	end, err := s.finish(e, !s.opt.NoGrad)
	if err != nil {
		return nil, err
	}
	st := &s.stats
	st.Iterations, st.Converged = e.rounds, end.converged
	st.RowError, st.RowErrorMax, st.ColError, st.Mass = end.rowError, end.rowWorst, end.colError, end.mass
	if !s.opt.NoGrad {
		s.gradX, s.gradY, s.dimX = end.out.GradX, end.out.GradY, len(end.out.GradX)/n
	}
	return end, nil
}

// coarse does the schedule on clusters and carries its potentials over.
func (s *sinkhorn) coarse(e *entropic) error {
	c, err := s.open(backend.Between, coarsePoints)
	if err != nil {
		return err
	}
	defer func() { c.factors.Close() }()
	if err := c.schedule(s.opt.Cost, s.opt.Scaling); err != nil {
		return err
	}
	if _, err := c.run(coarseTol, coarseRounds); err != nil {
		return err
	}
	if err := e.softmin(e.x.base, c.y.base, false, c.factors, c.y); err != nil {
		return err
	}
	return e.softmin(e.y.base, c.x.base, true, c.factors, c.x)
}

// take gathers numbers by the caller's point.
func take(v, given []float64, index []int32) {
	for i, k := range index {
		if k >= 0 {
			v[k] = given[i]
		}
	}
}

// within is OT_ε of a cloud with itself. Its gradient is taken from that of the
// call.
func (s *sinkhorn) within(ofY bool) (float64, error) {
	sides, index, grad := backend.WithinX, s.kx, s.gradX
	if ofY {
		sides, index, grad = backend.WithinY, s.ky, s.gradY
	}
	e, err := s.open(sides, 0)
	if err != nil {
		return 0, err
	}
	defer func() { e.factors.Close() }()
	if w := s.opt.Warm; w != nil {
		if from := [][]float64{w.selfX, w.selfY}[sides-backend.WithinX]; from != nil {
			take(e.x.base, from, index)
		}
	}
	end, err := s.finish(e, !s.opt.NoGrad)
	if err != nil {
		return 0, err
	}
	s.late = s.late || !end.converged
	if ofY {
		s.selfY, s.stats.SelfY = end.f, end.value
	} else {
		s.selfX, s.stats.SelfX = end.f, end.value
	}
	if !s.opt.NoGrad { // half the value, whose both arguments are the cloud
		for i, v := range end.out.GradX {
			grad[i] -= v
		}
	}
	return end.value, nil
}

// finish does rounds until the errors of the plan itself, measured in float64
// after the last extrapolation, are at most Tol.
func (s *sinkhorn) finish(e *entropic, grad bool) (*solved, error) {
	need := s.opt.Tol
	for {
		if !e.self() {
			s.pair.Enter("balance")
		}
		near, err := e.run(need, s.opt.MaxIter)
		if err != nil {
			return nil, err
		}
		if !e.self() {
			s.pair.Enter("gradient")
		}
		last := e.rounds >= s.opt.MaxIter
		end, err := e.end(near, grad)
		if err != nil {
			return nil, err
		}
		end.converged = end.rowError <= s.opt.Tol && end.colError <= s.opt.Tol
		if end.converged || last {
			s.held(e)
			return end, nil
		}
		copy(e.x.base, end.f)
		copy(e.y.base, end.g)
		need /= 2
		if len(e.forms) > 1 && e.forms[0].Narrow {
			if err := e.widen(); err != nil {
				return nil, err
			}
		}
	}
}

// held tells Stats how factors were held; those between the clouds come first.
func (s *sinkhorn) held(e *entropic) {
	method, entries, bound := e.factors.Held()
	if s.stats.Method == "" {
		s.stats.Method = method
	}
	s.stats.Stored = max(s.stats.Stored, entries)
	s.stats.PrunedBound = max(s.stats.PrunedBound, bound)
}
