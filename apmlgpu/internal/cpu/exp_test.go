package cpu

import (
	"math"
	"testing"
)

func TestExp(t *testing.T) {
	worst := 0.0
	for k := range 2_000_000 {
		x := -float64(k) * float64(k) * 2e-10 // to -800, dense near 0
		got, want := exp(x), math.Exp(x)
		if want == got {
			continue
		}
		worst = max(worst, math.Abs(got-want)/want)
	}
	if !(worst <= 4.5e-16) {
		t.Errorf("largest relative error is %g, want at most two units in the last place", worst)
	}
	for x, want := range map[float64]float64{0: 1, -1e9: 0, math.Inf(-1): 0, math.Copysign(0, -1): 1} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) is %v, want %v", x, got, want)
		}
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) is %v", got)
	}
}

func BenchmarkExp(b *testing.B) {
	x := make([]float64, 1024)
	for k := range x {
		x[k] = -float64(k) * 0.06
	}
	y := make([]float64, len(x))
	for name, f := range map[string]func([]float64){"table": expAll, "math": func(v []float64) {
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
