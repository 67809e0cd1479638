package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the bars beside a map, in points.
const (
	stripGap  = 5
	stripSize = 34
	stripLine = .8
)

// strips are the bars beside a map of a plan: row sums at its right, column sums on top,
// and what is wanted of each as a line.
type strips struct{ rows, cols marginal }

// Plot draws bars and lines outside of the data area.
func (s strips) Plot(c draw.Canvas, _ *plot.Plot) {
	right, top := c.Max.X+stripGap, c.Max.Y+stripGap
	s.rows.draw(c.Max.Y, c.Min.Y, func(along, out vg.Length) vg.Point { return vg.Point{X: right + out, Y: along} }, c)
	s.cols.draw(c.Min.X, c.Max.X, func(along, out vg.Length) vg.Point { return vg.Point{X: along, Y: top + out} }, c)
}

// draw draws one side from the place of its first line to that of its last; at turns a
// place along it and a height into a point.
func (m marginal) draw(from, to vg.Length, at func(along, out vg.Length) vg.Point, c draw.Canvas) {
	sums, want := pooled(m.sums), pooled(m.want)
	top := 0.0
	for i := range sums {
		top = max(top, sums[i], want[i])
	}
	place := func(k int) vg.Length { return from + (to-from)*vg.Length(k)/vg.Length(len(sums)) }
	height := func(v float64) vg.Length { return vg.Length(v / top * stripSize) }
	outline, line := []vg.Point{at(from, 0)}, []vg.Point(nil)
	for k := range sums {
		a, b := place(k), place(k+1)
		outline = append(outline, at(a, height(sums[k])), at(b, height(sums[k])))
		line = append(line, at(a, height(want[k])), at(b, height(want[k])))
	}
	c.FillPolygon(sky, append(outline, at(to, 0)))
	axis := draw.LineStyle{Color: black, Width: axisWidth}
	c.StrokeLines(axis, []vg.Point{at(from, 0), at(to, 0)})
	c.StrokeLines(draw.LineStyle{Color: black, Width: stripLine}, line)
}

// pooled are means over blocks, at most maxCells of them.
func pooled(v []float64) []float64 {
	block := (len(v) + maxCells - 1) / maxCells
	if block < 2 {
		return v
	}
	var out []float64
	for i := 0; i < len(v); i += block {
		sum, n := 0.0, min(block, len(v)-i)
		for _, s := range v[i : i+n] {
			sum += s
		}
		out = append(out, sum/float64(n))
	}
	return out
}

// wholeTicks are ticks at whole numbers, which count downwards from last if down is set.
type wholeTicks struct {
	n    int
	last int
	down bool
}

func (t wholeTicks) atMost(n int) fitted { t.n = n; return t }

// Ticks puts them at 1, 2 or 5 times a power of ten, n at most.
func (t wholeTicks) Ticks(lo, hi float64) (out []plot.Tick) {
	n := t.n
	if n == 0 {
		n = 8
	}
	step := 1
	for k := 0; float64(step*n) < hi-lo; k++ {
		step = []int{2, 5, 10}[k%3] * int(math.Pow10(k/3))
	}
	for k := 0; k <= int(max(hi, float64(t.last))); k += step {
		v := float64(k)
		if t.down {
			v = float64(t.last - k)
		}
		if v >= lo && v <= hi {
			out = append(out, plot.Tick{Value: v, Label: strconv.Itoa(k)})
		}
	}
	if t.down { // from below upwards, as those of other axes
		slices.Reverse(out)
	}
	return out
}
