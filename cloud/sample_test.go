package cloud

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// farthest is the definition, word for word.
func farthest(c Cloud, k int) []int {
	dist := make([]float64, c.N)
	for i := range dist {
		dist[i] = math.Inf(1)
	}
	out := []int{0}
	for {
		last := out[len(out)-1]
		for i := range c.N {
			sum := 0.0
			for a := range c.D {
				g := float64(c.row(i)[a]) - float64(c.row(last)[a])
				sum += float64(g * g)
			}
			dist[i] = min(dist[i], sum)
		}
		for _, i := range out {
			dist[i] = -1
		}
		if len(out) == k {
			return out
		}
		best := 0
		for i := range dist {
			if dist[i] > dist[best] {
				best = i
			}
		}
		out = append(out, best)
	}
}

// samples are clouds on which a tree of boxes may go wrong: ties, equal points,
// other dimensions, huge and tiny coordinates.
func samples() map[string]Cloud {
	rnd := rand.New(rand.NewPCG(1, 9))
	twice, err := Concat(Sphere(rnd, 150), Sphere(rnd, 3), Sphere(rnd, 3).Scale(0))
	if err != nil {
		panic(err)
	}
	line := Cloud{N: 400, D: 1, X: Gauss(rnd, 400).X[:400]}
	six := Cloud{N: 200, D: 6, X: Gauss(rnd, 400).X}
	return map[string]Cloud{"sphere": Sphere(rnd, 777), "grid": Grid(7, 0), "equal": Grid(6, 0).Scale(0), "line": line,
		"six": six, "few": twice, "one": Grid(1, 0), "huge": Cube(rnd, 300).Scale(3e38), "tiny": Cube(rnd, 300).Scale(1e-44),
		"rounded": Sphere(rnd, 500).each(func(_ int, v float64) float64 { return math.Round(4 * v) })}
}

// The tree chooses the same points as the definition, in the same order.
func TestFarthestPoints(t *testing.T) {
	for name, c := range samples() {
		before := c.Clone()
		for _, k := range []int{1, 2, 40, c.N} {
			k = min(k, c.N)
			got, index, err := c.FarthestPoints(k)
			if err != nil || !slices.Equal(index, farthest(c, k)) {
				t.Errorf("%s, k = %d: %v, %v", name, k, index[:min(9, len(index))], err)
				continue
			}
			sameBits(t, name, got, must(t)(c.Sub(index)))
		}
		sameBits(t, name+" afterwards", c, before)
	}
}

func TestVoxel(t *testing.T) {
	neg := float32(math.Copysign(0, -1))
	c := FromRows([][]float32{{0.5, 1.5}, {-0.5, 0}, {0.25, 1.25}, {neg, 1}, {3, 3}})
	c.Attr = map[string][]float32{"r": {1, 2, 3, 5, 7}}
	got, mult, err := c.Voxel(1)
	want := FromRows([][]float32{{0.25, 1.25}, {-0.5, 0}, {3, 3}}) // the mean of 0.5 0.25 0 and of 1.5 1.25 1
	want.W, want.Attr = []float64{.6, .2, .2}, map[string][]float32{"r": {3, 2, 7}}
	sameBits(t, "uniform", got, want)
	if err != nil || !slices.Equal(mult, []int{3, 1, 1}) {
		t.Errorf("%v, %v", mult, err)
	}
	c.W = []float64{3, 0, 1, 0, 0}
	got, _, err = c.Voxel(1)
	want = FromRows([][]float32{{.4375, 1.4375}, {-0.5, 0}, {3, 3}}) // 3/4 of the first and 1/4 of the third
	want.W, want.Attr = []float64{4, 0, 0}, map[string][]float32{"r": {1.5, 2, 7}}
	sameBits(t, "weighted", got, want)
	if err != nil {
		t.Error(err)
	}
	sphere := Fibonacci(100)
	got, mult, err = sphere.Voxel(1e-3) // nothing to gather
	sameBits(t, "fine", got, sphere)
	if err != nil || len(mult) != 100 || got.W != nil {
		t.Errorf("%v, %v", mult, err)
	}
	far := FromRows([][]float32{{3e38}, {-3e38}, {3e38}}) // cubes beyond the range of int64
	if got, mult, err = far.Voxel(1e-3); err != nil || got.N != 2 || mult[0] != 2 || got.X[0] != 3e38 {
		t.Errorf("far: %v, %v, %v", got, mult, err)
	}
	for name, c := range samples() {
		got, mult, err := c.Voxel(.3)
		n := 0
		for _, m := range mult {
			n += m
		}
		if err != nil || n != c.N || got.Validate() != nil || !(math.Abs(got.Mass()-1) < 1e-12) {
			t.Errorf("%s: %v, %d points in cubes, %v", name, got, n, err)
		}
	}
}

