package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A support is decided here too: both forms give the same bits and counts, and those
// of the definition, also at gaps of zero and for a factor that keeps everything.
func TestSimilar(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	const points = 40
	for turn := range 600 {
		d1, gap := make([]float64, points), make([]float64, points)
		for j := range d1 {
			d1[j] = rnd.Float64()
			gap[j] = float64(rnd.IntN(3)) * math.Ldexp(rnd.Float64(), -rnd.IntN(30))
		}
		n := turn % 23
		idx := make([]int32, n, n+4)
		for k := range idx {
			idx[k] = int32(rnd.IntN(points))
		}
		var p Pair
		kappa, logit := 3*rnd.Float64(), 8*rnd.Float64()
		if turn%7 == 0 {
			kappa = math.Inf(1)
		}
		least, reach, sharp := rnd.Float64()/2, rnd.Float64(), math.Ldexp(rnd.Float64(), rnd.IntN(9))
		p.SetOther(kappa, logit)
		p.SetPoint(least, reach, sharp)
		dist, form := make([]float64, n), [2][2][]float64{}
		var counts [2][3]int
		for k, j := range idx {
			dist[k] = d1[j] + rnd.Float64()*float64(rnd.IntN(2))
		}
		for f := range form {
			a, b := make([]float64, n, n+4), append(make([]float64, 0, n+4), dist...)
			r, c, none := 0, 0, 0
			if f == 0 {
				r, c, none = p.Similar(idx, d1, gap, a, b)
			} else {
				r, c, none = similarPlain(&p, idx, d1, gap, a, b)
			}
			form[f], counts[f] = [2][]float64{a, b}, [3]int{r, c, none}
		}
		if counts[0] != counts[1] {
			t.Fatalf("%d pairs: counts are %v, in plain Go %v", n, counts[0], counts[1])
		}
		var want [3]int
		for k, j := range idx {
			a, b := math.Inf(-1), math.Inf(-1)
			if dist[k]-least < reach {
				a = -sharp * (dist[k] - least)
				want[0]++
			}
			if gap[j] > 0 && dist[k]-d1[j] < kappa*gap[j] {
				b = -(logit / gap[j]) * (dist[k] - d1[j])
				want[1]++
			}
			if math.IsInf(a, -1) && math.IsInf(b, -1) {
				want[2]++
			}
			for f, v := range form {
				if v[0][k] != a || v[1][k] != b {
					t.Fatalf("form %d, pair %d of %d: exponents are %v and %v, want %v and %v", f, k, n, v[0][k], v[1][k], a, b)
				}
			}
		}
		if counts[0] != want {
			t.Fatalf("%d pairs: counts are %v, want %v", n, counts[0], want)
		}
	}
}

func BenchmarkSimilar(b *testing.B) {
	const n = 32
	d1, gap, idx := make([]float64, n), make([]float64, n), make([]int32, n)
	for k := range idx {
		idx[k], d1[k], gap[k] = int32(k), 0.1, 0.2
	}
	var p Pair
	p.SetOther(3, 8)
	p.SetPoint(0.1, 1, 40)
	x, y := make([]float64, n), make([]float64, n)
	for b.Loop() {
		p.Similar(idx, d1, gap, x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/pair")
}
