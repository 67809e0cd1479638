// Package cloud holds weighted point clouds, reads and writes them, and makes
// exact ones by formula.
//
// A [Cloud] is a plain struct: every function takes it by value, none writes to
// the slices of its argument, and every result has memory of its own unless its
// comment says otherwise. [Open] and [Save] choose the format by themselves.
package cloud

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Cloud is N points in D dimensions with optional weights.
//
// X is row-major: coordinate k of point i is X[i*D+k], in the caller's unit of
// length. W holds N weights, each at least zero, or is nil for the uniform
// weight 1/N. Attr holds other columns of a file by name (colour, normals,
// intensity), N values each.
type Cloud struct {
	N, D int
	X    []float32
	W    []float64
	Attr map[string][]float32
}

// FromRows copies rows into a Cloud of uniform weight. D is the length of the
// longest row; rows of different lengths make a Cloud that Validate refuses.
func FromRows(rows [][]float32) Cloud {
	c := Cloud{N: len(rows)}
	for _, r := range rows {
		c.D = max(c.D, len(r))
		c.X = append(c.X, r...)
	}
	return c
}

// From64 rounds row-major coordinates to float32. It returns an error of
// ErrShape if len(x) is not a multiple of d, and one of ErrNotFinite for the
// first number that float32 cannot hold.
func From64(x []float64, d int) (Cloud, error) {
	const op = "cloud.From64"
	if d < 1 || len(x)%d != 0 {
		return Cloud{}, shapeError(op, fmt.Sprintf("%d numbers are no rows of %d", len(x), d))
	}
	c := Cloud{N: len(x) / d, D: d, X: make([]float32, len(x))}
	for i, v := range x {
		c.X[i] = float32(v)
		if !finite(c.X[i]) {
			return Cloud{}, notFinite(op, i/d, i%d, v)
		}
	}
	return c, nil
}

// Validate reports what is wrong with c, or nil: ErrEmpty for no points,
// ErrShape for lengths that disagree, ErrNotFinite with the first point that
// holds NaN or Inf, ErrWeights for a weight that is negative, NaN or Inf and
// for weights whose sum is zero or infinite. Attr may hold NaN.
func (c Cloud) Validate() error { return c.validate("cloud.Validate") }

func (c Cloud) validate(op string) error {
	if err := c.shape(op); err != nil {
		return err
	}
	if i := c.FirstBad(); i >= 0 {
		k := c.firstBad(i)
		return notFinite(op, i, k, float64(c.X[i*c.D+k]))
	}
	return c.checkWeights(op)
}

// shape checks the lengths alone.
func (c Cloud) shape(op string) error {
	switch {
	case c.N == 0 && len(c.X) == 0:
		return &Error{Op: op, Err: fmt.Errorf("%w: the cloud has no points", ErrEmpty), Advice: "give at least one point"}
	case c.N < 1 || c.D < 1 || len(c.X)/c.D != c.N || len(c.X)%c.D != 0:
		return shapeError(op, fmt.Sprintf("%d numbers for %d points in %d dimensions", len(c.X), c.N, c.D))
	case c.W != nil && len(c.W) != c.N:
		return shapeError(op, fmt.Sprintf("%d weights for %d points", len(c.W), c.N))
	}
	for _, name := range c.names() {
		if n := len(c.Attr[name]); n != c.N {
			return shapeError(op, fmt.Sprintf("attribute %q has %d values for %d points", name, n, c.N))
		}
	}
	return nil
}

func (c Cloud) checkWeights(op string) error {
	if c.W == nil {
		return nil
	}
	for i, w := range c.W {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &Error{Op: op, Err: fmt.Errorf("%w: weight %d is %g", ErrWeights, i, w),
				Advice: "give finite weights that are at least zero"}
		}
	}
	switch mass := c.Mass(); {
	case !(mass > 0):
		return &Error{Op: op, Err: fmt.Errorf("%w: all %d are zero", ErrWeights, c.N),
			Advice: "give at least one weight above zero, or set W to nil for uniform weights"}
	case math.IsInf(mass, 1):
		return &Error{Op: op, Err: fmt.Errorf("%w: their sum is above 1.8e308", ErrWeights), Advice: "scale the weights down"}
	}
	return nil
}

// FirstBad returns the first point with a coordinate that is NaN or infinite,
// or -1.
func (c Cloud) FirstBad() int {
	for i, v := range c.X {
		if !finite(v) {
			return i / max(c.D, 1)
		}
	}
	return -1
}

// firstBad returns the first coordinate of point i that is NaN or infinite, or
// -1.
func (c Cloud) firstBad(i int) int {
	return slices.IndexFunc(c.row(i), func(v float32) bool { return !finite(v) })
}

func finite(v float32) bool { return v-v == 0 }

// Weight returns the weight of point i: W[i], or 1/N where W is nil.
func (c Cloud) Weight(i int) float64 {
	if c.W == nil {
		return 1 / float64(c.N)
	}
	return c.W[i]
}

// Mass returns the sum of the weights: 1 where W is nil and there are points.
func (c Cloud) Mass() float64 {
	if c.W == nil {
		return float64(min(c.N, 1))
	}
	sum := 0.0
	for _, w := range c.W {
		sum += w
	}
	return sum
}

// Equal reports whether c and o hold the same points in the same order with the
// same weights and attributes. NaN equals NaN, −0 equals 0, and a nil W equals
// N weights of 1/N.
func (c Cloud) Equal(o Cloud) bool {
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	if c.N != o.N || c.D != o.D || len(c.Attr) != len(o.Attr) || !slices.EqualFunc(c.X, o.X, same) {
		return false
	}
	if (c.W != nil && len(c.W) != c.N) || (o.W != nil && len(o.W) != o.N) {
		return false
	}
	if c.W != nil || o.W != nil {
		for i := range c.N {
			if c.Weight(i) != o.Weight(i) {
				return false
			}
		}
	}
	for name, a := range c.Attr {
		b, ok := o.Attr[name]
		if !ok || !slices.EqualFunc(a, b, same) {
			return false
		}
	}
	return true
}

// Clone returns a copy of c that shares no memory with it.
func (c Cloud) Clone() Cloud {
	c.X, c.W = slices.Clone(c.X), slices.Clone(c.W)
	if c.Attr != nil {
		attr := make(map[string][]float32, len(c.Attr))
		for name, v := range c.Attr {
			attr[name] = slices.Clone(v)
		}
		c.Attr = attr
	}
	return c
}

// String says the size, the box and what else c holds, in one line.
func (c Cloud) String() string {
	s := fmt.Sprintf("%d points in %d dimensions", c.N, c.D)
	if lo, hi := c.Bounds(); lo != nil {
		s += fmt.Sprintf(", box %v to %v", lo, hi)
	}
	if c.W != nil {
		s += fmt.Sprintf(", mass %.6g", c.Mass())
	}
	if len(c.Attr) > 0 {
		s += fmt.Sprintf(", attributes %v", c.names())
	}
	return s
}

// names returns the names of the attributes in order.
func (c Cloud) names() []string { return slices.Sorted(maps.Keys(c.Attr)) }

// row returns point i without copying it.
func (c Cloud) row(i int) []float32 { return c.X[i*c.D : (i+1)*c.D] }

// size is the number of whole points that X really holds, so that a transform
// of a malformed cloud stays inside it.
func (c Cloud) size() int {
	if c.D < 1 {
		return 0
	}
	return max(0, min(c.N, len(c.X)/c.D))
}
