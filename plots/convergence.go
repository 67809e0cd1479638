package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// ConvergenceOptions tune [Convergence]. The zero value is the recommended setting.
type ConvergenceOptions struct {
	Options
	Tol float64 // value to reach, above 0: a dashed line. Zero means none.
}

// evenGlyphs is about how many points of a long curve get a glyph.
const evenGlyphs = 12

// Convergence draws series over iterations, the values on a logarithmic axis: a
// marginal error, a duality gap, a loss. Values of 0 stand at the floor of the picture,
// which is marked 0. Points are joined in the order in which they are given.
//
// Values are at least 0. Errors: ErrEmpty, ErrShape, ErrNotFinite, ErrLog, ErrRange,
// ErrOption, ErrTooMany, ErrRoom.
func Convergence(curves []Curve, opt ConvergenceOptions) (*Figure, error) {
	const op = "Convergence"
	o, err := opt.Options.check(op)
	if err != nil {
		return nil, err
	}
	ss, dropped, err := checkCurves(op, curves, o, logAxes{})
	if err == nil {
		err = checkConvergence(op, curves, opt)
	}
	if err == nil {
		err = looks(op, ss)
	}
	if err != nil {
		return nil, err
	}
	m := &composer{op: op, opt: o, plot: newPlot(), legend: &legend{scene: &scene{}}, x: newSpan(), y: newSpan(),
		log: logAxes{y: true}}
	m.labels("Convergence of "+names(ss), "iteration (count)", "value")
	floor, zeros := floorOf(ss, opt.Tol)
	var facts []string
	for _, s := range ss {
		if s.thin() {
			m.captions = append(m.captions, fmt.Sprintf("%s: an even sample of %s points.", s.name, wholeNumber(maxPoints)))
		}
		facts = append(facts, m.addSeries(s, floor, len(ss) > 1 || opt.Tol > 0))
	}
	if opt.Tol > 0 {
		facts = append(facts, m.addMarks([]Mark{{"tolerance", opt.Tol}})...)
	}
	if err := checkSpan(op, "X", m.x.lo, m.x.hi); err != nil {
		return nil, err
	}
	m.x.pad(.03)
	m.y.padLog(.05)
	m.plot.Y.Tick.Marker = logTicks{}
	if zeros > 0 {
		m.plot.Y.Tick.Marker = floorTicks{floor: floor}
		m.captions = append(m.captions, fmt.Sprintf("%s of value 0, at the mark 0.", points(zeros)))
	}
	m.dropped(dropped)
	m.plot.Add(m.legend)
	return m.finish(func() string { return m.sentence(facts) })
}

// floorOf is the logarithm at which zeros stand, one decade and more below all that is
// drawn, and how many zeros there are.
func floorOf(ss []series, tol float64) (floor float64, zeros int) {
	least := math.Inf(1)
	if tol > 0 {
		least = tol
	}
	for _, s := range ss {
		for _, q := range s.points {
			if q.y == 0 {
				zeros++
			} else {
				least = min(least, q.y)
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0, zeros // all are 0
	}
	return math.Floor(math.Log10(least)) - 1, zeros
}

// addSeries adds one curve and returns its sentence.
func (m *composer) addSeries(s series, floor float64, named bool) string {
	first, last := s.points[0], s.points[len(s.points)-1]
	var lines []plotter.XYs
	for i := range s.points {
		q := &s.points[i]
		if q.y > 0 {
			q.y = math.Log10(q.y)
		} else {
			q.y = floor
		}
		m.see(q.x, q.y)
		if i == 0 || q.gap {
			lines = append(lines, nil)
		}
		at := &lines[len(lines)-1]
		*at = append(*at, xy(q.x, q.y))
	}
	style := s.look.line()
	m.legend.scene.lines = append(m.legend.scene.lines, lines...)
	m.add(path{lines, style})
	shown := s.points
	if n := len(shown); n > maxGlyphs {
		shown = nil
		for k := range evenGlyphs + 1 {
			shown = append(shown, s.points[k*(n-1)/evenGlyphs])
		}
	}
	shape := draw.GlyphStyle{Color: s.look.colour, Radius: glyphRadius, Shape: s.look.glyph}
	m.add(marks{shown, shape})
	name := s.name
	if named || name != "" {
		m.legend.add(name, "", &style, &shape)
	}
	if name == "" {
		name = "the curve"
	}
	return fmt.Sprintf("%s has %s, %s at %s, %s at %s", name, points(len(s.points)), number(first.y), number(first.x),
		number(last.y), number(last.x))
}

// floorTicks are logTicks with a mark 0 at the floor.
type floorTicks struct {
	logTicks
	floor float64
}

func (t floorTicks) atMost(n int) fitted { return floorTicks{logTicks{n}, t.floor} }

// Ticks leaves the labels below the first decade above the floor out.
func (t floorTicks) Ticks(lo, hi float64) []plot.Tick {
	out := []plot.Tick{{Value: t.floor, Label: "0"}}
	for _, k := range t.logTicks.Ticks(lo, hi) {
		if k.Value > t.floor+.5 {
			out = append(out, k)
		}
	}
	return out
}
