package apmlgpu

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gondola-lab/gondola/cloud"
)

// MetricValues are numbers that judge x against y and are no losses, in the
// Stats of [FScore], [Density], [Hausdorff] and [Metrics]. A field that the call
// did not ask for is zero.
type MetricValues struct {
	Quantile               float64 // 1 for the largest distance
	HausdorffX, HausdorffY float64 // Quantile of the distances from x to y, from y to x: lengths
	Hausdorff              float64 // the larger

	Radius    float64 // of the three that follow, a length
	Precision float64 // P: share of the points of x with a point of y nearer than Radius
	Recall    float64 // R: share of the points of y with a point of x nearer than Radius
	FScore    float64 // 2PR/(P+R), 0 where P + R = 0

	Coverage  float64    // share of the points of y that are the nearest of a point of x
	Uncovered float64    // 1 − Coverage
	Hits      []HitCount // how many points of y are the nearest of 0, 1, … points of x
}

// HitCount says that Points points of y are the nearest one of exactly Hits
// points of x.
type HitCount struct{ Hits, Points int }

// rows are lines of the table of a result, for those that were asked for.
func (m *MetricValues) rows() (rows [][2]string) {
	if m == nil {
		return nil
	}
	if m.Quantile > 0 {
		rows = append(rows, [2]string{"hausdorff", fmt.Sprintf("%.6g there, %.6g back", m.HausdorffX, m.HausdorffY)})
	}
	if m.Radius > 0 {
		rows = append(rows, [2]string{"F-score", fmt.Sprintf("%.4g at %.4g: precision %.4g, recall %.4g", m.FScore,
			m.Radius, m.Precision, m.Recall)})
	}
	if m.Hits != nil {
		most := m.Hits[len(m.Hits)-1].Hits
		rows = append(rows, [2]string{"coverage", fmt.Sprintf("%.4g, at most %d hits a point", m.Coverage, most)})
	}
	return rows
}

// FScoreOptions tunes [FScore]. Radius must be given.
type FScoreOptions struct {
	Radius   float64         // length r below which a distance counts, above 0. It has no default: 0.01 is usual for clouds of size 1.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o FScoreOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: true,
	}
}

func (o FScoreOptions) item(_, threads int, maxBytes int64) FScoreOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

// FScore returns the F-score of x against y at a radius: 2PR/(P+R) of the
// precision P, the share of the points of x with a point of y nearer than
// Radius, strictly, and the recall R, the share of the points of y with a point
// of x nearer than Radius; 0 where both are 0. It is a metric, between 0 and 1,
// the more the better, and has no gradient. Stats.Metrics has P and R.
//
// Shapes: x is N×D and y is M×D, row-major. With weights the shares are
// weighted. Cost: O((N+M) log(N+M)) time, some 60 bytes a point.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrWeights, ErrOption (also for a
// Radius of zero), ErrMemory, ErrBackend, ErrCanceled. The inputs are never
// written to.
//
// Source: Tatarchenko et al., CVPR 2019, arXiv:1905.03678, section 6.
func FScore(x, y cloud.Cloud, opt FScoreOptions) (Result, error) {
	s, err := judge("apmlgpu.FScore", "FScore", x, y, opt.common(), &opt.Radius, 0, false)
	if err != nil {
		return Result{}, err
	}
	m := MetricValues{Radius: opt.Radius}
	if err := s.within(&m); err != nil {
		return Result{}, err
	}
	return s.metric(m.FScore, m)
}

// FScoreBatch is [FScore] of every pair of two ragged batches, as [APMLBatch].
func FScoreBatch(xs, ys cloud.Batch, opt FScoreOptions) (BatchResult, error) {
	return batch("apmlgpu.FScoreBatch", xs, ys, opt, FScore)
}

// DensityOptions tunes [Density]. The zero value is the recommended setting.
type DensityOptions struct {
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o DensityOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: true,
	}
}

func (o DensityOptions) item(_, threads int, maxBytes int64) DensityOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

