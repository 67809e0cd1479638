package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// matrix is n lines of up to most entries over m columns.
func matrix(rnd *rand.Rand, n, most, m int) (ptr []int64, idx []int32, val, w []float64) {
	ptr = []int64{1000} // a block of a larger matrix
	for range n {
		k := rnd.IntN(most + 1)
		for range k {
			idx, val = append(idx, int32(rnd.IntN(m))), append(val, rnd.Float64())
		}
		ptr = append(ptr, ptr[len(ptr)-1]+int64(k))
	}
	for range m {
		w = append(w, math.Ldexp(rnd.Float64(), rnd.IntN(20)))
	}
	return ptr, idx, val, w
}

func TestLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 7))
	for _, most := range []int{0, 1, 3, 4, 5, 9, 70} {
		ptr, idx, val, w := matrix(rnd, 40, most, 30)
		small := make([]float32, len(val))
		for e, v := range val {
			small[e] = float32(v)
			val[e] = float64(small[e])
		}
		want := make([]float64, 40)
		for i := range want {
			for e := ptr[i] - 1000; e < ptr[i+1]-1000; e++ {
				want[i] += val[e] * w[idx[e]] / 8
			}
		}
		got := map[string][]float64{}
		for _, name := range []string{"chosen", "plain", "chosen 32", "plain 32"} {
			got[name] = make([]float64, 40)
		}
		Lines(got["chosen"], ptr, idx, val, w, 1./8)
		Lines(got["chosen 32"], ptr, idx, small, w, 1./8)
		linesPlain(got["plain"], ptr, idx, val, w, 1./8)
		linesPlain(got["plain 32"], ptr, idx, small, w, 1./8)
		for name, g := range got {
			for i, v := range g {
				if !(math.Abs(v-want[i]) <= 1e-14*want[i]) {
					t.Fatalf("%s: line %d of up to %d entries is %v, want %v", name, i, most, v, want[i])
				}
			}
		}
	}
}

func BenchmarkLines(b *testing.B) {
	rnd := rand.New(rand.NewPCG(8, 9))
	for _, most := range []int{8, 60} {
		ptr, idx, val, w := matrix(rnd, 2000, most, 4096)
		dst := make([]float64, 2000)
		b.Run(fmt.Sprintf("op=lines/most=%d", most), func(b *testing.B) {
			for b.Loop() {
				Lines(dst, ptr, idx, val, w, 1)
			}
			b.ReportMetric(float64(len(idx))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
			b.ReportMetric(ratio.Of(15, func() { linesPlain(dst, ptr, idx, val, w, 1) },
				func() { Lines(dst, ptr, idx, val, w, 1) }), "x-plain")
		})
	}
}
