package apmlgpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// Values that have a formula, by every method.
func TestAPMLClosedForms(t *testing.T) {
	rows := func(p ...[]float32) cloud.Cloud { return cloud.FromRows(p) }
	pair := rows([]float32{0, 0, 0}, []float32{1, 0, 0})
	three := rows([]float32{0, 0, 0}, []float32{0, 3, 0}, []float32{4, 0, 0})
	top := rows([]float32{0, 0, 12})
	q := 0.2 / 1.2 // (1−p)/(2−p)
	for _, tt := range []struct {
		name string
		x, y cloud.Cloud
		want float64
	}{
		{"one to one", rows([]float32{0, 0, 0}), rows([]float32{3, 4, 0}), 5},
		{"M = 1: mean distance", three, top, (12 + math.Sqrt(153) + math.Sqrt(160)) / 3},
		{"N = 1: sum of distances", top, three, 12 + math.Sqrt(153) + math.Sqrt(160)},
		{"a pair and itself", pair, pair, 2 * q},
		{"square", pair, rows([]float32{0, 1, 0}, []float32{1, 1, 0}), 2 * ((1 - q) + q*math.Sqrt2)},
		{"both columns at one spot", rows([]float32{0, 0, 0}, []float32{2, 0, 0}),
			rows([]float32{1, 0, 0}, []float32{1, 0, 0}), 2},
		{"one dimension", rows([]float32{0}, []float32{1}), rows([]float32{0}, []float32{1}), 2 * q},
		{"four dimensions", rows([]float32{0, 0, 0, 0}), rows([]float32{1, 1, 1, 1}), 2},
		{"all in one spot", rows([]float32{7, 7, 7}, []float32{7, 7, 7}), rows([]float32{7, 7, 7}), 0},
	} {
		for _, m := range []Method{MethodOracle, MethodAuto, MethodSparse, MethodDense, MethodStreaming} {
			r, err := APML(tt.x, tt.y, APMLOptions{Method: m})
			if err != nil {
				t.Errorf("%s, %s: %v", tt.name, m, err)
				continue
			}
			if diff := math.Abs(r.Value - tt.want); !(diff <= 2e-7*tt.want+1e-15) { // 20 margins of 1e-8
				t.Errorf("%s, %s: value is %.12g, want %.12g", tt.name, m, r.Value, tt.want)
			}
			if slices.ContainsFunc(r.GradX, func(g float32) bool { return g != g }) {
				t.Errorf("%s, %s: gradient %v", tt.name, m, r.GradX)
			}
		}
	}
}

