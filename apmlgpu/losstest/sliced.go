package losstest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runSliced checks closed forms and options of Sliced.
func runSliced(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 43))
	must := func(t *testing.T, x, y cloud.Cloud, o apmlgpu.SlicedOptions) apmlgpu.Result {
		t.Helper()
		o.Backend, o.Grad64 = backend, true
		r, err := apmlgpu.Sliced(x, y, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	axes := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	x := eighths(cloud.Sphere(rnd, 100))
	t.Run("a translate", func(t *testing.T) {
		by := [3]float32{0.25, -0.5, 0.125}
		y := each(x, func(_ int, p []float32) { p[0], p[1], p[2] = p[0]+by[0], p[1]+by[1], p[2]+by[2] })
		// |t|²/3 and the mean of |t_k|; of the fixed set (t·θ)² has the mean |t|²/3, about.
		for _, c := range []struct {
			cost apmlgpu.Cost
			want float64
		}{{"", 0.328125 / 3}, {apmlgpu.Euclidean, 0.875 / 3}, {apmlgpu.HalfSqEuclidean, 0.328125 / 6}} {
			if r := must(t, x, y, apmlgpu.SlicedOptions{Cost: c.cost, Directions: axes}); !within(r.Value, c.want, exactSum, 0) {
				t.Errorf("cost %q: %v, want %v", c.cost, r.Value, c.want)
			}
		}
		for _, n := range []int{8, 64, 512} {
			r := must(t, x, y, apmlgpu.SlicedOptions{L: n, Seed: 5})
			if off := math.Abs(r.Value/(0.328125/3) - 1); !(off < 1/float64(n)) {
				t.Errorf("%d directions of the fixed set are off by %.2g: random ones would be by %.2g", n, off,
					r.Stats.StdErr/r.Value)
			}
		}
		r := must(t, x, y, apmlgpu.SlicedOptions{Max: true, L: 4096})
		if !within(r.Value, 0.328125, 1e-2, 0) || !within(math.Abs(r.Stats.Direction[1])*math.Sqrt(0.328125), 0.5, 5e-2, 0) {
			t.Errorf("the largest is %v along %v, want %v along the shift", r.Value, r.Stats.Direction, 0.328125)
		}
	})
	t.Run("equal angles in the plane", func(t *testing.T) {
		// The mean of cos² over equal angles of half a circle is ½, for two and more.
		a := cloud.FromRows([][]float32{{0, 0}, {1, 3}})
		b := cloud.FromRows([][]float32{{3, 4}, {4, 7}})
		for l := 2; l < 9; l++ {
			if r := must(t, a, b, apmlgpu.SlicedOptions{L: l, Seed: uint64(l)}); !within(r.Value, 12.5, exactSum, 0) {
				t.Errorf("%d directions give %v, want 25/2", l, r.Value)
			}
		}
	})
	t.Run("turns with its directions", func(t *testing.T) {
		y := eighths(cloud.Cube(rnd, 130))
		turn := func(v []float64) []float64 { return []float64{-v[1], v[0], v[2]} }
		turned := func(c cloud.Cloud) cloud.Cloud {
			return each(c, func(_ int, p []float32) { p[0], p[1] = -p[1], p[0] })
		}
		var d, e [][]float64
		for _, v := range directionsIn(3) {
			d, e = append(d, v), append(e, turn(v))
		}
		r := must(t, x, y, apmlgpu.SlicedOptions{Directions: d})
		s := must(t, turned(x), turned(y), apmlgpu.SlicedOptions{Directions: e})
		want := make([]float64, 0, len(r.GradX64))
		for i := 0; i < len(r.GradX64); i += 3 {
			want = append(want, turn(r.GradX64[i:i+3])...)
		}
		same(t, s, r.Value, want, 1)
	})
	t.Run("standard error", func(t *testing.T) {
		// Costs 9 and 1: the mean is 5, the deviation √32, by √2.
		a, b := cloud.FromRows([][]float32{{0, 0}}), cloud.FromRows([][]float32{{3, 1}})
		r := must(t, a, b, apmlgpu.SlicedOptions{Directions: [][]float64{{1, 0}, {0, -2}}})
		if r.Value != 5 || !within(r.Stats.StdErr, 4, exactSum, 0) || r.Stats.Directions != 2 {
			t.Errorf("value %v, standard error %v of %d directions, want 5 and 4 of 2", r.Value, r.Stats.StdErr,
				r.Stats.Directions)
		}
		if r = must(t, a, b, apmlgpu.SlicedOptions{Directions: [][]float64{{1, 0}}}); r.Stats.StdErr != 0 {
			t.Errorf("the standard error of one direction is %v", r.Stats.StdErr)
		}
	})
	t.Run("far clouds", func(t *testing.T) {
		// Moved by a power of two, coordinates are rounded, but both clouds alike.
		a, b := eighths(cloud.Cube(rnd, 64)), eighths(cloud.Cube(rnd, 64))
		round := func(c cloud.Cloud) cloud.Cloud {
			return each(c, func(_ int, p []float32) {
				for k := range p {
					p[k] = float32(math.Round(float64(p[k])*8) / 8)
				}
			})
		}
		a, b = round(a), round(b)
		r := must(t, a, b, apmlgpu.SlicedOptions{})
		same(t, must(t, shifted(a, 1<<20), shifted(b, 1<<20), apmlgpu.SlicedOptions{}), r.Value, r.GradX64, 1)
	})
	t.Run("any dimension", func(t *testing.T) {
		for _, d := range []int{1, 2, 4, 7, 50} {
			f := lifted(Family{X: x, Y: cloud.Cube(rnd, 90)}, d)
			r := must(t, f.X, f.Y, apmlgpu.SlicedOptions{Seed: 7})
			if !(r.Value > 0) || d == 1 && r.Stats.Directions != 1 || d > 1 && r.Stats.Directions != 64 {
				t.Errorf("D = %d: %v along %d directions", d, r.Value, r.Stats.Directions)
			}
		}
	})
	slicedMistakes(t, backend)
}

// slicedMistakes are calls that are refused.
func slicedMistakes(t *testing.T, backend string) {
	good := hostileCloud()
	for name, o := range map[string]apmlgpu.SlicedOptions{
		"Cost is": {Cost: "cubic"}, "L is -1": {L: -1}, "L is 3": {L: 3, Directions: [][]float64{{1, 0, 0}}},
		"Seed is 3": {Seed: 3, Directions: [][]float64{{1, 0, 0}}}, "Directions is []": {Directions: [][]float64{}},
		"2 numbers in direction 1":        {Directions: [][]float64{{1, 0, 0}, {1, 0}}},
		"Directions is [0 0 0]":           {Directions: [][]float64{{0, 0, 0}}},
		"Directions is [NaN 1 0]":         {Directions: [][]float64{{math.NaN(), 1, 0}}},
		"Directions is [+Inf 1 0]":        {Directions: [][]float64{{math.Inf(1), 1, 0}}},
		"Directions is [0 0 0] in direct": {Directions: [][]float64{{1, 1, 1}, {0, 0, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Backend = backend
			r, err := apmlgpu.Sliced(good, good, o)
			refused(t, r, err, apmlgpu.ErrOption, name)
		})
	}
	t.Run("masses differ", func(t *testing.T) {
		x := good.Clone()
		x.W = []float64{1, 1, 1}
		r, err := apmlgpu.Sliced(x, good, apmlgpu.SlicedOptions{Backend: backend})
		refused(t, r, err, apmlgpu.ErrMass, "3 and 1")
	})
	t.Run("too many directions", func(t *testing.T) {
		r, err := apmlgpu.Sliced(good, good, apmlgpu.SlicedOptions{Backend: backend, L: 1 << 20, MaxBytes: 1 << 20})
		refused(t, r, err, apmlgpu.ErrMemory, "directions")
	})
}
