package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// ascending is n lines of up to most entries at different columns of m.
func ascending(rnd *rand.Rand, n, most, m int) (ptr []int64, idx []int32, val, w []float64) {
	ptr = []int64{1000} // a block of a larger matrix
	for range n {
		k := rnd.IntN(most + 1)
		cols := rnd.Perm(m)[:k]
		slices.Sort(cols)
		for _, j := range cols {
			idx, val = append(idx, int32(j)), append(val, rnd.Float64())
		}
		ptr, w = append(ptr, ptr[len(ptr)-1]+int64(k)), append(w, math.Ldexp(rnd.Float64(), rnd.IntN(20)))
	}
	return ptr, idx, val, w
}

// Both forms give the bits of the sums in the order of the entries.
func TestSpread(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 8))
	for _, most := range []int{0, 1, 3, 4, 5, 9, 29} {
		ptr, idx, val, w := ascending(rnd, 40, most, 30)
		var sums [3][]float64
		for k := range sums {
			sums[k] = make([]float64, 30)
			for j := range sums[k] {
				sums[k][j] = float64(j)
			}
		}
		for i, u := range w {
			for e := ptr[i] - 1000; e < ptr[i+1]-1000; e++ {
				sums[0][idx[e]] += float64(val[e] * u)
			}
		}
		Spread(sums[1], ptr, idx, val, w)
		spreadPlain(sums[2], ptr, idx, val, w)
		for k, name := range []string{"chosen", "plain"} {
			if !slices.Equal(sums[k+1], sums[0]) {
				t.Fatalf("%s, up to %d entries: %v, want %v", name, most, sums[k+1], sums[0])
			}
		}
	}
}

// What a line gets is what Forces gives it, but for a rounding, what it gives is that
// turned round, and both forms give the same bits.
func TestExchange(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	for n := range 300 {
		x, _, _, w := forceInput(rnd, 0)
		_, idx, val, _ := ascending(rnd, 1, n%40, len(w))
		floor, u := []float64{0, 1e-6, 0.1}[n%3], rnd.Float64()
		q := (*[3]float32)(x)
		var back [2][]float64
		for k := range back {
			back[k] = make([]float64, Given*len(w))
			for e := range back[k] {
				back[k][e] = float64(e % 3)
			}
		}
		got := Exchange(q, x, idx, val, w, u, floor, back[0])
		plain := Exchange(q, x[:len(x):len(x)], idx, val, w, u, floor, back[1])
		if got != plain || !slices.Equal(back[0], back[1]) {
			t.Fatalf("%d entries: %v and %v, in plain Go %v and %v", len(idx), got, back[0], plain, back[1])
		}
		againstDefinition(t, got, q, x, idx, val, w, floor)
		for k, j := range idx {
			f := Forces(q, x, []int32{j}, []float64{val[k]}, slices.Repeat([]float64{u}, 50), floor)
			b := back[0][Given*j:]
			for c, v := range []float64{-f.X, -f.Y, -f.Z, f.Mass} {
				if !(math.Abs(b[c]-float64((Given*int(j)+c)%3)-v) <= 1e-15*(3+math.Abs(v))) {
					t.Fatalf("entry %d: number %d given is %v, want %v more than before", k, c, b[c], v)
				}
			}
		}
	}
}

func BenchmarkSpread(b *testing.B) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for _, most := range []int{8, 60} {
		ptr, idx, val, w := ascending(rnd, 2000, most, 2048)
		dst := make([]float64, 2048)
		b.Run(fmt.Sprintf("op=spread/most=%d", most), func(b *testing.B) {
			for b.Loop() {
				Spread(dst, ptr, idx, val, w)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(idx)), "ns/entry")
			b.ReportMetric(ratio.Of(15, func() { spreadPlain(dst, ptr, idx, val, w) },
				func() { Spread(dst, ptr, idx, val, w) }), "x-plain")
		})
	}
}
