package apmlgpu

import (
	"errors"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// entropic is one problem of entropic transport: between two clouds, or of one
// cloud with itself, where y is x.
type entropic struct {
	factors backend.Gibbs
	forms   []backend.GibbsForm // in which the factors may be held, narrowest first
	reopen  func(form backend.GibbsForm) (backend.Gibbs, error)
	x, y    *scaled
	eps     float64
	col     []float64 // sums of columns
	bias    []float64
	trace   func(round int, err float64)

	rounds int
	omega  relaxation
	near   bool // the last steps are done
	groups bool // neighbours are together: groups of them are met after every round
}

// self says that both sides are one.
func (e *entropic) self() bool { return e.x == e.y }

// softmin sets dst to the potentials of one side by the log-domain step from pot,
// those of the other.
func (e *entropic) softmin(dst, pot []float64, swapped bool, coarse backend.Gibbs, from *scaled) error {
	to := e.x
	if swapped {
		to = e.y
	}
	bias := e.bias[:len(pot)]
	for j, g := range pot {
		bias[j] = math.Log(from.mass[j]) + g/e.eps
	}
	var err error
	if coarse == nil {
		err = e.factors.Softmin(dst, bias, e.eps, swapped)
	} else {
		err = e.factors.Extend(dst, bias, coarse, e.eps, swapped)
	}
	if d := to.damping(e.eps); d != 1 {
		for i := range dst {
			dst[i] *= d
		}
	}
	return err
}

// fromY and fromX are log-domain steps of this problem.
func (e *entropic) fromY(dst, g []float64) error { return e.softmin(dst, g, false, nil, e.y) }
func (e *entropic) fromX(dst, f []float64) error { return e.softmin(dst, f, true, nil, e.x) }

// schedule makes potentials for eps: one round at each of the larger ones, from
// that of the diameter down.
func (e *entropic) schedule(cost Cost, scaling float64) error {
	ratio := scaling
	if cost != Euclidean {
		ratio *= scaling
	}
	last := e.eps
	for eps := cost.epsilonAcross(e.factors.Largest()); eps > last; eps *= ratio {
		e.eps = eps
		if err := e.logRound(); err != nil {
			return err
		}
	}
	e.eps = last
	return e.logRound()
}

// logRound is a round in the log domain; of a cloud with itself half a step.
func (e *entropic) logRound() error {
	if e.self() {
		to := e.col
		err := e.fromY(to, e.x.base)
		for i, f := range to {
			e.x.base[i] = (e.x.base[i] + f) / 2
		}
		return err
	}
	if err := e.fromY(e.x.base, e.y.base); err != nil {
		return err
	}
	return e.fromX(e.y.base, e.x.base)
}

// hold makes the factors of the potentials so far. Where one does not fit, rows
// and columns are met first, and then a wider form is taken.
func (e *entropic) hold() error {
	for tries := 0; ; tries++ {
		fits, err := e.factors.Hold(e.x.base, e.y.base, e.eps)
		if m := (*backend.MemoryError)(nil); errors.As(err, &m) && len(e.forms) > 1 {
			if err = e.widen(); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		if fits {
			break
		}
		switch {
		case tries%2 == 0 && !e.self():
			err = e.logRound()
		case len(e.forms) > 1:
			err = e.widen()
		default: // streaming: cut, and mended by the next log-domain round
			fits = true
		}
		if err != nil {
			return err
		}
		if fits {
			break
		}
	}
	e.x.begin(e.eps)
	if !e.self() {
		e.y.begin(e.eps)
	}
	return nil
}

// widen goes on to the next form.
func (e *entropic) widen() error {
	e.factors.Close()
	e.forms = e.forms[1:]
	var err error
	e.factors, err = e.reopen(e.forms[0])
	return err
}

// round scales rows, then columns, and returns the larger error of both before.
func (e *entropic) round() (float64, error) {
	e.x.bad.Store(false)
	if e.self() {
		copy(e.col, e.x.w)
		err := e.factors.Round(e.col, nil, e.x.half)
		return e.x.error(), err
	}
	e.y.bad.Store(false)
	omega := e.omega.omega
	err := e.factors.Round(e.y.w, e.col, func(i int, r float64) float64 { return e.x.step(i, r, omega) })
	if err != nil {
		return 0, err
	}
	for j, c := range e.col {
		e.y.step(j, c, omega)
	}
	worst := max(e.x.error(), e.y.error())
	e.shift()
	return worst, nil
}

// meet brings groups of neighbours to their masses, where both marginals are met. Its
// steps are exact in what they change, so that the dual value never falls.
func (e *entropic) meet() error {
	if !e.groups || e.self() || !e.x.met() || !e.y.met() || e.x.bad.Load() || e.y.bad.Load() {
		return nil
	}
	n, _ := e.factors.Size()
	up, down := e.bias[:n], e.col
	done, err := e.factors.Meet(backend.Meet{Z: e.x.w, W: e.y.w, A: e.x.mass, B: e.y.mass, U: up, V: down})
	if err != nil || !done {
		return err
	}
	for i, f := range up {
		e.x.set(i, e.x.u[i]*f)
	}
	for j, f := range down {
		e.y.set(j, e.y.u[j]*f)
	}
	return nil
}

// shift moves mass between the potentials as the dual value is largest, where
// both marginals need not be met: a constant that rounds find slowly.
func (e *entropic) shift() {
	if e.x.met() && e.y.met() {
		return
	}
	per := 1 / (1/e.x.rho + 1/e.y.rho)
	by := per * (e.x.logMass() - e.y.logMass())
	up, down := math.Exp(by/e.eps), math.Exp(-by/e.eps)
	if !(up > 0 && down > 0) || math.IsInf(up, 1) || math.IsInf(down, 1) {
		return
	}
	for i, u := range e.x.u {
		e.x.set(i, u*up)
	}
	for j, v := range e.y.u {
		e.y.set(j, v*down)
	}
}

// farthest is how far scalings go before they are absorbed.
const farthest = 1e6

// mend looks at the scalings: those that went far are absorbed, and where a sum
// has vanished, rows and columns are met in the log domain.
func (e *entropic) mend() error {
	bad := e.x.bad.Load()
	low, high := e.x.reaches()
	drift := high
	if !e.self() {
		bad = bad || e.y.bad.Load()
		l, h := e.y.reaches()
		drift *= h
		low, high = min(low, l), max(high, h)
	}
	if !bad && low >= 1/farthest && high <= farthest && e.factors.Drift(math.Log(drift)) {
		return nil
	}
	e.absorb()
	if bad {
		e.factors.Drop() // what vanished may have been left out
		if err := e.logRound(); err != nil {
			return err
		}
	}
	return e.hold()
}

func (e *entropic) absorb() {
	e.x.absorb()
	if !e.self() {
		e.y.absorb()
	}
}

// run does rounds until both errors are at most tol, or until rounds are most in
// all; it says which.
func (e *entropic) run(tol float64, most int) (bool, error) {
	if e.omega.omega == 0 {
		e.omega.omega = 1
	}
	e.near = false
	if err := e.hold(); err != nil {
		return false, err
	}
	for e.rounds < most {
		err, failed := e.round()
		if failed != nil {
			return false, failed
		}
		e.rounds++
		if e.trace != nil {
			e.trace(e.rounds, err)
		}
		if !e.self() && e.x.met() && e.y.met() {
			e.omega.see(err)
		}
		if err <= tol && !e.x.bad.Load() && !e.y.bad.Load() {
			return true, e.last()
		}
		if failed = e.meet(); failed != nil {
			return false, failed
		}
		if failed = e.mend(); failed != nil {
			return false, failed
		}
	}
	e.absorb()
	return false, nil
}

// last makes the last step of each potential from the same pair, so that both
// marginals are met to first order, by the factors that are held where these are
// float32: what they round is below the tolerance, and measured.
func (e *entropic) last() error {
	if !e.forms[0].Narrow || e.self() {
		e.absorb()
		return nil
	}
	err := e.factors.Round(e.y.w, e.col, func(i int, r float64) float64 {
		e.x.off[i] = r
		return e.x.w[i]
	})
	for i, r := range e.x.off {
		e.x.step(i, r, 1)
	}
	for j, c := range e.col {
		e.y.step(j, c, 1)
	}
	e.near = !e.x.bad.Load() && !e.y.bad.Load()
	e.absorb()
	return err
}
