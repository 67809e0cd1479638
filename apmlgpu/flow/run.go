package flow

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Run moves x0 down the gradient of the loss to y and returns the path.
//
//	x ← x − Step · Scale · GradX        SGD, with momentum where it is set
//
// Scale is N for losses that are means, so that a step does not depend on the
// number of points, and N/M for APML, which is a sum over a plan of mass M. So
// Step is a length for losses whose cost is a distance, a share of the way for
// squared ones: SqEuclidean goes 2·Step of it. Coordinates and moments are
// float64; the loss sees them rounded to float32. Weights of x0 stay as they are.
//
// Cost: Steps + 1 calls of the loss; LBFGS takes one to three a step. The same
// input gives the same path, to the bit, for any number of threads (Seconds aside).
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite and ErrOption before the first step,
// and those of the loss. From then on the path so far comes with the error:
// ErrCanceled; ErrNotFinite where a step is too long; ErrNotConverged, with the whole
// path, where Tol was not reached, or where the loss itself did not converge in some
// step. The inputs are never written to.
func Run(x0, y cloud.Cloud, loss Loss, opt Options) (Path, error) {
	if err := check(x0, y, loss); err != nil {
		return Path{}, err
	}
	o, err := opt.resolve(x0, y)
	if err != nil {
		return Path{}, err
	}
	r := &run{opt: o, loss: loss, x0: x0, y: y.Clone(), x: make([]float64, len(x0.X)), start: time.Now(), late: -1}
	for i, v := range x0.X {
		r.x[i] = float64(v)
	}
	switch o.Method {
	case Adam:
		err = r.descend(r.adam())
	case LBFGS:
		err = r.lbfgs()
	default:
		err = r.descend(r.sgd())
	}
	if n := len(r.path.Value); n > 0 && r.path.At[len(r.path.At)-1] != n-1 {
		r.path.Clouds, r.path.At = append(r.path.Clouds, r.last), append(r.path.At, n-1)
	}
	if err == nil && r.lates > 0 {
		err = fail(apmlgpu.ErrNotConverged, "raise MaxIter or Tol of the loss", "the loss in %d of %d calls, first at step %d",
			r.lates, r.path.Calls, r.late)
	}
	return r.path, err
}

const op = "flow.Run"

func fail(cause error, advice, format string, a ...any) error {
	return &apmlgpu.Error{Op: op, Err: fmt.Errorf("%w: "+format, append([]any{cause}, a...)...), Advice: advice}
}

// check refuses what no step can begin with.
func check(x, y cloud.Cloud, loss Loss) error {
	for k, c := range []cloud.Cloud{x, y} {
		name := []string{"x0", "y"}[k]
		switch {
		case c.N == 0:
			return fail(apmlgpu.ErrEmpty, "give at least one point", "%s has no point",
				name)
		case c.N < 0 || c.D < 1 || len(c.X) != c.N*c.D:
			return fail(apmlgpu.ErrShape, "give N·D coordinates, row by row", "%s says %d×%d and holds %d numbers",
				name, c.N, c.D, len(c.X))
		}
		if i := c.FirstBad(); i >= 0 {
			return fail(apmlgpu.ErrNotFinite, "drop or repair that point before the call", "point %d of %s is %v",
				i, name, c.X[i*c.D:(i+1)*c.D])
		}
	}
	if x.D != y.D {
		return fail(apmlgpu.ErrShape, "give clouds with the same number of coordinates a point", "x0 is %d×%d, y is %d×%d",
			x.N, x.D, y.N, y.D)
	}
	if loss == nil {
		return optionError("loss", "nil", "a loss, as flow.EMD makes")
	}
	return nil
}

// run is one flow under way.
type run struct {
	opt    Options
	loss   Loss
	x0, y  cloud.Cloud
	x      []float64 // coordinates now
	factor float64   // Scale
	path   Path
	last   cloud.Cloud // of the last step
	start  time.Time
	lates  int // calls of the loss that did not converge
	late   int // step of the first
}

// point is the loss at one cloud.
type point struct {
	cloud cloud.Cloud
	res   apmlgpu.Result
	grad  []float64 // Scale · GradX
	norm  float64   // root mean square over the points of |grad|
}

// goOn asks both ways in which a flow is ended.
func (r *run) goOn() error {
	err := stop.Err()
	if c := r.opt.Context; err == nil && c != nil {
		err = c.Err()
	}
	if err == nil {
		return nil
	}
	return &apmlgpu.Error{Op: op, Err: fmt.Errorf("%w before step %d: %w", apmlgpu.ErrCanceled, len(r.path.Value), err)}
}

