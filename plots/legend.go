package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the legend, in points.
const (
	maxCorner   = 6  // entries of a legend in a corner; more stand beside the data
	legendPad   = 5  // inside the frame
	legendMark  = 24 // width of a mark
	legendInset = 8  // from the axes
	legendRow   = tickSize * 1.45
)

var white = color.Gray{Y: 255}

// entry is a row of the legend. A long name is shortened, the tail never: it
// has the numbers.
type entry struct {
	name, tail string
	line       *draw.LineStyle // nil: none
	glyph      *draw.GlyphStyle
	shown      string // name and tail as they fit
}

// legend is a framed box on an opaque ground, in the corner that hides the
// fewest points, or at the right of the data area. That of gonum/plot has no
// frame and no ground, and cuts its marks. It is a plotter: add it last.
type legend struct {
	entries []entry
	scene   *scene
	side    bool
	off     vg.Length // from the data, of a legend beside them
}

func (l *legend) add(name, tail string, line *draw.LineStyle, g *draw.GlyphStyle) {
	l.entries = append(l.entries, entry{name: name, tail: tail, line: line, glyph: g})
}

// fit shortens the names so that the box is at most w wide if it can be, and
// returns the width that it has.
func (l *legend) fit(w vg.Length) vg.Length {
	sty := textStyle(tickSize, black)
	for i := range l.entries {
		e := &l.entries[i]
		name := shorten(e.name, sty, min(w-legendMark-3*legendPad-sty.Width(e.tail), 200))
		e.shown = name + e.tail
	}
	return l.size().X
}

func (l *legend) size() vg.Point {
	sty := textStyle(tickSize, black)
	var w vg.Length
	for _, e := range l.entries {
		w = max(w, sty.Width(e.shown))
	}
	return vg.Point{X: w + legendMark + 3*legendPad, Y: legendRow*vg.Length(len(l.entries)) + 2*legendPad}
}

// corners are the four places of the box in a data area, the first is the best
// of equals.
func (l *legend) corners(c draw.Canvas) (out [4]vg.Rectangle) {
	s := l.size()
	left, right := c.Min.X+legendInset, c.Max.X-legendInset-s.X
	low, high := c.Min.Y+legendInset, c.Max.Y-legendInset-s.Y
	for i, m := range [4]vg.Point{{X: left, Y: high}, {X: right, Y: high}, {X: right, Y: low}, {X: left, Y: low}} {
		out[i] = vg.Rectangle{Min: m, Max: m.Add(s)}
	}
	return out
}

// place returns the box in the data area c and how many points it hides. Of
// corners that hide as many points, the one that hides least of the lines wins.
func (l *legend) place(c draw.Canvas, p *plot.Plot) (r vg.Rectangle, hidden int) {
	if l.side {
		m := vg.Point{X: c.Max.X + l.off + sideGap, Y: c.Max.Y - l.size().Y}
		return vg.Rectangle{Min: m, Max: m.Add(l.size())}, 0
	}
	trace := l.scene.trace(c, p, 4)
	best := [2]int{math.MaxInt, math.MaxInt}
	for _, box := range l.corners(c) {
		near := grow(box, glyphRadius+1)
		cost := [2]int{l.scene.inside(near, c, p), 0}
		for _, q := range trace {
			if contains(near, q) {
				cost[1]++
			}
		}
		if cost[0] < best[0] || cost[0] == best[0] && cost[1] < best[1] {
			best, r = cost, box
		}
	}
	return r, best[0]
}

// Plot draws the box.
func (l *legend) Plot(c draw.Canvas, p *plot.Plot) {
	if len(l.entries) == 0 {
		return
	}
	r, _ := l.place(c, p)
	frame := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
	c.FillPolygon(white, frame)
	c.StrokeLines(draw.LineStyle{Color: color.Gray{Y: 170}, Width: gridWidth}, frame)
	sty := textStyle(tickSize, black)
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	for i, e := range l.entries {
		y := r.Max.Y - legendPad - legendRow*(vg.Length(i)+.5)
		x := r.Min.X + legendPad
		if e.line != nil {
			c.StrokeLine2(*e.line, x, y, x+legendMark, y)
		}
		if e.glyph != nil {
			c.DrawGlyphNoClip(*e.glyph, vg.Point{X: x + legendMark/2, Y: y})
		}
		c.FillText(sty, vg.Point{X: x + legendMark + legendPad, Y: y + sty.FontExtents().Descent/2}, e.shown)
	}
}
