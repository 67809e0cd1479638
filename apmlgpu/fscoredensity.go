package apmlgpu

import (
	"context"
	"slices"

	"github.com/gondola-lab/gondola/cloud"
)

// density fills in coverage and hits.
func (s *search) density(m *MetricValues) error {
	w := s.ways[0]
	bytes := hitBytes(w.n, w.b.N)
	return s.work.stage("density", bytes, bytes, func() error {
		if err := w.turn(); err != nil {
			return err
		}
		covered, total, largest := 0.0, 0.0, 1.0
		if w.b.W != nil {
			largest = slices.Max(w.b.W)
		}
		points := map[int]int{}
		for j := range w.b.N {
			if j%chunkPoints == 0 {
				if err := w.goOn(); err != nil {
					return err
				}
			}
			weight := 1.0
			if w.b.W != nil {
				weight = w.b.W[j] / largest
			}
			if weight == 0 && w.b.W[j] == 0 {
				continue
			}
			n := len(w.hits.of(j))
			points[n]++
			total += weight
			if n > 0 {
				covered += weight
			}
		}
		m.Coverage = covered / total
		m.Uncovered = (total - covered) / total
		for n, k := range points {
			m.Hits = append(m.Hits, HitCount{n, k})
		}
		slices.SortFunc(m.Hits, func(a, b HitCount) int { return a.Hits - b.Hits })
		return nil
	})
}

// HausdorffOptions tunes [Hausdorff]. The zero value is the recommended setting.
type HausdorffOptions struct {
	Quantile float64         // share of the points within the distance, in (0,1]. Zero means 1: all.
	OneWay   bool            // only from x to y.
	Reduce   Reduce          // of a batch: Mean or Sum. Zero means Mean.
	Backend  string          // "auto", "cpu" or "gpu". Zero means as [Use] says, or "auto".
	Threads  int             // goroutines at work. Zero means GOMAXPROCS. No result depends on it.
	MaxBytes int64           // bytes of work memory. Zero means a quarter of the machine's memory.
	NoGrad   bool            // leave the gradients out.
	Grad64   bool            // give the gradients in float64 too.
	Context  context.Context // ends the call. Nil means only the notebook's stop does.
}

func (o HausdorffOptions) common() common {
	return common{
		backend: o.Backend, threads: o.Threads, maxBytes: o.MaxBytes, context: o.Context, reduce: o.Reduce,
		noGrad: o.NoGrad, grad64: o.Grad64,
	}
}

func (o HausdorffOptions) item(_, threads int, maxBytes int64) HausdorffOptions {
	o.Threads, o.MaxBytes = threads, maxBytes
	return o
}

// Hausdorff returns the Hausdorff distance: the largest distance from a point
// to the nearest one of the other cloud, over both clouds, and its gradient,
// which is not zero at the two points of that distance alone.
//
// With a Quantile q it is, of each way, the smallest distance within which at
// least the share q of the points (of the weights) have their nearest one, and
// of the two the larger; no interpolation. Stats.Metrics has both ways.
//
// Shapes: x is N×D and y is M×D, row-major; GradX is N×D and GradY M×D.
// Units: the value is a length. Cost: O((N+M) log(N+M)) time, some 80 bytes a
// point. Errors: those of [Chamfer].
//
// Of several points at that distance the lowest index has the gradient, that of
// x before y; it is 0 where the distance is.
func Hausdorff(x, y cloud.Cloud, opt HausdorffOptions) (Result, error) {
	s, err := judge("apmlgpu.Hausdorff", "Hausdorff", x, y, opt.common(), nil, opt.Quantile, opt.OneWay)
	if err != nil {
		return Result{}, err
	}
	m := MetricValues{Quantile: or(opt.Quantile, 1)}
	if err := s.hausdorff(&m); err != nil {
		return Result{}, err
	}
	r, err := s.metric(m.Hausdorff, m)
	if err != nil || opt.NoGrad {
		return r, err
	}
	r.GradX, r.GradY = make([]float32, len(x.X)), make([]float32, len(y.X))
	if opt.Grad64 {
		r.GradX64, r.GradY64 = make([]float64, len(x.X)), make([]float64, len(y.X))
	}
	s.pullFarthest(&r)
	r.Stats.OutputBytes = r.outputBytes()
	return r, nil
}

// HausdorffBatch is [Hausdorff] of every pair of two ragged batches, as [APMLBatch].
func HausdorffBatch(xs, ys cloud.Batch, opt HausdorffOptions) (BatchResult, error) {
	return batch("apmlgpu.HausdorffBatch", xs, ys, opt, Hausdorff)
}

// hausdorff fills in both distances.
func (s *search) hausdorff(m *MetricValues) error {
	bytes := int64(0)
	if m.Quantile < 1 {
		for _, w := range s.both() {
			bytes = max(bytes, 4*int64(w.n))
		}
	}
	return s.work.stage("hausdorff", bytes, 0, func() error {
		for k, w := range s.both() {
			if err := w.find(m.Quantile); err != nil {
				return err
			}
			d := w.distance(w.far)
			*[]*float64{&m.HausdorffX, &m.HausdorffY}[k] = d
			m.Hausdorff = max(m.Hausdorff, d)
		}
		return nil
	})
}

// quantileSlack is how far a sum of shares may lie below the quantile by
// rounding alone.
const quantileSlack = 1e-12

// find sets far: the point with the smallest distance within which a share q of
// the weights lies, the lowest index of those that have it.
func (w *way) find(q float64) error {
	w.far = -1
	if q == 1 {
		for i, v := range w.near.Square {
			if i%chunkPoints == 0 {
				if err := w.goOn(); err != nil {
					return err
				}
			}
			if w.counts(i) && (w.far < 0 || v > w.near.Square[w.far]) {
				w.far = i
			}
		}
		return nil
	}
	order := make([]int32, 0, w.n)
	for i := range w.near.Index {
		if w.counts(i) {
			order = append(order, int32(i))
		}
	}
	square := w.near.Square
	slices.SortFunc(order, func(i, j int32) int {
		switch {
		case square[i] < square[j]:
			return -1
		case square[i] > square[j]:
			return 1
		}
		return int(i - j)
	})
	sum := 0.0
	for k, i := range order {
		if k == 0 || square[i] != square[w.far] {
			w.far = int(i)
		}
		if sum += w.weight(int(i)); sum/w.total >= q-quantileSlack {
			break
		}
	}
	return w.goOn()
}

// pullFarthest writes the gradient of the larger distance.
func (s *search) pullFarthest(r *Result) {
	own, w := 0, s.ways[0]
	if o := s.ways[1]; o != nil && o.distance(o.far) > w.distance(w.far) {
		own, w = 1, o
	}
	i, j := w.far, int(w.near.Index[w.far])
	d := w.distance(i)
	if d == 0 {
		return
	}
	g32, g64 := [2][]float32{r.GradX, r.GradY}, [2][]float64{r.GradX64, r.GradY64}
	for k := range w.a.D {
		v := (float64(w.a.X[i*w.a.D+k]) - float64(w.b.X[j*w.b.D+k])) / d
		g32[own][i*w.a.D+k], g32[1-own][j*w.a.D+k] = float32(v), float32(-v)
		if g64[own] != nil {
			g64[own][i*w.a.D+k], g64[1-own][j*w.a.D+k] = v, -v
		}
	}
}
