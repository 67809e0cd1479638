package apmlgpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// APMLOptions tunes [APML]. The zero value is the recommended setting.
type APMLOptions struct {
	Variant    Variant         // Faithful or Reference. Zero means Faithful.
	MinProb    float64         // least match probability p, in [0,1). Zero means 0.8.
	Iterations int             // rounds of balancing, above zero. Zero means 20. Set Iterations or Tol, not both.
	Tol        float64         // RowError to reach instead of a fixed number of rounds. Zero means a fixed number.
	MaxIter    int             // rounds at most, with Tol. Zero means 1000.
	Threshold  float64         // similarity t, in (0,1), above which a pair is kept. Zero means automatic, or 1e-10 for Reference.
	Merge      Merge           // MergeHalf or MergeCount. Zero means the variant's own: half, count.
	Ties       Ties            // UniformRow or Split. Zero means the variant's own: uniform, split.
	Reduce     Reduce          // of a batch: Mean or Sum. Zero means the variant's own: mean, sum.
	PerPoint   bool            // divide value and gradients by M.
	Margin     float64         // length δ, absolute, that keeps a gap above zero. Zero means 1e-8.
	ScaleFree  bool            // take Margin, and Reference's least distance, as shares of the joint diameter.
	Method     Method          // how the plan is held. Zero means MethodAuto.
	Backend    string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads    int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes   int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad     bool            // leave the gradients out.
	Grad64     bool            // give the gradients in float64 too.
	Context    context.Context // ends the call. Nil means only the notebook's stop does.
	Trace      func(Step)      // is called after every round. Nil means none.
}

// apmlResolved is APMLOptions with every default filled in.
type apmlResolved struct {
	common
	q      backend.APML
	oracle bool
	opt    APMLOptions
}

// Automatic thresholds, and the length below which the published code divides by
// it instead of the distance.
const (
	faithfulThreshold  = 1e-20
	referenceThreshold = 1e-10
	referenceFloor     = 1e-6
)

func (o APMLOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		sum: o.Variant == Reference, noGrad: o.NoGrad, grad64: o.Grad64, inTurn: o.Trace != nil,
	}
}

func (o APMLOptions) item(b, threads int, maxBytes int64) APMLOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	if trace := o.Trace; trace != nil {
		o.Trace = func(s Step) { s.Item = b; trace(s) }
	}
	return o
}

// resolve fills defaults and refuses nonsense; below it nobody tests for zero.
func (o APMLOptions) resolve(op string) (r apmlResolved, err error) {
	if r.common, err = o.common().resolve(op); err != nil {
		return r, err
	}
	switch { // written so that NaN fails, and on the fields as given
	case o.Variant != "" && o.Variant != Faithful && o.Variant != Reference:
		return r, optionError(op, "Variant", fmt.Sprintf("%q", o.Variant), `"faithful" or "reference"`)
	case !(o.MinProb >= 0 && o.MinProb < 1):
		return r, optionError(op, "MinProb", o.MinProb, "a probability of at least 0 and below 1")
	case o.Iterations < 0:
		return r, optionError(op, "Iterations", o.Iterations, "a number of rounds above zero")
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return r, optionError(op, "Tol", o.Tol, "a finite row error above zero")
	case o.Tol > 0 && o.Iterations > 0:
		return r, optionError(op, "Tol", o.Tol, "zero when Iterations is set, or Iterations zero")
	case o.MaxIter < 0:
		return r, optionError(op, "MaxIter", o.MaxIter, "a number of rounds above zero")
	case o.MaxIter > 0 && o.Tol == 0:
		return r, optionError(op, "MaxIter", o.MaxIter,
			"zero when Tol is zero; Iterations sets a fixed number of rounds")
	case !(o.Threshold >= 0 && o.Threshold < 1):
		return r, optionError(op, "Threshold", o.Threshold, "a similarity between 0 and 1")
	case o.Merge != "" && o.Merge != MergeHalf && o.Merge != MergeCount:
		return r, optionError(op, "Merge", fmt.Sprintf("%q", o.Merge), `"half" or "count"`)
	case o.Ties != "" && o.Ties != UniformRow && o.Ties != Split:
		return r, optionError(op, "Ties", fmt.Sprintf("%q", o.Ties), `"uniform" or "split"`)
	case !(o.Margin >= 0) || math.IsInf(o.Margin, 1):
		return r, optionError(op, "Margin", o.Margin, "a finite length above zero")
	case !slices.Contains([]Method{"", MethodAuto, MethodSparse, MethodDense, MethodStreaming, MethodOracle},
		o.Method):
		return r, optionError(op, "Method", fmt.Sprintf("%q", o.Method),
			`"auto", "sparse", "dense", "streaming" or "oracle"`)
	}
	if o.Variant == "" {
		o.Variant = Faithful
	}
	reference := o.Variant == Reference
	if o.Merge == "" {
		o.Merge = pick(reference, MergeCount, MergeHalf)
	}
	if o.Ties == "" {
		o.Ties = pick(reference, Split, UniformRow)
	}
	automatic := o.Threshold == 0 && !reference
	o.Threshold = or(o.Threshold, pick(reference, referenceThreshold, faithfulThreshold))
	r.opt, r.oracle = o, o.Method == MethodOracle
	r.q = backend.APML{
		Method: string(or(o.Method, MethodAuto)), MinProb: or(o.MinProb, 0.8), Margin: or(o.Margin, 1e-8),
		Iterations: or(o.Iterations, 20), Tol: o.Tol, MaxIter: or(o.MaxIter, 1000),
		LogInverse: logInverse(o.Threshold), Automatic: automatic, CountMerge: o.Merge == MergeCount && !automatic,
		UniformRow: o.Ties == UniformRow, Reference: reference, Floor: pick(reference, referenceFloor, 0), NoGrad: o.NoGrad, Grad64: o.Grad64,
	}
	if o.Trace != nil {
		r.q.Trace = func(k int, e float64) { o.Trace(Step{Iteration: k, RowError: e}) }
	}
	return r, nil
}

