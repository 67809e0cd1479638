package cloud

import (
	"math"
	"math/rand/v2"
)

// Ball returns n independent uniform points of the unit ball. A nil rnd means
// the seeds (1, n).
func Ball(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	x := make([]float64, 0, 3*max(n, 0))
	for range max(n, 0) {
		p, r := direction(rnd), math.Cbrt(rnd.Float64())
		x = append(x, r*p[0], r*p[1], r*p[2])
	}
	return round3(x)
}

// direction is a uniform point of the unit sphere.
func direction(rnd *rand.Rand) [3]float64 {
	z := 2*rnd.Float64() - 1
	r := math.Sqrt(1 - float64(z*z))
	sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
	return [3]float64{r * cos, r * sin, z}
}

// Torus returns n independent points, uniform by area, of the torus about the
// z axis whose tube of radius tube has its middle line at radius 1. A nil rnd
// means the seeds (1, n).
func Torus(rnd *rand.Rand, n int, tube float64) Cloud {
	rnd = source(rnd, n)
	x := make([]float64, 0, 3*max(n, 0))
	for len(x) < 3*n {
		sin, cos := math.Sincos(2 * math.Pi * rnd.Float64()) // around the tube
		r := 1 + float64(tube*cos)
		if rnd.Float64()*(1+math.Abs(tube)) > math.Abs(r) { // the inner side has less area
			continue
		}
		s, c := math.Sincos(2 * math.Pi * rnd.Float64())
		x = append(x, r*c, r*s, tube*sin)
	}
	return round3(x)
}

// SwissRoll returns n independent points of the rolled-up sheet
// (t·cos t, 21v, t·sin t) with t = 3π/2·(1 + 2u) and u, v uniform in 0 to 1:
// scikit-learn's make_swiss_roll without noise. A nil rnd means the seeds (1, n).
func SwissRoll(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	x := make([]float64, 0, 3*max(n, 0))
	for range max(n, 0) {
		t := 1.5 * math.Pi * (1 + 2*rnd.Float64())
		sin, cos := math.Sincos(t)
		x = append(x, t*cos, 21*rnd.Float64(), t*sin)
	}
	return round3(x)
}

// TwoMoons returns n points in two dimensions: n/2 evenly on the upper half of
// the unit circle, the others on a lower half that reaches into it,
// (1 − cos t, 1/2 − sin t), both with t from 0 to π, and normal noise of standard
// deviation std added. It is scikit-learn's make_moons. A nil rnd means the seeds
// (1, n); with std 0 nothing is drawn.
func TwoMoons(rnd *rand.Rand, n int, std float64) Cloud {
	rnd = source(rnd, n)
	c := Cloud{N: max(n, 0), D: 2}
	upper := c.N / 2
	for i := range c.N {
		at, of := i, upper
		if i >= upper {
			at, of = i-upper, c.N-upper
		}
		sin, cos := math.Sincos(math.Pi * float64(at) / float64(max(of-1, 1)))
		if i >= upper {
			sin, cos = 0.5-sin, 1-cos
		}
		if std != 0 {
			cos += float64(std * rnd.NormFloat64())
			sin += float64(std * rnd.NormFloat64())
		}
		c.X = append(c.X, float32(cos), float32(sin))
	}
	return c
}

// Helix returns n points evenly along a helix of radius 1 about the z axis that
// climbs from −1 to 1 in that many turns, from (1, 0, −1) on.
func Helix(n int, turns float64) Cloud {
	x := make([]float64, 0, 3*max(n, 0))
	for k := range max(n, 0) {
		t := float64(k) / float64(max(n-1, 1))
		sin, cos := math.Sincos(2 * math.Pi * turns * t)
		x = append(x, cos, sin, 2*t-1)
	}
	return round3(x)
}

// LidarRings returns n points where the 16 beams of a scanner that stands 2 above
// a floor meet it: beam b falls at 0.02·(1 + b) radians, so that the rings are
// dense near the scanner and sparse far out, up to 100 away. Point i belongs to
// beam i mod 16. The scanner is the origin and turned by turn (radians).
func LidarRings(n int, turn float64) Cloud {
	const beams = 16
	x := make([]float64, 0, 3*max(n, 0))
	for i := range max(n, 0) {
		r := 2 / math.Tan(0.02+float64(0.02*float64(i%beams)))
		sin, cos := math.Sincos(2*math.Pi*float64(i/beams)/float64(n/beams+1) + turn)
		x = append(x, r*cos, r*sin, -2)
	}
	return round3(x)
}

