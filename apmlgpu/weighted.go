package apmlgpu

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

// HyperCDOptions tunes [HyperCD]. The zero value is the recommended setting.
type HyperCDOptions struct {
	Alpha    float64         // factor of the squared distance, length⁻², above 0. Zero means 1.
	OneWay   bool            // only from x to y.
	WeightX  float64         // factor of the way from x to y, at least 0. Zero means 1.
	WeightY  float64         // factor of the way from y to x, at least 0. Zero means 1; OneWay leaves that way out.
	Sum      bool            // sums over points (times weights as given) instead of means.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad   bool            // leave the gradients out.
	Grad64   bool            // give the gradients in float64 too.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o HyperCDOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o HyperCDOptions) item(_, threads int, maxBytes int64) HyperCDOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

func (o HyperCDOptions) resolve(op string) (HyperCDOptions, common, error) {
	c, err := o.common().resolve(op)
	switch {
	case err != nil:
		return o, c, err
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 1):
		return o, c, optionError(op, "Alpha", o.Alpha, "a finite number of length⁻² above zero")
	}
	o.Alpha = or(o.Alpha, 1)
	o.WeightX, o.WeightY, err = resolveWays(op, o.OneWay, o.WeightX, o.WeightY)
	return o, c, err
}

// HyperCD returns the hyperbolic Chamfer distance: the mean of arcosh(1 + α d²)
// over the distances d of the points of x from their nearest points of y, plus
// the same from y to x, and its gradient with respect to both supports. Large
// distances count less than in [Chamfer]: it grows like 2 ln d.
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: α is in length⁻², so the value has none. With weights the means are
// weighted. Cost: O((N+M) log(N+M)) time, some 100 bytes a point.
//
// Errors: those of [Chamfer]. The gradient holds the neighbours fixed and is 0
// where d = 0, where the distance has a kink.
//
// Source: Lin, Yue and Zhang, Hyperbolic Chamfer Distance for Point Cloud
// Completion, ICCV 2023. Computed as 2 arsinh(√(α/2) d), the same number
// without the cancellation of arcosh near 1.
func HyperCD(x, y cloud.Cloud, opt HyperCDOptions) (Result, error) {
	const op = "apmlgpu.HyperCD"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	s, err := c.find(op, "HyperCD", x, y, o.OneWay, start)
	if err != nil {
		return Result{}, err
	}
	s.weigh(o.WeightX, o.WeightY)
	root := math.Sqrt(o.Alpha)
	value, err := s.prices(o.NoGrad, false, func(w *way) (float64, error) {
		return w.add(w.per(o.Sum), func(i int) (price, pull float64) {
			d := w.distance(i)
			if d == 0 {
				return 0, 0
			}
			r := root * d
			return 2 * math.Asinh(r/math.Sqrt2), 2 * root / (math.Hypot(math.Sqrt2, r) * d)
		})
	})
	if err != nil {
		return Result{}, err
	}
	return s.result(value, o.NoGrad, o.Grad64)
}

// HyperCDBatch is [HyperCD] of every pair of two ragged batches, as [APMLBatch].
func HyperCDBatch(xs, ys cloud.Batch, opt HyperCDOptions) (BatchResult, error) {
	return batch("apmlgpu.HyperCDBatch", xs, ys, opt, HyperCD)
}

