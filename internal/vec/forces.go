package vec

import "math"

// Force is what the entries of a sparse line give to its point.
type Force struct{ Mass, Cost, X, Y, Z float64 }

// fewForces is from how many entries on the assembly pays for its call.
const fewForces = 8

// Forces sums up the entries val at the points idx of x, rows of three coordinates,
// with c = val w[idx] each, for the point q: c, c d, and c/max(d, floor) times (q − x),
// d the distance; the last is zero where that divisor is. The order of the sums depends
// on the entries alone, and the bits are the same on every machine: every operation is
// rounded by itself. Indices are not checked, w is finite, and the assembly reads a
// number behind every point: it is taken where x has room for it behind the last.
//
// Cost: 2 ns an entry by assembly, 6 in Go.
func Forces[V Number](q *[3]float32, x []float32, idx []int32, val []V, w []float64, floor float64) Force {
	val = val[:len(idx)]
	var s [5][4]float64
	if len(idx) == 0 {
		return Force{}
	}
	if len(idx) >= fewForces && cap(x) > len(x) {
		forces(q, x, idx, val, w, floor, &s)
	} else {
		forcesPlain(q, x, idx, val, w, floor, &s)
	}
	for k, v := range s {
		s[k][0] = (v[0] + v[2]) + (v[1] + v[3])
	}
	return Force{s[0][0], s[1][0], s[2][0], s[3][0], s[4][0]}
}

// forcesPlain is Forces in plain Go, up to the four partial sums of each number.
func forcesPlain[V Number](
	q *[3]float32, x []float32, idx []int32, val []V, w []float64, floor float64, s *[5][4]float64,
) {
	px, py, pz := float64(q[0]), float64(q[1]), float64(q[2])
	for k, j := range idx {
		p, at := x[3*j:3*j+3:3*j+3], k&3
		c := float64(val[k]) * w[j]
		x, y, z := px-float64(p[0]), py-float64(p[1]), pz-float64(p[2])
		d := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
		s[0][at] += c
		s[1][at] += float64(c * d)
		if d < floor {
			d = floor
		}
		if d > 0 {
			c /= d
			s[2][at] += float64(c * x)
			s[3][at] += float64(c * y)
			s[4][at] += float64(c * z)
		}
	}
}