func TestStride(t *testing.T) {
	c := Grid(3, 0)
	for step, want := range map[int]int{1: 27, 2: 14, 13: 3, 26: 2, 27: 1, math.MaxInt: 1} {
		got, err := c.Stride(step)
		if err != nil || got.N != want || !slices.Equal(got.X[:3], c.X[:3]) {
			t.Errorf("step %d: %v, %v", step, got, err)
		}
		if want > 1 && !slices.Equal(got.row(1), c.row(step)) {
			t.Errorf("step %d: point 1 is %v", step, got.row(1))
		}
	}
}

func TestSampleErrors(t *testing.T) {
	c, nan := Grid(2, 0), Grid(2, 0)
	nan.X[5] = nan32()
	three := func(_ Cloud, _ []int, err error) error { return err }
	two := func(_ Cloud, err error) error { return err }
	for _, tt := range []struct {
		name string
		err  error
		want error
	}{
		{"k = 0", three(c.FarthestPoints(0)), ErrOption},
		{"k = 9 of 8", three(c.FarthestPoints(9)), ErrOption},
		{"farthest of NaN", three(nan.FarthestPoints(2)), ErrNotFinite},
		{"farthest of none", three(Cloud{}.FarthestPoints(1)), ErrEmpty},
		{"side 0", three(c.Voxel(0)), ErrOption},
		{"side −1", three(c.Voxel(-1)), ErrOption},
		{"side NaN", three(c.Voxel(math.NaN())), ErrOption},
		{"side ∞", three(c.Voxel(math.Inf(1))), ErrOption},
		{"side 1e-320", three(c.Voxel(1e-320)), ErrOption},
		{"voxel of NaN", three(nan.Voxel(1)), ErrNotFinite},
		{"voxel of junk", three(Cloud{N: 2, D: 2, X: c.X}.Voxel(1)), ErrShape},
		{"step 0", two(c.Stride(0)), ErrOption},
		{"stride of junk", two(Cloud{N: 2, D: 2, X: c.X}.Stride(1)), ErrShape},
		{"stride of none", two(Cloud{}.Stride(1)), ErrEmpty},
	} {
		if !errors.Is(tt.err, tt.want) || hint(tt.err) == "" {
			t.Errorf("%s: %v, want %v with a hint", tt.name, tt.err, tt.want)
		}
	}
}

// The plain way costs k passes over all points; only a small k can be compared.
func BenchmarkSample(b *testing.B) {
	c := Sphere(nil, 1_000_000)
	for _, k := range []int{100, 1000, 100_000} {
		b.Run(fmt.Sprintf("op=farthest/n=%d/k=%d", c.N, k), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := c.FarthestPoints(k); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("op=farthest-plain/n=1000000/k=100", func(b *testing.B) {
		for b.Loop() {
			farthest(c, 100)
		}
	})
	b.Run("op=voxel/n=1000000", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := c.Voxel(.01); err != nil {
				b.Fatal(err)
			}
		}
	})
}
