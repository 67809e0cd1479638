package losstest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// hostileRow is bad input for every loss, and what the error must say.
type hostileRow struct {
	name string
	x, y cloud.Cloud
	want error
	text string // must be in the message
}

// hostileCloud is a good cloud, of three points.
func hostileCloud() cloud.Cloud { return cloud.FromRows([][]float32{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}) }

// hostileRows is the table of bad input.
func hostileRows() []hostileRow {
	good := hostileCloud()
	with := func(w ...float64) cloud.Cloud { c := good.Clone(); c.W = w; return c }
	at := func(k int, v float64) cloud.Cloud { c := good.Clone(); c.X[k] = float32(v); return c }
	return []hostileRow{
		{"empty x", cloud.Cloud{D: 3}, good, apmlgpu.ErrEmpty, "x"},
		{"empty y", good, cloud.Cloud{D: 3}, apmlgpu.ErrEmpty, "y"},
		{"zero value", cloud.Cloud{}, cloud.Cloud{}, apmlgpu.ErrEmpty, "x"},
		{"negative size", cloud.Cloud{N: -1, D: 3}, good, apmlgpu.ErrShape, "x"},
		{"no dimension", cloud.Cloud{N: 1}, good, apmlgpu.ErrShape, "x"},
		{"short", cloud.Cloud{N: 2, D: 3, X: make([]float32, 5)}, good, apmlgpu.ErrShape, "5 numbers"},
		{"huge N", cloud.Cloud{N: math.MaxInt, D: 3, X: make([]float32, 3)}, good, apmlgpu.ErrShape, "x"},
		{"huge D", good, cloud.Cloud{N: 2, D: math.MaxInt / 2, X: make([]float32, 3)}, apmlgpu.ErrShape, "y"},
		{"dimensions differ", good, cloud.FromRows([][]float32{{1, 2}}), apmlgpu.ErrShape, "y is 1×2"},
		{"NaN", at(4, math.NaN()), good, apmlgpu.ErrNotFinite, "x[1][1]"},
		{"Inf", good, at(8, math.Inf(-1)), apmlgpu.ErrNotFinite, "y[2][2]"},
		{"negative weight", with(1, -1, 1), good, apmlgpu.ErrWeights, "weight 1 of x"},
		{"NaN weight", good, with(1, 1, math.NaN()), apmlgpu.ErrWeights, "weight 2 of y"},
		{"Inf weight", with(math.Inf(1), 1, 1), good, apmlgpu.ErrWeights, "weight 0 of x"},
		{"all weights zero", with(0, 0, 0), good, apmlgpu.ErrWeights, "all 3"},
		{"wrong number of weights", with(1), good, apmlgpu.ErrShape, "1 weights"},
	}
}

// runHostile gives bad input to every loss: each row has an error that says
// what is wrong, and no number.
func runHostile(t *testing.T, backend string) {
	for _, l := range losses(backend) {
		for _, row := range hostileRows() {
			t.Run(l.name+"/"+row.name, func(t *testing.T) {
				r, err := l.call(row.x, row.y, call{threads: 1})
				refused(t, r, err, row.want, row.text)
			})
		}
		t.Run(l.name+"/extreme coordinates", func(t *testing.T) { extremes(t, l) })
	}
	runOptions(t, backend, hostileCloud())
	runCancel(t, backend)
}

// refused checks an error and that nothing came with it.
func refused(t *testing.T, r apmlgpu.Result, err, want error, text string) {
	t.Helper()
	var e *apmlgpu.Error
	if !errors.Is(err, want) || !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
		t.Fatalf("error is %v, want %v with %q", err, want, text)
	}
	if r.Value != 0 || r.GradX != nil {
		t.Errorf("a refused call has given %v", r.Value)
	}
	if s := err.Error(); strings.HasSuffix(s, ".") || strings.Contains(s, "failed to") {
		t.Errorf("message %q is not in the form: what, got what", s)
	}
}

