package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near is the relative error that float32 squares may have.
const near = 4e-7

// leafScene is leaves of random points, some of them full, with anything between
// them, and a mask of those to look at.
func leafScene(rnd *rand.Rand) (x []float32, spans [Boxes][2]int32, mask uint64) {
	at := int32(0)
	for k := range spans {
		at += int32(rnd.IntN(3))
		n := 1 + int32(rnd.IntN(MostPoints))
		if rnd.IntN(2) == 0 {
			n = MostPoints
		}
		spans[k] = [2]int32{at, at + n}
		at += n
	}
	x = make([]float32, 3*(at+MostPoints))
	for k := range x {
		x[k] = []float32{0, float32(math.NaN()), float32(math.Inf(1))}[rnd.IntN(3)]
	}
	for _, s := range spans {
		for k := 3 * s[0]; k < 3*s[1]; k++ {
			x[k] = float32(rnd.Float64())
		}
	}
	return x, spans, rnd.Uint64() & rnd.Uint64() & rnd.Uint64()
}

// A point is missed or told of wrongly only where its distance is the bound
// within float32; each form is held against float64.
func TestWithin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := make([]int32, MostPoints*Boxes+8)
	for range 300 {
		x, spans, mask := leafScene(rnd)
		q, bound := [3]float32{}, float32(rnd.Float64()/4)
		for c := range q {
			q[c] = float32(rnd.Float64())
		}
		if rnd.IntN(10) == 0 {
			bound = float32(math.Inf(1))
		}
		var places []int32
		var all []float64
		for k, s := range spans {
			for i := s[0]; i < s[1] && mask>>k&1 == 1; i++ {
				d := 0.0
				for c, v := range q {
					e := float64(v) - float64(x[3*int(i)+c])
					d += e * e
				}
				places, all = append(places, i), append(all, d)
			}
		}
		own := make([]float32, len(x)/3)
		for k := range own {
			own[k] = -1
			if rnd.IntN(4) == 0 {
				own[k] = float32(rnd.Float64() / 2)
			}
		}
		for name, f := range eithers {
			got := out[:f(&q, x, own, &spans, mask, bound, out)]
			for k, i := range places {
				most := float64(max(bound, own[i]))
				in := slices.Contains(got, i)
				if want := all[k] <= most; in != want && !(math.Abs(all[k]/most-1) <= near) {
					t.Fatalf("%s, either: point %d at square %v, bound %v: within is %v", name, i, all[k], most, in)
				}
			}
			if !slices.IsSorted(got) {
				t.Fatalf("%s, either: places %v do not ascend", name, got)
			}
		}
		for name, f := range withins {
			got := out[:f(&q, x, &spans, mask, bound, out)]
			if !slices.IsSorted(got) {
				t.Fatalf("%s: places %v do not ascend", name, got)
			}
			for k, i := range places {
				in := slices.Contains(got, i)
				if want := all[k] <= float64(bound); in != want && !(math.Abs(all[k]/float64(bound)-1) <= near) {
					t.Fatalf("%s: point %d at square %v, bound %v: within is %v", name, i, all[k], bound, in)
				}
			}
			for _, i := range got {
				if !slices.Contains(places, i) {
					t.Fatalf("%s: tells of place %d, which is in no leaf asked for", name, i)
				}
			}
		}
		slices.Sort(all)
		all = append(all, math.Inf(1), math.Inf(1))
		for name, f := range leasts {
			a, b := f(&q, x, &spans, mask)
			for k, v := range []float32{a, b} {
				if !(float64(v) == all[k] || math.Abs(float64(v)/all[k]-1) <= near) {
					t.Fatalf("%s: least square %d is %v, want %v", name, k, v, all[k])
				}
			}
		}
	}
}

func TestBoxesNear(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var boxes [6 * Boxes]float32
	var own [Boxes]float32
	for range 300 {
		n, box, bound := 1+rnd.IntN(Boxes), [6]float32{}, float32(rnd.Float64()/2)
		for c := range 3 {
			box[c] = float32(rnd.Float64())
			box[c+3] = box[c] + float32(rnd.IntN(2))*float32(rnd.Float64())/4
			for k := range Boxes {
				a, b := float32(rnd.Float64()), float32(rnd.Float64())
				g := boxes[k/Eight*BoxLen:]
				g[c*Eight+k%Eight], g[(c+3)*Eight+k%Eight] = min(a, b), max(a, b)
			}
		}
		for k := range own {
			own[k] = float32(rnd.IntN(2)) * float32(rnd.Float64())
		}
		for name, f := range boxesNears {
			got := f(&box, boxes[:], own[:], n, bound)
			for k := range Boxes {
				s := 0.0
				for c := range 3 {
					g := boxes[k/Eight*BoxLen:]
					low, high := float64(g[c*Eight+k%Eight]), float64(g[(c+3)*Eight+k%Eight])
					d := max(low-float64(box[c+3]), float64(box[c])-high, 0)
					s += d * d
				}
				most := float64(max(bound, own[k]))
				want := s <= most && k < n
				if got>>k&1 == 1 != want && !(k < n && math.Abs(s/most-1) <= near) {
					t.Fatalf("%s: box %d of %d at square %v, bound %v: near is %v", name, k, n, s, most, !want)
				}
			}
		}
	}
}

func BenchmarkNear(b *testing.B) {
	rnd := rand.New(rand.NewPCG(5, 6))
	x, spans, _ := leafScene(rnd)
	var boxes [6 * Boxes]float32
	for k := range boxes {
		boxes[k] = float32(rnd.Float64())
	}
	q, out := [3]float32{.5, .5, .5}, make([]int32, MostPoints*Boxes+8)
	box, own := [6]float32{.5, .5, .5, .5, .5, .5}, [Boxes]float32{}
	const four = 0x1111
	b.Run("op=within/leaves=4", func(b *testing.B) {
		for b.Loop() {
			Within(&q, x, &spans, four, .1, out)
		}
	})
	b.Run("op=least/leaves=4", func(b *testing.B) {
		for b.Loop() {
			Least(&q, x, &spans, four)
		}
	})
	b.Run("op=boxes/n=24", func(b *testing.B) {
		for b.Loop() {
			BoxesNear(&box, boxes[:], own[:], 24, .1)
		}
	})
}
