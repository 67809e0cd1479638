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

// SinkhornOptions tunes [Sinkhorn]. The zero value is the recommended setting.
type SinkhornOptions struct {
	Cost     Cost            // SqEuclidean, Euclidean or HalfSqEuclidean. Zero means SqEuclidean.
	Blur     float64         // length σ that sets ε: 2σ², σ or σ² by Cost. Zero means 0.05 × the joint diameter.
	Epsilon  float64         // ε itself, in units of the cost. Set Blur or Epsilon, not both.
	Reach    float64         // length τ that sets ρ of both clouds as Blur sets ε. Zero means no limit: balanced.
	ReachX   float64         // Reach of the first cloud alone. Not with Reach.
	ReachY   float64         // Reach of the second cloud alone. Not with Reach.
	Scaling  float64         // ratio of successive blurs of the schedule, in (0,1). Zero means 0.5.
	Tol      float64         // L1 error of both marginals to reach, as a share of the mass. Zero means 1e-3.
	MaxIter  int             // rounds after the schedule, at most. Zero means 1000.
	Biased   bool            // return OT_ε itself: leave the two self-terms out.
	Warm     *Potentials     // of an earlier result of clouds of these sizes, to start from. Nil means the schedule.
	Method   Method          // how the Gibbs factors are held. Zero means MethodAuto.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto" or "cpu". Zero means "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad   bool            // leave the gradients out.
	Grad64   bool            // give the gradients in float64 too.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
	Trace    func(Step)      // is called after every round between the clouds. Nil means none.
}

func (o SinkhornOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64, inTurn: o.Trace != nil,
	}
}

func (o SinkhornOptions) item(b, threads int, maxBytes int64) SinkhornOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	if trace := o.Trace; trace != nil {
		o.Trace = func(s Step) { s.Item = b; trace(s) }
	}
	return o
}

// balanced says that both marginals are met.
func (o SinkhornOptions) balanced() bool { return o.Reach == 0 && o.ReachX == 0 && o.ReachY == 0 }

// blurShare is the default blur as a share of the joint diameter.
const blurShare = 0.05

// resolve fills defaults and refuses nonsense; below it nobody tests for zero. A
// reach without limit is +Inf. The checks look at the fields as given, and are
// written so that NaN fails.
func (o SinkhornOptions) resolve(op string, diameter float64) (SinkhornOptions, error) {
	for _, l := range []struct {
		field  string
		length float64
		want   string
	}{
		{"Blur", o.Blur, "a finite length above zero"}, {"Epsilon", o.Epsilon, "a finite cost above zero"},
		{"Reach", o.Reach, "a finite length above zero"}, {"ReachX", o.ReachX, "a finite length above zero"},
		{"ReachY", o.ReachY, "a finite length above zero"}, {"Tol", o.Tol, "a finite error above zero"},
	} {
		if !(l.length >= 0) || math.IsInf(l.length, 1) {
			return o, optionError(op, l.field, l.length, l.want)
		}
	}
	switch {
	case o.Cost != "" && !o.Cost.known():
		return o, optionError(op, "Cost", fmt.Sprintf("%q", o.Cost), `"sqeuclidean", "euclidean" or "half-sqeuclidean"`)
	case o.Blur != 0 && o.Epsilon != 0:
		return o, optionError(op, "Epsilon", o.Epsilon, "zero when Blur is set, or Blur zero")
	case o.Reach != 0 && o.ReachX != 0:
		return o, optionError(op, "ReachX", o.ReachX, "zero when Reach is set, or Reach zero")
	case o.Reach != 0 && o.ReachY != 0:
		return o, optionError(op, "ReachY", o.ReachY, "zero when Reach is set, or Reach zero")
	case !(o.Scaling >= 0 && o.Scaling < 1):
		return o, optionError(op, "Scaling", o.Scaling, "a ratio between 0 and 1")
	case o.MaxIter < 0:
		return o, optionError(op, "MaxIter", o.MaxIter, "a number of rounds above zero")
	case !slices.Contains([]Method{"", MethodAuto, MethodStored, MethodTruncated, MethodStreaming}, o.Method):
		return o, optionError(op, "Method", fmt.Sprintf("%q", o.Method), `"auto", "stored", "truncated" or "streaming"`)
	}
	o.Cost = or(o.Cost, SqEuclidean)
	if o.Epsilon == 0 {
		given := o.Blur
		o.Blur = or(o.Blur, or(blurShare*diameter, 1)) // all points in one spot: any blur will do
		if o.Epsilon = o.Cost.epsilon(o.Blur); !(o.Epsilon > 0) || math.IsInf(o.Epsilon, 1) {
			return o, optionError(op, "Blur", or(given, o.Blur), "a length whose square is a float64")
		}
	}
	o.ReachX, o.ReachY = or(o.ReachX, o.Reach), or(o.ReachY, o.Reach)
	o.ReachX, o.ReachY = or(o.ReachX, math.Inf(1)), or(o.ReachY, math.Inf(1))
	o.Scaling, o.Tol, o.MaxIter = or(o.Scaling, 0.5), or(o.Tol, 1e-3), or(o.MaxIter, 1000)
	o.Method = or(o.Method, MethodAuto)
	return o, nil
}

