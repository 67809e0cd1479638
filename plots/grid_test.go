package plots

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Luminance never falls along the ramp, and at most four neighbours of 256 are equal.
func TestRamp(t *testing.T) {
	r := ramp{0, 255}
	last, same := -1., 0
	for k := range 256 {
		l := luminance(r.at(float64(k)))
		if l < last-1e-12 {
			t.Errorf("luminance falls at %d", k)
		}
		if same++; r.at(float64(k)) != r.at(float64(k-1)) || k == 0 {
			same = 0
		}
		if same > 3 {
			t.Errorf("five equal colours at %d", k)
		}
		last = l
	}
	if r.at(-5) != r.at(0) || r.at(300) != r.at(255) {
		t.Error("values outside of the ramp")
	}
}

// The line x² + y² = 0.49 lies at the radius 0.7, one closed piece; a line that leaves
// the grid is open; a hole of NaN cuts it.
func TestLevelLine(t *testing.T) {
	circle := func(x, y float64) float64 { return x*x + y*y }
	g := gridOf(-1, 1, 101, -1, 1, 101, circle)
	lines := g.line(.49)
	if len(lines) != 1 || len(lines[0]) < 200 || lines[0][0] != lines[0][len(lines[0])-1] {
		t.Fatalf("%d lines", len(lines))
	}
	length := 0.
	for i, q := range lines[0] {
		if !(math.Abs(math.Hypot(q.X, q.Y)-.7) <= .001) {
			t.Errorf("radius %g", math.Hypot(q.X, q.Y))
		}
		if i > 0 {
			length += math.Hypot(q.X-lines[0][i-1].X, q.Y-lines[0][i-1].Y)
		}
	}
	if !(math.Abs(length-2*math.Pi*.7) <= .01) {
		t.Errorf("length %g", length)
	}
	if lines = g.line(1.5); len(lines) != 4 || lines[0][0] == lines[0][len(lines[0])-1] {
		t.Errorf("%d pieces in the corners", len(lines))
	}
	for k := range g.Values { // a strip of NaN over the whole height
		if k%101 == 50 {
			g.Values[k] = math.NaN()
		}
	}
	if lines = g.line(.49); len(lines) != 2 {
		t.Errorf("%d pieces beside a strip", len(lines))
	}
}

// A saddle joins the corners that its value says, and a level at its value is moved.
func TestSaddle(t *testing.T) {
	g := gridOf(-3, 3, 4, -3, 3, 4, func(x, y float64) float64 { return x * y })
	ends := func(lines []plotter.XYs) (n int) {
		for _, l := range lines {
			if q := l[0]; q.X*l[len(l)-1].X < 0 {
				n++ // goes from left to right
			}
		}
		return n
	}
	// Above the saddle of value 0 the corners with x·y > 0 are cut off: no line crosses x = 0.
	if up, down := g.line(.5), g.line(-.5); len(up) != 2 || len(down) != 2 || ends(up)+ends(down) != 0 {
		t.Errorf("%v, %v", up, down)
	}
	for _, v := range g.levels(1) { // the median is 0
		if !(math.Abs(v-.18) < 1e-12) {
			t.Errorf("level %g", v)
		}
	}
}

// A cell is painted where its values are: the corner cells of a small grid.
func TestHeatInPicture(t *testing.T) {
	g := gridOf(0, 3, 4, 0, 30, 4, func(x, y float64) float64 { return x + y })
	g.Values[3] = math.NaN() // (3, 0)
	f, err := Landscape(g, LandscapeOptions{NoLevels: true, Options: Options{DPI: 100}})
	if err != nil {
		t.Fatal(err)
	}
	m, c := imageOf(t, f), areaOf(f)
	tx, ty := f.plot.Transforms(&c)
	r := ramp{0, 33}
	for _, q := range [][2]float64{{-.4, 4}, {2.6, 26}, {3.4, 34}, {1.4, 14}, {.6, 6}} {
		want := r.at(math.Round(q[0]) + 10*math.Round(q[1]/10))
		if got := pixel(m, f, tx(q[0]), ty(q[1])); got != want {
			t.Errorf("the cell of %v is %v, want %v", q, got, want)
		}
	}
	if got := pixel(m, f, tx(3), ty(1)); got != blank {
		t.Errorf("the cell of NaN is %v", got)
	}
	if !strings.Contains(f.Text(), "4 × 4: least 0 at (0, 0), most 33 at (3, 30). 1 cell grey: not a number.") {
		t.Errorf("%s", f.Text())
	}
}

// One scale for both axes: a step of x is as long as one of y.
func TestOneScale(t *testing.T) {
	for _, size := range [][2]float64{{440, 320}, {300, 600}, {800, 300}} {
		f, err := Landscape(gridOf(0, 2, 9, 0, 1, 9, math.Hypot), LandscapeOptions{OneScale: true,
			Options: Options{Width: size[0], Height: size[1]}})
		if err != nil {
			t.Fatal(err)
		}
		c := areaOf(f)
		tx, ty := f.plot.Transforms(&c)
		if d := float64(tx(1) - tx(0) - (ty(1) - ty(0))); !(math.Abs(d) < 1) {
			t.Errorf("%v: off by %g points", size, d)
		}
	}
}

