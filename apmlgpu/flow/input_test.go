package flow

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

func TestBadInput(t *testing.T) {
	nan, x, y := float32(math.NaN()), line(1, 2), line(0, 1)
	plain := spring(1)
	with := func(o Options) func() (Path, error) { return func() (Path, error) { return Run(x, y, plain, o) } }
	of := func(x, y cloud.Cloud, l Loss) func() (Path, error) {
		return func() (Path, error) { return Run(x, y, l, Options{}) }
	}
	grows := func(x, _ cloud.Cloud) (apmlgpu.Result, error) {
		return apmlgpu.Result{GradX: []float32{-3e38, 0}}, nil
	}
	for _, tt := range []struct {
		do    func() (Path, error)
		cause error
		want  string
	}{
		{of(line(1, nan), y, plain), apmlgpu.ErrNotFinite, "flow.Run: coordinate is not finite: point 1 of x0 is [NaN]"},
		{of(x, line(0, float32(math.Inf(-1))), plain), apmlgpu.ErrNotFinite, "point 1 of y is [-Inf]"},
		{of(cloud.Cloud{D: 1}, y, plain), apmlgpu.ErrEmpty, "x0 has no point"},
		{of(x, cloud.Cloud{D: 1}, plain), apmlgpu.ErrEmpty, "y has no point"},
		{of(cloud.Cloud{N: 2, D: 2, X: []float32{1}}, y, plain), apmlgpu.ErrShape, "x0 says 2×2 and holds 1 numbers"},
		{of(flat(2, 3), y, plain), apmlgpu.ErrShape, "x0 is 2×3, y is 2×1"},
		{of(x, y, nil), apmlgpu.ErrOption, "loss is nil"},
		{with(Options{Method: "newton"}), apmlgpu.ErrOption, `Method is "newton"`},
		{with(Options{Steps: -1}), apmlgpu.ErrOption, "Steps is -1"},
		{with(Options{Step: math.NaN()}), apmlgpu.ErrOption, "Step is NaN"},
		{with(Options{Step: -1}), apmlgpu.ErrOption, "Step is -1"},
		{with(Options{Step: math.Inf(1)}), apmlgpu.ErrOption, "Step is +Inf"},
		{with(Options{Momentum: 1}), apmlgpu.ErrOption, "Momentum is 1"},
		{with(Options{Scale: math.NaN()}), apmlgpu.ErrOption, "Scale is NaN"},
		{with(Options{Tol: math.NaN()}), apmlgpu.ErrOption, "Tol is NaN"},
		{with(Options{Every: -2}), apmlgpu.ErrOption, "Every is -2"},
		{with(Options{Method: Adam, Momentum: .5}), apmlgpu.ErrOption, "Momentum is 0.5, want zero for adam"},
		{with(Options{Method: LBFGS, Step: 1}), apmlgpu.ErrOption, "Step is 1, want zero for lbfgs"},
		{with(Options{Method: LBFGS, Schedule: Linear}), apmlgpu.ErrOption, "Schedule is set"},
		{of(x, y, grows), apmlgpu.ErrNotFinite, "point 0 has left float32 at step"},
		{of(x, y, spring(math.NaN())), apmlgpu.ErrNotFinite, "step 0 has the value NaN"},
		{of(x, y, func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{NoGrad: true})
		}), apmlgpu.ErrShape, "a gradient of 0 numbers for 2×1"},
		{of(cloud.Cloud{N: 2, D: 1, X: x.X, W: []float64{1, -1}}, y, func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{})
		}), apmlgpu.ErrWeights, "flow.Run: step 0: apmlgpu.Chamfer: weights are not usable"},
	} {
		p, err := tt.do()
		var e *apmlgpu.Error
		if !errors.Is(err, tt.cause) || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &e) || e.Hint() == "" {
			t.Errorf("%v, want %q with advice", err, tt.want)
		}
		if tt.want != "point 0 has left float32 at step" && len(p.Value) > 0 || p.Converged {
			t.Errorf("%s: %v", tt.want, p)
		}
	}
	for name, options := range map[string]any{"fscore": nil, "best": nil, "emd": apmlgpu.EMDOptions{},
		"chamfer": &apmlgpu.EMDOptions{}} {
		if _, err := Of(name, options); !errors.Is(err, apmlgpu.ErrOption) {
			t.Errorf("Of %s: %v", name, err)
		}
	}
}

func flat(n, d int) cloud.Cloud { return cloud.Cloud{N: n, D: d, X: make([]float32, n*d)} }

// A loss that runs out of rounds gives usable results: the whole path comes with the
// error that says how often.
func TestLossDoesNotConverge(t *testing.T) {
	p, err := Run(cloud.Cap(30), cloud.Fibonacci(30),
		Sinkhorn(apmlgpu.SinkhornOptions{Epsilon: 1e-3, MaxIter: 1, Tol: 1e-9}), Options{Steps: 5})
	if !errors.Is(err, apmlgpu.ErrNotConverged) || len(p.Value) != 6 ||
		!strings.Contains(err.Error(), "of 6 calls, first at step 0") {
		t.Errorf("%v, %v", p, err)
	}
}

