package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

var draws32 = map[string]func(*Row32, []float32){"fast": draw32, "plain": draw32Plain}

// scene32 is a row and groups of columns in float32, and the same in float64.
func scene32(groups int, f func() float64) (r Row32, cols []float32, wide Row, wideCols []float64) {
	wide, wideCols = scene(2*groups, func() float64 { return float64(float32(f())) })
	r = Row32{X: float32(wide.X), Y: float32(wide.Y), Z: float32(wide.Z), A: float32(wide.A)}
	wide.A, wide.U = float64(r.A), 0
	cols = make([]float32, groups*GroupLen32)
	for g := range 2 * groups {
		for k := range Group {
			at := g/2*GroupLen32 + g%2*Group + k
			for c := range 4 {
				v := &wideCols[g*GroupLen+c*Group+k]
				*v = float64(float32(*v))
				cols[at+c*Group32] = float32(*v)
			}
		}
	}
	return r, cols, wide, wideCols
}

// In float32 every force has an error of 3e-7 of itself, and every sum of a row that of
// its terms.
func TestDraw32(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 3))
	for _, tt := range []struct {
		name string
		f    func() float64
	}{
		{"cube", rnd.Float64},
		{"grid: some distances are zero", func() float64 { return float64(rnd.IntN(2)) }},
		{"one spot", func() float64 { return 0.25 }},
		{"all scales", func() float64 { return math.Ldexp(1+rnd.Float64(), -rnd.IntN(36)) }},
		{"smallest differences", func() float64 { return math.Ldexp(float64(1<<23+rnd.IntN(3)), -59) }},
		{"large", func() float64 { return math.Ldexp(rnd.Float64(), 59) }},
	} {
		for _, groups := range []int{1, 2, 17} {
			r, cols, wide, wideCols := scene32(groups, tt.f)
			want, wantCols := exactPull(wide, wideCols, 0)
			for name, f := range draws32 {
				got, gotCols := r, append([]float32(nil), cols...)
				f(&got, gotCols)
				name = fmt.Sprintf("%s, %s, %d groups", name, tt.name, groups)
				for i, p := range [][2]float64{{float64(got.FX), want.FX}, {float64(got.FY), want.FY}, {float64(got.FZ), want.FZ}} {
					if off := math.Abs(p[0] - p[1]); !(off <= 3e-7*4*Group32*float64(groups)) {
						t.Errorf("%s: force %d is %g, want %g", name, i, p[0], p[1])
					}
				}
				for g := range 2 * groups {
					for k := range 3 * Group {
						v := float64(gotCols[g/2*GroupLen32+g%2*Group+k%Group+(4+k/Group)*Group32])
						if w := wantCols[g*GroupLen+5*Group+k]; !(math.Abs(v-w) <= 4e-7*math.Abs(w)) {
							t.Fatalf("%s: force of column %d is %g, want %g", name, k, v, w)
						}
					}
				}
			}
		}
	}
}

func BenchmarkDraw32(b *testing.B) {
	rnd := rand.New(rand.NewPCG(4, 5))
	r, cols, wide, wideCols := scene32(16, rnd.Float64)
	for b.Loop() {
		r.Draw(cols)
	}
	b.ReportMetric(16*Group32*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
	b.ReportMetric(ratio.Of(9, func() {
		for range 1000 {
			wide.Draw(wideCols)
		}
	}, func() {
		for range 1000 {
			r.Draw(cols)
		}
	}), "x-float64")
}