// Row 0 is on top, outside the support is light grey, and the bars are the sums.
func TestPlanMapInPicture(t *testing.T) {
	p := entriesOf{n: 3, m: 4, list: []link{{0, 0, .5}, {1, 2, .25}, {2, 3, .25}}}
	f, err := PlanMap(p, PlanMapOptions{Options: Options{DPI: 100}})
	if err != nil {
		t.Fatal(err)
	}
	m, c := imageOf(t, f), areaOf(f)
	tx, ty := f.plot.Transforms(&c)
	r := ramp{0, .5}
	for _, tt := range []struct {
		row, col int
		want     float64
	}{{0, 0, .5}, {1, 2, .25}, {2, 3, .25}, {0, 1, 0}, {2, 0, 0}} {
		want := blank
		if tt.want > 0 {
			want = r.at(tt.want)
		}
		if got := pixel(m, f, tx(float64(tt.col)), ty(float64(2-tt.row))); got != want {
			t.Errorf("entry (%d, %d) is %v, want %v", tt.row, tt.col, got, want)
		}
	}
	bar := func(row int, share float64) bool { // of the strip, at its middle
		return near(pixel(m, f, c.Max.X+stripGap+stripSize*vg.Length(share), ty(float64(2-row))), sky)
	}
	if !bar(0, .9) || bar(1, .6) || !bar(1, .4) {
		t.Error("the row sums do not stand at the right")
	}
	// Rows want 1/3 each and have 1/2, 1/4, 1/4; columns 1/4 and have 1/2, 0, 1/4, 1/4.
	if s := f.Text(); !strings.Contains(s, "Row sums are off by 0.333 in the mean, 0.5 at most. "+
		"Column sums are off by 0.5 in the mean, 1 at most.") {
		t.Error(s)
	}
}

