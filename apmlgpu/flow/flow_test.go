package flow

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// spring is the loss mean ½k_i|x_i − y_i|² of clouds whose points belong together.
func spring(k ...float64) Loss {
	return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		r := apmlgpu.Result{GradX64: make([]float64, len(x.X))}
		for i, v := range x.X {
			d := float64(v) - float64(y.X[i])
			k := k[i/x.D%len(k)] / float64(x.N)
			r.Value += k * d * d / 2
			r.GradX64[i] = k * d
		}
		return r, nil
	}
}

func line(x ...float32) cloud.Cloud { return cloud.Cloud{N: len(x), D: 1, X: x} }

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// Half squared costs shrink the way by 1 − Step in each step: x_k = y + 0.9^k (x_0 − y).
func TestDescentOnClosedForms(t *testing.T) {
	x, y := line(4, -1), line(1, 3)
	half := func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		return apmlgpu.EMD(x, y, apmlgpu.EMDOptions{Cost: apmlgpu.HalfSqEuclidean})
	}
	for name, loss := range map[string]Loss{"spring": spring(1), "EMD": half} {
		target := y
		if name == "spring" { // which does not look for the partner
			target = line(3, 1)
		}
		p, err := Run(x, target, loss, Options{Steps: 12, Every: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range p.Clouds { // 4 goes to 3 and −1 to 1
			s := math.Pow(.9, float64(k))
			near(t, name, float64(c.X[0]), 3+s, 1e-6)
			near(t, name, float64(c.X[1]), 1-2*s, 1e-6)
			near(t, name+" value", p.Value[k], s*s*(1+4)/4, 1e-6)
			near(t, name+" norm", p.GradNorm[k], s*math.Sqrt((1+4)/2.), 1e-6)
		}
		if len(p.Clouds) != 13 || p.Calls != 13 || !p.Converged || p.Reason != "all steps taken" {
			t.Errorf("%s: %v, %d clouds", name, p, len(p.Clouds))
		}
	}
	// The divergence of a translate is |t|² at every ε, its gradient 2t at each point:
	// the shift shrinks by 1 − 2·Step, and the shape stays.
	y = cloud.Fibonacci(40)
	x, err := y.Shift(.3, 0, -.4)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Run(x, y, Sinkhorn(apmlgpu.SinkhornOptions{Epsilon: .1, Tol: 1e-9}), Options{Steps: 10})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range p.Value {
		near(t, "divergence", v, .25*math.Pow(.8, 2*float64(k)), 1e-5)
	}
	for i := range y.N {
		near(t, "shape", float64(p.End().X[3*i])-float64(y.X[3*i]), .3*math.Pow(.8, 10), 1e-4)
	}
}

// Every loss with a gradient falls by both rules.
func TestEveryLossFalls(t *testing.T) {
	x, y := cloud.Fibonacci(60), cloud.Turned(50)
	for _, l := range apmlgpu.Losses() {
		if l.Metric {
			continue
		}
		for _, method := range []Method{SGD, Adam} {
			loss, err := Of(l.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Method: method, Steps: 30, Step: .02, Schedule: Linear}
			share := .97
			if l.Name == "dcd" && method == SGD { // flat but for 1/√1000 around each target
				o.Step, share = 1e-3, .99
			}
			p, err := Run(x, y, loss, o)
			if err != nil {
				t.Errorf("%s, %s: %v", l.Name, method, err)
				continue
			}
			if n := len(p.Value) - 1; n != 30 || !(p.Value[n] < share*p.Value[0]) {
				t.Errorf("%s, %s: %v", l.Name, method, p)
			}
		}
	}
}

// Two steps of Adam on x²/2 from 1 with step 0.1, by hand. First moments 0.1 and 0.001
// over 0.1 and 0.001: a step of 0.1. Then g = 0.9: m = 0.18 over 0.19, v = 0.001809 over
// 0.001999: a step of 0.1·0.947368/0.951290.
func TestAdam(t *testing.T) {
	p, err := Run(line(1), line(0), spring(1), Options{Method: Adam, Step: .1, Steps: 2, Every: 1})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{1, .9, .900000 - .1*.9473684211/.9512895} {
		near(t, "Adam", float64(p.Clouds[k].X[0]), want, 1e-6)
	}
	// Its default step is 0.01 of the joint diameter, and no step is longer at the start.
	p, err = Run(line(50, 10), line(0, 0), spring(3), Options{Method: Adam, Steps: 1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "default step", float64(p.End().X[0]), 49.5, 1e-5)
}

// Momentum 0.5 on x²/2 from 1, step 0.1: v = 1, x = 0.9; v = 0.5 + 0.9, x = 0.76;
// v = 0.7 + 0.76, x = 0.614. A schedule halves the second step alone.
func TestMomentumAndSchedule(t *testing.T) {
	p, err := Run(line(1), line(0), spring(1), Options{Step: .1, Momentum: .5, Steps: 3, Every: 1})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{1, .9, .76, .614} {
		near(t, "momentum", float64(p.Clouds[k].X[0]), want, 1e-6)
	}
	p, err = Run(line(1), line(0), spring(1), Options{Step: .1, Steps: 2, Every: 1,
		Schedule: func(k, steps int) float64 { return 1 - float64(k)/float64(steps) }})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "schedule", float64(p.End().X[0]), .9*.95, 1e-6)
	near(t, "Linear", Linear(30, 120), .75, 0)
}

// LBFGS finds the end of springs that differ by a factor of 1,000 in a few steps, and
// that of a cloud moved as a whole in one or two.
func TestLBFGS(t *testing.T) {
	x, y := cloud.Cube(nil, 20), cloud.Sphere(nil, 20)
	p, err := Run(x, y, spring(1, 30, 1000), Options{Method: LBFGS, Tol: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Value); n > 30 || p.Reason != "the gradient is at most Tol" || p.Calls > 3*n {
		t.Errorf("%v", p)
	}
	for i, v := range p.End().X {
		near(t, "spring", float64(v), float64(y.X[i]), 2e-3)
	}
	far, err := y.Shift(1e4, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err = Run(far, y, EMD(apmlgpu.EMDOptions{Cost: apmlgpu.SqEuclidean}), Options{Method: LBFGS})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Value) - 1; !(p.Value[n] <= 1e-6*p.Value[0]) || n > 20 {
		t.Errorf("far: %v", p)
	}
	// APML's gradient holds the plan and is not that of the value: where the line search
	// finds no step the flow says so.
	p, err = Run(cloud.Cap(40), cloud.Fibonacci(40), func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		return apmlgpu.APML(x, y, apmlgpu.APMLOptions{})
	}, Options{Method: LBFGS, Tol: 1e-12})
	if !errors.Is(err, apmlgpu.ErrNotConverged) || len(p.Value) == 0 || p.Reason == "" || p.Converged {
		t.Errorf("APML by LBFGS: %v, %v", p, err)
	}
}

// A loss may panic, as a cell's does: the panic is that of Run.
func TestLossPanics(t *testing.T) {
	for _, method := range []Method{SGD, LBFGS} {
		func() {
			defer func() {
				if v := recover(); v != "mine" {
					t.Errorf("%s: %v", method, v)
				}
			}()
			mine := func(x, y cloud.Cloud) (apmlgpu.Result, error) { panic("mine") }
			_, err := Run(line(1), line(0), mine, Options{Method: method})
			t.Errorf("%s: no panic, %v", method, err)
		}()
	}
}

// Tol ends a flow early; where it is not reached the path comes with the error.
func TestTol(t *testing.T) {
	p, err := Run(line(1), line(0), spring(1), Options{Tol: .5, Every: 1})
	if err != nil || len(p.Value) != 8 { // 0.9^7 = 0.478
		t.Errorf("%v, %v", p, err)
	}
	p, err = Run(line(1), line(0), spring(1), Options{Tol: 1e-9, Steps: 10})
	if !errors.Is(err, apmlgpu.ErrNotConverged) || len(p.Value) != 11 || p.Converged ||
		!strings.Contains(err.Error(), "the gradient has norm 0.3487 after 10 steps, want 1e-09") {
		t.Errorf("%v, %v", p, err)
	}
}

// A cancelled flow returns what it has: by its context, by the notebook's stop, by a
// loss that was cancelled.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	for name, end := range map[string]func(){"context": cancel, "stop": stop.Set} {
		for _, method := range []Method{SGD, Adam, LBFGS} {
			ctx, cancel = context.WithCancel(context.Background())
			if name == "context" {
				end = cancel
			}
			o := Options{Method: method, Every: 1, Context: ctx, Frame: func(f Frame) {
				if f.Step == 2 {
					end()
				}
			}}
			p, err := Run(cloud.Cube(nil, 9), cloud.Sphere(nil, 9), spring(1, 50, 900), o)
			stop.Clear()
			cancel()
			if !errors.Is(err, apmlgpu.ErrCanceled) || !errors.Is(err, context.Canceled) || len(p.Value) != 3 ||
				len(p.Clouds) != 3 || p.Converged {
				t.Errorf("%s, %s: %v, %v", name, method, p, err)
			}
		}
	}
}

// Frames are the kept clouds, in order; the last cloud is kept whatever Every says.
func TestFrames(t *testing.T) {
	var steps []int
	p, err := Run(line(1, 2), line(0, 0), spring(1), Options{Steps: 10, Every: 4, Frame: func(f Frame) {
		steps = append(steps, f.Step)
		if f.Value == 0 || f.GradNorm == 0 || f.Cloud.N != 2 {
			t.Errorf("frame %v", f)
		}
	}})
	if err != nil || !slices.Equal(steps, []int{0, 4, 8}) || !slices.Equal(p.At, []int{0, 4, 8, 10}) || len(p.Clouds) != 4 {
		t.Errorf("%v, %v, %v", steps, p.At, err)
	}
	if s := p.Steps(); len(s) != 11 || s[10] != 10 {
		t.Errorf("steps %v", s)
	}
	p, err = Run(line(1), line(0), spring(1), Options{Steps: 1000})
	if err != nil || len(p.Clouds) != 101 {
		t.Errorf("%d clouds of 1,000 steps, %v", len(p.Clouds), err)
	}
}