// DCDOptions tunes [DCD]. The zero value is the recommended setting.
type DCDOptions struct {
	Alpha    float64         // factor of the squared distance, length⁻², above 0. Zero means 1000.
	Lambda   float64         // power of the number of points that chose the same neighbour, above 0. Zero means 1.
	NonReg   bool            // ratios of the sizes below 1 count as 1: a denser cloud is not rewarded.
	OneWay   bool            // only from x to y.
	WeightX  float64         // factor of the way from x to y, at least 0. Zero means 1.
	WeightY  float64         // factor of the way from y to x, at least 0. Zero means 1; OneWay leaves that way out.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad   bool            // leave the gradients out.
	Grad64   bool            // give the gradients in float64 too.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o DCDOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o DCDOptions) item(_, threads int, maxBytes int64) DCDOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

func (o DCDOptions) resolve(op string) (DCDOptions, common, error) {
	c, err := o.common().resolve(op)
	switch {
	case err != nil:
		return o, c, err
	case !(o.Alpha >= 0) || math.IsInf(o.Alpha, 1):
		return o, c, optionError(op, "Alpha", o.Alpha, "a finite number of length⁻² above zero")
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1):
		return o, c, optionError(op, "Lambda", o.Lambda, "a finite power above zero")
	}
	o.Alpha, o.Lambda = or(o.Alpha, 1000), or(o.Lambda, 1)
	o.WeightX, o.WeightY, err = resolveWays(op, o.OneWay, o.WeightX, o.WeightY)
	return o, c, err
}

// hitMargin keeps the published divisor above zero; it is part of the value.
const hitMargin = 1e-6

// farPoint is where the pull of a neighbour is lost beside those of others.
const farPoint = 1e-12

// DCD returns the density-aware Chamfer distance and its gradient with respect
// to both supports: half of
//
//	mean_j (1 − exp(−α d′_j²) r/(n^λ + 1e-6))  +  mean_i (1 − exp(−α d_i²) (1/r)/(n^λ + 1e-6))
//
// with r = M/N, d_i and d′_j the distances to the nearest point of the other
// cloud, and n the number of points that chose the same neighbour, the lowest
// index winning a tie. Where many points crowd upon one, each counts less; a
// missing part of the shape shows as it does not in [Chamfer].
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: α is in length⁻², so the value has none; it is below 1, and below 0
// only where one cloud is much larger than the other and NonReg is not set.
// With weights the means are weighted; n, N and M count points whose weight is
// not zero. Cost: O((N+M) log(N+M)) time, some 100 bytes a point.
//
// Errors: those of [Chamfer]. The gradient holds neighbours and counts fixed:
// the value jumps where a neighbour changes.
//
// Source: Wu et al., Density-aware Chamfer Distance, NeurIPS 2021,
// arXiv:2111.12702, and the code published with it for 1e-6 and the ratios.
func DCD(x, y cloud.Cloud, opt DCDOptions) (Result, error) {
	const op = "apmlgpu.DCD"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	s, err := c.find(op, "DCD", x, y, o.OneWay, start)
	if err != nil {
		return Result{}, err
	}
	s.weigh(o.WeightX, o.WeightY)
	var lost atomic.Int64
	value, err := s.prices(o.NoGrad, true, func(w *way) (float64, error) {
		ratio := float64(w.n) / float64(w.m) // of the points that choose to those that are chosen
		if o.NonReg {
			ratio = max(1, ratio)
		}
		return w.add(2*w.total, func(i int) (price, pull float64) {
			n := float64(len(w.hits.of(int(w.near.Index[i]))))
			near := math.Exp(-o.Alpha * w.near.Square[i])
			if near < farPoint {
				lost.Add(1)
			}
			e := near * ratio / (math.Pow(n, o.Lambda) + hitMargin)
			return 1 - e, 2 * o.Alpha * e
		})
	})
	if err != nil {
		return Result{}, err
	}
	if 2*lost.Load() > s.stats.NNZ {
		s.stats.Notes = append(s.stats.Notes, fmt.Sprintf("%d of %d points are too far for α = %.3g: "+
			"exp(−α d²) is nothing there, and so is the gradient; lower Alpha", lost.Load(), s.stats.NNZ, o.Alpha))
	}
	return s.result(value, o.NoGrad, o.Grad64)
}

// DCDBatch is [DCD] of every pair of two ragged batches, as [APMLBatch].
func DCDBatch(xs, ys cloud.Batch, opt DCDOptions) (BatchResult, error) {
	return batch("apmlgpu.DCDBatch", xs, ys, opt, DCD)
}