// runOptions gives options out of their range.
func runOptions(t *testing.T, backend string, good cloud.Cloud) {
	nan := math.NaN()
	for name, o := range map[string]apmlgpu.APMLOptions{
		"MinProb": {MinProb: 1}, "MinProb is": {MinProb: nan}, "Iterations": {Iterations: -1}, "Tol": {Tol: nan},
		"Tol is": {Tol: 1e-3, Iterations: 20}, "MaxIter": {MaxIter: 5}, "Threshold": {Threshold: 1}, "Threshold is": {Threshold: -1e-10},
		"Variant": {Variant: "exact"}, "Merge": {Merge: "sum"}, "Ties": {Ties: "first"}, "Method": {Method: "fast"}, "Margin": {Margin: -1},
		"Threads": {Threads: -1}, "MaxBytes": {MaxBytes: -1}, "Backend": {Backend: "tpu"},
	} {
		t.Run("option "+name, func(t *testing.T) {
			if o.Backend == "" {
				o.Backend = backend
			}
			r, err := apmlgpu.APML(good, good, o)
			refused(t, r, err, apmlgpu.ErrOption, name)
		})
	}
	for name, o := range map[string]apmlgpu.ChamferOptions{
		"WeightX": {WeightX: -1}, "WeightY": {WeightY: nan}, "WeightY is": {OneWay: true,
			WeightY: 2}, "Threads": {Threads: -2},
	} {
		t.Run("chamfer option "+name, func(t *testing.T) {
			o.Backend = backend
			r, err := apmlgpu.Chamfer(good, good, o)
			refused(t, r, err, apmlgpu.ErrOption, name)
		})
	}
	t.Run("masses differ", func(t *testing.T) {
		for last, text := range map[float64]string{2: "3 and 4", 1 + 1e-5: "3 and 3.00001", 1e308: "3 and 1e+308"} {
			x, y := good.Clone(), good.Clone()
			x.W, y.W = []float64{1, 1, 1}, []float64{1, 1, last}
			r, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Backend: backend})
			refused(t, r, err, apmlgpu.ErrMass, text)
		}
	})
	t.Run("too little memory", func(t *testing.T) {
		for _, l := range Families(2000, 3)[:3] {
			r, err := apmlgpu.APML(l.X, l.Y, apmlgpu.APMLOptions{Backend: backend, MaxBytes: 1000})
			refused(t, r, err, apmlgpu.ErrMemory, "allowed are 1000")
		}
	})
	t.Run("memory for a part", func(t *testing.T) {
		f := Families(2000, 3)[0]
		for _, m := range []apmlgpu.Method{apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodOracle} {
			r, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Backend: backend, Method: m, MaxBytes: 600000})
			refused(t, r, err, apmlgpu.ErrMemory, "allowed are 600000")
		}
	})
	t.Run("not converged", func(t *testing.T) {
		f := Families(200, 3)[0]
		r, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Backend: backend, Tol: 1e-12, MaxIter: 3})
		if !errors.Is(err, apmlgpu.ErrNotConverged) || !(r.Value > 0) || len(r.GradX) != len(f.X.X) ||
			r.Stats.Converged {
			t.Errorf("error %v, value %v, %d gradients: want ErrNotConverged with a usable result", err, r.Value,
				len(r.GradX))
		}
	})
}

