package plots

import (
	"image"
	stddraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sheet is a picture of several plots: the data areas lie where they are told, texts and
// what else there is beside them.
type sheet struct {
	parts []*part
	notes []note
	marks []sheetMark
	bar   *bar // of colours, beside all parts; nil: none
	dpi   float64
}

// part is one plot of a sheet.
type part struct {
	plot   *plot.Plot // without ground and grid
	area   vg.Rectangle
	images []painter // that lie below all else
}

// note is a text of a sheet.
type note struct {
	style text.Style
	at    vg.Point
	text  string
}

// sheetMark is a mark of the legend of a sheet; at is its left end.
type sheetMark struct {
	entry
	at vg.Point
}

// newPart is a plot of some layers. Those that paint images lie below the others.
func newPart(layers []plot.Plotter) *part {
	p := &part{plot: barePlot()}
	p.plot.BackgroundColor = nil
	p.plot.X.Label.Text, p.plot.Y.Label.Text = "", ""
	for _, l := range layers {
		if im, ok := l.(painter); ok {
			p.images = append(p.images, im)
		} else {
			p.plot.Add(l)
		}
	}
	return p
}

// insets are what the axes take at the left of the data and below them.
func (p *part) insets() (left, bottom vg.Length) {
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 1000, Y: 1000}}}
	d := p.plot.DataCanvas(c)
	return d.Min.X, d.Min.Y
}

// draw paints grids, images and then all else. The images of all parts are one, for a
// PDF keeps several in any order.
func (s *sheet) draw(c draw.Canvas) {
	var tiles []tile
	for _, p := range s.parts {
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: p.area}
		newGrid().Plot(area, p.plot)
		for _, im := range p.images {
			tiles = append(tiles, im.image(area, p.plot))
		}
	}
	if len(tiles) > 0 {
		joined(tiles).draw(c)
	}
	for _, p := range s.parts {
		left, bottom := p.insets()
		whole := p.area
		whole.Min.X -= left
		whole.Min.Y -= bottom
		p.plot.Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: whole})
	}
	if s.bar != nil {
		s.bar.Plot(draw.Canvas{Canvas: c.Canvas, Rectangle: s.area()}, nil)
	}
	for _, m := range s.marks {
		m.draw(c)
	}
	for _, n := range s.notes {
		c.FillText(n.style, n.at, n.text)
	}
}

// area is the rectangle around all data.
func (s *sheet) area() vg.Rectangle {
	all := s.parts[0].area
	for _, p := range s.parts[1:] {
		all.Min.X, all.Min.Y = min(all.Min.X, p.area.Min.X), min(all.Min.Y, p.area.Min.Y)
		all.Max.X, all.Max.Y = max(all.Max.X, p.area.Max.X), max(all.Max.Y, p.area.Max.Y)
	}
	return all
}

// joined is one image of all tiles, later ones over earlier.
func joined(tiles []tile) tile {
	x0, y0, x1, y1 := math.MaxInt, math.MaxInt, math.MinInt, math.MinInt
	for _, t := range tiles {
		x0, y0 = min(x0, t.x), min(y0, t.y)
		x1, y1 = max(x1, t.x+t.im.Rect.Dx()), max(y1, t.y+t.im.Rect.Dy())
	}
	out := tile{image.NewNRGBA(image.Rect(0, 0, x1-x0, y1-y0)), x0, y0, tiles[0].dpi}
	for _, t := range tiles {
		upper := image.Pt(t.x-x0, y1-t.y-t.im.Rect.Dy())
		stddraw.Draw(out.im, t.im.Rect.Add(upper), t.im, image.Point{}, stddraw.Over)
	}
	return out
}

// draw draws line, glyph and name side by side.
func (m sheetMark) draw(c draw.Canvas) {
	if m.line != nil {
		c.StrokeLine2(*m.line, m.at.X, m.at.Y, m.at.X+legendMark, m.at.Y)
	}
	if m.glyph != nil {
		c.DrawGlyphNoClip(*m.glyph, vg.Point{X: m.at.X + legendMark/2, Y: m.at.Y})
	}
	sty := legendStyle()
	c.FillText(sty, vg.Point{X: m.at.X + legendMark + legendPad, Y: m.at.Y + sty.FontExtents().Descent/2}, m.shown)
}

// legendStyle is that of the names in a legend.
func legendStyle() text.Style {
	sty := textStyle(tickSize, black)
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YCenter
	return sty
}

// ticked fits the ticks of both axes to the data area, and takes the labels of an axis
// away that does not show them.
func (p *part) ticked(x, y plot.Ticker, size vg.Point, showX, showY bool) {
	fit := func(a *plot.Axis, t plot.Ticker, length vg.Length, need func(string) vg.Length, shown bool) {
		if f, ok := t.(fitted); ok {
			t = fitTicks(f, a.Min, a.Max, length, need)
		}
		if a.Tick.Marker = t; !shown {
			a.Tick.Marker = unlabelled{t}
		}
	}
	fit(&p.plot.X, x, size.X, func(t string) vg.Length { return p.plot.X.Tick.Label.Width(t) + tickGap }, showX)
	fit(&p.plot.Y, y, size.Y, tickHeight, showY)
}

// unlabelled are ticks without their labels.
type unlabelled struct{ of plot.Ticker }

// Ticks are those of the other, bare.
func (u unlabelled) Ticks(lo, hi float64) (out []plot.Tick) {
	for _, t := range u.of.Ticks(lo, hi) {
		out = append(out, plot.Tick{Value: t.Value})
	}
	return out
}

// overhang is how far the labels of the horizontal axis stand out at its ends.
func (p *part) overhang(width vg.Length) (left, right vg.Length) {
	a := &p.plot.X
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		if t.Label == "" || t.Value < a.Min || t.Value > a.Max {
			continue
		}
		at, half := width*vg.Length((t.Value-a.Min)/(a.Max-a.Min)), a.Tick.Label.Width(t.Label)/2
		left, right = max(left, half-at), max(right, at+half-width)
	}
	return left, right
}
