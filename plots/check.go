package plots

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gondola-lab/gondola/cloud"
)

// Causes of an [Error]; errors.Is finds them.
var (
	ErrEmpty     = errors.New("nothing to draw")
	ErrNotFinite = errors.New("a value is not finite")
	ErrLog       = errors.New("a log axis needs values above 0")
	ErrRange     = errors.New("outside what can be drawn")
	ErrShape     = errors.New("sizes do not match")
	ErrPlan      = errors.New("a plan needs entries of at least 0")
	ErrOption    = errors.New("an option cannot be used")
	ErrTooMany   = errors.New("too many curves for one picture")
	ErrRoom      = errors.New("the picture is too small for its texts")
	ErrFormat    = errors.New("unknown kind of file")
)

// Error reports a picture that cannot be drawn or written.
type Error struct {
	Op     string // the function, as in "plots.Scaling"
	Err    error  // the cause, with the numbers; errors.Is and errors.As see through it
	Advice string // what to do next, one imperative sentence, or ""
}

// Error is the function and the cause, with the numbers; the advice is Hint.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice; the kernel prints it under the error.
func (e *Error) Hint() string { return e.Advice }

func fail(op string, cause error, advice, format string, a ...any) error {
	return &Error{"plots." + op, fmt.Errorf("%w: "+format, append([]any{cause}, a...)...), advice}
}

// Limits of what one picture takes.
const (
	maxSeries    = 12        // curves
	maxScaling   = 64        // points of a curve of Scaling
	maxMagnitude = 1e30      // of any value
	minSpan      = 1e-12     // of a range, as a share of its magnitude
	maxPoints    = 1_000_000 // points drawn of a curve or cloud; of more, an even sample
	maxPixels    = 40e6      // of one picture
)

// check returns o with every zero replaced by its default.
func (o Options) check(op string) (Options, error) {
	size := func(name string, v *float64, def float64) error {
		if *v == 0 {
			*v = def
		}
		if !(*v >= 100 && *v <= 2000) {
			return fail(op, ErrOption, "give a size of 100 to 2000 points, or leave it out", "%s is %g", name, *v)
		}
		return nil
	}
	if err := size("Width", &o.Width, 440); err != nil {
		return o, err
	}
	if err := size("Height", &o.Height, 320); err != nil {
		return o, err
	}
	if o.DPI == 0 {
		o.DPI = 110
	}
	if o.DPI < 50 || o.DPI > 400 {
		return o, fail(op, ErrOption, "give 50 to 400 dots per inch, or leave it out", "DPI is %d", o.DPI)
	}
	scale := float64(o.DPI) / 72
	if o.Retina {
		scale *= 2
	}
	if n := o.Width * o.Height * scale * scale; n > maxPixels {
		return o, fail(op, ErrOption, "make Width, Height or DPI smaller", "%.0f million pixels, at most %.0f", n/1e6,
			maxPixels/1e6)
	}
	return o, nil
}

// logAxes says which axes are logarithmic.
type logAxes struct{ x, y bool }

// checkCurves refuses what pictures of curves cannot draw. It returns copies of
// the curves in which points that are not finite are marked by gaps, and how
// many there are.
func checkCurves(op string, curves []Curve, o Options, log logAxes) (out []series, dropped int, err error) {
	if len(curves) == 0 {
		return nil, 0, fail(op, ErrEmpty, "give at least one curve", "no curves")
	}
	if len(curves) > maxSeries {
		return nil, 0, fail(op, ErrTooMany, "split them over several pictures with the same ranges", "%d curves, at most %d",
			len(curves), maxSeries)
	}
	for _, c := range curves {
		if len(c.X) != len(c.Y) || c.Err != nil && len(c.Err) != len(c.X) {
			return nil, 0, fail(op, ErrShape, "give one Y, and one Err or none, for each X",
				"curve %q has %d X, %d Y, %d Err", clean(c.Name), len(c.X), len(c.Y), len(c.Err))
		}
		s := series{curve: c, name: clean(c.Name)}
		gap := false
		for i := range c.X {
			ok, err := checkPoint(op, s.name, i, c, o, log)
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				dropped++
				gap = true
				continue
			}
			p := sample{x: c.X[i], y: c.Y[i], gap: gap}
			if c.Err != nil {
				p.err = c.Err[i]
			}
			s.points, gap = append(s.points, p), false
		}
		if len(s.points) == 0 {
			return nil, 0, fail(op, ErrEmpty, "leave the curve out", "curve %q has no points", s.name)
		}
		out = append(out, s)
	}
	return out, dropped, nil
}