// extremes gives coordinates at the ends of float32 and tiny clouds.
func extremes(t *testing.T, l loss) {
	base := Families(40, 4)[0]
	for _, s := range []float32{1e30, 1e17, 1e-18, 1e-30, 1e-42} {
		x, y := scaled(base.X, s), scaled(base.Y, s)
		r, err := l.call(x, y, call{threads: 1, unit: float64(s)})
		if err != nil {
			t.Fatal(err)
		}
		if !(r.Value > 0) || math.IsInf(r.Value, 0) ||
			slices.ContainsFunc(r.GradX64, func(g float64) bool { return math.IsNaN(g) || math.IsInf(g, 0) }) {
			t.Errorf("scaled by %g: value %v", s, r.Value)
		}
		if want := l.must(t, base.X, base.Y).Value * math.Pow(float64(s), l.degree); l.name != "apml" && s > 1e-40 &&
			!within(r.Value, want, 1e-5, 0) {
			t.Errorf("scaled by %g: value %g, want %g", s, r.Value, want)
		}
	}
	for _, d := range []int{1, 2, 5} {
		x, y := cloud.Cloud{N: 3, D: d, X: make([]float32, 3*d)}, cloud.Cloud{N: 1, D: d,
			X: slices.Repeat([]float32{2}, d)}
		r := l.must(t, x, y)
		want := 0.0
		if l.oracle != nil {
			want = l.oracle(x, y, "").value
		} else { // the same distance in three dimensions
			far := cloud.FromRows([][]float32{{float32(2 * math.Sqrt(float64(d))), 0, 0}})
			want = l.must(t, cloud.Cloud{N: 3, D: 3, X: make([]float32, 9)}, far).Value
		}
		if !within(r.Value, want, 1e-7, 0) {
			t.Errorf("D = %d: value %v, want %v", d, r.Value, want)
		}
	}
	r := l.must(t, base.X, base.X)
	if math.IsNaN(r.Value) || slices.ContainsFunc(r.GradX64, math.IsNaN) {
		t.Errorf("a cloud against itself has value %v", r.Value)
	}
}

// runCancel stops calls before and while they work.
func runCancel(t *testing.T, backend string) {
	f := Families(3000, 4)[0]
	call := func(ctx context.Context, m apmlgpu.Method) error {
		_, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Backend: backend, Context: ctx, Method: m})
		return err
	}
	t.Run("canceled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, m := range []apmlgpu.Method{apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodStreaming} {
			if err := call(ctx, m); !errors.Is(err, apmlgpu.ErrCanceled) || !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error is %v, want ErrCanceled, which is context.Canceled", m, err)
			}
		}
	})
	t.Run("canceled anywhere", func(t *testing.T) { cancelAnywhere(t, backend) })
	t.Run("deadline in the middle", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if err := call(ctx, apmlgpu.MethodStreaming); !errors.Is(err, apmlgpu.ErrCanceled) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v, want ErrCanceled by the deadline", err)
		}
	})
}

// cancelAnywhere ends calls of APML anywhere; those of other losses end in
// [canceledAnywhere].
func cancelAnywhere(t *testing.T, backend string) {
	f := Families(300, 4)[0]
	for name, call := range map[string]func(ctx context.Context) error{
		"sparse": func(ctx context.Context) error {
			_, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Backend: backend, Context: ctx,
				Method: apmlgpu.MethodSparse})
			return err
		},
		"oracle": func(ctx context.Context) error {
			_, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Backend: backend, Context: ctx,
				Method: apmlgpu.MethodOracle})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { questions(t, func(c *countedContext) error { return call(c) }) })
	}
}

// questions ends calls after ever more questions whether to go on: each ends with
// ErrCanceled, or is done.
func questions(t *testing.T, call func(c *countedContext) error) {
	t.Helper()
	done := false
	for after := int64(0); after < 1<<30 && !done; after = 2*after + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		err := call(&countedContext{Context: ctx, cancel: cancel, left: after})
		cancel()
		if done = err == nil; !done && !errors.Is(err, apmlgpu.ErrCanceled) {
			t.Errorf("canceled after %d questions: %v", after, err)
		}
	}
	if !done {
		t.Error("the call is never done")
	}
}

// countedContext is canceled when it has been asked for its error often enough.
type countedContext struct {
	context.Context
	cancel context.CancelFunc
	left   int64
}

// Err counts, and tells the error.
func (c *countedContext) Err() error {
	if atomic.AddInt64(&c.left, -1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}
