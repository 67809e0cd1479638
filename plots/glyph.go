package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// glyph is the shape of a point. Open shapes are stroked at 1 point: those of
// gonum/plot have half of that and fade at this size.
type glyph int

const (
	disc glyph = iota
	ring
	square
	triangle
	pyramid
	cross
	plus
	star
	diamond
	struck // a diamond crossed out
)

const glyphStroke = 1

// DrawGlyph draws the shape at pt with the radius and the colour of sty.
func (g glyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	r := sty.Radius
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: glyphStroke})
	switch g {
	case disc, ring:
		if g == disc {
			c.Fill(circle(pt, r))
		} else {
			c.Stroke(circle(pt, r))
		}
	case square:
		c.Stroke(polygon(pt, r*1.2, 4, math.Pi/4))
	case triangle:
		c.Stroke(polygon(pt, r*1.2, 3, math.Pi/2))
	case pyramid:
		c.Fill(polygon(pt, r*1.2, 3, math.Pi/2))
	case diamond, struck:
		c.Stroke(polygon(pt, r*1.25, 4, 0))
		if g == struck {
			spokes(c, pt, r*2, 4, math.Pi/4)
		}
	case cross:
		spokes(c, pt, r*1.1, 4, math.Pi/4)
	case plus:
		spokes(c, pt, r*1.1, 4, 0)
	case star:
		spokes(c, pt, r*1.1, 6, math.Pi/2)
	}
}

func corner(pt vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: pt.X + r*vg.Length(cos), Y: pt.Y + r*vg.Length(sin)}
}

// circle is four cubic curves, 0.03 % off a circle: the arcs of the PDF writer
// of gonum/plot leave specks beside the circle.
func circle(pt vg.Point, r vg.Length) (p vg.Path) {
	const k = .5522847498 // 4/3·(√2 − 1)
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: pt.X + r*x, Y: pt.Y + r*y} }
	p.Move(at(1, 0))
	p.CubeTo(at(1, k), at(k, 1), at(0, 1))
	p.CubeTo(at(-k, 1), at(-1, k), at(-1, 0))
	p.CubeTo(at(-1, -k), at(-k, -1), at(0, -1))
	p.CubeTo(at(k, -1), at(1, -k), at(1, 0))
	p.Close()
	return p
}

func polygon(pt vg.Point, r vg.Length, n int, from float64) (p vg.Path) {
	p.Move(corner(pt, r, from))
	for i := 1; i < n; i++ {
		p.Line(corner(pt, r, from+2*math.Pi*float64(i)/float64(n)))
	}
	p.Close()
	return p
}

func spokes(c *draw.Canvas, pt vg.Point, r vg.Length, n int, from float64) {
	for i := range n / 2 {
		a := from + 2*math.Pi*float64(i)/float64(n)
		var p vg.Path
		p.Move(corner(pt, r, a))
		p.Line(corner(pt, r, a+math.Pi))
		c.Stroke(p)
	}
}
