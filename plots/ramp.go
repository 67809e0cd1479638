package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// viridis is the ramp of values, by nine of its colours; between them it is linear,
// and its luminance never falls. Source: matplotlib, by Smith and van der Walt, CC0.
var viridis = [9][3]float64{{68, 1, 84}, {71, 45, 123}, {59, 82, 139}, {44, 114, 142}, {33, 145, 140}, {40, 174, 128},
	{94, 201, 98}, {173, 220, 48}, {253, 231, 37}}

// ramp gives values colours: lo the first of viridis, hi the last.
type ramp struct{ lo, hi float64 }

// at is the colour of v; what lies outside takes that of the nearer end.
func (r ramp) at(v float64) color.NRGBA {
	t := .5 // all values are one
	if r.hi > r.lo {
		t = min(max((v-r.lo)/(r.hi-r.lo), 0), 1)
	}
	k := min(int(t*8), 7)
	f := t*8 - float64(k)
	mix := func(c int) uint8 { return uint8(math.Round(viridis[k][c]*(1-f) + viridis[k+1][c]*f)) }
	return color.NRGBA{mix(0), mix(1), mix(2), 255}
}

// luminance is how light a colour is, from 0 to 1.
func luminance(c color.NRGBA) float64 {
	return (.2126*float64(c.R) + .7152*float64(c.G) + .0722*float64(c.B)) / 255
}

// Sizes of the colour bar, in points.
const (
	barGap   = 10 // between it and what stands at its left
	barWidth = 12
	barTick  = 3
)

// bar is the colour bar of a ramp at the right of the data area: a plotter that draws
// outside of it. The composer keeps its room free.
type bar struct {
	ramp  ramp
	ticks fitted
	label label
	off   vg.Length // from the data area to it
}

// labels are its ticks in a height.
func (b bar) labels(height vg.Length) []plot.Tick {
	if b.ramp.hi == b.ramp.lo {
		return []plot.Tick{{Value: b.ramp.lo, Label: number(b.ramp.lo)}}
	}
	return fitTicks(b.ticks, b.ramp.lo, b.ramp.hi, height, tickHeight).Ticks(b.ramp.lo, b.ramp.hi)
}

// tickWidth is the width of the widest label that it may have.
func (b bar) tickWidth() (w vg.Length) {
	sty := textStyle(tickSize, black)
	for h := vg.Length(minArea); h < 2000; h *= 1.3 {
		for _, t := range b.labels(h) {
			w = max(w, sty.Width(t.Label))
		}
	}
	return w
}

// width is the room that it needs, off not counted.
func (b bar) width() vg.Length { return barGap + barWidth + 2*barTick + b.tickWidth() + labelSize*1.5 }

// Plot draws colours, frame, ticks and the label.
func (b bar) Plot(c draw.Canvas, _ *plot.Plot) {
	x0, h := c.Max.X+b.off+barGap, c.Max.Y-c.Min.Y
	x1 := x0 + barWidth
	n := 128
	if b.ramp.hi == b.ramp.lo {
		n = 1
	}
	for k := range n {
		lo, hi := c.Min.Y+h*vg.Length(k)/vg.Length(n), c.Max.Y // each stripe is painted over by the next: no seams
		v := b.ramp.lo + (b.ramp.hi-b.ramp.lo)*(float64(k)+.5)/float64(n)
		c.FillPolygon(b.ramp.at(v), []vg.Point{{X: x0, Y: lo}, {X: x1, Y: lo}, {X: x1, Y: hi}, {X: x0, Y: hi}})
	}
	line := draw.LineStyle{Color: black, Width: axisWidth}
	c.StrokeLines(line, []vg.Point{{X: x0, Y: c.Min.Y}, {X: x1, Y: c.Min.Y}, {X: x1, Y: c.Max.Y}, {X: x0, Y: c.Max.Y},
		{X: x0, Y: c.Min.Y}})
	sty := textStyle(tickSize, black)
	sty.YAlign = draw.YCenter
	for _, t := range b.labels(h) {
		y := c.Min.Y + h/2
		if b.ramp.hi > b.ramp.lo {
			y = c.Min.Y + h*vg.Length((t.Value-b.ramp.lo)/(b.ramp.hi-b.ramp.lo))
		}
		c.StrokeLine2(line, x1, y, x1+barTick, y)
		if t.Label != "" {
			c.FillText(sty, vg.Point{X: x1 + 2*barTick, Y: y + sty.FontExtents().Descent/2}, t.Label)
		}
	}
	sty = textStyle(labelSize, black)
	text := b.label.fit(sty, h)
	sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, draw.XCenter, draw.YTop
	c.FillText(sty, vg.Point{X: x1 + 3*barTick + b.tickWidth(), Y: c.Min.Y + h/2}, text)
}
