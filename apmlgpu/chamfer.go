package apmlgpu

import (
	"context"
	"math"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

// ChamferOptions tunes [Chamfer] and [ChamferL1]. The zero value is the
// recommended setting.
type ChamferOptions struct {
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

func (o ChamferOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o ChamferOptions) item(_, threads int, maxBytes int64) ChamferOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

func (o ChamferOptions) resolve(op string) (ChamferOptions, common, error) {
	c, err := o.common().resolve(op)
	if err != nil {
		return o, c, err
	}
	o.WeightX, o.WeightY, err = resolveWays(op, o.OneWay, o.WeightX, o.WeightY)
	return o, c, err
}

// resolveWays fills in the factors of the two ways, or refuses them.
func resolveWays(op string, oneWay bool, x, y float64) (weightX, weightY float64, err error) {
	switch {
	case !(x >= 0) || math.IsInf(x, 1):
		return x, y, optionError(op, "WeightX", x, "a finite factor above zero")
	case !(y >= 0) || math.IsInf(y, 1):
		return x, y, optionError(op, "WeightY", y, "a finite factor above zero")
	case oneWay && y != 0:
		return x, y, optionError(op, "WeightY", y, "zero when OneWay is set")
	}
	return or(x, 1), or(y, 1), nil
}

// weigh sets the factors of the ways that there are.
func (s *search) weigh(x, y float64) {
	for k, w := range s.both() {
		w.factor = [2]float64{x, y}[k]
	}
}

// Chamfer returns CD-L2, the mean squared distance from the points of x to
// their nearest points of y plus the same from y to x, and its gradient with
// respect to both supports.
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: the value is a squared length. (PyTorch3D's default, PoinTr's L2
// before its factor 1000.) With weights the means are weighted.
// Cost: O((N+M) log(N+M)) time, some 100 bytes a point.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrOption, ErrMemory,
// ErrBackend, ErrCanceled. The inputs are never written to.
//
// The gradient holds the neighbours fixed, so it is exact wherever no point has
// two nearest ones; of those at the same distance the lowest index counts.
func Chamfer(x, y cloud.Cloud, opt ChamferOptions) (Result, error) {
	return chamfer("apmlgpu.Chamfer", "Chamfer", x, y, opt, squared)
}

// ChamferL1 returns CD-L1, half the mean distance from the points of x to their
// nearest points of y plus half the same from y to x, and its gradient with
// respect to both supports: as [Chamfer], with a length for a value and
// gradient 0 where the distance is 0. (PoinTr's L1 before its factor 1000.)
func ChamferL1(x, y cloud.Cloud, opt ChamferOptions) (Result, error) {
	return chamfer("apmlgpu.ChamferL1", "ChamferL1", x, y, opt, plain)
}

// ChamferBatch is [Chamfer] of every pair of two ragged batches, as [APMLBatch].
func ChamferBatch(xs, ys cloud.Batch, opt ChamferOptions) (BatchResult, error) {
	return batch("apmlgpu.ChamferBatch", xs, ys, opt, Chamfer)
}

// ChamferL1Batch is [ChamferL1] of every pair of two ragged batches, as [APMLBatch].
func ChamferL1Batch(xs, ys cloud.Batch, opt ChamferOptions) (BatchResult, error) {
	return batch("apmlgpu.ChamferL1Batch", xs, ys, opt, ChamferL1)
}

// term is what one pair of neighbours gives: its price, and the factor of
// (x − y) in the derivative of the price with respect to x.
type term func(square float64) (price, pull float64)

func squared(s float64) (price, pull float64) { return s, 2 }

func plain(s float64) (price, pull float64) {
	d := math.Sqrt(s)
	if d == 0 {
		return 0, 0
	}
	return d / 2, 0.5 / d
}

// chamfer is the part of the family whose pairs are priced one by one.
func chamfer(op, name string, x, y cloud.Cloud, opt ChamferOptions, t term) (Result, error) {
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	s, err := c.find(op, name, x, y, o.OneWay, start)
	if err != nil {
		return Result{}, err
	}
	s.weigh(o.WeightX, o.WeightY)
	value, err := s.prices(o.NoGrad, false, func(w *way) (float64, error) {
		return w.add(w.per(o.Sum), func(i int) (price, pull float64) { return t(w.near.Square[i]) })
	})
	if err != nil {
		return Result{}, err
	}
	return s.result(value, o.NoGrad, o.Grad64)
}

// per is what divides a sum over [way.weight] for a mean, or for a sum over the
// weights as given.
func (w *way) per(sum bool) float64 {
	if sum {
		return 1 / w.largest
	}
	return w.total
}