// PerPoint divides by M, Tol stops early, Trace is told every round.
func TestAPMLOptions(t *testing.T) {
	x, y := cloud.Fibonacci(80), cloud.Turned(100)
	whole, err := APML(x, y, APMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	part, err := APML(x, y, APMLOptions{PerPoint: true})
	if err != nil {
		t.Fatal(err)
	}
	if part.Value != whole.Value/100 || math.Abs(float64(part.GradX[0])-float64(whole.GradX[0])/100) > 1e-9 {
		t.Errorf("per point %v and %v, whole %v and %v", part.Value, part.GradX[0], whole.Value, whole.GradX[0])
	}
	for _, m := range []Method{MethodOracle, MethodSparse, MethodDense} {
		var steps []Step
		r, err := APML(x, y, APMLOptions{Tol: 0.02, Method: m, Trace: func(s Step) { steps = append(steps, s) },
			NoGrad: true})
		if err != nil {
			t.Fatal(err)
		}
		n := len(steps)
		if n == 0 || n != r.Stats.Iterations || steps[n-1].Iteration != n || !(steps[n-1].RowError <= 0.02) ||
			n > 1 && !(steps[n-2].RowError > 0.02) {
			t.Errorf("%s: %d steps in %d rounds, the last %v", m, n, r.Stats.Iterations, steps)
		}
		if !(math.Abs(r.Stats.RowError-steps[n-1].RowError) <= 1e-12) || !r.Stats.Converged || r.GradX != nil {
			t.Errorf("%s: row error %v, the last step says %v", m, r.Stats.RowError, steps[n-1].RowError)
		}
	}
}

func TestNotes(t *testing.T) {
	x, y := cloud.Fibonacci(600), cloud.Turned(600)
	far, err := y.Shift(30, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		x, y cloud.Cloud
		opt  APMLOptions
		want string
	}{
		{"ties", cloud.Grid(8, 1), cloud.Grid(8, 1), APMLOptions{Ties: Split}, ""},
		{"uniform ties", mustShift(t, cloud.Grid(8, 1), 0.5), cloud.Grid(8, 1), APMLOptions{},
			"columns tie: see Ties"},
		{"pinned threshold", x, far, APMLOptions{Threshold: 1e-10}, "lower Threshold"},
		{"dissimilar", x, far, APMLOptions{Method: MethodSparse}, "the threshold was lowered"},
		{"tiny", x.Scale(1e-9), y.Scale(1e-9), APMLOptions{}, "lower Margin"},
		{"dense", x.Scale(1e-9), y.Scale(1e-9), APMLOptions{}, "all pairs were taken, stored"},
		{"nothing to say", x, y, APMLOptions{}, ""},
	} {
		r, err := APML(tt.x, tt.y, tt.opt)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		all := strings.Join(r.Stats.Notes, "; ")
		if tt.want == "" && tt.name != "ties" && all != "" || !strings.Contains(all, tt.want) {
			t.Errorf("%s: notes are %q, want %q", tt.name, all, tt.want)
		}
	}
}

func mustShift(t *testing.T, c cloud.Cloud, by float64) cloud.Cloud {
	t.Helper()
	c, err := c.Shift(by, by, by)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStages(t *testing.T) {
	r, err := APML(cloud.Fibonacci(600), cloud.Turned(600), APMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range r.Stats.Stages {
		names = append(names, s.Name)
		if s.Bytes <= 0 || s.Bytes > r.Stats.PeakBytes || s.Seconds < 0 || s.Seconds > r.Stats.Seconds {
			t.Errorf("stage %+v, the peak is %d bytes, the call took %v s", s, r.Stats.PeakBytes, r.Stats.Seconds)
		}
	}
	if want := []string{"tree", "near2", "support", "merge", "balance", "gradient"}; !slices.Equal(names, want) {
		t.Errorf("stages are %v, want %v", names, want)
	}
	if want := int64(4 * 3 * 1200); r.Stats.OutputBytes != want {
		t.Errorf("output has %d bytes, want %d", r.Stats.OutputBytes, want)
	}
}

// Tied lines meet the points of the other side in tiles; rows and columns tie
// here, some with weights, on both sides of a tile's edge.
func TestTiedLinesAcrossTiles(t *testing.T) {
	x, y := cloud.Fibonacci(2300), cloud.Turned(2500)
	for _, c := range []*cloud.Cloud{&x, &y} {
		copy(c.X[:3*200], c.X[3*2050:3*2250]) // pairs of equal points
		for k := 3 * 400; k < 3*430; k++ {
			c.X[k] = float32(math.Round(float64(c.X[k])*4) / 4)
		}
	}
	weighted := x
	weighted.W = make([]float64, x.N)
	for i := range weighted.W {
		weighted.W[i] = float64(1+i%3) / 4599
	}
	for _, tt := range []struct {
		x   cloud.Cloud
		opt APMLOptions
	}{
		{x, APMLOptions{Threshold: 1e-10}},
		{weighted, APMLOptions{Threshold: 1e-10}},
		{x, APMLOptions{Threshold: 1e-10, Variant: Reference, Ties: UniformRow}},
	} {
		opt := tt.opt
		opt.Grad64, opt.Method = true, MethodDense
		want, err := APML(tt.x, y, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Method = MethodSparse
		got, err := APML(tt.x, y, opt)
		if err != nil {
			t.Fatal(err)
		}
		if want.Stats.TiedRows < 100 || want.Stats.TiedCols < 100 || got.Stats.NNZ != want.Stats.NNZ {
			t.Errorf("%d and %d tied, nnz %d and %d", want.Stats.TiedRows, want.Stats.TiedCols, got.Stats.NNZ, want.Stats.NNZ)
		}
		if diff := math.Abs(got.Value - want.Value); !(diff <= 1e-10*want.Value) {
			t.Errorf("%+v: sparse %.15g, dense %.15g", tt.opt, got.Value, want.Value)
		}
		for k, g := range [][2][]float64{{got.GradX64, want.GradX64}, {got.GradY64, want.GradY64}} {
			for i := range g[0] {
				if diff := math.Abs(g[0][i] - g[1][i]); !(diff <= 1e-9) {
					t.Fatalf("%+v: gradient %d: number %d is %.12g, dense %.12g", tt.opt, k, i, g[0][i], g[1][i])
				}
			}
		}
	}
}

// The threshold of the stats is the given one to the last bit, also below the
// normal numbers.
func TestThresholdIsTold(t *testing.T) {
	x, y := cloud.Fibonacci(30), cloud.Turned(40)
	for _, threshold := range []float64{1e-20, 1e-10, 0.1, 0.99999999, 1e-310, math.SmallestNonzeroFloat64} {
		for _, m := range []Method{MethodOracle, MethodSparse, MethodStreaming} {
			r, err := APML(x, y, APMLOptions{Threshold: threshold, Method: m})
			if err != nil || r.Stats.Threshold != threshold {
				t.Errorf("%g, %s: threshold %g, %v", threshold, m, r.Stats.Threshold, err)
			}
		}
	}
	if got := logInverse(math.SmallestNonzeroFloat64); math.Abs(got-1074*math.Ln2) > 1e-9 {
		t.Errorf("ln(1/t) of the smallest t is %v, want %v", got, 1074*math.Ln2)
	}
}
