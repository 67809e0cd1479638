package plots

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Published are points of another source in a [Scaling] picture: open grey
// diamonds, never joined with a curve of ours, with the source in the caption.
type Published struct {
	Name    string // what they measure, as in "dense"
	Source  string // where they are from, for the caption
	X, Y    []float64
	Crossed []int  // points that are drawn crossed out
	Reason  string // why they are crossed out, for the caption
}

// ScalingOptions tune [Scaling]. The zero value is the recommended setting.
type ScalingOptions struct {
	Options
	From      float64     // smallest N of the fits: below it fixed costs are measured. Zero means all points.
	Guides    []float64   // slopes of the dashed guides. Nil means 1 and 2; empty, none.
	Published []Published // points of other sources.
	NoFit     bool        // leave the fitted lines and exponents out.
}

// Scaling draws values over the size N, both axes logarithmic: the measured
// points, a fitted power of N for each curve with its exponent ± standard error
// in the legend, and dashed guides of slope 1 and 2. The fit is least squares
// on the logarithms over the points with N ≥ From; two points give no error.
//
// Each curve has 1 to 64 points with N and value above 0; curves are at most
// 12. Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrLog, ErrRange, ErrOption,
// ErrTooMany, ErrRoom.
func Scaling(curves []Curve, opt ScalingOptions) (*Figure, error) {
	const op = "Scaling"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	ss, dropped, err := checkCurves(op, curves, o, logAxes{true, true})
	if err == nil {
		err = checkScaling(op, ss, opt)
	}
	if err == nil {
		err = looks(op, ss)
	}
	if err != nil {
		return nil, err
	}
	sc := &scene{}
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: sc}, x: newSpan(), y: newSpan()}
	m.plot.X.Tick.Marker, m.plot.Y.Tick.Marker = logTicks{}, logTicks{}
	m.labels("Scaling of "+names(ss), "points per cloud N (count)", "value")
	m.guides = &guides{slopes: opt.Guides, scene: sc, legend: m.legend}
	if opt.Guides == nil {
		m.guides.slopes = []float64{1, 2}
	}
	m.plot.Add(m.guides)
	var facts []string
	fits := 0
	for _, s := range ss {
		fact, fitted := m.addScaling(s, opt)
		facts = append(facts, fact)
		fits += fitted
	}
	facts = append(facts, m.addPublished(opt.Published)...)
	if err := m.checkSpans(ss, opt.Published); err != nil {
		return nil, err
	}
	m.x.padLog(.05)
	m.y.padLog(.06)
	if opt.From > 0 && fits > 0 {
		m.captions = append(m.captions, fmt.Sprintf("Exponents: least squares over N ≥ %s.", wholeNumber(opt.From)))
	}
	for _, p := range opt.Published {
		m.captions = append(m.captions, p.caption()...)
	}
	m.dropped(dropped)
	m.plot.Add(guideLabels{m.guides}, m.legend)
	return m.finish(func() string { return m.sentence(facts) })
}

// checkScaling refuses what is special to Scaling.
func checkScaling(op string, ss []series, opt ScalingOptions) error {
	if err := checkFrom(op, opt.From); err != nil {
		return err
	}
	for _, g := range opt.Guides {
		if math.IsNaN(g) || math.Abs(g) > 100 {
			return fail(op, ErrOption, "give slopes such as 1 and 2", "a guide of slope %g", g)
		}
	}
	for _, s := range ss {
		if n := len(s.curve.X); n > maxScaling {
			return fail(op, ErrRange, "give fewer sizes, or draw the curve by plots.Line", "curve %q has %d points, at most %d",
				s.name, n, maxScaling)
		}
	}
	for _, p := range opt.Published {
		c := Curve{Name: p.Name, X: p.X, Y: p.Y}
		if _, _, err := checkCurves(op, []Curve{c}, Options{}, logAxes{true, true}); err != nil {
			return err
		}
		for _, i := range p.Crossed {
			if i < 0 || i >= len(p.X) {
				return fail(op, ErrOption, "count the points from 0", "published %q has %d points, Crossed names point %d",
					clean(p.Name), len(p.X), i)
			}
		}
	}
	return nil
}

