package apmlgpu

import (
	"context"
	"math"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

// InfoCDOptions tunes [InfoCD]. The zero value is the recommended setting.
type InfoCDOptions struct {
	Tau       float64         // length τ that divides the distances, above 0. Zero means 2.
	Lambda    float64         // factor λ of the logarithm, above 0. Zero means 1e-7.
	Reference bool            // the published sum instead of the mean: in effect a quarter of the summed distances.
	OneWay    bool            // only from x to y.
	WeightX   float64         // factor of the way from x to y, at least 0. Zero means 1.
	WeightY   float64         // factor of the way from y to x, at least 0. Zero means 1; OneWay leaves that way out.
	Reduce    Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend   string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads   int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes  int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad    bool            // leave the gradients out.
	Grad64    bool            // give the gradients in float64 too.
	Context   context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o InfoCDOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o InfoCDOptions) item(_, threads int, maxBytes int64) InfoCDOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

func (o InfoCDOptions) resolve(op string) (InfoCDOptions, common, error) {
	c, err := o.common().resolve(op)
	switch {
	case err != nil:
		return o, c, err
	case !(o.Tau >= 0) || math.IsInf(o.Tau, 1):
		return o, c, optionError(op, "Tau", o.Tau, "a finite length above zero")
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1):
		return o, c, optionError(op, "Lambda", o.Lambda, "a finite factor above zero")
	}
	o.Tau, o.Lambda = or(o.Tau, 2), or(o.Lambda, 1e-7)
	o.WeightX, o.WeightY, err = resolveWays(op, o.OneWay, o.WeightX, o.WeightY)
	return o, c, err
}

// InfoCD returns the contrastive Chamfer distance and its gradient with respect
// to both supports: half of both ways of
//
//	mean_i d_i/τ + λ ln Σ_i exp(−d_i/τ)
//
// with d_i the distance from a point to its nearest one of the other cloud.
// With Reference it is the published sum, half of both ways of
//
//	Σ_i d_i/τ + N λ ln(Σ_i exp(−d_i/τ) + N λ),
//
// N the points of that way, which at its defaults is a quarter of the summed
// distances up to a millionth.
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: τ is a length, so the value has none. With weights w of mean 1, d_i and
// exp(−d_i/τ) are multiplied by w_i; N counts points whose weight is not zero.
// Cost: O((N+M) log(N+M)) time, some 100 bytes a point.
//
// Errors: those of [Chamfer]. The gradient holds the neighbours fixed and is 0
// where d = 0, where the distance has a kink.
//
// Source: Lin et al., InfoCD: A Contrastive Chamfer Distance Loss for Point
// Cloud Completion, NeurIPS 2023, and the code published with it.
func InfoCD(x, y cloud.Cloud, opt InfoCDOptions) (Result, error) {
	const op = "apmlgpu.InfoCD"
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return Result{}, err
	}
	o, c, err := opt.resolve(op)
	if err != nil {
		return Result{}, err
	}
	s, err := c.find(op, "InfoCD", x, y, o.OneWay, start)
	if err != nil {
		return Result{}, err
	}
	s.weigh(o.WeightX, o.WeightY)
	value, err := s.prices(o.NoGrad, false, o.price)
	if err != nil {
		return Result{}, err
	}
	return s.result(value, o.NoGrad, o.Grad64)
}

// InfoCDBatch is [InfoCD] of every pair of two ragged batches, as [APMLBatch].
func InfoCDBatch(xs, ys cloud.Batch, opt InfoCDOptions) (BatchResult, error) {
	return batch("apmlgpu.InfoCDBatch", xs, ys, opt, InfoCD)
}

// price of a way. The logarithm of the mean takes the nearest pair out, so that
// far clouds lose nothing; the published one has its N λ inside for that.
func (o InfoCDOptions) price(w *way) (float64, error) {
	n, least := float64(w.n), 0.0
	if !o.Reference {
		least = math.Inf(1)
		for i, q := range w.near.Square {
			if w.counts(i) {
				least = min(least, q)
			}
		}
		least = math.Sqrt(least)
	}
	density := func(i int) float64 { return math.Exp((least - w.distance(i)) / o.Tau) }
	total, err := w.sum(density)
	if err != nil {
		return 0, err
	}
	total *= n / w.total
	per, strength, logarithm := 2*w.total, o.Lambda*n, -least/o.Tau+math.Log(total)
	if o.Reference {
		per, total = per/n, total+n*o.Lambda
		logarithm = math.Log(total)
	}
	value, err := w.add(per, func(i int) (price, pull float64) {
		d := w.distance(i)
		if d == 0 {
			return 0, 0
		}
		return d / o.Tau, (1 - strength*density(i)/total) / (o.Tau * d)
	})
	return value + pick(o.Reference, n, 1)*o.Lambda*logarithm/2, err
}
