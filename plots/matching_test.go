package plots

import (
	"math"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// tallyOf reads a plan.
func tallyOf(t *testing.T, p entriesOf) tally {
	t.Helper()
	got, err := readPlan("Matching", p, p.n, p.m)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// At most 4,000 entries are drawn, the heaviest, weak ones first, and none
// under 1/64 of the largest; of equal ones the first in the plan.
func TestHeaviest(t *testing.T) {
	p := entriesOf{n: 100, m: 100}
	for i := range 100 {
		for j := range 100 {
			p.list = append(p.list, link{i, j, 1 + float64((i*37+j*61)%1000)/500})
		}
	}
	got := tallyOf(t, p)
	if len(got.heaviest) != maxLines || got.entries != 10_000 {
		t.Fatalf("%d of %d entries", len(got.heaviest), got.entries)
	}
	left := map[[2]int]bool{}
	for k, l := range got.heaviest {
		if k > 0 && l.p < got.heaviest[k-1].p {
			t.Fatalf("entry %d is lighter than the one before", k)
		}
		left[[2]int{l.i, l.j}] = true
	}
	for _, l := range p.list {
		if !left[[2]int{l.i, l.j}] && l.p > got.heaviest[0].p {
			t.Fatalf("a heavier entry %v is left out", l)
		}
	}
	same := entriesOf{n: 1, m: 5000}
	for j := range 5000 {
		same.list = append(same.list, link{0, j, 1})
	}
	for _, l := range tallyOf(t, same).heaviest {
		if l.j >= maxLines {
			t.Fatalf("of equal entries number %d is drawn", l.j)
		}
	}
	faint := tallyOf(t, entriesOf{1, 3, []link{{0, 0, 64}, {0, 1, 1}, {0, 2, .999}}})
	if len(faint.heaviest) != 2 || faint.heaviest[0].j != 1 {
		t.Errorf("%v, want entries of 1/64 of the largest and more", faint.heaviest)
	}
}

// 0.7 of the mass lies on one entry a point: the caption says what is drawn.
func TestMatchingSaysWhatItShows(t *testing.T) {
	x, y, p := rings(60)
	for i := range p.list {
		if i%3 != 1 {
			p.list[i].p /= 100
		}
	}
	f, err := Matching(x, y, p, MatchingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// drawn .7 of .7 + .003: 99.57 %
	if want := "60 of 180 entries drawn with 99.5 % of the mass; marginal error 0 in rows, 0 in columns."; !strings.HasSuffix(f.Text(), want) {
		t.Errorf("%q, want %q", f.Text(), want)
	}
}

func TestMarginalError(t *testing.T) {
	for _, tt := range []struct {
		sums, w []float64
		want    float64
	}{
		{[]float64{1, 1}, nil, 0},
		{[]float64{2, 0}, nil, 1}, // |1 − ½| + |0 − ½|
		{[]float64{3, 1}, []float64{3, 1}, 0},
		{[]float64{30, 10}, []float64{1, 3}, 1}, // |¾ − ¼| + |¼ − ¾|
	} {
		if got := marginalError(tt.sums, tt.w); !(math.Abs(got-tt.want) < 1e-15) {
			t.Errorf("%v against %v: %g, want %g", tt.sums, tt.w, got, tt.want)
		}
	}
}

// A line of a plan is as dark as its share of the largest entry.
func TestOpacity(t *testing.T) {
	x := cloud.Cloud{N: 2, D: 2, X: []float32{0, .03, 0, .93}}
	y := cloud.Cloud{N: 2, D: 2, X: []float32{4, .03, 4, .93}}
	f, err := Matching(x, y, entriesOf{2, 2, []link{{0, 0, 1}, {1, 1, .25}}}, MatchingOptions{Options: Options{DPI: 200}})
	if err != nil {
		t.Fatal(err)
	}
	m, c := imageOf(t, f), areaOf(f)
	tx, ty := f.plot.Transforms(&c)
	if p := pixel(m, f, tx(2.1), ty(.03)); p.R != 70 {
		t.Errorf("the heaviest line is %v, want the full 70", p)
	}
	if p, want := pixel(m, f, tx(2.1), ty(.93)), 255-185*.25; !(math.Abs(float64(p.R)-want) < 3) { // 255 − (255−70)/4
		t.Errorf("a line of a quarter is %v, want %.0f", p, want)
	}
}

// Above 2,000 points they are painted in one image, at the same places.
func TestDotsStandWhereGlyphsDo(t *testing.T) {
	x := flat(2001, 2, 0)
	x.X[0], x.X[1] = 1, .5
	y := cloud.Cloud{N: 1, D: 2, X: []float32{-1, -.5}}
	f, err := Matching(x, y, entriesOf{2001, 1, []link{{0, 0, 1}}}, MatchingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, c := imageOf(t, f), areaOf(f)
	tx, ty := f.plot.Transforms(&c)
	for _, q := range [][2]float64{{1, .5}, {0, 0}} {
		if p := pixel(m, f, tx(q[0]), ty(q[1])); !near(p, blue) {
			t.Errorf("the pixel of the source at %v is %v", q, p)
		}
	}
	if p := pixel(m, f, tx(-1), ty(-.5)); !near(p, vermilion) {
		t.Errorf("the pixel of the target is %v", p)
	}
	if p := pixel(m, f, tx(-1), ty(.5)); p.R != 255 || p.G != 255 {
		t.Errorf("an empty place is %v", p)
	}
}
