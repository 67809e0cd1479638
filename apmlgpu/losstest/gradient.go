package losstest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runGradients compares gradients with central differences: APML with its plan
// held, because that is what its gradient is, Chamfer with its neighbours free.
func runGradients(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 7))
	x, y := cloud.Sphere(rnd, 60), cloud.Sphere(rnd, 75)
	t.Run("apml with the plan held", func(t *testing.T) {
		for _, opt := range []apmlgpu.APMLOptions{
			{Backend: backend, Grad64: true},
			{Backend: backend, Grad64: true, Method: apmlgpu.MethodSparse, Threshold: 1e-8},
			{Backend: backend, Grad64: true, Variant: apmlgpu.Reference},
		} {
			heldPlan(t, x, y, opt)
		}
	})
	t.Run("apml's is not that of the live loss", func(t *testing.T) {
		opt := apmlgpu.APMLOptions{Backend: backend, Grad64: true}
		r, err := apmlgpu.APML(x, y, opt)
		if err != nil {
			t.Fatal(err)
		}
		off := 0.0
		for k := range 12 {
			live := difference(t, x, k,
				func(c cloud.Cloud) (apmlgpu.Result, error) { return apmlgpu.APML(c, y, opt) })
			off = max(off, math.Abs(live-r.GradX64[k]))
		}
		if !(off > 1e-3) {
			t.Errorf("differences of the live loss are within %g of the gradient with the plan held: one of them is not what it says", off)
		}
	})
	for _, l := range losses(backend)[1:] {
		if l.metric {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			x, y := x, y
			if l.fixed { // fewer points, whose projections lie further apart than the steps
				x, y = cloud.Sphere(rand.New(rand.NewPCG(1, 8)), 12), cloud.Sphere(rand.New(rand.NewPCG(1, 9)), 17)
			}
			r := l.must(t, x, y)
			for k := range r.GradX64 {
				num := difference(t, x, k, func(c cloud.Cloud) (apmlgpu.Result, error) { return l.call(c, y, call{threads: 1}) })
				if !within(r.GradX64[k], num, differences, differences) {
					t.Fatalf("GradX[%d] is %g, central difference %g", k, r.GradX64[k], num)
				}
			}
			for k := range r.GradY64 {
				num := difference(t, y, k, func(c cloud.Cloud) (apmlgpu.Result, error) { return l.call(x, c, call{threads: 1}) })
				if !within(r.GradY64[k], num, differences, differences) {
					t.Fatalf("GradY[%d] is %g, central difference %g", k, r.GradY64[k], num)
				}
			}
		})
	}
}

// difference is the central difference of a loss along coordinate k, over the
// step that float32 really makes.
func difference(t *testing.T, c cloud.Cloud, k int, f func(cloud.Cloud) (apmlgpu.Result, error)) float64 {
	t.Helper()
	at := func(by float32) (float64, float64) {
		moved := each(c, func(int, []float32) {})
		moved.X[k] += by
		r, err := f(moved)
		if err != nil {
			t.Fatal(err)
		}
		return r.Value, float64(moved.X[k])
	}
	a, xa := at(1e-5)
	b, xb := at(-1e-5)
	return (a - b) / (xa - xb)
}

// heldPlan compares both gradients with central differences of Σ P d, P held,
// in float64.
func heldPlan(t *testing.T, x, y cloud.Cloud, opt apmlgpu.APMLOptions) {
	t.Helper()
	r, err := apmlgpu.APML(x, y, opt)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	px, py := wide(x), wide(y)
	cost := func() float64 {
		sum := 0.0
		p.Each(func(i, j int, v float64) {
			d := 0.0
			for c := range 3 {
				t := px[3*i+c] - py[3*j+c]
				d += t * t
			}
			sum += v * math.Sqrt(d)
		})
		return sum
	}
	if c := cost(); !within(c, r.Value, sameMethod, 0) {
		t.Errorf("Σ P d over the plan is %.15g, the value %.15g", c, r.Value)
	}
	for side, g := range [][]float64{r.GradX64, r.GradY64} {
		points := [][]float64{px, py}[side]
		for k := range g {
			const h = 1e-5
			was := points[k]
			points[k] = was + h
			a := cost()
			points[k] = was - h
			b := cost()
			points[k] = was
			if num := (a - b) / (2 * h); !within(g[k], num, differences, differences) {
				t.Fatalf("cloud %d: gradient %d is %.12g, central difference with the plan held %.12g", side, k,
					g[k], num)
			}
		}
	}
}

func wide(c cloud.Cloud) []float64 {
	out := make([]float64, len(c.X))
	for k, v := range c.X {
		out[k] = float64(v)
	}
	return out
}
