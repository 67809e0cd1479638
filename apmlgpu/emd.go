package apmlgpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/apmlgpu/internal/cpu"
	"github.com/gondola-lab/gondola/cloud"
)

// EMDOptions tunes [EMD]. The zero value is the recommended setting.
type EMDOptions struct {
	Cost     Cost            // Euclidean, SqEuclidean or HalfSqEuclidean. Zero means Euclidean.
	Warm     *Potentials     // those of a near problem of the same sizes, to start from. Nil means none. Not for batches.
	MaxIter  int             // steps (bids, paths, pivots) at most, above 0. Zero means no bound: it ends by itself.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto" or "cpu". Zero means "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad   bool            // leave the gradients out.
	Grad64   bool            // give the gradients in float64 too.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o EMDOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o EMDOptions) item(_, threads int, maxBytes int64) EMDOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

func (o EMDOptions) resolve(op string, x, y cloud.Cloud) (EMDOptions, common, error) {
	c, err := o.common().resolve(op)
	switch {
	case err != nil:
		return o, c, err
	case o.Cost != "" && !o.Cost.known():
		return o, c, optionError(op, "Cost", fmt.Sprintf("%q", o.Cost), `"euclidean", "sqeuclidean" or "half-sqeuclidean"`)
	case o.MaxIter < 0:
		return o, c, optionError(op, "MaxIter", o.MaxIter, "a number of steps, or zero for no bound")
	case o.Warm != nil && (len(o.Warm.F) != x.N || len(o.Warm.G) != y.N):
		return o, c, &Error{op, fmt.Errorf("%w: Warm holds %d and %d potentials for %d and %d points", ErrShape,
			len(o.Warm.F), len(o.Warm.G), x.N, y.N), "give the potentials of a result of the same sizes"}
	case o.Warm != nil && (!finite(o.Warm.F) || !finite(o.Warm.G)):
		return o, c, optionError(op, "Warm", "not finite", "finite potentials")
	}
	o.Cost = or(o.Cost, Euclidean)
	return o, c, nil
}

// EMD returns the exact least transport cost between two clouds, divided by
// the mass, and its gradient with respect to both supports. For uniform weights
// and N = M it is the mean cost of the best assignment.
//
// It proves itself: [Result.Certificate] holds a duality gap of at most 1e-9 of the
// value (or the rounding of one cost) for potentials below which no pair lies.
// No answer is an approximation in silence.
//
// Shapes: x is N×D and y is M×D, row-major, of any D; GradX is N×D and GradY
// M×D. Units: the value is in units of the cost, with no root: with SqEuclidean it
// is W2 squared. Weights are normalised to sum 1; one below 1e-13 of the total does
// not count, which Stats.Notes tells.
// Cost: time between N^1.2 and N^2 by the kind of clouds; memory O(N+M), never the
// N×M matrix.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrMass, ErrOption,
// ErrMemory, ErrBackend, ErrCanceled; ErrNotConverged with a usable result, whose
// Certificate says how far it may be off, after MaxIter steps or where rounding
// leaves a larger gap. The inputs are never written to.
//
// Source: the auction of Bertsekas, Annals of Operations Research 14, 1988, and the
// network simplex in Ahuja, Magnanti, Orlin, Network Flows, 1993, chapter 11. The gradient holds the plan: Σ_j P_ij (x_i − y_j)/d_ij, 0 where d is 0,
// or Σ_j P_ij 2 (x_i − y_j). Where several plans cost the same it is that of one of
// them, and value and certificate alone are promised.
func EMD(x, y cloud.Cloud, opt EMDOptions) (Result, error) {
	const op = "apmlgpu.EMD"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	if err := checkMass(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op, x, y)
	if err != nil {
		return Result{}, err
	}
	b, reason, err := c.choose(op, false)
	if err != nil {
		return Result{}, err
	}
	q := backend.EMD{Squared: o.Cost != Euclidean, MaxIter: int64(o.MaxIter)}
	factor := 1.0
	if o.Cost == HalfSqEuclidean {
		factor = 0.5
	}
	if o.Warm != nil {
		q.Warm = times(o.Warm.G, 1/factor)
	}
	out, spent, err := cpu.EMD(x, y, q, backend.Resources{Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context})
	if err != nil {
		return Result{}, failed(op, err)
	}
	e := emd{common: c, cost: o.Cost, factor: factor, x: x, y: y, out: out, work: work{op: op, limit: c.maxBytes,
		alive: spent.Alive}}
	e.stats = Stats{Backend: b.Name(), BackendReason: reason}
	e.stats.spend(spent, start)
	r, err := e.result()
	if err != nil && !errors.Is(err, ErrNotConverged) {
		return Result{}, err
	}
	r.Stats.Seconds = time.Since(start).Seconds()
	return r, err
}

// EMDBatch is [EMD] of every pair of two ragged batches, as [APMLBatch].
func EMDBatch(xs, ys cloud.Batch, opt EMDOptions) (BatchResult, error) {
	const op = "apmlgpu.EMDBatch"
	if opt.Warm != nil {
		return BatchResult{}, optionError(op, "Warm", "set", "nil for a batch")
	}
	return batch(op, xs, ys, opt, EMD)
}

// times is v, every number multiplied by f.
func times(v []float64, f float64) []float64 {
	out := make([]float64, len(v))
	for k, a := range v {
		out[k] = f * a
	}
	return out
}
