package plots

import (
	"cmp"
	"container/heap"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gondola-lab/gondola/cloud"
)

// Plan is a transport plan as [Matching] sees it: n × m, Each calls f for every
// entry that is stored, in an order that is the same each time.
type Plan interface {
	Dims() (n, m int)
	Each(f func(i, j int, p float64))
}

// MatchingOptions tune [Matching]. The zero value is the recommended setting.
type MatchingOptions struct {
	Options
	Axes [2]int // the coordinates to project on, from 0. Both zero means 0 and 1.
}

const (
	maxLines  = 4000 // entries of a plan that are drawn
	faintest  = 64   // entries under 1/64 of the largest are not drawn
	manyDots  = 2000 // points above which they are painted in one image
	planWidth = .7
)

// Matching draws a plan between two clouds in the plane, or in space projected
// on two axes: one line an entry, its opacity its share of the largest entry.
// It draws at most the 4,000 heaviest entries, weak ones first, and none under
// 1/64 of the largest; the caption says how much of the mass that is and how
// far the marginals are from the weights. Sources are discs, targets triangles;
// both axes have one scale. Clouds of one dimension lie on the line y = 0.
//
// Errors: ErrEmpty, ErrShape, ErrPlan, ErrNotFinite, ErrRange, ErrOption,
// ErrRoom.
func Matching(x, y cloud.Cloud, plan Plan, opt MatchingOptions) (*Figure, error) {
	const op = "Matching"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	axes := opt.Axes
	if axes == [2]int{} {
		axes = [2]int{0, 1}
	}
	for i, c := range []cloud.Cloud{x, y} {
		name := "xy"[i : i+1]
		if err := checkCloud(op, name, c, axes); err != nil {
			return nil, err
		}
		if err := checkWeights(op, name, c.W); err != nil {
			return nil, err
		}
	}
	if x.D != y.D {
		return nil, fail(op, ErrShape, "give clouds of one dimension", "x is %d×%d, y is %d×%d", x.N, x.D, y.N, y.D)
	}
	t, err := readPlan(op, plan, x.N, y.N)
	if err != nil {
		return nil, err
	}
	sc := &scene{}
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: sc}, x: newSpan(), y: newSpan(), equal: true}
	m.labels(fmt.Sprintf("Plan from %s to %s", points(x.N), points(y.N)), "xyz"[axes[0]:axes[0]+1],
		"xyz"[axes[1]:axes[1]+1])
	m.xLabel = withUnit(m.xLabel.name, o.Unit) // both axes are coordinates
	from, to := project(x, axes), project(y, axes)
	m.addClouds(from, to)
	for axis, s := range []span{m.x, m.y} {
		if err := checkSpan(op, []string{"the horizontal axis", "the vertical axis"}[axis], s.lo, s.hi); err != nil {
			return nil, err
		}
	}
	m.x.pad(.04)
	m.y.pad(.04)
	m.add(planLines{t.heaviest, t.top, from, to})
	m.addDots(from, to)
	fact := t.fact(x, y)
	m.captions = append(m.captions, sentence(fact))
	if x.N > maxPoints || y.N > maxPoints {
		m.captions = append(m.captions, fmt.Sprintf("Of larger clouds an even sample of %s points.", wholeNumber(maxPoints)))
	}
	m.plot.Add(m.legend)
	return m.finish(func() string { return sentence(m.title) + " " + strings.Join(m.captions, " ") })
}

// project returns the points of c in the plane.
func project(c cloud.Cloud, axes [2]int) plotter.XYs {
	out := make(plotter.XYs, c.N)
	for i := range out {
		row := c.X[i*c.D : (i+1)*c.D]
		if c.D == 1 {
			out[i].X = float64(row[0])
		} else {
			out[i] = plotter.XY{X: float64(row[axes[0]]), Y: float64(row[axes[1]])}
		}
	}
	return out
}

// addClouds counts both clouds into ranges and scene.
func (m *composer) addClouds(clouds ...plotter.XYs) {
	for _, c := range clouds {
		step := 1 + len(c)/20_000 // for the place of the legend so many are enough
		for i, q := range c {
			m.x.add(q.X)
			m.y.add(q.Y)
			if i%step == 0 {
				m.legend.scene.points = append(m.legend.scene.points, q)
			}
		}
	}
}

// addDots adds the points of both clouds and their legend.
func (m *composer) addDots(from, to plotter.XYs) {
	n := max(len(from), len(to))
	r := vg.Length(2.4 * math.Sqrt(min(1, 500/float64(n))))
	styles := []draw.GlyphStyle{{Color: blue, Radius: max(r, .8), Shape: disc},
		{Color: vermilion, Radius: max(r, .8), Shape: pyramid}}
	if n > manyDots {
		m.add(dots{[]plotter.XYs{even(from), even(to)}, styles, m.opt.dots()})
	} else {
		for k, c := range []plotter.XYs{from, to} {
			m.add(glyphs{c, styles[k]})
		}
	}
	for k, name := range []string{"source x", "target y"} {
		g := styles[k]
		g.Radius = glyphRadius
		m.legend.add(name, ": "+points([]int{len(from), len(to)}[k]), nil, &g)
	}
}

