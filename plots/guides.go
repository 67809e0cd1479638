package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// guides are dashed lines of given slopes through one point, a fan that stands
// where it is clearest of the data. Each has its label at its side.
type guides struct {
	slopes []float64
	scene  *scene
	legend *legend
}

const (
	guideClear = 14 // points from the data that is far enough
	guideSteps = 8  // parts of an axis at which the fan may start
)

func guideStyle() draw.LineStyle {
	return draw.LineStyle{Color: grey, Width: .8, Dashes: []vg.Length{4, 3}}
}

// ends clips the line of one slope through the data point (x, y) to the plot
// area and returns its ends on the canvas.
func ends(slope, x, y float64, c draw.Canvas, p *plot.Plot) (a, b vg.Point) {
	tx, ty := p.Transforms(&c)
	at := func(u float64) vg.Point { return vg.Point{X: tx(u), Y: ty(y + slope*(u-x))} }
	lo, hi := p.X.Min, p.X.Max
	if slope != 0 {
		u, v := x+(p.Y.Min-y)/slope, x+(p.Y.Max-y)/slope
		lo, hi = max(lo, min(u, v)), min(hi, max(u, v))
	}
	return at(lo), at(hi)
}

// lines returns the ends of each guide, all through the point that keeps them
// clearest of the data and of the legend.
func (g *guides) lines(c draw.Canvas, p *plot.Plot) (out [][2]vg.Point) {
	var avoid []vg.Point
	tx, ty := p.Transforms(&c)
	for _, q := range g.scene.points {
		avoid = append(avoid, vg.Point{X: tx(q.X), Y: ty(q.Y)})
	}
	avoid = append(avoid, g.scene.trace(c, p, 8)...)
	if len(g.legend.entries) > 0 {
		r, _ := g.legend.place(c, p)
		for y := r.Min.Y; y <= r.Max.Y; y += 6 {
			avoid = append(avoid, between(vg.Point{X: r.Min.X, Y: y}, vg.Point{X: r.Max.X, Y: y}, 6)...)
		}
	}
	best := -1.
	for k := range 2*guideSteps - 1 {
		x, y := p.X.Min, p.Y.Min
		if k < guideSteps {
			y += (p.Y.Max - p.Y.Min) * float64(k) / guideSteps
		} else {
			x += (p.X.Max - p.X.Min) * float64(k-guideSteps+1) / guideSteps
		}
		var fan [][2]vg.Point
		clear := math.Inf(1)
		for _, s := range g.slopes {
			a, b := ends(s, x, y, c, p)
			fan = append(fan, [2]vg.Point{a, b})
			length := math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))
			clear = min(clear, distance(between(a, b, 6), avoid), length/8)
		}
		if clear = min(clear, guideClear); clear > best {
			best, out = clear, fan
		}
	}
	return out
}

// distance is the smallest one between two sets of points.
func distance(as, bs []vg.Point) float64 {
	d := math.Inf(1)
	for _, a := range as {
		for _, b := range bs {
			d = min(d, math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
		}
	}
	return d
}

func guideText(slope float64) string { return "slope " + number(slope) }

// labels returns where the label of each guide stands: inside the data area,
// off the legend, the data, the guides and the other labels. The second result
// is the first guide that finds no place, or -1.
func (g *guides) labels(c draw.Canvas, p *plot.Plot) (out []vg.Rectangle, none int) {
	lines := g.lines(c, p)
	var taken []vg.Point
	tx, ty := p.Transforms(&c)
	for _, q := range g.scene.points {
		taken = append(taken, vg.Point{X: tx(q.X), Y: ty(q.Y)})
	}
	taken = append(taken, g.scene.trace(c, p, 3)...)
	for _, l := range lines {
		taken = append(taken, between(l[0], l[1], 3)...)
	}
	var legend vg.Rectangle
	if len(g.legend.entries) > 0 {
		legend, _ = g.legend.place(c, p)
	}
	sty := textStyle(tickSize, grey)
	for i, l := range lines {
		size := vg.Point{X: sty.Width(guideText(g.slopes[i])), Y: tickSize}
		r, ok := freePlace(l, size, c.Rectangle, func(r vg.Rectangle) bool {
			if overlap(r, legend) {
				return false
			}
			for _, o := range out {
				if overlap(r, grow(o, 2)) {
					return false
				}
			}
			for _, q := range taken {
				if contains(grow(r, 2), q) {
					return false
				}
			}
			return true
		})
		if !ok {
			return out, i
		}
		out = append(out, r)
	}
	return out, -1
}

// freePlace tries places for a label of the given size beside a line, from its
// upper end down, first below it and then above.
func freePlace(l [2]vg.Point, size vg.Point, area vg.Rectangle, free func(vg.Rectangle) bool) (vg.Rectangle, bool) {
	for t := vg.Length(.95); t > .1; t -= .025 {
		q := vg.Point{X: l[0].X + t*(l[1].X-l[0].X), Y: l[0].Y + t*(l[1].Y-l[0].Y)}
		for _, gap := range []vg.Length{4, 7, 10} {
			below := vg.Point{X: q.X + gap, Y: q.Y - size.Y - gap/2}
			above := vg.Point{X: q.X - size.X - gap, Y: q.Y + gap/2}
			for _, m := range []vg.Point{below, above} {
				r := vg.Rectangle{Min: m, Max: m.Add(size)}
				in := grow(area, -3)
				if contains(in, r.Min) && contains(in, r.Max) && free(r) {
					return r, true
				}
			}
		}
	}
	return vg.Rectangle{}, false
}

// drop takes away a guide whose label finds no place, and reports which.
func (g *guides) drop(area draw.Canvas, p *plot.Plot) (slope float64, dropped bool) {
	if g == nil || len(g.slopes) == 0 {
		return 0, false
	}
	_, i := g.labels(p.DataCanvas(area), p)
	if i < 0 {
		return 0, false
	}
	slope = g.slopes[i]
	g.slopes = append(append([]float64(nil), g.slopes[:i]...), g.slopes[i+1:]...)
	return slope, true
}

// Plot draws the lines; guideLabels draws the labels, over the data.
func (g *guides) Plot(c draw.Canvas, p *plot.Plot) {
	for _, l := range g.lines(c, p) {
		c.StrokeLines(guideStyle(), []vg.Point{l[0], l[1]})
	}
}

type guideLabels struct{ *guides }

// Plot draws the labels.
func (g guideLabels) Plot(c draw.Canvas, p *plot.Plot) {
	sty := textStyle(tickSize, grey)
	sty.XAlign, sty.YAlign = draw.XLeft, draw.YBottom
	places, _ := g.labels(c, p)
	for i, r := range places {
		c.FillText(sty, r.Min, guideText(g.slopes[i]))
	}
}