// checkSpans refuses values that differ by rounding only.
func (m *composer) checkSpans(ss []series, ps []Published) error {
	x, y := newSpan(), newSpan()
	for _, s := range ss {
		for _, q := range s.points {
			x.add(q.x)
			y.add(q.y)
		}
	}
	for _, p := range ps {
		for i := range p.X {
			x.add(p.X[i])
			y.add(p.Y[i])
		}
	}
	if err := checkSpan(m.op, "N", x.lo, x.hi); err != nil {
		return err
	}
	return checkSpan(m.op, "the value", y.lo, y.hi)
}

// addScaling adds one curve and returns its sentence and how many fits it has.
func (m *composer) addScaling(s series, opt ScalingOptions) (fact string, fits int) {
	g := draw.GlyphStyle{Color: s.look.colour, Radius: glyphRadius, Shape: s.look.glyph}
	var logs []sample
	var last sample
	for _, q := range s.points {
		if q.x >= last.x {
			last = q
		}
		l := sample{x: math.Log10(q.x), y: math.Log10(q.y)}
		logs = append(logs, l)
		m.see(l.x, l.y)
	}
	fact = fmt.Sprintf("%s: %s at N = %s", s.name, number(last.y), wholeNumber(last.x))
	f, ok := fitPower(logs, opt.From)
	if ok && !opt.NoFit {
		line := s.look.line()
		ends := plotter.XYs{{X: f.lo, Y: f.at(f.lo)}, {X: f.hi, Y: f.at(f.hi)}}
		m.y.add(ends[0].Y)
		m.y.add(ends[1].Y)
		m.legend.scene.lines = append(m.legend.scene.lines, ends)
		m.add(path{[]plotter.XYs{ends}, line})
		m.legend.add(s.name, ": exponent "+f.String(), &line, &g)
		fact += fmt.Sprintf(", exponent %s over N = %s to %s (%d points)", f, wholeNumber(math.Round(math.Pow(10, f.lo))),
			wholeNumber(math.Round(math.Pow(10, f.hi))), f.n)
		fits = 1
	} else if opt.NoFit {
		m.legend.add(s.name, "", nil, &g)
	} else {
		m.legend.add(s.name, ": no fit", nil, &g)
		fact += ", no fit: fewer than two sizes in its range"
	}
	m.add(logBars{s.points, s.look}, marks{logs, g})
	for _, q := range s.points {
		if q.err > 0 {
			lo := math.Log10(q.y) - 1 // an error as large as the value has no lower end
			if q.err < q.y {
				lo = max(lo, math.Log10(q.y-q.err))
			}
			x, hi := math.Log10(q.x), math.Log10(q.y+q.err)
			m.y.add(lo)
			m.y.add(hi)
			m.legend.scene.lines = append(m.legend.scene.lines, plotter.XYs{{X: x, Y: lo}, {X: x, Y: hi}})
		}
	}
	return fact, fits
}

// addPublished adds the points of other sources and returns their sentences.
func (m *composer) addPublished(ps []Published) (facts []string) {
	g := draw.GlyphStyle{Color: grey, Radius: glyphRadius, Shape: diamond}
	var of []string
	for _, p := range ps {
		crossed := map[int]bool{}
		for _, i := range p.Crossed {
			crossed[i] = true
		}
		for i := range p.X {
			q := sample{x: math.Log10(p.X[i]), y: math.Log10(p.Y[i])}
			m.see(q.x, q.y)
			style := g
			if crossed[i] {
				style.Shape = struck
			}
			m.add(marks{[]sample{q}, style})
		}
		name := strings.TrimSpace("published " + clean(p.Name))
		fact := fmt.Sprintf("%s: %d points", name, len(p.X))
		if len(crossed) > 0 {
			fact += fmt.Sprintf(", %d crossed out", len(crossed))
		}
		facts = append(facts, fact)
		if n := clean(p.Name); n != "" {
			of = append(of, n)
		}
	}
	if len(ps) > 0 {
		name := "published"
		if len(of) > 0 {
			name += ": " + list(of)
		}
		m.legend.add(name, "", nil, &g)
	}
	return facts
}

func (p Published) caption() (out []string) {
	if s := clean(p.Source); s != "" {
		out = append(out, sentence("Published"+strings.TrimRight(" "+clean(p.Name), " ")+": "+s))
	}
	if r := clean(p.Reason); r != "" && len(p.Crossed) > 0 {
		out = append(out, sentence("Crossed out: "+r))
	}
	return out
}
