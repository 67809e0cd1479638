package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one measured curve. Loss gives it the fixed look of a loss: emd,
// sinkhorn, sinkhorn-biased, apml-dense, apml, apml-reference, chamfer,
// chamfer-l1, dcd, hypercd or infocd; empty, it takes a look that is free.
type Curve struct {
	Name string    // as the legend has it
	Loss string    // picks colour, glyph and dash
	X, Y []float64 // as many of both
	Err  []float64 // half length of the error bar of each Y, or nil
}

// sample is a point of a curve that is drawn. gap says that points before it
// were left out.
type sample struct {
	x, y, err float64
	gap       bool
}

type series struct {
	curve  Curve
	name   string
	points []sample
	look   look
}

// thin keeps at most maxPoints of a long curve, evenly, and says whether it
// left some out.
func (s *series) thin() bool {
	n := len(s.points)
	if n <= maxPoints {
		return false
	}
	kept := make([]sample, maxPoints)
	for i := range kept {
		kept[i] = s.points[i*(n-1)/(maxPoints-1)]
	}
	s.points = kept
	return true
}

// marks draws one glyph a point, and error bars where there are any.
type marks struct {
	points []sample
	style  draw.GlyphStyle
}

// Plot draws the marks. An error bar ends at the edge of the data area.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	bar := draw.LineStyle{Color: m.style.Color, Width: .8}
	for _, s := range m.points {
		if s.err > 0 {
			x, lo, hi := tx(s.x), ty(max(s.y-s.err, p.Y.Min)), ty(min(s.y+s.err, p.Y.Max))
			c.StrokeLine2(bar, x, lo, x, hi)
			for _, y := range []vg.Length{lo, hi} {
				c.StrokeLine2(bar, x-2, y, x+2, y)
			}
		}
		c.DrawGlyph(m.style, vg.Point{X: tx(s.x), Y: ty(s.y)})
	}
}

// path draws lines through points in data coordinates.
type path struct {
	lines []plotter.XYs
	style draw.LineStyle
}

// Plot draws the lines. Of a very long one it keeps what the picture can show:
// in each column of half a point the first, the lowest, the highest and the
// last point.
func (l path) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, line := range l.lines {
		pts := make([]vg.Point, len(line))
		for i, q := range line {
			pts[i] = vg.Point{X: tx(q.X), Y: ty(q.Y)}
		}
		if len(pts) > 4000 {
			pts = columns(pts, .5)
		}
		c.StrokeLines(l.style, pts)
	}
}

// columns thins a line whose points ascend in X.
func columns(pts []vg.Point, width vg.Length) (out []vg.Point) {
	for i := 0; i < len(pts); {
		col := math.Floor(float64(pts[i].X / width))
		lo, hi, j := i, i, i
		for ; j < len(pts) && math.Floor(float64(pts[j].X/width)) == col; j++ {
			if pts[j].Y < pts[lo].Y {
				lo = j
			}
			if pts[j].Y > pts[hi].Y {
				hi = j
			}
		}
		for last, k := range []int{i, min(lo, hi), max(lo, hi), j - 1} {
			if last == 0 || out[len(out)-1] != pts[k] {
				out = append(out, pts[k])
			}
		}
		i = j
	}
	return out
}

// logBars draws error bars of plain values on an axis of logarithms.
type logBars struct {
	points []sample
	look   look
}

// Plot draws the bars; where the error is as large as the value the bar runs
// to the edge of the data area.
func (b logBars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	sty := draw.LineStyle{Color: b.look.colour, Width: .8}
	for _, s := range b.points {
		if s.err <= 0 {
			continue
		}
		x, hi, lo := tx(math.Log10(s.x)), ty(min(math.Log10(s.y+s.err), p.Y.Max)), c.Min.Y
		if s.err < s.y {
			lo = max(lo, ty(math.Log10(s.y-s.err)))
			c.StrokeLine2(sty, x-2, lo, x+2, lo)
		}
		c.StrokeLine2(sty, x, lo, x, hi)
		c.StrokeLine2(sty, x-2, hi, x+2, hi)
	}
}