// eval calls the loss at x.
func (r *run) eval(x []float64) (p point, err error) {
	if err := r.goOn(); err != nil {
		return p, err
	}
	step := len(r.path.Value)
	p.cloud = cloud.Cloud{N: r.x0.N, D: r.x0.D, X: make([]float32, len(x)), W: r.x0.W}
	for i, v := range x {
		p.cloud.X[i] = float32(v)
		if f := p.cloud.X[i]; f-f != 0 {
			return p, fail(apmlgpu.ErrNotFinite, "make Step smaller", "point %d has left float32 at step %d",
				i/p.cloud.D, step)
		}
	}
	p.res, err = r.loss(p.cloud, r.y)
	r.path.Calls++
	switch {
	case errors.Is(err, apmlgpu.ErrNotConverged) && len(p.res.GradX) > 0:
		r.lates++
		if r.late < 0 {
			r.late = step
		}
	case err != nil:
		return p, &apmlgpu.Error{Op: op, Err: fmt.Errorf("step %d: %w", step, err), Advice: adviceOf(err)}
	}
	return p, r.measure(&p, step)
}

// adviceOf is the advice of the error beneath.
func adviceOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// measure scales the gradient of a call and takes its norm.
func (r *run) measure(p *point, step int) error {
	n, d := p.cloud.N, p.cloud.D
	p.grad = slices.Clone(p.res.GradX64)
	if p.grad == nil {
		for _, v := range p.res.GradX {
			p.grad = append(p.grad, float64(v))
		}
	}
	if len(p.grad) != n*d {
		return fail(apmlgpu.ErrShape, "take a loss with a gradient, and leave NoGrad out",
			"the loss gave a gradient of %d numbers for %d×%d",
			len(p.grad), n, d)
	}
	if r.factor == 0 {
		r.factor = r.opt.Scale
	}
	if r.factor == 0 {
		r.factor = scaleOf(p.res, n, r.y.N)
	}
	sum := 0.0
	for i, v := range p.grad {
		v *= r.factor
		p.grad[i] = v
		sum += float64(v * v)
	}
	p.norm = math.Sqrt(sum / float64(n))
	if v := p.res.Value; v-v != 0 || p.norm-p.norm != 0 {
		return fail(apmlgpu.ErrNotFinite, "make Step smaller, or the clouds",
			"step %d has the value %v and a gradient of norm %v", step, v, p.norm)
	}
	return nil
}

// scaleOf is N for means and N/M for sums. A result of APML that is what its plan
// costs is a sum; with PerPoint it is a mean.
func scaleOf(r apmlgpu.Result, n, m int) float64 {
	if cost, err := r.TransportCost(); err == nil && r.Stats.Variant != "" && cost == r.Value {
		return float64(n) / float64(m)
	}
	return float64(n)
}

// record takes a point into the path as its next step.
func (r *run) record(p point) {
	t, k := &r.path, len(r.path.Value)
	t.Value = append(t.Value, p.res.Value)
	t.GradNorm = append(t.GradNorm, p.norm)
	t.RowError = append(t.RowError, p.res.Stats.RowError)
	t.Seconds = append(t.Seconds, time.Since(r.start).Seconds())
	r.last = p.cloud
	if k%r.opt.Every == 0 {
		t.Clouds, t.At = append(t.Clouds, p.cloud), append(t.At, k)
		if r.opt.Frame != nil {
			r.opt.Frame(Frame{Step: k, Cloud: p.cloud, Value: p.res.Value, GradNorm: p.norm, RowError: p.res.Stats.RowError})
		}
	}
}

// descend takes steps by a rule until there are enough of them or Tol is reached.
func (r *run) descend(rule func(k int, grad []float64)) error {
	for k := 0; ; k++ {
		p, err := r.eval(r.x)
		if err != nil {
			return err
		}
		r.record(p)
		switch {
		case r.opt.Tol > 0 && p.norm <= r.opt.Tol:
			r.path.Converged, r.path.Reason = true, "the gradient is at most Tol"
			return nil
		case k == r.opt.Steps && r.opt.Tol > 0:
			return r.notConverged("after %d steps", k)
		case k == r.opt.Steps:
			r.path.Converged, r.path.Reason = true, "all steps taken"
			return nil
		}
		rule(k, p.grad)
	}
}

func (r *run) notConverged(how string, a ...any) error {
	r.path.Reason = fmt.Sprintf(how, a...)
	norm := r.path.GradNorm[len(r.path.GradNorm)-1]
	return fail(apmlgpu.ErrNotConverged, "raise Steps or Tol, or change Step", "the gradient has norm %.4g %s, want %.4g",
		norm, r.path.Reason, r.opt.Tol)
}
