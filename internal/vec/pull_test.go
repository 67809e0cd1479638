package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// scene is a row and groups of columns, every coordinate by f.
func scene(groups int, f func() float64) (Row, []float64) {
	rnd := rand.New(rand.NewPCG(1, uint64(groups)))
	r := Row{X: f(), Y: f(), Z: f(), A: 1 + rnd.Float64(), U: 1 + rnd.Float64()}
	cols := make([]float64, groups*GroupLen)
	for g := range groups {
		for k := range 3 * Group {
			cols[g*GroupLen+k] = f()
		}
		for k := 3 * Group; k < 5*Group; k++ {
			cols[g*GroupLen+k] = rnd.Float64()
		}
	}
	return r, cols
}

// exactPull is Pull by its definition, square roots and quotients with 200 bits.
func exactPull(r Row, cols []float64, floor float64) (Row, []float64) {
	cols = append([]float64(nil), cols...)
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for g := 0; g < len(cols); g += GroupLen {
		for k := g; k < g+Group; k++ {
			d, s := [3]*big.Float{}, wide(0)
			for c, p := range []float64{r.X, r.Y, r.Z} {
				d[c] = new(big.Float).Sub(wide(p), wide(cols[k+c*Group]))
				s.Add(s, new(big.Float).Mul(d[c], d[c]))
			}
			root := new(big.Float).Sqrt(s)
			c := wide(r.A*cols[k+3*Group] + r.U*cols[k+4*Group])
			cost, _ := new(big.Float).Mul(c, root).Float64()
			r.Cost += cost
			if root.Cmp(wide(floor)) < 0 {
				root = wide(floor)
			}
			for i, f := range []*float64{&r.FX, &r.FY, &r.FZ} {
				if root.Sign() > 0 {
					v, _ := new(big.Float).Quo(d[i].Mul(d[i], c), root).Float64()
					*f += v
					cols[k+(5+i)*Group] += v
				}
			}
		}
	}
	return r, cols
}

func TestPull(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	for _, tt := range []struct {
		name  string
		floor float64
		f     func() float64
	}{
		{"cube", 0, rnd.Float64},
		{"away from zero", 0, func() float64 { return 0.5 + 1e-7*rnd.Float64() }},
		{"grid: some distances are zero", 0, func() float64 { return float64(rnd.IntN(2)) }},
		{"one spot", 0, func() float64 { return 0.25 }},
		{"all scales", 0, func() float64 { return math.Ldexp(rnd.Float64(), -rnd.IntN(200)) }},
		{"smallest and large", 0, func() float64 { return []float64{0, 1e-45, 1e-30, 1e-15, 1e15}[rnd.IntN(5)] }},
		{"below and above a floor", 0.5, rnd.Float64},
		{"a floor of the grid's step", 1, func() float64 { return float64(rnd.IntN(2)) }},
	} {
		for _, groups := range []int{1, 2, 33} {
			r, cols := scene(groups, tt.f)
			want, wantCols := exactPull(r, cols, tt.floor)
			for name, f := range pulls {
				got, gotCols := r, append([]float64(nil), cols...)
				got.SetFloor(tt.floor)
				f(&got, gotCols)
				compare(t, fmt.Sprintf("%s, %s, %d groups", name, tt.name, groups), got, want, gotCols, wantCols, 1)
			}
			if tt.floor > 0 {
				continue
			}
			r.U, r.Cost = 0, 1e300 // neither is to be looked at
			want, wantCols = exactPull(r, cols, 0)
			want.Cost = r.Cost
			for name, f := range draws {
				got, gotCols := r, append([]float64(nil), cols...)
				got.U = math.NaN()
				f(&got, gotCols)
				compare(t, fmt.Sprintf("%s draw, %s, %d groups", name, tt.name, groups), got, want, gotCols, wantCols, 8)
			}
		}
	}
}

// compare allows each sum an error of some times 2e-14 of its largest term for each
// term.
func compare(t *testing.T, name string, got, want Row, gotCols, wantCols []float64, times float64) {
	t.Helper()
	n := float64(len(gotCols) / GroupLen * Group)
	if off := math.Abs(got.Cost - want.Cost); !(off <= 3e-14*want.Cost) {
		t.Errorf("%s: cost %.17g, want %.17g", name, got.Cost, want.Cost)
	}
	for i, p := range [][2]float64{{got.FX, want.FX}, {got.FY, want.FY}, {got.FZ, want.FZ}} {
		if off := math.Abs(p[0] - p[1]); !(off <= times*2e-14*4*n) {
			t.Errorf("%s: force %d is %.17g, want %.17g", name, i, p[0], p[1])
		}
	}
	for k, v := range gotCols {
		if off := math.Abs(v - wantCols[k]); !(off <= times*2e-14*max(math.Abs(wantCols[k]), 1e-300)) {
			t.Errorf("%s: number %d of the columns is %.17g, want %.17g", name, k, v, wantCols[k])
			return
		}
	}
}

func BenchmarkPull(b *testing.B) { benchPull(b, (*Row).Pull, pullPlain, pull) }
func BenchmarkDraw(b *testing.B) { benchPull(b, (*Row).Draw, drawPlain, draw) }

func benchPull(b *testing.B, f, plain, fast func(*Row, []float64)) {
	rnd := rand.New(rand.NewPCG(4, 5))
	r, cols := scene(32, rnd.Float64)
	r.SetFloor(0)
	b.ReportAllocs()
	for b.Loop() {
		f(&r, cols)
	}
	pairs := 32 * Group * float64(b.N)
	b.ReportMetric(pairs/b.Elapsed().Seconds()/1e6, "Mpairs/s")
	many := func(f func(*Row, []float64)) func() {
		return func() {
			for range 1000 {
				f(&r, cols)
			}
		}
	}
	b.ReportMetric(ratio.Of(9, many(plain), many(fast)), "x-plain")
}
