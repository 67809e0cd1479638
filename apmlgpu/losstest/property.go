package losstest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runProperties checks what must hold of a loss whatever its value is.
func runProperties(t *testing.T, backend string, n int) {
	const seed = 5
	rnd := rand.New(rand.NewPCG(1, seed))
	t.Logf("clouds from seed %d", seed)
	x, y := eighths(cloud.Sphere(rnd, n)), eighths(cloud.Sphere(rnd, n+n/3))
	for _, l := range losses(backend) {
		t.Run(l.name, func(t *testing.T) {
			r := l.must(t, x, y)
			t.Run("moves with both clouds", func(t *testing.T) {
				// Coordinates are whole 2⁻²⁰, the shift too: nothing is rounded.
				same(t, l.must(t, shifted(x, 2), shifted(y, 2)), r.Value, r.GradX64, 1)
			})
			t.Run("scales", func(t *testing.T) {
				// By a power of two, so that only the absolute margins differ.
				s, err := l.call(scaled(x, 4), scaled(y, 4), call{threads: 1, unit: 4})
				if err != nil {
					t.Fatal(err)
				}
				same(t, s, r.Value*math.Pow(4, l.degree), times(r.GradX64, math.Pow(4, l.degree-1)), 1e5)
			})
			t.Run("turns its gradient", func(t *testing.T) {
				quarter := func(c cloud.Cloud) cloud.Cloud {
					return each(c, func(_ int, p []float32) { p[0], p[1] = -p[1], p[0] })
				}
				if l.fixed {
					t.Skip("its directions are fixed: see the test of Sliced")
				}
				want := make([]float64, len(r.GradX64))
				for i := 0; i < len(want); i += 3 {
					want[i], want[i+1], want[i+2] = -r.GradX64[i+1], r.GradX64[i], r.GradX64[i+2]
				}
				same(t, l.must(t, quarter(x), quarter(y)), r.Value, want, 1)
			})
			t.Run("forgets the order", func(t *testing.T) {
				s := l.must(t, reversed(x), reversed(y))
				want := slices.Clone(r.GradX64)
				for i := 0; i < len(want); i += 3 {
					copy(want[i:i+3], r.GradX64[len(want)-3-i:])
				}
				same(t, s, r.Value, want, 1)
			})
			t.Run("gradients cancel", func(t *testing.T) { cancels(t, r) })
			t.Run("float32 gradient is the rounded one", func(t *testing.T) {
				for k, g := range r.GradX64 {
					if !within(float64(r.GradX[k]), g, float32Gradient, 1e-30) {
						t.Fatalf("GradX[%d] is %v, before rounding %v", k, r.GradX[k], g)
					}
				}
			})
			t.Run("weight zero is absence", func(t *testing.T) { absence(t, l, x, y, r) })
			t.Run("uniform weights are none", func(t *testing.T) {
				w := x
				w.W = slices.Repeat([]float64{1 / float64(x.N)}, x.N)
				same(t, l.must(t, w, y), r.Value, r.GradX64, 1)
			})
			t.Run("inputs stay", func(t *testing.T) {
				a, b := slices.Clone(x.X), slices.Clone(y.X)
				l.must(t, x, y)
				if !slices.Equal(a, x.X) || !slices.Equal(b, y.X) {
					t.Error("a call has written to its input")
				}
			})
		})
	}
}

// eighths rounds coordinates to whole 2⁻²⁰.
func eighths(c cloud.Cloud) cloud.Cloud {
	return each(c, func(_ int, p []float32) {
		for k := range p {
			p[k] = float32(math.Round(float64(p[k])*(1<<20)) / (1 << 20))
		}
	})
}

func reversed(c cloud.Cloud) cloud.Cloud {
	return each(c, func(i int, p []float32) { copy(p, c.X[3*(c.N-1-i):]) })
}

func times(v []float64, f float64) []float64 {
	out := slices.Clone(v)
	for k := range out {
		out[k] *= f
	}
	return out
}

// same compares a result with the value and gradient that it must have; loose
// multiplies the tolerance.
func same(t *testing.T, r apmlgpu.Result, value float64, grad []float64, loose float64) {
	t.Helper()
	if !within(r.Value, value, exactSum*loose, absValue) {
		t.Errorf("value is %.17g, want %.17g", r.Value, value)
	}
	size := norm(grad)
	for k, g := range grad {
		if d := math.Abs(r.GradX64[k] - g); !(d <= balance*loose*size) {
			t.Fatalf("GradX[%d] is %.17g, want %.17g", k, r.GradX64[k], g)
		}
	}
}

// cancels checks that both gradients sum to zero: a loss of differences does
// not change when both clouds move.
func cancels(t *testing.T, r apmlgpu.Result) {
	t.Helper()
	size := norm(r.GradX64) + norm(r.GradY64)
	for c := range 3 {
		sum := 0.0
		for k := c; k < len(r.GradX64); k += 3 {
			sum += r.GradX64[k]
		}
		for k := c; k < len(r.GradY64); k += 3 {
			sum += r.GradY64[k]
		}
		if !(math.Abs(sum) <= balance*size) {
			t.Errorf("coordinate %d of both gradients sums to %g", c, sum)
		}
	}
}

// absence gives half of the weight zero, anywhere, to points that must not
// count.
func absence(t *testing.T, l loss, x, y cloud.Cloud, want apmlgpu.Result) {
	t.Helper()
	const every = 3
	w := cloud.Cloud{D: 3}
	for i := range x.N {
		if i%every == 0 { // right beside a point of y, so that it would matter
			w.X, w.W = append(w.X, y.X[3*(i%y.N):3*(i%y.N)+3]...), append(w.W, 0)
		}
		w.X, w.W = append(w.X, x.X[3*i:3*i+3]...), append(w.W, 1/float64(x.N))
	}
	w.N = len(w.W)
	r := l.must(t, w, y)
	if !within(r.Value, want.Value, exactSum, absValue) {
		t.Errorf("value is %.17g, without the points %.17g", r.Value, want.Value)
	}
	if l.metric {
		return
	}
	k := 0
	for i, a := range w.W {
		for c := range 3 {
			g := r.GradX64[3*i+c]
			if a == 0 && g != 0 {
				t.Fatalf("a point of weight zero has gradient %g", g)
			}
			if a > 0 && !within(g, want.GradX64[3*k+c], exactSum, balance*norm(want.GradX64)) {
				t.Fatalf("gradient of point %d is %g, without the others %g", k, g, want.GradX64[3*k+c])
			}
		}
		if a > 0 {
			k++
		}
	}
}
