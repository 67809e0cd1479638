package plots

import (
	"image"
	"image/color"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// blank is the colour of cells without a value.
var blank = color.NRGBA{226, 226, 226, 255}

// heat paints a grid of cells as one image at the pixels of the picture, each pixel the
// colour of the cell under its middle: the heat map of gonum/plot shows seams, or
// smooths small grids.
type heat struct {
	xs, ys []float64 // edges of the cells, ascending, one more than cells
	value  func(i, j int) (v float64, ok bool)
	ramp   ramp
	dpi    float64
}

// Plot paints the image.
func (h heat) Plot(c draw.Canvas, p *plot.Plot) { show(h, c, p) }

// over is the same under another ramp.
func (h heat) over(r ramp) plot.Plotter {
	h.ramp = r
	return h
}

// image is what Plot paints.
func (h heat) image(c draw.Canvas, p *plot.Plot) tile {
	px := func(v vg.Length) float64 { return float64(v) / 72 * h.dpi }
	x0, y0 := math.Floor(px(c.Min.X)), math.Floor(px(c.Min.Y)) // on the grid of the picture's pixels
	w, n := int(math.Ceil(px(c.Max.X))-x0), int(math.Ceil(px(c.Max.Y))-y0)
	im := image.NewNRGBA(image.Rect(0, 0, w, n))
	cols := places(h.xs, p.X.Min, p.X.Max, w, func(k int) float64 {
		return (x0 + float64(k) + .5 - px(c.Min.X)) / px(c.Max.X-c.Min.X)
	})
	rows := places(h.ys, p.Y.Min, p.Y.Max, n, func(k int) float64 {
		return (y0 + float64(n-k) - .5 - px(c.Min.Y)) / px(c.Max.Y-c.Min.Y)
	})
	for v, j := range rows {
		for u, i := range cols {
			if i < 0 || j < 0 {
				continue
			}
			colour := blank
			if value, ok := h.value(i, j); ok {
				colour = h.ramp.at(value)
			}
			im.SetNRGBA(u, v, colour)
		}
	}
	return tile{im, int(x0), int(y0), h.dpi}
}

// tile is an image at the pixels of a picture, x and y those of its lower left corner.
type tile struct {
	im   *image.NRGBA
	x, y int
	dpi  float64
}

// painter is a plotter that paints one tile.
type painter interface {
	plot.Plotter
	image(c draw.Canvas, p *plot.Plot) tile
}

// show puts the tile of a painter into the picture.
func show(of painter, c draw.Canvas, p *plot.Plot) { of.image(c, p).draw(c) }

func (t tile) draw(c draw.Canvas) {
	at := func(x, y int) vg.Point {
		return vg.Point{X: vg.Length(float64(x) * 72 / t.dpi), Y: vg.Length(float64(y) * 72 / t.dpi)}
	}
	c.DrawImage(vg.Rectangle{Min: at(t.x, t.y), Max: at(t.x+t.im.Rect.Dx(), t.y+t.im.Rect.Dy())}, t.im)
}

// places finds the cell under each of n pixels, -1 outside; share is the place of a
// pixel in the data area, from 0 to 1.
func places(edges []float64, lo, hi float64, n int, share func(k int) float64) []int {
	out := make([]int, n)
	for k := range out {
		f := share(k)
		i := sort.SearchFloat64s(edges, lo+f*(hi-lo)) - 1
		if out[k] = i; f < 0 || f > 1 || i < 0 || i > len(edges)-2 {
			out[k] = -1
		}
	}
	return out
}

// edgesOf are the edges of cells around ascending places: half way between them.
func edgesOf(x []float64) []float64 {
	n := len(x)
	out := make([]float64, n+1)
	for i := 1; i < n; i++ {
		out[i] = x[i-1] + (x[i]-x[i-1])/2
	}
	out[0], out[n] = x[0]-(x[1]-x[0])/2, x[n-1]+(x[n-1]-x[n-2])/2
	return out
}

// dots is the density of the PNG.
func (o Options) dots() float64 {
	if o.Retina {
		return 2 * float64(o.DPI)
	}
	return float64(o.DPI)
}