// or is v, or its default where v is zero.
func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func pick[T any](yes bool, a, b T) T {
	if yes {
		return a
	}
	return b
}

// APML returns the adaptive probabilistic matching loss of two clouds and its
// gradient with respect to both supports.
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: coordinates are lengths; the value is a sum of lengths over the points
// of a plan of mass M, and a gradient has no unit; with PerPoint it is a length. Weights act on the balance
// only: row i of the plan aims at M a_i, column j at M b_j.
// Cost: O((N+M) log(N+M)) time and about 100 bytes a point and 24 a pair of the
// support where the support is small; else 8 bytes or, streaming, nothing for
// each of the N·M pairs. See [Stats] for what was taken.
//
// The plan after the fixed 20 rounds meets its columns and not its rows: look
// at Stats.RowError. L(x, y) differs from L(y, x), and L(x, x) is not zero.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrMass, ErrOption,
// ErrMemory, ErrBackend, ErrCanceled; ErrNotConverged together with a usable
// Result if Tol is set and MaxIter ends the loop first. The inputs are never
// written to.
//
// Source: arXiv:2509.08104 and arXiv:2512.19743. The gradient holds the plan
// fixed, by definition: finite differences of the value are another number.
func APML(x, y cloud.Cloud, opt APMLOptions) (Result, error) {
	const op = "apmlgpu.APML"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	if err := checkMass(op, x, y); err != nil {
		return Result{}, err
	}
	r, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	if opt.ScaleFree {
		r.relative(jointDiameter(x, y))
	}
	out, stats, err := r.compute(op, x, y, start)
	if err != nil {
		return Result{}, err
	}
	res := r.result(out, stats)
	kx, ky := keep(x), keep(y)
	res.plan = func() (*Plan, error) {
		again := r
		again.q.Plan, again.q.NoGrad, again.q.Trace = true, true, nil
		again.context = context.Background() // that of the call may have ended with it
		out, _, err := again.compute("apmlgpu.Plan", kx, ky, time.Now())
		if err != nil {
			return nil, err
		}
		return newPlan(out.Plan, kx, ky, r.maxBytes), nil
	}
	if !out.Converged {
		return res, &Error{op, fmt.Errorf("%w: row error %.4g after %d rounds, want %.4g", ErrNotConverged,
			out.RowError, out.Iterations, r.q.Tol),
			"raise MaxIter or Tol"}
	}
	return res, nil
}

// relative makes lengths of shares of the diameter; of points in one spot any
// length will do.
func (r *apmlResolved) relative(diameter float64) {
	by := or(diameter, 1)
	r.q.Margin *= by
	r.q.Floor *= by
}

// jointDiameter is the diagonal of the box of the points of both clouds that
// count.
func jointDiameter(x, y cloud.Cloud) float64 {
	sum := 0.0
	for k := range x.D {
		low, high := math.Inf(1), math.Inf(-1)
		for _, c := range []cloud.Cloud{x, y} {
			for i := range c.N {
				if c.W == nil || c.W[i] > 0 {
					v := float64(c.X[i*c.D+k])
					low, high = min(low, v), max(high, v)
				}
			}
		}
		sum += (high - low) * (high - low)
	}
	return math.Sqrt(sum)
}