// checkPoint reports whether point i of a curve can be drawn; false without an
// error means that it is left out.
func checkPoint(op, name string, i int, c Curve, o Options, log logAxes) (bool, error) {
	e := 0.
	if c.Err != nil {
		e = c.Err[i]
	}
	for _, v := range []float64{c.X[i], c.Y[i], e} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if o.SkipNotFinite {
				return false, nil
			}
			return false, fail(op, ErrNotFinite, "remove the point, or set SkipNotFinite to leave it out with a note",
				"curve %q, point %d is (%g, %g)", name, i, c.X[i], c.Y[i])
		}
	}
	for k, v := range []float64{c.X[i], c.Y[i]} {
		if (k == 0 && log.x || k == 1 && log.y) && !(v > 0) {
			return false, fail(op, ErrLog, "remove the point, or add a floor to the values", "curve %q, point %d is %g", name, i,
				v)
		}
		if math.Abs(v) > maxMagnitude {
			return false, fail(op, ErrRange, "give the values in a larger unit", "curve %q, point %d is %g", name, i, v)
		}
	}
	if !(e >= 0) {
		return false, fail(op, ErrOption, "give errors of at least 0", "curve %q: Err %d is %g", name, i, e)
	}
	return true, nil
}

// checkSpan refuses a range that ticks cannot tell apart.
func checkSpan(op, axis string, lo, hi float64) error {
	if m := max(math.Abs(lo), math.Abs(hi)); hi > lo && hi-lo < minSpan*m {
		return fail(op, ErrRange, "subtract the common part first", "%s goes from %.17g to %.17g", axis, lo, hi)
	}
	return nil
}

// checkCloud refuses a cloud that Matching cannot draw.
func checkCloud(op, name string, c cloud.Cloud, axes [2]int) error {
	if c.N == 0 {
		return fail(op, ErrEmpty, "give a cloud of at least one point", "cloud %s has no points", name)
	}
	if c.D < 1 || c.D > 3 {
		return fail(op, ErrShape, "give clouds of 1, 2 or 3 dimensions", "cloud %s has %d dimensions", name, c.D)
	}
	if c.N < 0 || len(c.X) != c.N*c.D || c.W != nil && len(c.W) != c.N {
		return fail(op, ErrShape, "", "cloud %s of %d points in %d dimensions has %d coordinates and %d weights", name, c.N,
			c.D, len(c.X), len(c.W))
	}
	for _, a := range axes {
		if c.D > 1 && (a < 0 || a >= c.D) {
			return fail(op, ErrOption, "give two axes from 0 on", "axes %d and %d of a cloud of %d dimensions", axes[0], axes[1],
				c.D)
		}
	}
	for i, v := range c.X {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fail(op, ErrNotFinite, "remove the point", "cloud %s, point %d has coordinate %g", name, i/c.D, v)
		} else if math.Abs(f) > maxMagnitude {
			return fail(op, ErrRange, "give the cloud in a larger unit", "cloud %s, point %d has coordinate %g", name, i/c.D, v)
		}
	}
	return nil
}

// checkWeights refuses weights that marginals cannot be compared with.
func checkWeights(op, name string, w []float64) error {
	sum := 0.
	for i, v := range w {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fail(op, ErrOption, "give weights of at least 0", "cloud %s: weight %d is %g", name, i, v)
		}
		sum += v
	}
	if w != nil && !(sum > 0 && !math.IsInf(sum, 0)) {
		return fail(op, ErrOption, "give weights with a positive sum", "cloud %s: the weights sum to %g", name, sum)
	}
	return nil
}

// checkEntry refuses an entry that no plan has.
func checkEntry(op string, i, j, n, m int, p float64) error {
	switch {
	case i < 0 || i >= n || j < 0 || j >= m:
		return fail(op, ErrShape, "count rows and columns from 0", "an entry at (%d, %d) of a plan of %d×%d", i, j, n, m)
	case !(p >= 0) || math.IsInf(p, 0):
		return fail(op, ErrPlan, "look for the loss that made it", "entry (%d, %d) is %g", i, j, p)
	}
	return nil
}

// checkMass refuses a plan of no mass, or of too much.
func checkMass(op string, entries int, total, top float64) error {
	switch {
	case entries == 0:
		return fail(op, ErrEmpty, "give a plan with mass", "the plan has no entry above 0")
	case math.IsInf(total, 0) || top > maxMagnitude:
		return fail(op, ErrRange, "divide the plan by its mass", "the plan has mass %g", total)
	}
	return nil
}

