package cloud

import (
	"math"
	"math/rand/v2"
)

// Fibonacci returns n even points on the unit sphere: with k from 0,
// z = 1 − (2k+1)/n, angle = kπ(3 − √5) and radius √(1 − z²), in float64 and
// rounded once.
func Fibonacci(n int) Cloud { return round3(spiral(n, func(z float64) float64 { return z })) }

// Cap returns the points of Fibonacci crowded at the north pole: z becomes
// 0.9 + 0.1z. It is the clumped prediction of early training.
func Cap(n int) Cloud {
	return round3(spiral(n, func(z float64) float64 { return 0.9 + float64(0.1*z) }))
}

// Turned returns 0.9·Rz(0.3)·p + (0.05, 0, 0) for the points p of Fibonacci: the
// partner of Fibonacci(n) in examples.
func Turned(n int) Cloud {
	x := spiral(n, func(z float64) float64 { return z })
	sin, cos := math.Sincos(0.3)
	for i := 0; i < len(x); i += 3 {
		u, v := 0.9*x[i], 0.9*x[i+1]
		x[i] = float64(cos*u) - float64(sin*v) + 0.05
		x[i+1] = float64(sin*u) + float64(cos*v)
		x[i+2] *= 0.9
	}
	return round3(x)
}

// Near returns c with point k moved by s·(sin 12.9898k, sin 78.233k,
// sin 37.719k), a length: noise that needs no seed. Coordinates behind the third
// stay.
func Near(c Cloud, s float64) Cloud {
	out := c.Clone()
	for i := range out.size() {
		for k, f := range [3]float64{12.9898, 78.233, 37.719} {
			if k < c.D {
				v := &out.X[i*c.D+k]
				*v = float32(float64(*v) + float64(s*math.Sin(f*float64(i))))
			}
		}
	}
	return out
}

// spiral is the Fibonacci lattice in float64 with its heights bent by f.
func spiral(n int, f func(float64) float64) []float64 {
	x := make([]float64, 0, 3*max(n, 0))
	turn := math.Pi * (3 - math.Sqrt(5))
	for k := range max(n, 0) {
		z := f(1 - float64(2*k+1)/float64(n))
		r := math.Sqrt(1 - float64(z*z))
		sin, cos := math.Sincos(float64(k) * turn)
		x = append(x, r*cos, r*sin, z)
	}
	return x
}

func round3(x []float64) Cloud {
	c := Cloud{N: len(x) / 3, D: 3, X: make([]float32, len(x))}
	for i, v := range x {
		c.X[i] = float32(v)
	}
	return c
}

// NGon returns the corners of a regular n-gon of radius 1 in the plane z = 0,
// turned by phi (radians).
func NGon(n int, phi float64) Cloud {
	x := make([]float64, 0, 3*max(n, 0))
	for k := range max(n, 0) {
		sin, cos := math.Sincos(2*math.Pi*float64(k)/float64(n) + phi)
		x = append(x, cos, sin, 0)
	}
	return round3(x)
}

// Grid returns the integer grid of m³ points shifted by s in each coordinate;
// the last coordinate runs fastest.
func Grid(m int, s float64) Cloud {
	m = max(m, 0)
	x := make([]float64, 0, 3*m*m*m)
	for a := range m {
		for b := range m {
			for c := range m {
				x = append(x, float64(a)+s, float64(b)+s, float64(c)+s)
			}
		}
	}
	return round3(x)
}

// Cube returns n independent uniform points of the unit cube. A nil rnd means
// the seeds (1, n).
func Cube(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	c := Cloud{N: max(n, 0), D: 3, X: make([]float32, 3*max(n, 0))}
	for i := range c.X {
		c.X[i] = rnd.Float32()
	}
	return c
}

// Gauss returns n independent points of the standard normal law in three
// dimensions. A nil rnd means the seeds (1, n).
func Gauss(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	c := Cloud{N: max(n, 0), D: 3, X: make([]float32, 3*max(n, 0))}
	for i := range c.X {
		c.X[i] = float32(rnd.NormFloat64())
	}
	return c
}

// Sphere returns n independent uniform points of the unit sphere. A nil rnd
// means the seeds (1, n).
func Sphere(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	x := make([]float64, 0, 3*max(n, 0))
	for range max(n, 0) {
		p := direction(rnd)
		x = append(x, p[:]...)
	}
	return round3(x)
}

// source is rnd, or for nil a generator of the seeds (1, n).
func source(rnd *rand.Rand, n int) *rand.Rand {
	if rnd != nil {
		return rnd
	}
	return rand.New(rand.NewPCG(1, uint64(max(n, 0))))
}
