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

// checkCurves refuses what Scaling and Line cannot draw. It returns copies of
// the curves in which points that are not finite are marked by gaps, and how
// many there are.
func checkCurves(op string, curves []Curve, o Options, log bool) (out []series, dropped int, err error) {
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
func checkPoint(op, name string, i int, c Curve, o Options, log bool) (bool, error) {
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
	for _, v := range []float64{c.X[i], c.Y[i]} {
		if log && !(v > 0) {
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

func checkFrom(op string, from float64) error {
	if math.IsNaN(from) || math.IsInf(from, 0) || from < 0 {
		return fail(op, ErrOption, "give the smallest N of the fit, or 0 for all", "From is %g", from)
	}
	return nil
}

// list joins words with commas.
func list(words []string) string { return strings.Join(words, ", ") }
