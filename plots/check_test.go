package plots

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

func ys(y ...float64) Curve {
	c := Curve{Name: "dense", Y: y}
	for i := range y {
		c.X = append(c.X, float64(i+1))
	}
	return c
}

func flat(n, d int, v float32) cloud.Cloud {
	c := cloud.Cloud{N: n, D: d, X: make([]float32, n*d)}
	for i := range c.X {
		c.X[i] = v
	}
	return c
}

func one(i, j int, p float64) entriesOf { return entriesOf{2, 2, []link{{i, j, p}}} }

// Every kind of input that cannot be drawn, and the error that names it.
func TestBadInput(t *testing.T) {
	two := cloud.Cloud{N: 2, D: 2, X: []float32{0, 0, 1, 1}}
	weighted := func(w ...float64) cloud.Cloud { c := two; c.W = w; return c }
	nan, inf := math.NaN(), math.Inf(1)
	scaling := func(o ScalingOptions, c ...Curve) func() (*Figure, error) {
		return func() (*Figure, error) { return Scaling(c, o) }
	}
	line := func(o LineOptions, c ...Curve) func() (*Figure, error) {
		return func() (*Figure, error) { return Line(c, o) }
	}
	match := func(x, y cloud.Cloud, p Plan, o MatchingOptions) func() (*Figure, error) {
		return func() (*Figure, error) { return Matching(x, y, p, o) }
	}
	with := func(o Options) LineOptions { return LineOptions{Options: o} }
	none := MatchingOptions{}
	for _, tt := range []struct {
		do    func() (*Figure, error)
		cause error
		want  string
	}{
		{scaling(ScalingOptions{}, ys(1, 2, 3, 0)), ErrLog,
			`plots.Scaling: a log axis needs values above 0: curve "dense", point 3 is 0`},
		{scaling(ScalingOptions{}, Curve{Name: "n", X: []float64{-1}, Y: []float64{1}}), ErrLog, `curve "n", point 0 is -1`},
		{scaling(ScalingOptions{}, ys(1, nan)), ErrNotFinite, `curve "dense", point 1 is (2, NaN)`},
		{line(LineOptions{}, ys(1, 2, inf)), ErrNotFinite,
			`plots.Line: a value is not finite: curve "dense", point 2 is (3, +Inf)`},
		{line(LineOptions{}), ErrEmpty, "plots.Line: nothing to draw: no curves"},
		{line(LineOptions{}, Curve{Name: "void"}), ErrEmpty, `curve "void" has no points`},
		{line(with(Options{SkipNotFinite: true}), ys(nan, inf)), ErrEmpty, `curve "dense" has no points`},
		{line(LineOptions{}, ys(1e31)), ErrRange, `plots.Line: outside what can be drawn: curve "dense", point 0 is 1e+31`},
		{scaling(ScalingOptions{}, ys(1e308, 1)), ErrRange, `point 0 is 1e+308`},
		{line(LineOptions{}, ys(1, 1+1e-14)), ErrRange, "Y goes from 1 to 1.00000000000001"},
		{scaling(ScalingOptions{}, ys(1, 1+1e-14)), ErrRange, "the value goes from 1 to"},
		{line(LineOptions{}, Curve{X: []float64{1}, Y: []float64{1, 2}}), ErrShape, `has 1 X, 2 Y, 0 Err`},
		{line(LineOptions{}, Curve{X: []float64{1}, Y: []float64{1}, Err: []float64{1, 2}}), ErrShape, `has 1 X, 1 Y, 2 Err`},
		{line(LineOptions{}, Curve{X: []float64{1}, Y: []float64{1}, Err: []float64{-1}}), ErrOption, `Err 0 is -1`},
		{line(LineOptions{}, make([]Curve, 13)...), ErrTooMany, "13 curves, at most 12"},
		{line(LineOptions{}, Curve{Name: "q", Loss: "best", X: []float64{1}, Y: []float64{1}}), ErrOption,
			`curve "q" names the loss "best"`},
		{line(LineOptions{Relative: true, At: 2}, ys(1, 0)), ErrOption, `is 0 at x = 2: it cannot be divided by that`},
		{line(LineOptions{Relative: true, At: 2}, ys(1, 1e-40)), ErrRange, `point 0 is 1e+40 times`},
		{scaling(ScalingOptions{From: nan}, ys(1)), ErrOption, "From is NaN"},
		{scaling(ScalingOptions{Guides: []float64{inf}}, ys(1)), ErrOption, "a guide of slope +Inf"},
		{scaling(ScalingOptions{}, overRange("long", "", 1, 2, 64, math.Exp)), ErrRange,
			`curve "long" has 65 points, at most 64`},
		{scaling(ScalingOptions{Published: []Published{{Name: "p", X: []float64{1}, Y: []float64{0}}}}, ys(1)), ErrLog,
			`curve "p", point 0 is 0`},
		{scaling(ScalingOptions{Published: []Published{{Name: "p", X: []float64{1}, Y: []float64{1}, Crossed: []int{1}}}},
			ys(1)), ErrOption,
			`published "p" has 1 points, Crossed names point 1`},
		{line(with(Options{Width: 99}), ys(1)), ErrOption, "Width is 99"},
		{line(with(Options{Height: nan}), ys(1)), ErrOption, "Height is NaN"},
		{line(with(Options{DPI: 401}), ys(1)), ErrOption, "DPI is 401"},
		{line(with(Options{Width: 2000, Height: 2000, DPI: 300}), ys(1)), ErrOption, "69 million pixels, at most 40"},
		{line(with(Options{Width: 100, Height: 100, Title: nasty}), ys(1)), ErrRoom, "100 × 100 points leave"},
		{match(cloud.Cloud{D: 2}, two, one(0, 0, 1), none), ErrEmpty,
			"plots.Matching: nothing to draw: cloud x has no points"},
		{match(two, two, nil, none), ErrEmpty, "the plan is nil"},
		{match(two, two, one(0, 0, 0), none), ErrEmpty, "the plan has no entry above 0"},
		{match(two, two, entriesOf{n: 2, m: 2}, none), ErrEmpty, "the plan has no entry above 0"},
		{match(two, two, entriesOf{n: 3, m: 2}, none), ErrShape, "the plan is 3×2, the clouds have 2 and 2 points"},
		{match(two, two, one(0, 2, 1), none), ErrShape, "an entry at (0, 2) of a plan of 2×2"},
		{match(two, two, one(-1, 0, 1), none), ErrShape, "an entry at (-1, 0)"},
		{match(two, two, one(1, 0, -.5), none), ErrPlan, "entry (1, 0) is -0.5"},
		{match(two, two, one(1, 1, nan), none), ErrPlan, "entry (1, 1) is NaN"},
		{match(two, two, one(1, 1, inf), none), ErrPlan, "entry (1, 1) is +Inf"},
		{match(two, two, one(1, 1, 1e300), none), ErrRange, "mass 1e+300"},
		{match(flat(2, 4, 0), flat(2, 4, 0), one(0, 0, 1), none), ErrShape, "cloud x has 4 dimensions"},
		{match(two, flat(2, 3, 0), one(0, 0, 1), none), ErrShape, "x is 2×2, y is 2×3"},
		{match(two, cloud.Cloud{N: 2, D: 2, X: []float32{1}}, one(0, 0, 1), none), ErrShape,
			"cloud y of 2 points in 2 dimensions has 1 coordinates"},
		{match(flat(2, 2, float32(nan)), two, one(0, 0, 1), none), ErrNotFinite, "cloud x, point 0 has coordinate NaN"},
		{match(two, flat(2, 2, 3e30), one(0, 0, 1), none), ErrRange, "cloud y, point 0 has coordinate 3e+30"},
		{match(two, two, one(0, 0, 1), MatchingOptions{Axes: [2]int{0, 2}}), ErrOption,
			"axes 0 and 2 of a cloud of 2 dimensions"},
		{match(weighted(1, -1), two, one(0, 0, 1), none), ErrOption, "cloud x: weight 1 is -1"},
		{match(two, weighted(0, 0), one(0, 0, 1), none), ErrOption, "cloud y: the weights sum to 0"},
		{match(two, two, broken{}, none), ErrRange, "the drawing panicked: no entries"},
	} {
		f, err := tt.do()
		var e *Error
		if f != nil || !errors.Is(err, tt.cause) || !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// broken is a plan that panics.
type broken struct{}

func (broken) Dims() (int, int)               { return 2, 2 }
func (broken) Each(func(i, j int, p float64)) { panic("no entries") }

func TestErrorsAdvise(t *testing.T) {
	_, err := Line([]Curve{ys(1, math.NaN())}, LineOptions{})
	var h interface{ Hint() string }
	if !errors.As(err, &h) || h.Hint() != "remove the point, or set SkipNotFinite to leave it out with a note" ||
		strings.Contains(err.Error(), h.Hint()) {
		t.Errorf("%v", err)
	}
}

// Input that looks like nothing to draw but is a picture: ranges are widened.
func TestSmallInput(t *testing.T) {
	dot := cloud.Cloud{N: 1, D: 2, X: []float32{3, 4}}
	for name, do := range map[string]func() (*Figure, error){
		"one point":   func() (*Figure, error) { return Line([]Curve{ys(7)}, LineOptions{}) },
		"one at zero": func() (*Figure, error) { return Line([]Curve{{X: []float64{0}, Y: []float64{0}}}, LineOptions{}) },
		"all x equal": func() (*Figure, error) {
			return Line([]Curve{{X: []float64{2, 2}, Y: []float64{1, 5}}},
				LineOptions{})
		},
		"all y equal": func() (*Figure, error) { return Line([]Curve{ys(-3, -3, -3)}, LineOptions{}) },
		"log equal":   func() (*Figure, error) { return Scaling([]Curve{ys(5, 5, 5)}, ScalingOptions{}) },
		"log one N": func() (*Figure, error) {
			return Scaling([]Curve{{X: []float64{8, 8}, Y: []float64{1, 2}}}, ScalingOptions{})
		},
		"narrow":         func() (*Figure, error) { return Scaling([]Curve{ys(3.1, 3.11)}, ScalingOptions{}) },
		"large and tiny": func() (*Figure, error) { return Line([]Curve{ys(-1e30, 1e-30, 1e30)}, LineOptions{}) },
		"log wide":       func() (*Figure, error) { return Scaling([]Curve{ys(1e-300, 1, 1e30)}, ScalingOptions{}) },
		"two equal points": func() (*Figure, error) {
			return Matching(dot, dot, entriesOf{1, 1, []link{{0, 0, 1}}}, MatchingOptions{})
		},
		"on a line": func() (*Figure, error) {
			c := cloud.Cloud{N: 2, D: 1, X: []float32{1, 2}}
			return Matching(c, c, one(0, 1, 1), MatchingOptions{})
		},
	} {
		f, err := do()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if faults := record(f).faults(); len(faults) > 0 {
			t.Errorf("%s: %q", name, faults)
		}
		if _, err := f.PNG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Ten million points are drawn from an even sample, and the caption says so.
func TestManyPoints(t *testing.T) {
	c := overRange("long", "", 0, 1, maxPoints, func(x float64) float64 { return x })
	f, err := Line([]Curve{c}, LineOptions{})
	if err != nil || !strings.Contains(f.Text(), "long: an even sample of 1,000,000 points.") {
		t.Errorf("%v, %v", f, err)
	}
	x := flat(maxPoints+1, 2, 0)
	x.X[0] = 1
	f, err = Matching(x, flat(1, 2, 0), entriesOf{x.N, 1, []link{{0, 0, 1}}}, MatchingOptions{})
	if err != nil || !strings.Contains(f.Text(), "Of larger clouds an even sample of 1,000,000 points.") {
		t.Errorf("%v, %v", f, err)
	}
}

func TestWriteFile(t *testing.T) {
	f, err := Line([]Curve{ys(1, 2)}, LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, head := range map[string]string{"a.png": "\x89PNG", "a.SVG": "<?xml", "a.pdf": "%PDF"} {
		name = filepath.Join(dir, name)
		if err := f.WriteFile(name); err != nil {
			t.Error(err)
		}
		data, err := os.ReadFile(name)
		if info, _ := os.Stat(name); err != nil || !strings.HasPrefix(string(data), head) || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %.8q, %v, %v", name, data, info.Mode(), err)
		}
	}
	if err := f.WriteFile(filepath.Join(dir, "a.eps")); !errors.Is(err, ErrFormat) {
		t.Errorf("a.eps: %v", err)
	}
	if err := f.WriteFile(filepath.Join(dir, "no", "such.png")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "taken.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile(filepath.Join(dir, "taken.png")); err == nil {
		t.Error("wrote over a folder")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 4 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
