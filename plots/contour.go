package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Of the range of values: a level this near to a saddle is moved by so much.
const (
	saddleNear = .003
	saddleMove = .01
)

// levelLines draws lines of equal value over a grid.
type levelLines struct {
	grid   Grid
	levels []float64
	ramp   ramp
}

// over is the same under another ramp.
func (l levelLines) over(r ramp) plot.Plotter {
	l.ramp = r
	return l
}

// Plot draws each line black where its colour is light, white where it is dark.
func (l levelLines) Plot(c draw.Canvas, p *plot.Plot) {
	for _, v := range l.levels {
		ink := color.NRGBA{255, 255, 255, 200}
		if luminance(l.ramp.at(v)) > .45 {
			ink = color.NRGBA{0, 0, 0, 170}
		}
		path{l.grid.line(v), draw.LineStyle{Color: ink, Width: .7}}.Plot(c, p)
	}
}

// crossing is where a line passes an edge between two neighbours of the grid: the
// edge to the right of (i, j), or upwards.
type crossing struct {
	i, j int
	up   bool
}

// line is the line of one value by marching squares: pieces whose ends lie at the
// border of the grid or of what is known of it, or are their beginnings. A cell in
// which two corners of four are above, across from each other, is decided by the
// value at its saddle, so that lines neither cross nor kink.
func (g Grid) line(v float64) (out []plotter.XYs) {
	next := map[crossing][]crossing{} // neighbours along the line: one or two
	var all []crossing
	join := func(a, b crossing) {
		for _, k := range []crossing{a, b} {
			if len(next[k]) == 0 {
				all = append(all, k)
			}
		}
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	for j := range len(g.Y) - 1 {
		for i := range len(g.X) - 1 {
			for _, s := range g.segments(i, j, v) {
				join(s[0], s[1])
			}
		}
	}
	used := map[crossing]bool{}
	walk := func(k crossing) {
		line := plotter.XYs{g.place(k, v)}
		for first := k; ; {
			used[k] = true
			i := slices.IndexFunc(next[k], func(n crossing) bool { return !used[n] })
			if i < 0 {
				if len(line) > 2 && slices.Contains(next[k], first) {
					line = append(line, line[0])
				}
				break
			}
			k = next[k][i]
			line = append(line, g.place(k, v))
		}
		out = append(out, line)
	}
	for _, ends := range []bool{true, false} { // open lines first, from an end
		for _, k := range all {
			if !used[k] && (!ends || len(next[k]) == 1) {
				walk(k)
			}
		}
	}
	return out
}

// segments are the pieces of the line in the cell whose lower left corner is (i, j).
func (g Grid) segments(i, j int, v float64) [][2]crossing {
	a, b := g.at(i, j)-v, g.at(i+1, j)-v
	d, e := g.at(i, j+1)-v, g.at(i+1, j+1)-v
	if s := a + b + d + e; s-s != 0 {
		return nil
	}
	var p []crossing // bottom, right, top, left
	add := func(s, t float64, k crossing) {
		if (s < 0) != (t < 0) {
			p = append(p, k)
		}
	}
	add(a, b, crossing{i, j, false})
	add(b, e, crossing{i + 1, j, true})
	add(d, e, crossing{i, j + 1, false})
	add(a, d, crossing{i, j, true})
	switch len(p) {
	case 2:
		return [][2]crossing{{p[0], p[1]}}
	case 4:
		if saddle := (a*e - b*d) / (a + e - b - d); (saddle < 0) == (a < 0) {
			return [][2]crossing{{p[0], p[1]}, {p[2], p[3]}} // a and e are joined: b and d are cut off
		}
		return [][2]crossing{{p[0], p[3]}, {p[1], p[2]}}
	}
	return nil
}

// place is where the line passes, linear between the neighbours.
func (g Grid) place(k crossing, v float64) plotter.XY {
	a := g.at(k.i, k.j) - v
	if k.up {
		t := a / (a - (g.at(k.i, k.j+1) - v))
		return plotter.XY{X: g.X[k.i], Y: g.Y[k.j] + t*(g.Y[k.j+1]-g.Y[k.j])}
	}
	t := a / (a - (g.at(k.i+1, k.j) - v))
	return plotter.XY{X: g.X[k.i] + t*(g.X[k.i+1]-g.X[k.i]), Y: g.Y[k.j]}
}

// levels are n values with an equal share of the grid between them; one that comes
// near the value of a saddle is moved, for there the line is a figure of eight.
func (g Grid) levels(n int) (out []float64) {
	var known []float64
	for _, v := range g.Values {
		if v-v == 0 {
			known = append(known, v)
		}
	}
	slices.Sort(known)
	lo, hi := known[0], known[len(known)-1]
	for k := 1; k <= n; k++ {
		at := float64(len(known)-1) * float64(k) / float64(n+1)
		i := int(at)
		v := known[i] + (at-float64(i))*(known[min(i+1, len(known)-1)]-known[i])
		if g.nearSaddle(v, saddleNear*(hi-lo)) {
			v += saddleMove * (hi - lo)
		}
		if v > lo && v < hi && (len(out) == 0 || v > out[len(out)-1]) {
			out = append(out, v)
		}
	}
	return out
}

// nearSaddle tells whether a cell has a saddle whose value is nearer to v than d.
func (g Grid) nearSaddle(v, d float64) bool {
	for j := range len(g.Y) - 1 {
		for i := range len(g.X) - 1 {
			a, b, c, e := g.at(i, j), g.at(i+1, j), g.at(i, j+1), g.at(i+1, j+1)
			if min(a, e) > max(b, c) || min(b, c) > max(a, e) { // false where one is NaN
				if s := (a*e - b*c) / (a + e - b - c); math.Abs(s-v) < d {
					return true
				}
			}
		}
	}
	return false
}