// Sinkhorn returns the Sinkhorn divergence S_ε(α,β) of two weighted clouds, or
// OT_ε where Biased is set, and its gradient with respect to both supports.
//
//	OT_ε = min ⟨P,C⟩ + ε KL(P | a⊗b) [+ ρ KL(P1 | a) + ρ KL(Pᵀ1 | b)]
//	S_ε = OT_ε(α,β) − ½ OT_ε(α,α) − ½ OT_ε(β,β) [+ ε/2 (m(α) − m(β))²]
//
// with what is in brackets where a reach is set. With ReachX and ReachY that
// differ each self-term has the reach of its cloud, and S_ε(α,α) is not 0.
//
// Shapes: x is N×D and y is M×D, row-major, of any D; GradX is N×D and GradY M×D.
// Units: coordinates, Blur and Reach are lengths; the value is in units of the
// cost, with no root. (Twice the number of GeomLoss's SamplesLoss with the same
// blur; the ε of POT and OTT.) Balanced, weights are normalised to sum 1; with a
// reach they are masses as they are.
// Cost: O(N·M) time a round. Memory: 4 bytes a pair stored, 8 for a Tol below
// 1e-6; streaming O(N+M); truncated, above 8,192 points, 16 bytes a pair that
// matters at this ε. See [Stats] for what was taken.
//
// Stats.RowError and ColError are those of the plan of the last potentials,
// computed in float64. The error of the value is of second order in them.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrOption, ErrMemory,
// ErrBackend, ErrCanceled; ErrMass if the weights do not sum alike and no reach is
// set; ErrNotConverged together with a usable Result if MaxIter ends the loop
// first. The inputs are never written to.
//
// Source: Feydy et al., AISTATS 2019, arXiv:1810.08278; with a reach Séjourné et
// al., arXiv:1910.12958; over-relaxation Thibault et al. 2017 and Lehmann et al.
// 2021. The gradient uses the envelope theorem at the last potentials, so it is
// exact only at convergence.
func Sinkhorn(x, y cloud.Cloud, opt SinkhornOptions) (Result, error) {
	const op = "apmlgpu.Sinkhorn"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	c, err := opt.common().resolve(op)
	if err != nil {
		return Result{}, err
	}
	o, err := opt.resolve(op, jointDiameter(x, y))
	if err != nil {
		return Result{}, err
	}
	if opt.balanced() {
		if err := checkMass(op, x, y); err != nil {
			return Result{}, err
		}
	}
	if w := o.Warm; w != nil && (len(w.F) != x.N || len(w.G) != y.N) {
		return Result{}, &Error{op, fmt.Errorf("%w: Warm is of %d and %d points, the clouds have %d and %d", ErrShape,
			len(w.F), len(w.G), x.N, y.N), "give the potentials of a result of clouds of these sizes"}
	}
	if w := o.Warm; w != nil && !(finite(w.F) && finite(w.G) && finite(w.selfX) && finite(w.selfY)) {
		return Result{}, optionError(op, "Warm", "not finite", "finite potentials")
	}
	s := &sinkhorn{common: c, opt: o, op: op, x: x, y: y}
	if s.pair, s.stats, err = c.open(op, x, y, true); err != nil {
		return Result{}, err
	}
	defer s.pair.Close()
	r, err := s.solve()
	if err != nil {
		return Result{}, failed(op, err)
	}
	s.stats.spend(s.pair.Spent(), start)
	s.stats.OutputBytes = r.outputBytes()
	r.Stats = s.stats
	if !s.stats.Converged {
		return r, &Error{op, fmt.Errorf("%w: row error %.4g, column error %.4g after %d rounds, want %.4g", ErrNotConverged,
			s.stats.RowError, s.stats.ColError, s.stats.Iterations, o.Tol), "raise MaxIter, Tol or Blur"}
	}
	return r, nil
}

// SinkhornBatch is [Sinkhorn] of every pair of two ragged batches, as
// [APMLBatch]. Warm belongs to one pair and is refused here.
func SinkhornBatch(xs, ys cloud.Batch, opt SinkhornOptions) (BatchResult, error) {
	const op = "apmlgpu.SinkhornBatch"
	if opt.Warm != nil {
		return BatchResult{}, optionError(op, "Warm", "set", "nil in a batch")
	}
	return batch(op, xs, ys, opt, Sinkhorn)
}

// costOf is the backend's word for a cost.
func costOf(c Cost) string {
	switch c {
	case Euclidean:
		return backend.Plain
	case HalfSqEuclidean:
		return backend.HalfSquare
	}
	return backend.Square
}
