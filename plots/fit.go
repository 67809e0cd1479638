package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// powerFit is v = a·n^b by least squares on logarithms.
type powerFit struct {
	n      int     // points used
	lo, hi float64 // log10 of the smallest and the largest N used
	b, se  float64 // exponent and its standard error; se is NaN with two points
	a      float64 // log10 of the factor
}

// fitPower fits the points with N of at least from. Small N measure fixed
// costs: a fit over them is wrong, so the range is part of the input. ok is
// false where there is no slope: fewer than two N.
func fitPower(points []sample, from float64) (f powerFit, ok bool) {
	f.lo, f.hi = math.Inf(1), math.Inf(-1)
	var x, y []float64
	for _, p := range points { // points hold logarithms
		if p.x >= math.Log10(from)-1e-12 {
			x, y = append(x, p.x), append(y, p.y)
			f.lo, f.hi = min(f.lo, p.x), max(f.hi, p.x)
		}
	}
	if f.n = len(x); f.n < 2 || f.lo == f.hi {
		return f, false
	}
	f.a, f.b = stat.LinearRegression(x, y, nil, false)
	f.se = math.NaN()
	if f.n > 2 {
		rss := 0.
		for i := range x {
			e := y[i] - f.a - f.b*x[i]
			rss += e * e
		}
		f.se = math.Sqrt(rss / float64(f.n-2) / (stat.Variance(x, nil) * float64(f.n-1)))
	}
	return f, true
}

func (f powerFit) at(x float64) float64 { return f.a + f.b*x }

// String is the exponent with its error, or without one where two points give
// none.
func (f powerFit) String() string {
	if math.IsNaN(f.se) {
		return number0(f.b, 2)
	}
	d := 4
	if f.se >= 1e-4 { // one digit of the error, two decimals at least
		d = max(2, int(math.Ceil(-math.Log10(f.se))))
	}
	if f.se < .5e-4 {
		return number0(f.b, d) + " ± <0.0001"
	}
	return number0(f.b, d) + " ± " + number0(f.se, d)
}

// number0 writes v with d decimals and a true minus sign.
func number0(v float64, d int) string {
	s := fmt.Sprintf("%.*f", d, math.Abs(v))
	if v < 0 {
		s = "−" + s
	}
	return s
}