// checkLine refuses what is special to Line.
func checkLine(op string, curves []Curve, opt LineOptions) error {
	for _, c := range curves {
		if c.Err != nil && (opt.LogX || opt.LogY) {
			return fail(op, ErrOption, "leave Err out, or draw the curve by plots.Scaling", "curve %q has Err on a logarithmic axis",
				clean(c.Name))
		}
	}
	return checkMarks(op, opt.Marks, opt.LogY)
}

// checkConvergence refuses what is special to Convergence.
func checkConvergence(op string, curves []Curve, opt ConvergenceOptions) error {
	if !(opt.Tol >= 0) || opt.Tol > maxMagnitude {
		return fail(op, ErrOption, "give the value to reach, above 0, or leave it out", "Tol is %g", opt.Tol)
	}
	for _, c := range curves {
		if c.Err != nil {
			return fail(op, ErrOption, "leave Err out, or draw the curve by plots.Scaling", "curve %q has Err on a logarithmic axis",
				clean(c.Name))
		}
		for i, v := range c.Y {
			if v < 0 {
				return fail(op, ErrLog, "give values of at least 0, as of an error", "curve %q, point %d is %g", clean(c.Name), i, v)
			}
		}
	}
	return nil
}

// checkMarks refuses values that no line can stand at.
func checkMarks(op string, ms []Mark, log bool) error {
	for _, m := range ms {
		switch {
		case m.Y-m.Y != 0:
			return fail(op, ErrNotFinite, "leave the mark out", "mark %q is %g", clean(m.Name), m.Y)
		case math.Abs(m.Y) > maxMagnitude:
			return fail(op, ErrRange, "give the values in a larger unit", "mark %q is %g", clean(m.Name), m.Y)
		case log && !(m.Y > 0):
			return fail(op, ErrLog, "leave the mark out", "mark %q is %g", clean(m.Name), m.Y)
		}
	}
	return nil
}

func checkFrom(op string, from float64) error {
	if math.IsNaN(from) || math.IsInf(from, 0) || from < 0 {
		return fail(op, ErrOption, "give the smallest N of the fit, or 0 for all", "From is %g", from)
	}
	return nil
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }

// Sides of a grid, and its level lines.
const (
	minSide, maxSide = 4, 512
	maxLevels        = 40
)

// checkGrid refuses a grid that Landscape cannot draw. NaN is drawn.
func checkGrid(op string, g Grid) error {
	if len(g.X) == 0 || len(g.Y) == 0 {
		return fail(op, ErrEmpty, "give at least 4 places a side", "a grid of %d × %d", len(g.X), len(g.Y))
	}
	if len(g.Values) != len(g.X)*len(g.Y) {
		return fail(op, ErrShape, "give a value for each X and Y, X running fastest", "%d values for %d × %d places",
			len(g.Values), len(g.X), len(g.Y))
	}
	for k, side := range [][]float64{g.X, g.Y} {
		name := "XY"[k : k+1]
		if len(side) < minSide || len(side) > maxSide {
			return fail(op, ErrShape, "give 4 to 512 places a side", "%s has %d places", name, len(side))
		}
		for i, v := range side {
			switch {
			case v-v != 0:
				return fail(op, ErrNotFinite, "give places that are numbers", "%s %d is %g", name, i, v)
			case v < -maxMagnitude || v > maxMagnitude:
				return fail(op, ErrRange, "give the places in a larger unit", "%s %d is %g", name, i, v)
			case i > 0 && !(v > side[i-1]):
				return fail(op, ErrOption, "give the places in ascending order, each once", "%s %d is %g after %g", name, i, v,
					side[i-1])
			}
		}
		if err := checkSpan(op, name, side[0], side[len(side)-1]); err != nil {
			return err
		}
	}
	known := 0
	for k, v := range g.Values {
		i, j := k%len(g.X), k/len(g.X)
		switch {
		case math.IsInf(v, 0):
			return fail(op, ErrNotFinite, "give NaN where there is no value", "the value at X %d, Y %d is %g", i, j, v)
		case math.Abs(v) > maxMagnitude:
			return fail(op, ErrRange, "give the values in a larger unit", "the value at X %d, Y %d is %g", i, j, v)
		case v == v:
			known++
		}
	}
	if known == 0 {
		return fail(op, ErrEmpty, "give at least one value", "all %d values are NaN", len(g.Values))
	}
	return nil
}
