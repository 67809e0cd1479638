package apmlgpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

func TestMIMEBundle(t *testing.T) {
	r, err := APML(cloud.Fibonacci(50), cloud.Turned(50), APMLOptions{Threshold: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.MIMEBundle()
	if err != nil {
		t.Fatal(err)
	}
	text, page := b["text/plain"].(string), b["text/html"].(string)
	if !strings.Contains(text, "row error") || !strings.Contains(text, fmt.Sprintf("%.9g", r.Value)) ||
		text != r.String() {
		t.Errorf("text is %q", text)
	}
	if !strings.HasPrefix(page, "<table>") || strings.Count(page, "<tr>") != strings.Count(text, "\n")+1 {
		t.Errorf("table is %q", page)
	}
}

func TestFailed(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want []error
	}{
		{&backend.MemoryError{What: "the plan", Need: 2, Limits: 1}, []error{ErrMemory}},
		{stop.ErrStopped, []error{ErrCanceled, context.Canceled}},
		{context.Canceled, []error{ErrCanceled, context.Canceled}},
		{context.DeadlineExceeded, []error{ErrCanceled, context.DeadlineExceeded}},
	} {
		err := failed("apmlgpu.APML", tt.err)
		for _, want := range tt.want {
			if !errors.Is(err, want) {
				t.Errorf("%v is not %v", err, want)
			}
		}
	}
	if !errors.Is(ErrCanceled, context.Canceled) || failed("x", nil) != nil {
		t.Error("ErrCanceled is not context.Canceled, or no error became one")
	}
}

func TestBackend(t *testing.T) {
	c := cloud.Fibonacci(10)
	for _, name := range []string{"", "auto", "cpu"} {
		r, err := Chamfer(c, c, ChamferOptions{Backend: name})
		if err != nil || r.Stats.Backend != "cpu" || (r.Stats.BackendReason == "") != (name == "cpu") {
			t.Errorf("backend %q: %q because %q, %v", name, r.Stats.Backend, r.Stats.BackendReason, err)
		}
	}
	t.Setenv("GONDOLA_LIBCUDA", "no such library") // a machine with a GPU has none here
	_, err := Chamfer(c, c, ChamferOptions{Backend: "gpu"})
	var e *Error
	if !errors.Is(err, ErrBackend) || !strings.Contains(err.Error(), "no NVIDIA driver") &&
		!strings.Contains(err.Error(), "this build has no GPU backend") || !errors.As(err, &e) || e.Hint() == "" {
		t.Errorf("backend gpu: %v", err)
	}
	if _, err := EMD(c, c, EMDOptions{Backend: "gpu"}); !errors.Is(err, ErrBackend) ||
		!strings.Contains(err.Error(), notOnGPU) {
		t.Errorf("EMD on the GPU: %v", err)
	}
	if err := Use("gpu"); !errors.Is(err, ErrBackend) {
		t.Errorf("Use gpu: %v", err)
	}
	if err := Use("tpu"); !errors.Is(err, ErrOption) {
		t.Errorf("Use tpu: %v", err)
	}
	t.Setenv("GONDOLA_BACKEND", "gpu")
	if _, err := APML(c, c, APMLOptions{}); !errors.Is(err, ErrBackend) {
		t.Errorf("GONDOLA_BACKEND=gpu: %v", err)
	}
	if err := Use("cpu"); err != nil {
		t.Error(err)
	}
	defer Use("")
	if _, err := APML(c, c, APMLOptions{}); err != nil {
		t.Errorf("after Use cpu: %v", err)
	}
}

func TestMemoryOfTheMachine(t *testing.T) {
	if got := memTotal("MemFree: 3 kB\nMemTotal:       2048 kB\n"); got != 2<<20 {
		t.Errorf("MemTotal is %d, want 2 MiB", got)
	}
	for text, want := range map[string]int64{"max\n": math.MaxInt64, "1048576\n": 1 << 20, "": math.MaxInt64,
		"-1": math.MaxInt64} {
		if got := groupLimit(text); got != want {
			t.Errorf("limit %q is %d, want %d", text, got, want)
		}
	}
	if got := memTotal("nothing"); got != math.MaxInt64 {
		t.Errorf("an unknown MemTotal is %d", got)
	}
	if d := defaultMaxBytes(); d <= 0 {
		t.Errorf("default is %d bytes", d)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	if d := quarter(); d != 16<<20 {
		t.Errorf("a quarter of a runtime limit of 64 MiB is %d", d)
	}
}

func TestLosses(t *testing.T) {
	seen := map[string]bool{}
	x, y := cloud.Fibonacci(20), cloud.Turned(30)
	for _, l := range Losses() {
		if seen[l.Name] || l.Summary == "" || l.Unit == "" || l.Function == "" || l.Cost == "" {
			t.Errorf("row %q is twice there, or not full: %+v", l.Name, l)
		}
		seen[l.Name] = true
		// Of clouds of size 1 with 20 points a radius of 0.01 holds none.
		if r, err := l.Run(x, y, l.Usual()); err != nil || !(r.Value > 0) && l.Name != "fscore" {
			t.Errorf("%s: %v, %v", l.Name, r.Value, err)
		} else if (r.GradX == nil) != l.Metric {
			t.Errorf("%s: %d numbers of a gradient, a metric: %v", l.Name, len(r.GradX), l.Metric)
		}
		if _, err := l.Run(x, y, l.Options()); (err != nil) != (l.Needs != nil) {
			t.Errorf("%s without what it needs: %v", l.Name, err)
		}
		if _, err := l.Run(x, y, 7); !errors.Is(err, ErrOption) {
			t.Errorf("%s with options 7: %v", l.Name, err)
		}
		fields := reflect.TypeOf(l.Options()).Elem()
		for name := range l.Defaults {
			if _, ok := fields.FieldByName(name); !ok {
				t.Errorf("%s: a default of %s, which is no option", l.Name, name)
			}
		}
	}
	for _, name := range []string{"apml", "sinkhorn", "chamfer", "chamfer-l1", "hypercd", "infocd", "dcd", "hausdorff",
		"fscore", "density", "sliced"} {
		if !seen[name] {
			t.Errorf("no row %q", name)
		}
	}
}

func TestChamferOptions(t *testing.T) {
	x := cloud.FromRows([][]float32{{0, 0}, {4, 0}})
	y := cloud.FromRows([][]float32{{0, 3}, {4, 0}, {4, 1}})
	heavy := x.Clone()
	heavy.W = []float64{3, 1}
	for _, tt := range []struct {
		name string
		x, y cloud.Cloud
		opt  ChamferOptions
		want float64
	}{
		{"both", x, y, ChamferOptions{}, 9./2 + 10./3},
		{"one way", x, y, ChamferOptions{OneWay: true}, 9. / 2},
		{"sum", x, y, ChamferOptions{Sum: true}, 9 + 10},
		{"factors", x, y, ChamferOptions{WeightX: 2, WeightY: 3}, 2*9./2 + 3*10./3},
		{"weights", heavy, y, ChamferOptions{OneWay: true}, 3. / 4 * 9},
		{"weighted sum", heavy, y, ChamferOptions{OneWay: true, Sum: true}, 3 * 9},
		{"lowest index", cloud.FromRows([][]float32{{0, 0}}), cloud.FromRows([][]float32{{1, 0}, {-1, 0}}),
			ChamferOptions{OneWay: true}, 1},
	} {
		r, err := Chamfer(tt.x, tt.y, tt.opt)
		if err != nil || !(math.Abs(r.Value-tt.want) <= 1e-12) {
			t.Errorf("%s: %v, %v, want %v", tt.name, r.Value, err, tt.want)
		}
		if tt.name == "lowest index" && r.GradX[0] != -2 {
			t.Errorf("gradient %v points to the second of two nearest", r.GradX)
		}
	}
}
