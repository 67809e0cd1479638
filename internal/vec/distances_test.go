package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// A support is decided by these bits: both forms give the same, at every scale.
func TestDistancesBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		x := make([]float32, 3*100, 3*100+rnd.IntN(2))
		for k := range x {
			x[k] = float32(math.Ldexp(rnd.Float64()-0.5, rnd.IntN(120)-60))
		}
		q, idx := (*[3]float32)(x[3*rnd.IntN(100):]), make([]int32, rnd.IntN(30))
		for k := range idx {
			idx[k] = int32(rnd.IntN(100))
		}
		unit := math.Ldexp(1, rnd.IntN(40)-20)
		got, want := make([]float64, len(idx)), make([]float64, len(idx))
		Distances(q, x, idx, got, unit)
		distancesPlain(q, x, idx, want, unit)
		for k, j := range idx {
			sum := 0.0
			for c, v := range q {
				d := float64(v) - float64(x[3*int(j)+c])
				sum += float64(d * d)
			}
			if want := math.Sqrt(sum) * unit; got[k] != want {
				t.Fatalf("distance %d is %x, want %x", k, got[k], want)
			}
			if got[k] != want[k] {
				t.Fatalf("distance %d is %x, in plain Go %x", k, got[k], want[k])
			}
		}
	}
}

func BenchmarkDistances(b *testing.B) {
	rnd := rand.New(rand.NewPCG(3, 4))
	x, idx := make([]float32, 3*4096, 3*4096+1), make([]int32, 64)
	for k := range x {
		x[k] = float32(rnd.Float64())
	}
	for k := range idx {
		idx[k] = int32(rnd.IntN(4096))
	}
	q, dst := (*[3]float32)(x), make([]float64, len(idx))
	for b.Loop() {
		Distances(q, x, idx, dst, 1)
	}
	b.ReportMetric(ratio.Of(99, func() { distancesPlain(q, x, idx, dst, 1) },
		func() { Distances(q, x, idx, dst, 1) }), "x-plain")
}
