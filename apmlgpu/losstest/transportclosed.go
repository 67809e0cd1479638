package losstest

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runTransportClosed compares both transports with formulas: single points, n-gons,
// Gaussians on a line. Translates are with the other checks of each.
func runTransportClosed(t *testing.T, backend string) {
	t.Run("two points", func(t *testing.T) { twoPoints(t, backend) })
	t.Run("n-gons", func(t *testing.T) { nGons(t, backend) })
	t.Run("gaussians, exact", func(t *testing.T) { gaussiansExact(t, backend) })
	t.Run("gaussians, entropic", func(t *testing.T) { gaussiansEntropic(t, backend) })
}

// byCost are what a squared distance costs.
var byCost = map[apmlgpu.Cost]func(square float64) float64{
	apmlgpu.Euclidean:       math.Sqrt,
	apmlgpu.SqEuclidean:     func(s float64) float64 { return s },
	apmlgpu.HalfSqEuclidean: func(s float64) float64 { return s / 2 },
}

// twoPoints are single points 5 apart, whose plan is one entry, and two pairs of which
// a quarter of the mass has to move.
func twoPoints(t *testing.T, backend string) {
	x, y := cloud.FromRows([][]float32{{1, 2, 3}}), cloud.FromRows([][]float32{{4, 6, 3}})
	a, b := cloud.FromRows([][]float32{{0, 0, 0}, {0, 3, 4}}), cloud.FromRows([][]float32{{0, 0, 0}, {0, 3, 4}})
	a.W, b.W = []float64{0.25, 0.75}, []float64{0.5, 0.5}
	for cost, of := range byCost {
		r := proven(t, backend, Family{"two points", x, y}, cost)
		if want := of(25); !within(r.Value, want, exactSum, 0) {
			t.Errorf("EMD, %s: %v, want %v", cost, r.Value, want)
		}
		r = proven(t, backend, Family{"two pairs", a, b}, cost)
		if want := of(25) / 4; !within(r.Value, want, exactSum, 0) {
			t.Errorf("EMD of pairs, %s: %v, want %v", cost, r.Value, want)
		}
		for _, eps := range []float64{1e-9, 1, 1e9} {
			for _, biased := range []bool{false, true} {
				r := mustSinkhorn(t, backend, x, y, apmlgpu.SinkhornOptions{Cost: cost, Epsilon: eps, Biased: biased})
				if want := of(25); !within(r.Value, want, exactSum, 1e-15*eps) {
					t.Errorf("Sinkhorn, %s, ε %g, biased %v: %v, want %v", cost, eps, biased, r.Value, want)
				}
			}
		}
	}
}

// nGons are turned by less than half of a side: every corner goes to its own, by a
// chord, and all potentials of the entropic plan are alike. Corners are float32.
func nGons(t *testing.T, backend string) {
	for _, n := range []int{3, 7, 64} {
		phi := 0.9 * math.Pi / float64(n)
		x, y := cloud.NGon(n, 0), cloud.NGon(n, phi)
		for cost, of := range byCost {
			r := proven(t, backend, Family{"n-gon", x, y}, cost)
			chord := 2 * math.Sin(phi/2)
			if want := of(chord * chord); !within(r.Value, want, 1e-5, 0) {
				t.Errorf("EMD, %d corners, %s: %v, want %v", n, cost, r.Value, want)
			}
			for _, eps := range []float64{0.1, 1} {
				sum := 0.0
				for k := range n {
					chord := 2 * math.Sin((2*math.Pi*float64(k)/float64(n)+phi)/2)
					sum += math.Exp(-of(chord*chord)/eps) / float64(n)
				}
				r := mustSinkhorn(t, backend, x, y, apmlgpu.SinkhornOptions{Cost: cost, Epsilon: eps, Biased: true, Tol: 1e-9})
				if want := -eps * math.Log(sum); !within(r.Value, want, 1e-6, 1e-7) {
					t.Errorf("Sinkhorn, %d corners, %s, ε %g: %v, want %v", n, cost, eps, r.Value, want)
				}
			}
		}
	}
}

// gaussiansExact are equal quantiles of two normal distributions on a line, rounded so
// that both clouds are exact: W₂² = (m − m')² + (s − s')² var.
func gaussiansExact(t *testing.T, backend string) {
	const n = 400
	x, y := cloud.Cloud{N: n, D: 1}, cloud.Cloud{N: n, D: 1}
	variance, sum := 0.0, 0.0
	for i := range n {
		z := math.Round(1024*math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/n-1)) / 1024
		x.X = append(x.X, float32(z))
		y.X = append(y.X, float32(0.75+z/2))
		variance += z * z / n
		sum += z
	}
	if sum != 0 {
		t.Fatalf("quantiles sum to %g", sum)
	}
	r := proven(t, backend, Family{"gaussians", x, y}, apmlgpu.SqEuclidean)
	if want := 0.75*0.75 + 0.25*variance; !within(r.Value, want, exactSum, 0) {
		t.Errorf("EMD: %.17g, want %.17g", r.Value, want)
	}
}

// gaussiansEntropic are normal densities on a fine grid of a line, of variances A and B
// and means m apart: OT_ε = m² + A + B − D + s (1 − ln 2s) + s ln(D + s) with s = ε/2,
// D = √(4AB + s²).
//
// Source: Janati et al., arXiv:2006.02572.
func gaussiansEntropic(t *testing.T, backend string) {
	const a, b, m, n, half = 1.0, 0.25, 0.75, 513, 8.0
	density := func(mean, variance float64) cloud.Cloud {
		c := cloud.Cloud{N: n, D: 1}
		sum := 0.0
		for i := range n {
			v := half * (2*float64(i)/(n-1) - 1) // exact in float32
			c.X = append(c.X, float32(v+mean))
			c.W = append(c.W, math.Exp(-v*v/(2*variance)))
			sum += c.W[i]
		}
		for i := range c.W {
			c.W[i] /= sum
		}
		return c
	}
	x, y := density(0, a), density(m, b)
	for _, eps := range []float64{0.1, 1, 10} {
		s := eps / 2
		d := math.Sqrt(4*a*b + s*s)
		want := m*m + a + b - d + s*(1-math.Log(2*s)) + s*math.Log(d+s)
		r := mustSinkhorn(t, backend, x, y, apmlgpu.SinkhornOptions{Epsilon: eps, Biased: true, Tol: 1e-10})
		if !within(r.Value, want, 1e-7, 0) {
			t.Errorf("ε %g: %.12g, want %.12g", eps, r.Value, want)
		}
	}
}