// Zeros stand at the floor, a decade and more below the rest, where the axis says 0.
func TestConvergenceFloor(t *testing.T) {
	gap := Curve{Name: "gap", Loss: "emd", X: []float64{0, 1, 2, 3}, Y: []float64{1, 0, 2e-6, 0}}
	f, err := Convergence([]Curve{gap}, ConvergenceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := areaOf(f)
	_, ty := f.plot.Transforms(&c)
	zero := false
	for _, b := range record(f).texts {
		if mid := (b.y0 + b.y1) / 2; b.text == "0" && math.Abs(mid-float64(ty(-7))) < 3 {
			zero = true
		}
	}
	if !zero || !strings.Contains(f.Text(), "2 points of value 0, at the mark 0.") {
		t.Errorf("no 0 at the floor: %s", f.Text())
	}
	if f, err = Convergence([]Curve{ys(0, 0)}, ConvergenceOptions{}); err != nil || len(record(f).faults()) > 0 {
		t.Errorf("all zero: %v", err)
	}
}

// Every kind of input that a grid, a map or a series cannot draw.
func TestBadGrids(t *testing.T) {
	ok := gridOf(0, 1, 4, 0, 1, 5, math.Hypot)
	with := func(change func(g *Grid)) Grid {
		g := Grid{append([]float64(nil), ok.X...), append([]float64(nil), ok.Y...), append([]float64(nil), ok.Values...)}
		change(&g)
		return g
	}
	land := func(o LandscapeOptions, g Grid) func() (*Figure, error) {
		return func() (*Figure, error) { return Landscape(g, o) }
	}
	plan := func(p Plan, o PlanMapOptions) func() (*Figure, error) {
		return func() (*Figure, error) { return PlanMap(p, o) }
	}
	series := func(o ConvergenceOptions, c ...Curve) func() (*Figure, error) {
		return func() (*Figure, error) { return Convergence(c, o) }
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		do    func() (*Figure, error)
		cause error
		want  string
	}{
		{land(LandscapeOptions{}, Grid{}), ErrEmpty, "plots.Landscape: nothing to draw: a grid of 0 × 0"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.Values = g.Values[1:] })), ErrShape, "19 values for 4 × 5 places"},
		{land(LandscapeOptions{}, gridOf(0, 1, 3, 0, 1, 5, math.Hypot)), ErrShape, "X has 3 places"},
		{land(LandscapeOptions{}, gridOf(0, 1, 4, 0, 1, 513, math.Hypot)), ErrShape, "Y has 513 places"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.X[2] = nan })), ErrNotFinite, "X 2 is NaN"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.Y[2] = g.Y[1] })), ErrOption, "Y 2 is 0.25 after 0.25"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.X[3] = 1e31 })), ErrRange, "X 3 is 1e+31"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.Values[6] = inf })), ErrNotFinite, "the value at X 2, Y 1 is +Inf"},
		{land(LandscapeOptions{}, with(func(g *Grid) { g.Values[0] = -1e31 })), ErrRange, "the value at X 0, Y 0 is -1e+31"},
		{land(LandscapeOptions{}, with(func(g *Grid) {
			for k := range g.Values {
				g.Values[k] = nan
			}
		})), ErrEmpty, "all 20 values are NaN"},
		{land(LandscapeOptions{}, with(func(g *Grid) {
			for k := range g.Values {
				g.Values[k] = 1 + 1e-14*float64(k%2)
			}
		})), ErrRange, "the value goes from 1 to 1.00000000000001"},
		{land(LandscapeOptions{Levels: 41}, ok), ErrOption, "Levels is 41"},
		{land(LandscapeOptions{Options: Options{Width: 110, Height: 110}}, ok), ErrRoom, "110 × 110 points leave"},
		{land(LandscapeOptions{OneScale: true}, gridOf(0, 1000, 4, 0, 1, 4, math.Hypot)), ErrRoom, "points leave"},
		{plan(nil, PlanMapOptions{}), ErrEmpty, "plots.PlanMap: nothing to draw: the plan is nil"},
		{plan(entriesOf{n: 0, m: 3}, PlanMapOptions{}), ErrEmpty, "the plan is 0×3"},
		{plan(entriesOf{n: 2, m: 2}, PlanMapOptions{}), ErrEmpty, "the plan has no entry above 0"},
		{plan(one(0, 2, 1), PlanMapOptions{}), ErrShape, "an entry at (0, 2) of a plan of 2×2"},
		{plan(one(1, 0, -.5), PlanMapOptions{}), ErrPlan, "entry (1, 0) is -0.5"},
		{plan(one(1, 1, nan), PlanMapOptions{}), ErrPlan, "entry (1, 1) is NaN"},
		{plan(one(1, 1, 1e300), PlanMapOptions{}), ErrRange, "mass 1e+300"},
		{plan(one(0, 0, 1), PlanMapOptions{RowWeights: []float64{1}}), ErrShape, "RowWeights has 1 weights, the plan 2"},
		{plan(one(0, 0, 1), PlanMapOptions{ColWeights: []float64{1, -1}}), ErrOption, "ColWeights: weight 1 is -1"},
		{plan(broken{}, PlanMapOptions{}), ErrRange, "the drawing panicked: no entries"},
		{series(ConvergenceOptions{}), ErrEmpty, "plots.Convergence: nothing to draw: no curves"},
		{series(ConvergenceOptions{}, ys(1, -1e-9)), ErrLog, `curve "dense", point 1 is -1e-09`},
		{series(ConvergenceOptions{}, ys(1, nan)), ErrNotFinite, `curve "dense", point 1 is (2, NaN)`},
		{series(ConvergenceOptions{Tol: -1}, ys(1)), ErrOption, "Tol is -1"},
		{series(ConvergenceOptions{Tol: nan}, ys(1)), ErrOption, "Tol is NaN"},
		{series(ConvergenceOptions{}, Curve{X: []float64{1}, Y: []float64{1}, Err: []float64{1}}), ErrOption,
			"has Err on a logarithmic axis"},
		{func() (*Figure, error) { return Line([]Curve{ys(1, 0)}, LineOptions{LogY: true}) }, ErrLog, "point 1 is 0"},
		{func() (*Figure, error) {
			return Line([]Curve{{X: []float64{0}, Y: []float64{1}}}, LineOptions{LogX: true})
		}, ErrLog, "point 0 is 0"},
		{func() (*Figure, error) {
			return Line([]Curve{ys(1)}, LineOptions{LogY: true, Marks: []Mark{{"m", 0}}})
		}, ErrLog, `mark "m" is 0`},
		{func() (*Figure, error) { return Line([]Curve{ys(1)}, LineOptions{Marks: []Mark{{"m", inf}}}) }, ErrNotFinite,
			`mark "m" is +Inf`},
		{func() (*Figure, error) {
			return Line([]Curve{{X: []float64{1}, Y: []float64{1}, Err: []float64{1}}}, LineOptions{LogX: true})
		}, ErrOption, "has Err on a logarithmic axis"},
	} {
		f, err := tt.do()
		var e *Error
		if f != nil || !errors.Is(err, tt.cause) || !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// Whole numbers, from the left or from the top.
func TestWholeTicks(t *testing.T) {
	text := func(w wholeTicks, lo, hi float64) (out string) {
		for _, k := range w.Ticks(lo, hi) {
			out += k.Label + " "
		}
		return out
	}
	for _, tt := range []struct {
		w      wholeTicks
		lo, hi float64
		want   string
	}{
		{wholeTicks{}, -.5, 3.5, "0 1 2 3 "},
		{wholeTicks{n: 2}, -.5, 3.5, "0 2 "},
		{wholeTicks{}, -.5, 59.5, "0 10 20 30 40 50 "},
		{wholeTicks{last: 59, down: true}, -.5, 59.5, "50 40 30 20 10 0 "},
		{wholeTicks{n: 4}, -.5, 699.5, "0 200 400 600 "},
		{wholeTicks{}, -.5, .5, "0 "},
	} {
		if got := text(tt.w, tt.lo, tt.hi); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.w, got, tt.want)
		}
	}
	if k := (wholeTicks{last: 59, down: true}).Ticks(-.5, 59.5)[4]; k.Value != 49 {
		t.Errorf("row 10 stands at %g", k.Value)
	}
}
