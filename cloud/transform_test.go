package cloud

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// close32 compares coordinates by an absolute tolerance; NaN fails.
func close32(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(float64(got[i])-float64(want[i])) <= tol) {
			t.Errorf("%s: number %d is %g, want %g", what, i, got[i], want[i])
			return
		}
	}
}

func must(t *testing.T) func(Cloud, error) Cloud {
	return func(c Cloud, err error) Cloud {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func TestTransforms(t *testing.T) {
	c := FromRows([][]float32{{0, 0, 0}, {4, 0, 2}})
	c.Attr = map[string][]float32{"nx": {1, 0}, "ny": {0, 1}, "nz": {0, 0}}
	before := c.Clone()

	close32(t, "center", c.Center().X, []float32{-2, 0, -1, 2, 0, 1}, 0)
	w := c.Clone()
	w.W = []float64{3, 1} // mean (1, 0, 0.5)
	close32(t, "weighted center", w.Center().X, []float32{-1, 0, -.5, 3, 0, 1.5}, 0)
	close32(t, "scale", c.Scale(-.5).X, []float32{0, 0, 0, -2, 0, -1}, 0)
	close32(t, "shift", must(t)(c.Shift(1, 2, 3)).X, []float32{1, 2, 3, 5, 2, 5}, 0)

	turned := must(t)(c.Rotate(0, 1, math.Pi/2)) // x to y
	close32(t, "rotate", turned.X, []float32{0, 0, 0, 0, 4, 2}, 1e-6)
	close32(t, "normals", turned.Attr["nx"], []float32{0, -1}, 1e-6)
	close32(t, "rotate z to x", must(t)(c.Rotate(2, 0, math.Pi/2)).X, []float32{0, 0, 0, 2, 0, -4}, 1e-6)

	n, tr := c.Normalize() // half the diagonal is √5
	s := float32(math.Sqrt(5))
	close32(t, "normalize", n.X, []float32{-2 / s, 0, -1 / s, 2 / s, 0, 1 / s}, 1e-7)
	close32(t, "apply", must(t)(tr.Apply(c)).X, n.X, 0)
	close32(t, "invert", must(t)(tr.Invert(n)).X, c.X, 1e-6)
	one, tr := FromRows([][]float32{{7, 7}, {7, 7}}).Normalize()
	close32(t, "all points equal", one.X, []float32{0, 0, 0, 0}, 0)
	if tr.Scale != 1 {
		t.Errorf("scale of one spot is %g, want 1", tr.Scale)
	}
	if !c.Equal(before) {
		t.Error("a transform wrote to its argument")
	}
}

func TestTransformErrors(t *testing.T) {
	c := Fibonacci(4)
	for name, f := range map[string]func() error{
		"short shift":   func() error { _, err := c.Shift(1, 2); return err },
		"plane 0 0":     func() error { _, err := c.Rotate(0, 0, 1); return err },
		"plane 0 3":     func() error { _, err := c.Rotate(0, 3, 1); return err },
		"plane −1":      func() error { _, err := c.Rotate(-1, 0, 1); return err },
		"apply":         func() error { _, err := Transform{Scale: 1}.Apply(c); return err },
		"invert zero":   func() error { _, err := Transform{Center: make([]float64, 3)}.Invert(c); return err },
		"sub behind":    func() error { _, err := c.Sub([]int{0, 4}); return err },
		"sub negative":  func() error { _, err := c.Sub([]int{-1}); return err },
		"concat":        func() error { _, err := Concat(c, FromRows([][]float32{{1}})); return err },
		"dedup of junk": func() error { _, _, err := Cloud{N: 3, D: 3}.Dedup(); return err },
	} {
		var e *Error
		if err := f(); !errors.Is(err, ErrShape) || !errors.As(err, &e) || e.Hint() == "" {
			t.Errorf("%s: %v, want ErrShape with a hint", name, err)
		}
	}
	bad := Cloud{N: 5, D: 3, X: make([]float32, 4)} // malformed: nothing may panic
	bad.Center()
	bad.Normalize()
	bad.Scale(2)
	bad.Jitter(nil, 1)
	if lo, _ := (Cloud{}).Bounds(); lo != nil {
		t.Error("no points have bounds")
	}
}

func TestDiameter(t *testing.T) {
	x, y := FromRows([][]float32{{0, 0}, {1, 1}}), FromRows([][]float32{{3, 0}, {2, 4}})
	for _, tt := range []struct {
		name string
		x, y Cloud
		want float64
	}{
		{"box 3×4", x, y, 5},
		{"one spot", FromRows([][]float32{{7}}), FromRows([][]float32{{7}}), 0},
		{"other dimension: z from 0 to 12", y, FromRows([][]float32{{3, 0, 12}, {0, 0, 0}}), 13},
		{"one empty", x, Cloud{}, math.Sqrt2},
		{"no overflow", FromRows([][]float32{{3e38}}), FromRows([][]float32{{-3e38}}), 2 * float64(float32(3e38))},
	} {
		if got := Diameter(tt.x, tt.y); got != tt.want {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

func TestJitter(t *testing.T) {
	c := Grid(20, 0)
	a, b := c.Jitter(rand.New(rand.NewPCG(3, 4)), .1), c.Jitter(rand.New(rand.NewPCG(3, 4)), .1)
	if !a.Equal(b) {
		t.Error("one seed gives two clouds")
	}
	sum := 0.0
	for i := range c.X {
		d := float64(a.X[i] - c.X[i])
		sum += d * d / float64(len(c.X))
	}
	if got := math.Sqrt(sum); !(math.Abs(got-.1) < .005) {
		t.Errorf("standard deviation %g, want 0.1", got)
	}
}

func TestSelect(t *testing.T) {
	neg := float32(math.Copysign(0, -1))
	c := FromRows([][]float32{{0, 1}, {2, 3}, {neg, 1}, {2, 3}, {0, 1}})
	c.Attr = map[string][]float32{"r": {1, 2, 3, 4, 5}}
	d, mult, err := c.Dedup()
	if err != nil || d.N != 2 || mult[0] != 3 || mult[1] != 2 || d.W[0] != .6 || d.W[1] != .4 || d.Attr["r"][1] != 2 {
		t.Errorf("dedup: %v, %v, %v", d, mult, err)
	}
	w := c.Clone()
	w.W = []float64{1, 2, 4, 8, 16}
	if d, _, _ = w.Dedup(); d.W[0] != 21 || d.W[1] != 10 {
		t.Errorf("merged weights are %v, want 21 and 10", d.W)
	}
	if d, mult, _ = Fibonacci(50).Dedup(); d.N != 50 || d.W != nil || mult[49] != 1 {
		t.Errorf("nothing to merge, but %v", d)
	}
	s := must(t)(w.Sub([]int{3, 3, 0}))
	if s.N != 3 || s.X[0] != 2 || s.W[1] != 8 || s.Attr["r"][2] != 1 {
		t.Errorf("sub: %v %v", s, s.Attr)
	}
	all := must(t)(Concat(c, w))
	if all.N != 10 || all.W[0] != .2 || all.W[9] != 16 || len(all.Attr["r"]) != 10 {
		t.Errorf("concat: %v", all)
	}
	if all = must(t)(Concat(c, Fibonacci(3).flat(t))); all.W != nil || all.Attr != nil || all.N != 8 {
		t.Errorf("concat of uniform clouds: %v", all)
	}
}

// flat drops the last coordinate.
func (c Cloud) flat(t *testing.T) Cloud {
	t.Helper()
	x := make([]float32, 0, 2*c.N)
	for i := range c.N {
		x = append(x, c.row(i)[:2]...)
	}
	return Cloud{N: c.N, D: 2, X: x}
}

func TestBatch(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8} // 2×2×2
	b, err := BatchOf(x, 2, 2, 2, []int{1, 2})
	if err != nil || b.Len() != 2 || b.At(0).N != 1 || b.At(1).X[0] != 5 || len(b.X) != 6 {
		t.Errorf("%v, %v", b, err)
	}
	if err := b.Validate(); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func() error{
		"sizes":         func() error { _, err := BatchOf(x, 2, 2, 3, nil); return err },
		"overflow":      func() error { _, err := BatchOf(x, 1<<32, 1<<32, 1, nil); return err },
		"length −1":     func() error { _, err := BatchOf(x, 2, 2, 2, []int{-1, 1}); return err },
		"length 3":      func() error { _, err := BatchOf(x, 2, 2, 2, []int{3, 1}); return err },
		"lengths":       func() error { _, err := BatchOf(x, 2, 2, 2, []int{1}); return err },
		"dimension":     func() error { _, err := Join(Grid(2, 0), FromRows([][]float32{{1}})); return err },
		"offsets":       func() error { return Batch{D: 1, Off: []int{0, 2, 1}, X: x[:1]}.Validate() },
		"short weights": func() error { return Batch{D: 1, Off: []int{0, 2}, X: x[:2], W: []float64{1}}.Validate() },
	} {
		if err := f(); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v, want ErrShape", name, err)
		}
	}
	if _, err := BatchOf(x, 2, 2, 2, []int{1, 0}); !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), "cloud 1") ||
		hint(err) == "" {
		t.Errorf("a cloud of no rows: %v", err)
	}
	b.X[3] = nan32()
	if err := b.Validate(); !errors.Is(err, ErrNotFinite) || err.Error() !=
		"cloud.Validate: cloud 1: not a finite number: coordinate 1 of point 0 is NaN" {
		t.Errorf("bad item: %v", err)
	}
	if err := (Batch{D: 1, Off: []int{0, 0, 1}, X: x[:1]}).Validate(); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty item: %v", err)
	}
	if err := (Batch{}).Validate(); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty batch: %v", err)
	}
	j, err := Join(Cloud{N: 2, D: 1, X: x[:2]}, Cloud{N: 1, D: 1, X: x[:1], W: []float64{3}})
	if err != nil || j.W[0] != .5 || j.W[2] != 3 {
		t.Errorf("join: %v, %v", j, err)
	}
}
