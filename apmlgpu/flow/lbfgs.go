package flow

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/gondola-lab/gondola/cloud"
)

// errEnd ends gonum's loop for a reason that problem knows.
var errEnd = errors.New("the flow has ended")

// How far gradient or value must have fallen, as shares of their first, for a line
// search that cannot move to mean that the optimum is there.
const (
	fallenGrad  = 1e-3
	fallenValue = 1e-6
)

// problem is a flow as gonum/optimize sees it: coordinates in joint diameters, so
// that its first step does not depend on their unit.
type problem struct {
	*run
	unit  float64
	now   point
	at    []float64 // where now is
	err   error     // of the loss
	panic any       // of the loss: it is called on a goroutine of gonum's
	done  bool      // Tol is reached, or all steps are taken
}

// lbfgs runs gonum's LBFGS.
//
// Source: Nocedal, Mathematics of Computation 35, 1980; the last 15 steps are held.
func (r *run) lbfgs() error {
	p := &problem{run: r, unit: cloud.Diameter(r.x0, r.y)}
	if !(p.unit > 0) {
		p.unit = 1
	}
	start := make([]float64, len(r.x))
	for i, v := range r.x {
		start[i] = v / p.unit
	}
	_, err := optimize.Minimize(optimize.Problem{Func: p.value, Grad: p.gradient, Status: p.status}, start,
		&optimize.Settings{Converger: p}, &optimize.LBFGS{GradStopThreshold: math.NaN()})
	switch {
	case p.panic != nil:
		panic(p.panic)
	case p.err != nil:
		return p.err
	case p.done && r.path.Converged:
		return nil
	case p.done:
		return r.notConverged("after %d steps", len(r.path.Value)-1)
	case errors.Is(err, optimize.ErrNoProgress) && r.settled():
		r.path.Converged, r.path.Reason = true, "no step changes the cloud"
		return nil
	case err == nil:
		err = errEnd
	}
	return r.notConverged("where the line search ended (%v)", err)
}

// settled tells whether a flow that cannot move has arrived.
func (r *run) settled() bool {
	n := len(r.path.Value) - 1
	if r.opt.Tol > 0 {
		return r.path.GradNorm[n] <= r.opt.Tol
	}
	g, v := r.path.GradNorm, r.path.Value
	return g[n] <= fallenGrad*g[0] || math.Abs(v[n]) <= fallenValue*math.Abs(v[0])
}

// look calls the loss at z unless that is where it was called last.
func (p *problem) look(z []float64) {
	same := len(p.at) == len(z) && p.err == nil
	for i := 0; same && i < len(z); i++ {
		same = p.at[i] == z[i]
	}
	if same || p.panic != nil {
		return
	}
	p.at = append(p.at[:0], z...)
	x := make([]float64, len(z))
	for i, v := range z {
		x[i] = v * p.unit
	}
	defer func() {
		if v := recover(); v != nil {
			p.panic = v
		}
	}()
	p.now, p.err = p.eval(x)
}

// value is Scale · Value at z, NaN after an error.
func (p *problem) value(z []float64) float64 {
	if p.look(z); p.err != nil || p.panic != nil {
		return math.NaN()
	}
	return p.now.res.Value * p.factor
}

// gradient is that of value.
func (p *problem) gradient(grad, z []float64) {
	if p.look(z); p.err != nil || p.panic != nil {
		for i := range grad {
			grad[i] = math.NaN()
		}
		return
	}
	for i, v := range p.now.grad {
		grad[i] = v * p.unit
	}
}

// status ends the loop when there is a reason.
func (p *problem) status() (optimize.Status, error) {
	if p.err != nil || p.panic != nil {
		return optimize.Failure, errEnd
	}
	return optimize.NotTerminated, nil
}

// Init is of optimize.Converger.
func (p *problem) Init(int) {}

// Converged is asked once a step, the start included: it takes the step into the
// path and says whether it was the last.
func (p *problem) Converged(loc *optimize.Location) optimize.Status {
	p.look(loc.X)
	if p.err != nil || p.panic != nil {
		return optimize.Failure
	}
	p.record(p.now)
	switch {
	case p.now.norm <= p.opt.Tol: // with Tol 0: no gradient at all
		p.path.Converged, p.path.Reason = true, "the gradient is at most Tol"
		p.done = true
		return optimize.GradientThreshold
	case len(p.path.Value) > p.opt.Steps:
		p.path.Converged, p.path.Reason = p.opt.Tol == 0, "all steps taken"
		p.done = true
		return optimize.IterationLimit
	}
	return optimize.NotTerminated
}