// Density returns the coverage of y by x: the share of the points of y that are
// the nearest one of at least one point of x, the lowest index winning a tie.
// It is a metric, above 0 and at most 1, the more the better, and has no
// gradient. Stats.Metrics has the uncovered share and how many points of y were
// chosen how often: clumps of x show as points with many hits.
//
// Shapes: x is N×D and y is M×D, row-major. With weights the shares are
// weighted by those of y; Hits counts points whose weight is not zero.
// Cost: O((N+M) log(N+M)) time, some 60 bytes a point. Errors: those of [Chamfer].
//
// Source: the coverage of Achlioptas et al., ICML 2018, arXiv:1707.02392,
// section 2, of points instead of clouds.
func Density(x, y cloud.Cloud, opt DensityOptions) (Result, error) {
	s, err := judge("apmlgpu.Density", "Density", x, y, opt.common(), nil, 0, true)
	if err != nil {
		return Result{}, err
	}
	var m MetricValues
	if err := s.density(&m); err != nil {
		return Result{}, err
	}
	return s.metric(m.Coverage, m)
}

// DensityBatch is [Density] of every pair of two ragged batches, as [APMLBatch].
func DensityBatch(xs, ys cloud.Batch, opt DensityOptions) (BatchResult, error) {
	return batch("apmlgpu.DensityBatch", xs, ys, opt, Density)
}

// MetricsOptions tunes [Metrics]. Radius must be given.
type MetricsOptions struct {
	Radius   float64         // length r of the F-score, above 0. It has no default: 0.01 is usual for clouds of size 1.
	Quantile float64         // share of the points within the Hausdorff distance, in (0,1]. Zero means 1: all.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o MetricsOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: true,
	}
}

func (o MetricsOptions) item(_, threads int, maxBytes int64) MetricsOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

// Metrics returns everything of [Hausdorff], [FScore] and [Density] for one
// search of the neighbours, in Stats.Metrics; the value is the Hausdorff
// distance. It gives no gradient: [Hausdorff] does.
//
// Shapes, units, cost and errors are those of [FScore].
func Metrics(x, y cloud.Cloud, opt MetricsOptions) (Result, error) {
	s, err := judge("apmlgpu.Metrics", "Metrics", x, y, opt.common(), &opt.Radius, opt.Quantile, false)
	if err != nil {
		return Result{}, err
	}
	m := MetricValues{Radius: opt.Radius, Quantile: or(opt.Quantile, 1)}
	for _, f := range []func(m *MetricValues) error{s.within, s.density, s.hausdorff} {
		if err := f(&m); err != nil {
			return Result{}, err
		}
	}
	return s.metric(m.Hausdorff, m)
}

// MetricsBatch is [Metrics] of every pair of two ragged batches, as [APMLBatch].
func MetricsBatch(xs, ys cloud.Batch, opt MetricsOptions) (BatchResult, error) {
	return batch("apmlgpu.MetricsBatch", xs, ys, opt, Metrics)
}

// judge begins a metric: it refuses nonsense and finds the neighbours. A radius
// that is not nil must be given.
func judge(op, name string, x, y cloud.Cloud, c common, radius *float64, quantile float64, oneWay bool) (*search, error) {
	start := time.Now()
	if err := check(op, x, y); err != nil {
		return nil, err
	}
	c, err := c.resolve(op)
	switch {
	case err != nil:
		return nil, err
	case radius != nil && (!(*radius > 0) || math.IsInf(*radius, 1)):
		return nil, optionError(op, "Radius", *radius, "a finite length above zero: it has no default")
	case !(quantile >= 0 && quantile <= 1):
		return nil, optionError(op, "Quantile", quantile, "a share above 0, at most 1")
	}
	return c.find(op, name, x, y, oneWay, start)
}

// metric is the result of a value without gradient.
func (s *search) metric(value float64, m MetricValues) (Result, error) {
	s.stats.Metrics = &m
	return s.result(value, true, false)
}

// within fills in precision, recall and F-score.
func (s *search) within(m *MetricValues) error {
	share := func(w *way) (float64, error) {
		v, err := w.sum(func(i int) float64 {
			if w.distance(i) < m.Radius {
				return 1
			}
			return 0
		})
		return v / w.total, err
	}
	return s.work.stage("within", 0, 0, func() (err error) {
		if m.Precision, err = share(s.ways[0]); err != nil {
			return err
		}
		if m.Recall, err = share(s.ways[1]); err != nil {
			return err
		}
		if sum := m.Precision + m.Recall; sum > 0 {
			m.FScore = 2 * m.Precision * m.Recall / sum
		}
		return nil
	})
}