// Means are scaled by N, APML's sums by N/M, those per point by N again: one step
// does not depend on the number of points.
func TestScale(t *testing.T) {
	move := func(n int, l Loss, scale float64) float64 {
		x := flat(n, 3)
		y := flat(2*n, 3)
		for i := range y.N {
			y.X[3*i] = 10
		}
		p, err := Run(x, y, l, Options{Step: .1, Steps: 1, Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		return float64(p.End().X[0])
	}
	for name, options := range map[string]any{"emd": nil, "chamfer-l1": nil, "apml": nil,
		"apml per point": &apmlgpu.APMLOptions{PerPoint: true},
		"apml reference": &apmlgpu.APMLOptions{Variant: apmlgpu.Reference}} {
		loss, err := Of(strings.Fields(name)[0], options)
		if err != nil {
			t.Fatal(err)
		}
		want := .1
		if name == "chamfer-l1" { // half the unit vector to its neighbour, and y as a whole chose point 0
			want = .1*.5 + .1*.5*8
		}
		if name == "chamfer-l1" {
			near(t, name, move(8, loss, 0), want, 1e-6)
			continue
		}
		near(t, name, move(8, loss, 0), want, 1e-6)
		near(t, name, move(32, loss, 0), want, 1e-6)
	}
	near(t, "set by hand", move(8, EMD(apmlgpu.EMDOptions{}), 4), .05, 1e-6)
}

// The same path for any number of threads and in every run, to the bit.
func TestSameBits(t *testing.T) {
	x, y := cloud.Cap(90), cloud.Fibonacci(70)
	inX, inY := x.Clone(), y.Clone()
	for _, l := range apmlgpu.Losses() {
		if l.Metric {
			continue
		}
		var first Path
		for k, threads := range []int{1, 2, 3, 7, 2} {
			o := l.Usual()
			reflect.ValueOf(o).Elem().FieldByName("Threads").SetInt(int64(threads))
			loss, err := Of(l.Name, o)
			if err != nil {
				t.Fatal(err)
			}
			for again := range 2 {
				p, err := Run(x, y, loss, Options{Steps: 6, Step: .01, Method: []Method{SGD, Adam}[again]})
				if err != nil {
					t.Fatal(l.Name, err)
				}
				if again == 1 { // what the loss remembers is of the run before: begin anew
					p, err = Run(x, y, loss, Options{Steps: 6, Step: .01})
					if err != nil {
						t.Fatal(l.Name, err)
					}
				}
				if k == 0 && again == 0 {
					first = p
				}
				if !slices.Equal(p.Value, first.Value) || !slices.Equal(p.GradNorm, first.GradNorm) ||
					!slices.Equal(p.End().X, first.End().X) {
					t.Errorf("%s: other bits with %d threads, %v, %v", l.Name, threads, p, first)
				}
			}
		}
	}
	if !x.Equal(inX) || !y.Equal(inY) {
		t.Error("the inputs were written to")
	}
}

// Warm starts pass on by themselves and save rounds; each flow begins anew, and ε is
// that of the first call.
func TestWarm(t *testing.T) {
	x, y := cloud.Cap(80), cloud.Fibonacci(80)
	rounds := func(l Loss) (n int, eps []float64) {
		_, err := Run(x, y, func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			r, err := l(x, y)
			n += r.Stats.Iterations
			eps = append(eps, r.Stats.Epsilon)
			return r, err
		}, Options{Steps: 20 * 80 / x.N, Step: .02})
		if err != nil {
			t.Fatal(err)
		}
		return n, eps
	}
	o := apmlgpu.SinkhornOptions{Tol: 1e-5}
	cold, _ := rounds(func(x, y cloud.Cloud) (apmlgpu.Result, error) { return apmlgpu.Sinkhorn(x, y, o) })
	warm, eps := rounds(Sinkhorn(o))
	if !(warm < cold) {
		t.Errorf("%d rounds warm, %d cold", warm, cold)
	}
	for _, e := range eps {
		if e != eps[0] || e == 0 {
			t.Errorf("ε moves: %v", eps)
			break
		}
	}
	// EMD: warm potentials are taken, whatever they save.
	y = cloud.Sphere(nil, 1600) // so many that it bids
	x = cloud.Fibonacci(1600)   // no near copy of it, which is matched without prices
	e := apmlgpu.EMDOptions{Cost: apmlgpu.SqEuclidean}
	steps, _ := rounds(func(x, y cloud.Cloud) (apmlgpu.Result, error) { return apmlgpu.EMD(x, y, e) })
	fewer, _ := rounds(EMD(e))
	if !(fewer < steps) {
		t.Errorf("%d steps of EMD warm, %d cold", fewer, steps)
	}
}
