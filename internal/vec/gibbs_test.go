package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// alike says that two numbers are the same but for rounding of some terms.
func alike(got, want, size float64) bool { return math.Abs(got-want) <= 1e-14*size }

func drawn(rnd *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = rnd.NormFloat64()
	}
	return v
}

// Every length, so that what stands behind the fours is looked at.
func TestGibbs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 71))
	for n := 1; n < 40; n++ {
		cols := [3][]float64{drawn(rnd, n), drawn(rnd, n), drawn(rnd, n)}
		p := [3]float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
		got, bias := make([]float64, n), drawn(rnd, n)
		Squares(got, &p, &cols)
		for j := range n {
			want := 0.0
			for c := range 3 {
				want += (p[c] - cols[c][j]) * (p[c] - cols[c][j])
			}
			if !alike(got[j], want, want) {
				t.Fatalf("n = %d: square %d is %v, want %v", n, j, got[j], want)
			}
		}
		for _, root := range []bool{false, true} {
			v, want, most := append([]float64(nil), got...), make([]float64, n), math.Inf(-1)
			for j, s := range got {
				if root {
					s = math.Sqrt(s)
				}
				want[j] = bias[j] - 300*s
				most = max(most, want[j])
			}
			m := Bias(v, bias, 300, root)
			for j := range v {
				if !alike(v[j], want[j], 3000) || !alike(m, most, 3000) {
					t.Fatalf("n = %d, root %v: %v, largest %v, want %v, %v", n, root, v[j], m, want[j], most)
				}
			}
			sum := 0.0
			for j, a := range v {
				want[j] = math.Exp(a - m)
				sum += want[j]
			}
			if s := ExpSum(v, m); !alike(s, sum, sum) || !alike(v[n-1], want[n-1], want[n-1]) || !alike(v[0], want[0], want[0]) {
				t.Fatalf("n = %d: sum %v, want %v; the last %v, want %v", n, s, sum, v[n-1], want[n-1])
			}
		}
	}
}

// Powers in float32 have its digits, and the limits that they say.
func TestPowers32(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 73))
	for n := 1; n < 40; n++ {
		cols := [3][]float64{drawn(rnd, n), drawn(rnd, n), drawn(rnd, n)}
		p := [3]float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
		for _, scale := range []float64{0.5, 8, 40, 1e6} {
			for _, f := range []float64{-3, 0, 60, 300} {
				for _, root := range []bool{false, true} {
					got, bias, most := make([]float32, n), drawn(rnd, n), math.Inf(-1)
					m := Powers32(got, &p, &cols, bias, scale, f, root)
					wide, square := make([]float64, n), make([]float64, n)
					most64 := Powers(wide, square, &p, &cols, bias, scale, f)
					for j := range n {
						v := 0.0
						for c := range 3 {
							v += (p[c] - cols[c][j]) * (p[c] - cols[c][j])
						}
						if root {
							v = math.Sqrt(v)
						} else if !alike(square[j], v, v) {
							t.Fatalf("n = %d: square %d is %v, want %v", n, j, square[j], v)
						}
						v = bias[j] + f - scale*v
						most = max(most, v)
						want := math.Exp(min(v, mostPower))
						if v < leastPower {
							want = 0
						}
						if off := math.Abs(float64(got[j]) - want); !(off <= 1e-7*want) {
							t.Fatalf("n = %d, scale %g, f %g, root %v: power %d is %v, want %v", n, scale, f, root, j, got[j], want)
						}
						// An exponent is a sum of numbers of some hundreds.
						if off := math.Abs(wide[j] - want); !root && !(off <= 3e-13*want) {
							t.Fatalf("n = %d, scale %g, f %g: power %d is %v, want %v", n, scale, f, j, wide[j], want)
						}
					}
					if !alike(m, most, math.Abs(most)+1e3) || !root && m != most64 {
						t.Fatalf("n = %d: largest exponent %v, want %v", n, m, most)
					}
				}
			}
		}
	}
}

func TestTriple(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 74))
	for n := range 40 {
		a, b, c, want := drawn(rnd, n), drawn(rnd, n), drawn(rnd, n), 0.0
		for j := range n {
			want += a[j] * b[j] * c[j]
		}
		if got := Triple(a, b, c); !alike(got, want, 100) {
			t.Fatalf("%d numbers: %v, want %v", n, got, want)
		}
	}
}

func testRows[V Number](t *testing.T, rnd *rand.Rand) {
	for m := 1; m < 40; m++ {
		for many := 1; many <= 4; many++ {
			rows, w := make([]V, many*m), drawn(rnd, m)
			for k := range rows {
				rows[k] = V(rnd.NormFloat64())
			}
			var got, want, z [4]float64
			Dots(&got, rows, m, w)
			for k := range 4 {
				z[k] = rnd.NormFloat64()
				for j := range m {
					if k < many {
						want[k] += float64(rows[k*m+j]) * w[j]
					}
				}
				if !alike(got[k], want[k], float64(m)*10) {
					t.Fatalf("%d rows of %d: product %d is %v, want %v", many, m, k, got[k], want[k])
				}
			}
			sums := append([]float64(nil), w...)
			Adds(sums, rows, m, &z)
			for j, s := range w {
				for k := range many {
					s += z[k] * float64(rows[k*m+j])
				}
				if !alike(sums[j], s, 100) {
					t.Fatalf("%d rows of %d: sum %d is %v, want %v", many, m, j, sums[j], s)
				}
			}
		}
	}
}

func TestRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 72))
	testRows[float32](t, rnd)
	testRows[float64](t, rnd)
}

func BenchmarkGibbs(b *testing.B) {
	const n = 2048
	rnd := rand.New(rand.NewPCG(1, n))
	cols := [3][]float64{drawn(rnd, n), drawn(rnd, n), drawn(rnd, n)}
	p, bias, v, square := [3]float64{}, drawn(rnd, n), make([]float64, n), make([]float64, n)
	rows, z := make([]float32, 4*n), [4]float64{1, 2, 3, 4}
	for name, f := range map[string]func(){
		"squares": func() { Squares(v, &p, &cols) },
		"bias":    func() { Bias(v, bias, 0.5, false) },
		"root":    func() { Squares(v, &p, &cols); Bias(v, bias, 0.5, true) },
		"expsum":  func() { copy(v, bias); ExpSum(v, 5) },
		"powers":  func() { Powers32(rows[:n], &p, &cols, bias, 0.5, 0, false) },
		"root32":  func() { Powers32(rows[:n], &p, &cols, bias, 0.5, 0, true) },
		"wide":    func() { Powers(v, square, &p, &cols, bias, 0.5, 0) },
		"triple":  func() { Triple(v, bias, cols[0]) },
		"dots":    func() { Dots(&z, rows, n, v) },
		"adds":    func() { Adds(v, rows, n, &z) },
	} {
		b.Run(fmt.Sprintf("op=%s/n=%d", name, n), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/number")
		})
	}
}
