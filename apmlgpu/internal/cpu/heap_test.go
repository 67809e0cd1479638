package cpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// alive is the memory that the heap holds after a collection.
func alive() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// heapCases are clouds and calls that take every stage.
func heapCases() []heapCase {
	rnd := rand.New(rand.NewPCG(11, 12))
	const n = 20_000
	x, y := cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)
	duplicates := cloud.Cube(rnd, n)
	for i := 0; i+1 < n; i += 20 {
		copy(duplicates.X[3*i:3*i+3], duplicates.X[3*i+3:])
	}
	half := cloud.Cloud{N: n, D: 3, X: x.X, W: make([]float64, n)}
	for i := range half.W {
		half.W[i] = float64(i % 3)
	}
	wide := func(n int) cloud.Cloud {
		c := cloud.Cloud{N: n, D: 5, X: make([]float32, 5*n)}
		for k := range c.X {
			c.X[k] = rnd.Float32()
		}
		return c
	}
	few, other := cloud.Cube(rnd, 1000), cloud.Cube(rnd, n)
	small := func(q *backend.APML) { q.LogInverse, q.Automatic = 23, false }
	return []heapCase{
		{"spheres", x, y, func(*backend.APML) {}, 60},
		{"spheres, published threshold", x, y, small, 60},
		{"spheres, no gradients", x, y, func(q *backend.APML) { q.NoGrad = true }, 60},
		{"spheres, float32 gradients and the plan", x, y, func(q *backend.APML) { q.Grad64, q.Plan = false, true }, 60},
		{"duplicates", duplicates, y, func(*backend.APML) {}, 60},
		{"weights, some zero", half, y, small, 60},
		{"grids", cloud.Grid(27, 0), cloud.Grid(27, 0.5), func(*backend.APML) {}, 320},
		{"dense", few, other, func(q *backend.APML) { q.Method = backend.Dense }, 60},
		{"streaming", cloud.Cube(rnd, 3000), cloud.Cube(rnd, 3000), func(q *backend.APML) { q.Method, q.Iterations = backend.Streaming, 2 }, 60},
		{"five dimensions", wide(17_000), wide(400), func(q *backend.APML) { q.Iterations = 2 }, 60},
	}
}

type heapCase struct {
	name string
	x, y cloud.Cloud
	set  func(q *backend.APML)
	ties int64 // bytes a point that tied lines need
}

// watched is a call whose heap is looked at whenever something is given back, when a
// stage ends, and now and then within.
type watched struct {
	pair *pair
	most map[string]int64 // by stage: the most bytes that the heap has risen by
	peak int64
	out  *backend.APMLResult
	err  error
}

func watch(tt heapCase, limit int64) *watched {
	before := alive()
	w := &watched{most: map[string]int64{}}
	w.pair = &pair{crew: newCrew(context.Background(), 1), ledger: newLedger(limit)}
	defer w.pair.Close()
	l := w.pair.ledger
	var rise int64
	look := func(stage string) {
		rise = alive() - before
		w.most[stage], w.peak = max(w.most[stage], rise), max(w.peak, rise)
	}
	asked, pause := 0, 1
	l.seen = func(stage string, told int64) {
		if _, known := w.most[stage]; !known || 20*max(told-rise, rise-told) > told {
			look(stage)
			asked, pause = 0, 1
		}
	}
	w.pair.crew.look = func() {
		if asked++; asked == pause && l.now >= 0 {
			pause *= 3
			look(l.stages[l.now].Name)
		}
	}
	if w.err = w.pair.ready(tt.x, tt.y); w.err != nil {
		return w
	}
	q := faithful()
	tt.set(&q)
	w.out, w.err = w.pair.APML(q)
	return w
}

// output is the bytes of gradients, which are no work memory.
func (w *watched) output() int64 {
	if w.out == nil {
		return 0
	}
	o := w.out
	return 4*int64(len(o.GradX)+len(o.GradY)) + 8*int64(len(o.GradX64)+len(o.GradY64))
}

// The bytes of every stage are what the heap has risen by in it, within a fifth; and
// a sparse plan needs at most 100 bytes a point and 24 an entry, or 60 a point more
// with tied lines; on a lattice, where these are summed up by transforms, 320 more.
func TestStagesAreTheHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage some thousand times, which takes seconds, and many with the race detector")
	}
	for _, tt := range heapCases() {
		t.Run(tt.name, func(t *testing.T) {
			w := watch(tt, 1<<32)
			if w.err != nil {
				t.Fatal(w.err)
			}
			runtime.KeepAlive(w.pair)
			for _, s := range w.pair.Spent().Stages {
				heap := w.most[s.Name]
				if s.Name == "gradient" || s.Name == "plan" {
					heap -= w.output()
				}
				if s.Bytes < 200_000 { // the tree of few points is built between two looks
					continue
				}
				if off := math.Abs(float64(s.Bytes)/float64(heap) - 1); !(off <= 0.2) {
					t.Errorf("stage %s tells of %d bytes, the heap has risen by %d", s.Name, s.Bytes, heap)
				}
			}
			points := int64(100)
			if w.out.TiedRows+w.out.TiedCols > 0 {
				points += tt.ties
			}
			most := points*int64(tt.x.N+tt.y.N) + 24*w.out.Stored
			peak := w.pair.Spent().PeakBytes
			if w.out.Method == backend.Sparse && peak > most {
				t.Errorf("the peak is %d bytes, above %d a point and 24 an entry: %d", peak, points, most)
			}
			w.pair, w.out = nil, nil
			belowMaxBytes(t, tt, peak)
		})
	}
}

// belowMaxBytes gives a call a part of its peak: what does not fit is refused, or held
// in another way, before it is allocated, and the heap does not rise above MaxBytes.
func belowMaxBytes(t *testing.T, tt heapCase, peak int64) {
	set := tt.set
	tt.set = func(q *backend.APML) { // streaming takes long and hardly any memory
		if set(q); q.Method == backend.Auto {
			q.Method = backend.Sparse
		}
	}
	limit := 2 * peak / 5
	w := watch(tt, limit)
	var m *backend.MemoryError
	switch { // sums over a lattice are taken pair by pair then
	case errors.As(w.err, &m):
	case w.err != nil || w.pair.Spent().PeakBytes > limit:
		t.Errorf("%d bytes are allowed, the peak was %d, the error is %v", limit, peak, w.err)
	}
	if rise := w.peak - w.output(); float64(rise) > 1.2*float64(limit) {
		t.Errorf("%d bytes are allowed, the heap has risen by %d", limit, rise)
	}
}
