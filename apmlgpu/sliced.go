package apmlgpu

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

// SlicedOptions tunes [Sliced]. The zero value is the recommended setting.
type SlicedOptions struct {
	Cost       Cost            // SqEuclidean, Euclidean or HalfSqEuclidean. Zero means SqEuclidean.
	Directions [][]float64     // D numbers each; their lengths do not count. Nil means L of a fixed set.
	L          int             // directions of the fixed set, above 0. Zero means 64. Set Directions or L, not both.
	Seed       uint64          // turns the fixed set. Not with Directions.
	Max        bool            // the largest cost of a direction instead of the mean.
	Reduce     Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend    string          // "auto" or "cpu". Zero means "auto".
	Threads    int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes   int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad     bool            // leave the gradients out.
	Grad64     bool            // give the gradients in float64 too.
	Context    context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o SlicedOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o SlicedOptions) item(_, threads int, maxBytes int64) SlicedOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

// resolve fills in defaults and the directions, as unit vectors row by row.
func (o SlicedOptions) resolve(op string, d int) (SlicedOptions, common, []float64, error) {
	c, err := o.common().resolve(op)
	switch {
	case err != nil:
		return o, c, nil, err
	case o.Cost != "" && !o.Cost.known():
		return o, c, nil, optionError(op, "Cost", fmt.Sprintf("%q", o.Cost),
			`"sqeuclidean", "euclidean" or "half-sqeuclidean"`)
	case o.L < 0 || o.L > math.MaxInt32:
		return o, c, nil, optionError(op, "L", o.L, "a number of directions above zero")
	case o.Directions != nil && o.L > 0:
		return o, c, nil, optionError(op, "L", o.L, "zero when Directions is set")
	case o.Directions != nil && o.Seed > 0:
		return o, c, nil, optionError(op, "Seed", o.Seed, "zero when Directions is set")
	case o.Directions != nil && len(o.Directions) == 0:
		return o, c, nil, optionError(op, "Directions", "[]", "at least one direction, or nil")
	}
	o.Cost = or(o.Cost, SqEuclidean)
	if o.Directions == nil {
		o.L = or(o.L, 64)
		if d == 1 {
			o.L = 1 // there is no other
		}
		if bytes := float64(o.L) * float64(d) * 8; bytes > float64(c.maxBytes) {
			return o, c, nil, memoryError(op, "the set of directions", int64(min(bytes, 9e18)), c.maxBytes)
		}
		return o, c, directionSet(o.L, d, o.Seed), nil
	}
	var set []float64
	for k, v := range o.Directions {
		if len(v) != d {
			return o, c, nil, optionError(op, "Directions", fmt.Sprintf("%d numbers in direction %d", len(v), k),
				fmt.Sprintf("%d, one a coordinate", d))
		}
		set = append(set, v...)
		if !(normalise(set[k*d:]) > 0) || !finite(set[k*d:]) {
			return o, c, nil, optionError(op, "Directions", fmt.Sprintf("%v in direction %d", v, k),
				"finite numbers, not all zero")
		}
	}
	o.L = len(o.Directions)
	return o, c, set, nil
}

func finite(v []float64) bool {
	for _, a := range v {
		if a-a != 0 {
			return false
		}
	}
	return true
}

// Sliced returns the sliced Wasserstein cost: the mean over directions of the
// transport cost between the projections of both clouds on a line, and its
// gradient with respect to both supports.
//
// Shapes: x is N×D and y is M×D, row-major, of any D; GradX is N×D and GradY
// M×D. Units: the value is in units of the cost, with no root: with SqEuclidean
// it is SW2 squared. Weights are normalised to sum 1, so values are means.
// Cost: O(L (N+M)) time for L directions, sorting by digits; some 40 bytes a
// point and thread, and 8 D a point for the gradients.
//
// Stats.StdErr is the standard error of the mean over the directions, as if they
// were drawn at random; the fixed set is more even than that.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrMass, ErrOption,
// ErrMemory, ErrBackend, ErrCanceled. The inputs are never written to.
//
// Source: Bonneel et al., Journal of Mathematical Imaging and Vision 51, 2015;
// Max: Deshpande et al., CVPR 2019, arXiv:1904.05877. The gradient holds the
// sorted order fixed, lowest index first where projections are equal, so it is
// exact wherever no two are.
func Sliced(x, y cloud.Cloud, opt SlicedOptions) (Result, error) {
	const op = "apmlgpu.Sliced"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	if err := checkMass(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, set, err := opt.resolve(op, x.D)
	if err != nil {
		return Result{}, err
	}
	b, reason, err := c.choose(op, false)
	if err != nil {
		return Result{}, err
	}
	s := slicer{common: c, opt: o, set: set, x: newProjected(x), y: newProjected(y)}
	s.corner = cornerOf(s.x, s.y)
	s.work = work{op: op, limit: c.maxBytes}
	s.stats = Stats{Backend: b.Name(), BackendReason: reason, Method: "sorted", Converged: true, N: s.x.n, M: s.y.n,
		Directions: o.L}
	r, err := s.solve()
	if err != nil {
		return Result{}, err
	}
	s.work.spend(&s.stats)
	s.stats.Seconds = time.Since(start).Seconds()
	s.stats.OutputBytes = r.outputBytes()
	r.Stats = s.stats
	return r, nil
}

// SlicedBatch is [Sliced] of every pair of two ragged batches, as [APMLBatch].
func SlicedBatch(xs, ys cloud.Batch, opt SlicedOptions) (BatchResult, error) {
	return batch("apmlgpu.SlicedBatch", xs, ys, opt, Sliced)
}
