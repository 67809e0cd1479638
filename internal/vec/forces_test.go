package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// forceInput is points about the origin, the first of them q, and a line of n of them.
func forceInput(rnd *rand.Rand, n int) (x []float32, idx []int32, val, w []float64) {
	const points = 50
	x, w = make([]float32, 3*points, 3*points+1), make([]float64, points)
	for k := range x {
		x[k] = float32(math.Ldexp(rnd.Float64()-0.5, rnd.IntN(40)-20))
	}
	copy(x[3:6], x[:3]) // one lies at q
	for k := range w {
		w[k] = math.Ldexp(rnd.Float64(), rnd.IntN(300)-150)
	}
	for range n {
		idx, val = append(idx, int32(rnd.IntN(points))), append(val, rnd.Float64())
	}
	return x, idx, val, w
}

// Both forms give the bits of the definition, in float64 and float32, with a floor
// and without, at distance zero, for every number of entries behind the last four.
func TestForces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for n := range 400 {
		x, idx, val, w := forceInput(rnd, n%40)
		small := make([]float32, len(val))
		for k, v := range val {
			small[k] = float32(v)
			if n%2 == 0 {
				val[k] = float64(small[k])
			}
		}
		floor := []float64{0, 1e-6, 0.1}[n%3]
		q := (*[3]float32)(x)
		got := Forces(q, x, idx, val, w, floor)
		plain := Forces(q, x[:len(x):len(x)], idx, val, w, floor)
		if got != plain {
			t.Fatalf("%d entries: %v, in plain Go %v", len(idx), got, plain)
		}
		if n%2 == 0 {
			if half := Forces(q, x, idx, small, w, floor); half != got {
				t.Fatalf("%d entries: %v of float32 values, %v of the same in float64", len(idx), half, got)
			}
		}
		againstDefinition(t, got, q, x, idx, val, w, floor)
	}
}

func againstDefinition(t *testing.T, got Force, q *[3]float32, x []float32, idx []int32, val, w []float64, floor float64) {
	t.Helper()
	var want [5]float64
	scale := 0.0
	for k, j := range idx {
		c, s := val[k]*w[j], 0.0
		for a, v := range q {
			s += math.Pow(float64(v)-float64(x[3*int(j)+a]), 2)
		}
		want[0] += c
		want[1] += c * math.Sqrt(s)
		scale += c * max(1, math.Sqrt(s))
		if d := max(math.Sqrt(s), floor); d > 0 {
			for a, v := range q {
				want[2+a] += c * (float64(v) - float64(x[3*int(j)+a])) / d
			}
		}
	}
	for k, v := range []float64{got.Mass, got.Cost, got.X, got.Y, got.Z} {
		if !(math.Abs(v-want[k]) <= 1e-14*scale) {
			t.Fatalf("%d entries, floor %g: number %d is %v, want %v", len(idx), floor, k, v, want[k])
		}
	}
}

func BenchmarkForces(b *testing.B) {
	x, idx, val, w := forceInput(rand.New(rand.NewPCG(7, 8)), 40)
	q, s := (*[3]float32)(x), [5][4]float64{}
	for b.Loop() {
		Forces(q, x, idx, val, w, 0)
	}
	b.ReportMetric(ratio.Of(99, func() { forcesPlain(q, x, idx, val, w, 0, &s) },
		func() { Forces(q, x, idx, val, w, 0) }), "x-plain")
}
