package plots

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A thinned line keeps the first, the lowest, the highest and the last point of
// each column, in order; what is left out lies on what is drawn.
func TestColumns(t *testing.T) {
	var pts []vg.Point
	for i := range 10_000 {
		x := float64(i) / 1000
		pts = append(pts, vg.Point{X: vg.Length(x), Y: vg.Length(math.Sin(x*40) * x)})
	}
	out := columns(pts, .5)
	if len(out) > 80 || out[0] != pts[0] || out[len(out)-1] != pts[len(pts)-1] {
		t.Fatalf("%d points from %v to %v", len(out), out[0], out[len(out)-1])
	}
	type span struct{ lo, hi vg.Length }
	spans := func(pts []vg.Point) map[int]span {
		m := map[int]span{}
		for i, p := range pts {
			if i > 0 && p.X < pts[i-1].X {
				t.Fatalf("point %d goes back", i)
			}
			k := int(math.Floor(float64(p.X / .5)))
			s, ok := m[k]
			if !ok {
				s = span{p.Y, p.Y}
			}
			m[k] = span{min(s.lo, p.Y), max(s.hi, p.Y)}
		}
		return m
	}
	if a, b := spans(pts), spans(out); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("columns span %v, want %v", b, a)
	}
}

// Wherever data and legend are, the label of a guide lies off the legend and
// off every point, or there is none.
func TestGuideLabelsKeepClear(t *testing.T) {
	found := 0
	for seed := range 60 {
		sc := &scene{}
		l := &legend{scene: sc}
		for k := range 1 + seed%6 {
			l.add(fmt.Sprintf("a long name of curve %d", k), ": exponent 1.00 ± 0.01", nil, nil)
		}
		l.fit(220)
		for k := range 1 + seed%5 {
			v := math.Mod(float64(seed*7+k*13)*.618034, 1)
			sc.points = append(sc.points, plotter.XY{X: v, Y: math.Mod(v*7, 1)})
		}
		g := &guides{slopes: []float64{1, 2}, scene: sc, legend: l}
		p := newPlot()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
		c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 260, Y: 180}}}
		box, _ := l.place(c, p)
		places, _ := g.labels(c, p)
		for _, r := range places {
			found++
			if overlap(r, box) || sc.inside(r, c, p) > 0 || r.Min.X < 0 || r.Max.X > 260 {
				t.Errorf("seed %d: label %v lies on the legend %v or on a point", seed, r, box)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d labels found a place", found)
	}
}