// TwoClusters returns n independent points of two far clusters of normal law
// with standard deviation 0.1: the nearest whole number to share·n of them about
// the origin, first, the others about (5, 0, 0). A nil rnd means the seeds
// (1, n).
func TwoClusters(rnd *rand.Rand, n int, share float64) Cloud {
	rnd = source(rnd, n)
	left := math.Round(min(max(share, 0), 1) * float64(n))
	x := make([]float64, 0, 3*max(n, 0))
	for i := range max(n, 0) {
		at := 5.0
		if float64(i) < left {
			at = 0
		}
		for _, middle := range [3]float64{at, 0, 0} {
			x = append(x, middle+float64(0.1*rnd.NormFloat64()))
		}
	}
	return round3(x)
}

// Shell returns the adversarial shell: point 0 at distance 1 from the origin and
// the others at 1.01 to 1.02, in independent uniform directions. Against a cloud
// near the origin nothing can be pruned: every pair is in the support of APML. A
// nil rnd means the seeds (1, n).
func Shell(rnd *rand.Rand, n int) Cloud {
	rnd = source(rnd, n)
	x := make([]float64, 0, 3*max(n, 0))
	for i := range max(n, 0) {
		p, r := direction(rnd), 1.01+float64(0.01*float64(i)/float64(n))
		if i == 0 {
			r = 1
		}
		x = append(x, r*p[0], r*p[1], r*p[2])
	}
	return round3(x)
}

// Chair returns n independent points, uniform by area, of the surfaces of the six
// boxes of a chair that stands on z = 0 and looks along y: seat, back and four
// legs, 0.5 wide and deep and 1 high. A nil rnd means the seeds (1, n).
func Chair(rnd *rand.Rand, n int) Cloud {
	return boxes(rnd, n, append(legs(0.25, 0.25, 0.45),
		box{{-0.25, -0.25, 0.45}, {0.25, 0.25, 0.5}}, // seat
		box{{-0.25, -0.25, 0.5}, {0.25, -0.2, 1}}))   // back
}

// Table returns n independent points, uniform by area, of the surfaces of the
// five boxes of a table that stands on z = 0: a top of 1.2 by 0.7 and four legs,
// 0.75 high. A nil rnd means the seeds (1, n).
func Table(rnd *rand.Rand, n int) Cloud {
	return boxes(rnd, n, append(legs(0.6, 0.35, 0.7), box{{-0.6, -0.35, 0.7}, {0.6, 0.35, 0.75}}))
}

// box has its least and its greatest corner.
type box [2][3]float64

// legs are four of 0.05 by 0.05 and that height in the corners of a plate of 2w
// by 2d.
func legs(w, d, height float64) []box {
	const thick = 0.05
	var out []box
	for _, x := range []float64{-w, w - thick} {
		for _, y := range []float64{-d, d - thick} {
			out = append(out, box{{x, y, 0}, {x + thick, y + thick, height}})
		}
	}
	return out
}

// boxes draws a face by its area, then a point of it. Faces on which two boxes
// meet count like all others.
func boxes(rnd *rand.Rand, n int, all []box) Cloud {
	rnd = source(rnd, n)
	var sums []float64 // of the areas of faces: of each box those across x, y, z
	total := 0.0
	for _, b := range all {
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			total += float64(2 * (b[1][i] - b[0][i]) * (b[1][j] - b[0][j]))
			sums = append(sums, total)
		}
	}
	x := make([]float64, 0, 3*max(n, 0))
	for range max(n, 0) {
		area, face := rnd.Float64()*total, 0
		for face < len(sums)-1 && sums[face] <= area {
			face++
		}
		b, k := all[face/3], face%3
		var p [3]float64
		for a := range p {
			p[a] = b[0][a] + float64(rnd.Float64()*(b[1][a]-b[0][a]))
		}
		p[k] = b[rnd.IntN(2)][k]
		x = append(x, p[:]...)
	}
	return round3(x)
}
