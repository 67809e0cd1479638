package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LineOptions tune [Line]. The zero value is the recommended setting.
type LineOptions struct {
	Options
	Relative bool    // divide each curve by its value at the point nearest to At, so that losses of different units share an axis.
	At       float64 // the place for Relative, a value of X.
	Joined   bool    // join over jumps too: for a smooth curve with one steep part.
	LogX     bool    // a logarithmic X axis. Not with error bars.
	LogY     bool    // a logarithmic Y axis. Not with error bars.
	Marks    []Mark  // values to compare with.
}

// Mark is a value that curves are compared with: a dashed line across the picture.
type Mark struct {
	Name string
	Y    float64
}

const (
	jumpFactor = 8  // a change of more than this many median changes is a jump
	maxGlyphs  = 40 // points of a curve that get a glyph each
)

// Line draws curves over one parameter: a shift, an angle, a size. Both axes are
// linear unless LogX or LogY is set. Jumps are gaps and not steep lines: the line breaks where a change is
// more than 8 times the median change of its curve, and the caption says how
// often. Points are joined in the order of X.
//
// Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrLog, ErrRange, ErrOption, ErrTooMany,
// ErrRoom.
func Line(curves []Curve, opt LineOptions) (*Figure, error) {
	const op = "Line"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	log := logAxes{opt.LogX, opt.LogY}
	ss, dropped, err := checkCurves(op, curves, o, log)
	if err == nil {
		err = checkLine(op, curves, opt)
	}
	if err == nil {
		err = looks(op, ss)
	}
	if err != nil {
		return nil, err
	}
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: &scene{}}, x: newSpan(), y: newSpan(), log: log}
	m.labels(names(ss), "x", "value")
	if log.x {
		m.plot.X.Tick.Marker = logTicks{}
	}
	if log.y {
		m.plot.Y.Tick.Marker = logTicks{}
	}
	if opt.Relative && o.YLabel == "" {
		m.yLabel = withUnit("value / value at x = "+number(opt.At), "")
	}
	var facts []string
	jumps := 0
	for _, s := range ss {
		slices.SortStableFunc(s.points, func(a, b sample) int { return cmp.Compare(a.x, b.x) })
		if s.thin() {
			m.captions = append(m.captions, fmt.Sprintf("%s: an even sample of %s points.", s.name, wholeNumber(maxPoints)))
		}
		if opt.Relative {
			if err := s.divide(op, opt.At); err != nil {
				return nil, err
			}
		}
		s.takeLogs(log)
		fact, n := m.addLine(s, opt.Joined, len(ss) > 1 || len(opt.Marks) > 0)
		facts, jumps = append(facts, fact), jumps+n
	}
	facts = append(facts, m.addMarks(opt.Marks)...)
	if err := checkSpan(op, "X", m.x.lo, m.x.hi); err != nil {
		return nil, err
	}
	if err := checkSpan(op, "Y", m.y.lo, m.y.hi); err != nil {
		return nil, err
	}
	m.x.padFor(log.x, .03)
	m.y.padFor(log.y, .05)
	if jumps > 0 {
		word := "jumps are gaps"
		if jumps == 1 {
			word = "jump is a gap"
		}
		m.captions = append(m.captions, fmt.Sprintf("%d %s in the line.", jumps, word))
	}
	m.dropped(dropped)
	m.plot.Add(m.legend)
	return m.finish(func() string { return m.sentence(facts) })
}

// divide makes the curve relative to its value at the point nearest to x.
func (s *series) divide(op string, x float64) error {
	near := s.points[0]
	for _, q := range s.points {
		if math.Abs(q.x-x) < math.Abs(near.x-x) {
			near = q
		}
	}
	if near.y == 0 || math.IsNaN(x) {
		return fail(op, ErrOption, "choose another At", "curve %q is %g at x = %g: it cannot be divided by that", s.name,
			near.y, near.x)
	}
	for i := range s.points {
		q := &s.points[i]
		q.y, q.err = q.y/near.y, math.Abs(q.err/near.y)
		if math.Abs(q.y) > maxMagnitude {
			return fail(op, ErrRange, "choose another At", "curve %q, point %d is %g times its value at x = %g", s.name, i, q.y,
				near.x)
		}
	}
	return nil
}

