package plots

import (
	"math"
	"strings"
	"testing"
)

func logs(xy ...float64) (out []sample) {
	for i := 0; i < len(xy); i += 2 {
		out = append(out, sample{x: math.Log10(xy[i]), y: math.Log10(xy[i+1])})
	}
	return out
}

func TestFitPower(t *testing.T) {
	for _, tt := range []struct {
		name   string
		points []sample
		from   float64
		b, se  float64
		n      int
		text   string
	}{
		{"v = 3n²", logs(10, 300, 100, 30000, 1000, 3e6), 0, 2, 0, 3, "2.0000 ± <0.0001"},
		{"two points give no error", logs(1, 5, 100, 500), 0, 1, math.NaN(), 2, "1.00"},
		{"small n left out", logs(1, 77, 10, 10, 100, 100, 1000, 1000), 10, 1, 0, 3, "1.0000 ± <0.0001"},
		// logs (0,0) (1,1) (2,1) (3,3): slope 4.5/5, residuals .1 .2 -.7 .4, rss .7, se √(.7/2/5)
		{"by hand", logs(1, 1, 10, 10, 100, 10, 1000, 1000), 0, .9, math.Sqrt(.07), 4, "0.90 ± 0.26"},
		{"falling", logs(1, 8, 2, 4, 4, 2), 0, -1, 0, 3, "−1.0000 ± <0.0001"},
	} {
		f, ok := fitPower(tt.points, tt.from)
		if !ok || f.n != tt.n || !(math.Abs(f.b-tt.b) < 1e-12) ||
			!(math.Abs(f.se-tt.se) < 1e-9) && !(math.IsNaN(f.se) && math.IsNaN(tt.se)) {
			t.Errorf("%s: %+v", tt.name, f)
		}
		if got := f.String(); got != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.text)
		}
	}
	for name, p := range map[string][]sample{"none": nil, "one": logs(1, 1), "one size": logs(2, 1, 2, 5)} {
		if f, ok := fitPower(p, 0); ok {
			t.Errorf("%s: a fit %+v", name, f)
		}
	}
}

// The published dense points: 1.75 over all five, 1.83 without the smallest.
func TestPublishedExponents(t *testing.T) {
	p := publishedMemory()
	for _, tt := range []struct {
		i    int
		from float64
		want float64
	}{{0, 0, 1.75}, {0, 4096, 1.83}, {1, 0, .91}} {
		var ps []sample
		for k := range p[tt.i].X {
			ps = append(ps, logs(p[tt.i].X[k], p[tt.i].Y[k])...)
		}
		if f, ok := fitPower(ps, tt.from); !ok || !(math.Abs(f.b-tt.want) < .006) {
			t.Errorf("%s from %g: exponent %.4f, want %.2f", p[tt.i].Name, tt.from, f.b, tt.want)
		}
	}
}

func TestScalingText(t *testing.T) {
	f, err := Scaling([]Curve{power("dense", "apml-dense", 10, 14, 1e-3, 2, 0),
		{Name: "one", X: []float64{2048}, Y: []float64{.5}}},
		ScalingOptions{From: 1024, Options: Options{Title: "Memory", YLabel: "peak", Unit: "MiB", SkipNotFinite: true},
			Published: []Published{
				{Name: "dense", Source: "a figure", X: []float64{1024, 2048}, Y: []float64{10, 20}, Crossed: []int{1},
					Reason: "it breaks the bound"}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Memory. peak (MiB) over points per cloud N (count): dense: 2.684·10⁵ at N = 16,384, exponent 2.0000 ± <0.0001 over " +
		"N = 1,024 to 16,384 (5 points); one: 0.5 at N = 2,048, no fit: fewer than two sizes in its range; published dense: 2 points, 1 crossed out. " +
		"Exponents: least squares over N ≥ 1,024. Published dense: a figure. Crossed out: it breaks the bound."
	if f.Text() != want {
		t.Errorf("got  %s\nwant %s", f.Text(), want)
	}
	f, err = Scaling([]Curve{ys(1, math.NaN(), 3)},
		ScalingOptions{NoFit: true, Guides: []float64{}, Options: Options{SkipNotFinite: true}})
	if err != nil || !strings.Contains(f.Text(), "1 point not finite left out.") ||
		strings.Contains(f.Text(), "exponent") {
		t.Errorf("%v, %v", f.Text(), err)
	}
	if b := record(f).all(); strings.Contains(b, "slope") || strings.Contains(b, "exponent") {
		t.Errorf("guides or fits all the same: %s", b)
	}
}

func TestJumps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		y     []float64
		jumps int
		lines int
	}{
		{"straight", []float64{0, 1, 2, 3}, 0, 1},
		{"eight times is no jump", []float64{0, 1, 2, 10, 11, 12}, 0, 1},
		{"more than eight times is", []float64{0, 1, 2, 10.1, 11, 12}, 1, 2},
		{"steps", []float64{0, 0, 0, 1, 1, 1, 2, 2}, 2, 3},
		{"a spike is two", []float64{0, 1, 2, 90, 4, 5, 6}, 2, 3},
		{"two points", []float64{0, 100}, 0, 1},
		{"constant", []float64{4, 4, 4, 4}, 0, 1},
	} {
		var ps []sample
		for i, y := range tt.y {
			ps = append(ps, sample{x: float64(i), y: y})
		}
		if lines, jumps := pieces(ps, false); jumps != tt.jumps || len(lines) != tt.lines {
			t.Errorf("%s: %d jumps, %d lines, want %d and %d", tt.name, jumps, len(lines), tt.jumps, tt.lines)
		}
		if lines, jumps := pieces(ps, true); jumps != 0 || len(lines) != 1 {
			t.Errorf("%s, joined: %d jumps, %d lines", tt.name, jumps, len(lines))
		}
	}
}

// Points are joined in the order of X, whatever the order they come in.
func TestLineSorts(t *testing.T) {
	c := Curve{Name: "c", X: []float64{3, 1, 2}, Y: []float64{9, 1, 4}}
	a, err := Line([]Curve{c}, LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Line([]Curve{{Name: "c", X: []float64{1, 2, 3}, Y: []float64{1, 4, 9}}}, LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := a.PNG()
	q, _ := b.PNG()
	if string(p) != string(q) || c.X[0] != 3 {
		t.Errorf("the order of the input shows, or the input was changed: %v", c.X)
	}
}