// even returns an even sample of at most maxPoints points.
func even(c plotter.XYs) plotter.XYs {
	n := len(c)
	if n <= maxPoints {
		return c
	}
	out := make(plotter.XYs, maxPoints)
	for i := range out {
		out[i] = c[i*(n-1)/(maxPoints-1)]
	}
	return out
}

// link is one entry of a plan.
type link struct {
	i, j int
	p    float64
}

func compareLinks(a, b link) int {
	return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(b.i, a.i), cmp.Compare(b.j, a.j))
}

// lightest is a heap whose root is the first to go.
type lightest []link

func (h lightest) Len() int           { return len(h) }
func (h lightest) Less(a, b int) bool { return compareLinks(h[a], h[b]) < 0 }
func (h lightest) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *lightest) Push(v any)        { *h = append(*h, v.(link)) }
func (h *lightest) Pop() any {
	v := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return v
}

// tally is what a picture keeps of a plan.
type tally struct {
	heaviest   []link // those that are drawn, weak ones first
	entries    int    // above zero
	total, top float64
	rows, cols []float64
}

// readPlan goes through the plan once and keeps its heaviest entries.
func readPlan(op string, plan Plan, n, m int) (t tally, err error) {
	defer guard(op, &err)
	if plan == nil {
		return t, fail(op, ErrEmpty, "give a plan", "the plan is nil")
	}
	if a, b := plan.Dims(); a != n || b != m {
		return t, fail(op, ErrShape, "give the clouds that the plan was made of",
			"the plan is %d×%d, the clouds have %d and %d points", a, b, n, m)
	}
	t.rows, t.cols = make([]float64, n), make([]float64, m)
	var h lightest
	plan.Each(func(i, j int, p float64) {
		if err == nil {
			err = checkEntry(op, i, j, n, m, p)
		}
		if err == nil && p > 0 {
			t.entries++
			t.total += p
			t.top = max(t.top, p)
			t.rows[i] += p
			t.cols[j] += p
			l := link{i, j, p}
			if len(h) < maxLines {
				heap.Push(&h, l)
			} else if compareLinks(l, h[0]) > 0 {
				h[0] = l
				heap.Fix(&h, 0)
			}
		}
	})
	if err == nil {
		err = checkMass(op, t.entries, t.total, t.top)
	}
	if err != nil {
		return t, err
	}
	for _, l := range h {
		if l.p*faintest >= t.top {
			t.heaviest = append(t.heaviest, l)
		}
	}
	slices.SortFunc(t.heaviest, compareLinks)
	return t, nil
}

// fact says what is drawn of the plan and how well it meets the weights.
func (t tally) fact(x, y cloud.Cloud) string {
	shown := 0.
	for _, l := range t.heaviest {
		shown += l.p
	}
	return fmt.Sprintf("%s of %s entries drawn with %s of the mass; marginal error %s in rows, %s in columns",
		wholeNumber(float64(len(t.heaviest))), wholeNumber(float64(t.entries)), percent(shown/t.total),
		number3(marginalError(t.rows, x.W)), number3(marginalError(t.cols, y.W)))
}

// percent writes a share so that only the whole is 100 %.
func percent(v float64) string {
	if v >= 1-1e-12 {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", math.Floor(v*1000)/10)
}

func number3(v float64) string {
	if v < 1e-12 { // rounding
		return "0"
	}
	return number(roundTo(v, 3))
}

// roundTo keeps so many digits.
func roundTo(v float64, digits int) float64 {
	f := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	if v == 0 || math.IsInf(f, 0) {
		return v
	}
	return math.Round(v*f) / f
}

// marginalError is Σ|sum − weight| with both scaled to mass 1.
func marginalError(sums, w []float64) (e float64) {
	total, weights := 0., 0.
	for i, v := range sums {
		total += v
		if w != nil {
			weights += w[i]
		}
	}
	for i, v := range sums {
		want := 1 / float64(len(sums))
		if w != nil {
			want = w[i] / weights
		}
		e += math.Abs(v/total - want)
	}
	return e
}

// planLines draws one line an entry.
type planLines struct {
	links    []link
	top      float64
	from, to plotter.XYs
}

// Plot draws the lines, weak ones first.
func (l planLines) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, e := range l.links {
		a, b := l.from[e.i], l.to[e.j]
		sty := draw.LineStyle{Color: color.NRGBA{dark.R, dark.G, dark.B, uint8(math.Round(255 * e.p / l.top))},
			Width: planWidth}
		c.StrokeLine2(sty, tx(a.X), ty(a.Y), tx(b.X), ty(b.Y))
	}
}

// glyphs draws one glyph a point.
type glyphs struct {
	points plotter.XYs
	style  draw.GlyphStyle
}

// Plot draws the glyphs.
func (g glyphs) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, q := range g.points {
		c.DrawGlyph(g.style, vg.Point{X: tx(q.X), Y: ty(q.Y)})
	}
}
