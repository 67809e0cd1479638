package vec

import (
	"math"
	"testing"
)

func TestExp(t *testing.T) {
	for name, f := range map[string]func([]float64){"chosen": Exp, "plain": expPlain} {
		worst := 0.0
		v := make([]float64, 7)
		for k := 0; k < 1_000_000; k += len(v) {
			for i := range v {
				v[i] = -float64(k+i) * float64(k+i) * 7.4e-10 // to -740, dense near 0
			}
			f(v)
			for i, got := range v {
				want := math.Exp(-float64(k+i) * float64(k+i) * 7.4e-10)
				if want > 1e-300 {
					worst = max(worst, math.Abs(got-want)/want)
				} else if !(math.Abs(got-want) <= 1e-15*want+5e-324) {
					t.Fatalf("%s: exp is %v, want %v", name, got, want)
				}
			}
		}
		if !(worst <= 4.5e-16) {
			t.Errorf("%s: largest relative error is %g, want at most two units in the last place", name, worst)
		}
		for _, x := range []float64{1e-3, 1, 30.25, 88, 450, 700} {
			above := []float64{x, x, x, x, x}
			f(above)
			for i, got := range above {
				if want := math.Exp(x); !(math.Abs(got/want-1) <= 4.5e-16) {
					t.Errorf("%s: exp(%v) at %d is %v, want %v", name, x, i, got, want)
				}
			}
		}
		for x, want := range map[float64]float64{0: 1, -1e9: 0, -750: 0, math.Inf(-1): 0, math.Copysign(0, -1): 1} {
			for n := 1; n < 6; n++ {
				v := make([]float64, n)
				for i := range v {
					v[i] = x
				}
				f(v)
				for i, got := range v {
					if got != want {
						t.Errorf("%s: exp(%v) at %d of %d is %v, want %v", name, x, i, n, got, want)
					}
				}
			}
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 1024)
	for k := range x {
		x[k] = -float64(k) * 0.06
	}
	y := make([]float64, len(x))
	for name, f := range map[string]func([]float64){"chosen": Exp, "plain": expPlain, "math": func(v []float64) {
		for k := range v {
			v[k] = math.Exp(v[k])
		}
	}} {
		b.Run("op=exp/by="+name, func(b *testing.B) {
			for b.Loop() {
				copy(y, x)
				f(y)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/exp")
		})
	}
}
