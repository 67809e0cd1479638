package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"
)

// Grid is values over two parameters: Values[j·len(X)+i] is that at (X[i], Y[j]). X and
// Y ascend; their cells reach half way to the neighbours.
type Grid struct {
	X, Y   []float64
	Values []float64
}

func (g Grid) at(i, j int) float64 { return g.Values[j*len(g.X)+i] }

// LandscapeOptions tune [Landscape]. The zero value is the recommended setting.
type LandscapeOptions struct {
	Options
	Value    string // name of the values, at the colour bar. Empty: "value". Options.Unit is their unit.
	Levels   int    // level lines, 1 to 40. Zero means 10.
	NoLevels bool   // leave the level lines out.
	OneScale bool   // one scale for both axes: where both are lengths, or both angles.
}

// Landscape draws values over two parameters, as of a loss over two shifts: cells in
// viridis with a colour bar, lines of equal value with equal shares of the grid between
// them, and the least value with its place. NaN cells are grey, and the caption counts
// them.
//
// A side has 4 to 512 places. Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrRange,
// ErrOption, ErrRoom.
func Landscape(grid Grid, opt LandscapeOptions) (*Figure, error) {
	const op = "Landscape"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	if err := checkGrid(op, grid); err != nil {
		return nil, err
	}
	if opt.Levels < 0 || opt.Levels > maxLevels {
		return nil, fail(op, ErrOption, "give 1 to 40 lines, or set NoLevels", "Levels is %d", opt.Levels)
	}
	xs, ys := edgesOf(grid.X), edgesOf(grid.Y)
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: &scene{}}, crop: opt.OneScale,
		x: span{xs[0], xs[len(xs)-1]}, y: span{ys[0], ys[len(ys)-1]}}
	name := orText(opt.Value, "value")
	m.labels("Landscape of the "+name, "x", "y")
	value := withUnit(name, o.Unit)
	m.yLabel = withUnit(orText(o.YLabel, "y"), "") // Unit is of the values
	low, high, bare := grid.ends()
	r := ramp{grid.Values[low], grid.Values[high]}
	if err := checkSpan(op, "the value", r.lo, r.hi); err != nil {
		return nil, err
	}
	m.add(heat{xs, ys, func(i, j int) (float64, bool) {
		v := grid.at(i, j)
		return v, v == v
	}, r, o.dots()})
	if !opt.NoLevels && r.hi > r.lo {
		n := opt.Levels
		if n == 0 {
			n = 10
		}
		m.add(levelLines{grid, grid.levels(n), r})
	}
	b := bar{ramp: r, ticks: linearTicks{}, label: value}
	m.addBar(b)
	x, y := grid.X[low%len(grid.X)], grid.Y[low/len(grid.X)]
	glyph := draw.GlyphStyle{Color: vermilion, Radius: glyphRadius + 1, Shape: ring}
	m.add(marks{[]sample{{x: x, y: y}}, glyph})
	m.legend.scene.points = append(m.legend.scene.points, xy(x, y))
	least := fmt.Sprintf("%s at (%s, %s)", number(r.lo), number(x), number(y))
	m.legend.add("minimum", ": "+least, nil, &glyph)
	if bare > 0 {
		m.captions = append(m.captions, fmt.Sprintf("%s grey: not a number.", cells(bare)))
	}
	m.plot.Add(m.legend)
	most := fmt.Sprintf("%s at (%s, %s)", number(r.hi), number(grid.X[high%len(grid.X)]), number(grid.Y[high/len(grid.X)]))
	return m.finish(func() string {
		return fmt.Sprintf("%s %s over %s and %s, %d × %d: least %s, most %s. %s", sentence(m.title), value, m.xLabel, m.yLabel,
			len(grid.X), len(grid.Y), least, most, join(m.captions))
	})
}

// ends are the places of the least and the largest value, the first of equals, and how
// many values are NaN.
func (g Grid) ends() (low, high, bare int) {
	low, high = -1, -1
	for k, v := range g.Values {
		switch {
		case v != v:
			bare++
			continue
		case low < 0:
			low, high = k, k
		case v < g.Values[low]:
			low = k
		case v > g.Values[high]:
			high = k
		}
	}
	return low, high, bare
}

func cells(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return wholeNumber(float64(n)) + " cells"
}
