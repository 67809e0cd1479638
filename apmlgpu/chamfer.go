package apmlgpu

import (
	"context"
	"math"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
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
	Backend  string          // "auto" or "cpu". Zero means "auto".
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
	switch {
	case err != nil:
		return o, c, err
	case !(o.WeightX >= 0) || math.IsInf(o.WeightX, 1):
		return o, c, optionError(op, "WeightX", o.WeightX, "a finite factor above zero")
	case !(o.WeightY >= 0) || math.IsInf(o.WeightY, 1):
		return o, c, optionError(op, "WeightY", o.WeightY, "a finite factor above zero")
	case o.OneWay && o.WeightY != 0:
		return o, c, optionError(op, "WeightY", o.WeightY, "zero when OneWay is set")
	}
	o.WeightX, o.WeightY = or(o.WeightX, 1), or(o.WeightY, 1)
	return o, c, nil
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

// ChamferL1Batch is [ChamferL1] of every pair of two ragged batches, as
// [APMLBatch].
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

// chamfer is the whole family: nearest neighbours by the backend, then this.
func chamfer(op, name string, x, y cloud.Cloud, opt ChamferOptions, t term) (Result, error) {
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	p, stats, err := c.open(op, x, y)
	if err != nil {
		return Result{}, err
	}
	defer p.Close()
	r := Result{loss: name}
	gx, gy := []float64(nil), []float64(nil)
	if !o.NoGrad {
		gx, gy = make([]float64, len(x.X)), make([]float64, len(y.X))
	}
	near, err := p.Nearest(false)
	if err != nil {
		return Result{}, failed(op, err)
	}
	ways := 1
	value, err := oneWay(c, x, y, near, t, o.WeightX, o.Sum, gx, gy)
	if err == nil && !o.OneWay {
		if near, err = p.Nearest(true); err != nil {
			return Result{}, failed(op, err)
		}
		var back float64
		back, err = oneWay(c, y, x, near, t, o.WeightY, o.Sum, gy, gx)
		value += back
		ways = 2
	}
	if err != nil {
		return Result{}, failed(op, err)
	}
	r.Value = value
	if !o.NoGrad {
		r.GradX, r.GradY = float32s(gx), float32s(gy)
		if o.Grad64 {
			r.GradX64, r.GradY64 = gx, gy
		}
	}
	stats.spend(p.Spent(), start)
	stats.Method, stats.Converged = "nearest", true
	stats.N, stats.M = countPositive(x), countPositive(y)
	stats.NNZ = int64(stats.N)
	if ways == 2 {
		stats.NNZ += int64(stats.M)
	}
	r.Stats = stats
	r.Stats.OutputBytes = r.outputBytes()
	return r, nil
}

func countPositive(c cloud.Cloud) int {
	n := 0
	for i := range c.N {
		if c.W == nil || c.W[i] > 0 {
			n++
		}
	}
	return n
}

// block is the rows between two questions whether to stop.
const block = 1 << 14

// oneWay adds up the way from a to b: its value, and into ga and gb, where they
// are not nil, its gradient. Gradients of b are gathered point by point through
// the reversed neighbour map, so their order is fixed.
func oneWay(c common, a, b cloud.Cloud, near backend.Neighbours, t term, factor float64, sum bool, ga, gb []float64) (float64,
	error) {
	share := shares(a, factor, sum)
	value := 0.0
	for i, s := range near.Square {
		if i%block == 0 {
			if err := c.goOn(); err != nil {
				return 0, err
			}
		}
		if near.Index[i] < 0 {
			continue
		}
		price, pull := t(s)
		value += share(i) * price
		if ga != nil {
			addPull(ga[i*a.D:], a, b, i, int(near.Index[i]), share(i)*pull)
		}
	}
	if gb == nil {
		return value, nil
	}
	first, next := reversed(near.Index, b.N)
	for j, i := range first {
		if j%block == 0 {
			if err := c.goOn(); err != nil {
				return 0, err
			}
		}
		for ; i >= 0; i = next[i] {
			_, pull := t(near.Square[i])
			addPull(gb[j*b.D:], a, b, int(i), j, -share(int(i))*pull)
		}
	}
	return value, nil
}

// addPull adds f (a_i − b_j) to g.
func addPull(g []float64, a, b cloud.Cloud, i, j int, f float64) {
	if f == 0 {
		return
	}
	for c := range a.D {
		g[c] += f * (float64(a.X[i*a.D+c]) - float64(b.X[j*b.D+c]))
	}
}

// reversed chains, for each point of b, the points of a that chose it, in the
// order of a.
func reversed(index []int32, m int) (first, next []int32) {
	first, next = make([]int32, m), make([]int32, len(index))
	for j := range first {
		first[j] = -1
	}
	for i := len(index) - 1; i >= 0; i-- {
		if j := index[i]; j >= 0 {
			next[i], first[j] = first[j], int32(i)
		}
	}
	return first, next
}

// shares is the factor of each point in a mean or a sum.
func shares(c cloud.Cloud, factor float64, sum bool) func(i int) float64 {
	if c.W == nil {
		one := factor
		if !sum {
			one /= float64(c.N)
		}
		return func(int) float64 { return one }
	}
	largest, total := 0.0, 0.0
	for _, w := range c.W {
		largest = max(largest, w)
	}
	for _, w := range c.W {
		total += w / largest
	}
	if sum {
		return func(i int) float64 { return factor * c.W[i] }
	}
	return func(i int) float64 { return factor * (c.W[i] / largest / total) }
}