// keep copies what a later Plan needs: results share no memory with inputs.
func keep(c cloud.Cloud) cloud.Cloud {
	return cloud.Cloud{N: c.N, D: c.D, X: slices.Clone(c.X), W: slices.Clone(c.W)}
}

// compute runs the call on its backend, or the oracle.
func (r apmlResolved) compute(op string, x, y cloud.Cloud, start time.Time) (*backend.APMLResult, Stats, error) {
	if r.oracle {
		out, err := oracle(x, y, r)
		return out, Stats{Backend: "cpu", Seconds: time.Since(start).Seconds()}, failed(op, err)
	}
	p, stats, err := r.open(op, x, y, true)
	if err != nil {
		return nil, stats, err
	}
	defer p.Close()
	out, err := p.APML(r.q)
	stats.spend(p.Spent(), start)
	return out, stats, failed(op, err)
}

// result turns what a backend found into a Result.
func (r apmlResolved) result(out *backend.APMLResult, s Stats) Result {
	s.Method, s.Variant = out.Method, string(r.opt.Variant)
	s.N, s.M, s.UniqueN, s.UniqueM = out.N, out.M, out.UniqueN, out.UniqueM
	s.NNZ, s.NNZRows, s.NNZCols, s.Stored = out.NNZ, out.NNZRows, out.NNZCols, out.Stored
	s.Iterations, s.Converged, s.Mass = out.Iterations, out.Converged, out.Mass
	s.RowError, s.RowErrorMax, s.ColError = out.RowError, out.RowErrorMax, out.ColError
	s.TiedRows, s.TiedCols = out.TiedRows, out.TiedCols
	s.Threshold, s.PrunedBound, s.PrunedCost, s.Retries = r.threshold(out), out.PrunedBound, out.PrunedCost, out.Retries
	s.Notes = r.notes(out)
	cost := out.Value
	res := Result{
		Value: out.Value, GradX: out.GradX, GradY: out.GradY, GradX64: out.GradX64, GradY64: out.GradY64,
		Stats: s, loss: "APML", cost: &cost,
	}
	if r.opt.PerPoint {
		res.divide(float64(out.M))
	}
	res.Stats.OutputBytes = res.outputBytes()
	return res
}

// threshold is the similarity above which pairs were kept: the given one to the
// last bit where it was not lowered.
func (r apmlResolved) threshold(out *backend.APMLResult) float64 {
	if out.LogInverse == r.q.LogInverse {
		return r.opt.Threshold
	}
	return math.Exp(-out.LogInverse)
}

// logInverse is ln(1/t), also where t is below the normal numbers, at which
// math.Log is wrong on amd64.
func logInverse(t float64) float64 {
	if t < 0x1p-1022 {
		return 52*math.Ln2 - math.Log(t*0x1p52)
	}
	return -math.Log(t)
}

// divide divides value and gradients.
func (r *Result) divide(by float64) {
	r.Value /= by
	for _, g := range [][]float32{r.GradX, r.GradY} {
		for k := range g {
			g[k] = float32(float64(g[k]) / by)
		}
	}
	for _, g := range [][]float64{r.GradX64, r.GradY64} {
		for k := range g {
			g[k] /= by
		}
	}
}

// notes are the sentences that a person should read beside the value.
func (r apmlResolved) notes(out *backend.APMLResult) (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if t := out.TiedRows + out.TiedCols; t > 0 {
		note("%d rows and %d columns tie: see Ties", out.TiedRows, out.TiedCols)
	}
	if out.Swallowed > (out.N+out.M)/2 {
		note("the margin %.3g is larger than %d of %d gaps: scale the clouds up, lower Margin or set ScaleFree", r.q.Margin,
			out.Swallowed, out.N+out.M)
	}
	if r.oracle {
		return notes
	}
	switch {
	case !r.q.Automatic && !math.IsInf(out.LogInverse, 1) && !(max(out.PrunedBound, out.PrunedCost) <= 1e-6):
		note("entries below the threshold %g may carry %.2g of the mass, %.2g of the value: lower Threshold", r.threshold(out),
			min(out.PrunedBound, 1), min(out.PrunedCost, 1))
	case out.Retries > 0 && out.Method == backend.Sparse:
		note("the clouds are dissimilar: the threshold was lowered to %.3g", math.Exp(-out.LogInverse))
	}
	held := pick(out.Method == backend.Dense, "stored", "streaming")
	switch {
	case r.q.Method == backend.Auto && out.Method != backend.Sparse:
		note("the support is not small, or not enough: all pairs were taken, %s", held)
	case r.q.Method == backend.Sparse && out.Method != backend.Sparse:
		note("a sparse plan cannot hold this one: all pairs were taken, %s", held)
	}
	return notes
}