// addLine adds one curve and returns its sentence and how many jumps it has.
func (m *composer) addLine(s series, joined, named bool) (fact string, jumps int) {
	lines, jumps := pieces(s.points, joined)
	style := s.look.line()
	var alone []sample
	least, most := s.points[0], s.points[0]
	for _, q := range s.points {
		m.see(q.x, q.y)
		if q.err > 0 {
			m.y.add(q.y - q.err)
			m.y.add(q.y + q.err)
		}
		if q.y < least.y {
			least = q
		}
		if q.y > most.y {
			most = q
		}
	}
	for _, l := range lines {
		if len(l) == 1 { // a line of one point has no length
			alone = append(alone, sample{x: l[0].X, y: l[0].Y})
		}
	}
	m.legend.scene.lines = append(m.legend.scene.lines, lines...)
	m.add(path{lines, style})
	shape := draw.GlyphStyle{Color: s.look.colour, Radius: glyphRadius, Shape: s.look.glyph}
	var glyph *draw.GlyphStyle
	switch {
	case len(s.points) <= maxGlyphs || s.curve.Err != nil:
		m.add(marks{s.points, shape})
		glyph = &shape
	case len(alone) > 0:
		m.add(marks{alone, shape})
		glyph = &shape
	}
	if named || s.name != "" {
		m.legend.add(s.name, "", &style, glyph)
	}
	name := s.name
	if name == "" {
		name = "the curve"
	}
	return fmt.Sprintf("%s has %s, least %s at %s, most %s at %s", name, points(len(s.points)),
		m.log.number(false, least.y), m.log.number(true, least.x), m.log.number(false, most.y), m.log.number(true, most.x)), jumps
}

// takeLogs turns values on logarithmic axes into their logarithms.
func (s *series) takeLogs(log logAxes) {
	for i := range s.points {
		q := &s.points[i]
		if log.x {
			q.x = math.Log10(q.x)
		}
		if log.y {
			q.y = math.Log10(q.y)
		}
	}
}

// number writes a place on an axis as the value that it stands for.
func (l logAxes) number(x bool, v float64) string {
	if x && l.x || !x && l.y {
		v = math.Pow(10, v)
	}
	return number(v)
}

// addMarks adds the dashed lines across the picture and returns their sentences.
func (m *composer) addMarks(ms []Mark) (facts []string) {
	for k, mark := range ms {
		y := mark.Y
		if m.log.y {
			y = math.Log10(y)
		}
		m.y.add(y)
		style := draw.LineStyle{Color: dark, Width: 1, Dashes: markDashes[k%len(markDashes)]}
		m.add(level{y, style})
		name := orText(mark.Name, "mark")
		m.legend.add(name, ": "+number(mark.Y), &style, nil)
		facts = append(facts, name+" at "+number(mark.Y))
	}
	return facts
}

var markDashes = [][]vg.Length{{5, 3}, {2, 2}, {8, 3, 2, 3}}

// level is a line across the data area.
type level struct {
	y     float64
	style draw.LineStyle
}

// Plot draws the line.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(l.style, c.Min.X, ty(l.y), c.Max.X, ty(l.y))
}

// pieces cuts a curve at its jumps and where points were left out.
func pieces(ps []sample, joined bool) (lines []plotter.XYs, jumps int) {
	var change []float64
	for i := 1; i < len(ps); i++ {
		change = append(change, math.Abs(ps[i].y-ps[i-1].y))
	}
	limit := math.Inf(1)
	if len(change) > 1 && !joined {
		sorted := slices.Sorted(slices.Values(change))
		k := len(sorted)
		limit = jumpFactor * (sorted[(k-1)/2] + sorted[k/2]) / 2
	}
	for i, q := range ps {
		jump := i > 0 && change[i-1] > limit
		if jump {
			jumps++
		}
		if i == 0 || jump || q.gap {
			lines = append(lines, nil)
		}
		last := &lines[len(lines)-1]
		*last = append(*last, plotter.XY{X: q.x, Y: q.y})
	}
	return lines, jumps
}
