package cloud

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Bounds returns the least and the greatest value of each coordinate, or nil
// for no points.
func (c Cloud) Bounds() (lo, hi []float32) {
	n := c.size()
	if n == 0 {
		return nil, nil
	}
	lo, hi = slices.Clone(c.row(0)), slices.Clone(c.row(0))
	for i := 1; i < n; i++ {
		for k, v := range c.row(i) {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	return lo, hi
}

// Diameter returns the diagonal of the box around x and y together, a length.
// It is at least the largest distance between two points, and costs O(N+M). A
// cloud of fewer dimensions counts as padded with zeros.
func Diameter(x, y Cloud) float64 {
	d, sum := max(x.D, y.D), 0.0
	xlo, xhi := x.Bounds()
	ylo, yhi := y.Bounds()
	for k := range d {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, b := range [][]float32{xlo, xhi, ylo, yhi} {
			if b == nil {
				continue
			}
			v := 0.0
			if k < len(b) {
				v = float64(b[k])
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		if hi > lo {
			sum += float64((hi - lo) * (hi - lo))
		}
	}
	return math.Sqrt(sum)
}

// Transform is a move and one scale factor: it takes a point p to
// Scale·(p − Center).
type Transform struct {
	Center []float64 // length; D numbers
	Scale  float64   // 1
}

// Apply moves and scales c: each point p becomes Scale·(p − Center), computed in
// float64.
func (t Transform) Apply(c Cloud) (Cloud, error) {
	if len(t.Center) != c.D {
		return Cloud{}, shapeError("cloud.Apply", fmt.Sprintf("a center of %d numbers for %d dimensions", len(t.Center), c.D))
	}
	return c.each(func(k int, v float64) float64 { return t.Scale * (v - t.Center[k]) }), nil
}

// Invert undoes Apply up to rounding.
func (t Transform) Invert(c Cloud) (Cloud, error) {
	if len(t.Center) != c.D || !(t.Scale != 0) {
		return Cloud{}, shapeError("cloud.Invert",
			fmt.Sprintf("a center of %d numbers and scale %g for %d dimensions", len(t.Center), t.Scale, c.D))
	}
	return c.each(func(k int, v float64) float64 { return v/t.Scale + t.Center[k] }), nil
}

// each returns a copy of c with every coordinate replaced.
func (c Cloud) each(f func(k int, v float64) float64) Cloud {
	out := c.Clone()
	for i := range out.size() {
		for k, v := range out.row(i) {
			out.X[i*c.D+k] = float32(f(k, float64(v)))
		}
	}
	return out
}

// centroid is the mean of the points by weight.
func (c Cloud) centroid() []float64 {
	m, mass := make([]float64, max(c.D, 0)), 0.0
	for i := range c.size() {
		w := 1.0
		if c.W != nil && i < len(c.W) {
			w = c.W[i]
		}
		mass += w
		for k, v := range c.row(i) {
			m[k] += float64(w * float64(v))
		}
	}
	for k := range m {
		if mass > 0 {
			m[k] /= mass
		}
	}
	return m
}

// Center moves the mean of the points, by weight, to the origin.
func (c Cloud) Center() Cloud {
	m := c.centroid()
	return c.each(func(k int, v float64) float64 { return v - m[k] })
}

// Normalize moves the mean of the points, by weight, to the origin, scales the
// cloud so that its farthest point lies at distance 1, and returns what it did.
// The scale is 1 where all points are equal. To put a second cloud into the same
// unit, call Apply of the transform on it.
func (c Cloud) Normalize() (Cloud, Transform) {
	t, far := Transform{Center: c.centroid(), Scale: 1}, 0.0
	for i := range c.size() {
		r := 0.0
		for k, v := range c.row(i) {
			r = math.Hypot(r, float64(v)-t.Center[k])
		}
		far = max(far, r)
	}
	if far > 0 {
		t.Scale = 1 / far
	}
	return c.each(func(k int, v float64) float64 { return t.Scale * (v - t.Center[k]) }), t
}

// Scale multiplies every coordinate by s.
func (c Cloud) Scale(s float64) Cloud {
	return c.each(func(_ int, v float64) float64 { return s * v })
}

// Shift adds by to every point; by has D numbers.
func (c Cloud) Shift(by ...float64) (Cloud, error) {
	if len(by) != c.D {
		return Cloud{}, shapeError("cloud.Shift", fmt.Sprintf("a shift of %d numbers for %d dimensions", len(by), c.D))
	}
	return c.each(func(k int, v float64) float64 { return v + by[k] }), nil
}

// normals are the names under which files keep the three parts of a normal.
var normals = [][]string{{"nx", "ny", "nz"}, {"normal_x", "normal_y", "normal_z"}}

// Rotate turns the cloud by angle (radians) in the plane of coordinates i and j,
// from i towards j: Rotate(0, 1, a) turns about the z axis. Normals among the
// attributes (nx, ny, nz or normal_x …) turn with the points.
func (c Cloud) Rotate(i, j int, angle float64) (Cloud, error) {
	if i < 0 || j < 0 || i >= c.D || j >= c.D || i == j {
		return Cloud{}, shapeError("cloud.Rotate",
			fmt.Sprintf("no plane of coordinates %d and %d in %d dimensions", i, j, c.D))
	}
	out := c.Clone()
	sin, cos := math.Sincos(angle)
	turn := func(a, b *float32) {
		u, v := float64(*a), float64(*b)
		*a, *b = float32(float64(cos*u)-float64(sin*v)), float32(float64(sin*u)+float64(cos*v))
	}
	for p := range out.size() {
		turn(&out.X[p*c.D+i], &out.X[p*c.D+j])
	}
	for _, name := range normals {
		if c.D != 3 || out.Attr[name[i]] == nil || out.Attr[name[j]] == nil {
			continue
		}
		a, b := out.Attr[name[i]], out.Attr[name[j]]
		for p := range min(len(a), len(b)) {
			turn(&a[p], &b[p])
		}
	}
	return out, nil
}

// Jitter adds independent normal noise of standard deviation std, a length, to
// every coordinate. A nil rnd means the seeds (1, N).
func (c Cloud) Jitter(rnd *rand.Rand, std float64) Cloud {
	rnd = source(rnd, c.N)
	return c.each(func(_ int, v float64) float64 { return v + float64(std*rnd.NormFloat64()) })
}
