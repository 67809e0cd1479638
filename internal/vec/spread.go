package vec

import "math"

// Spread adds val[e] w[i] to dst[idx[e]] for the entries e of every line i, which are
// as in [Lines]; the indices of a line ascend. It is the product with the lines as
// columns. Indices are not checked. The order of the sums is that of the entries, and the
// bits are the same on every machine.
//
// Cost: 0.4 ns an entry by assembly while dst is in the cache, in Go 0.8.
func Spread(dst []float64, ptr []int64, idx []int32, val, w []float64) {
	n := len(ptr) - 1
	if n <= 0 {
		return
	}
	if len(w) < n || len(idx) < int(ptr[n]-ptr[0]) || len(val) < int(ptr[n]-ptr[0]) {
		panic("vec: lines beyond their entries")
	}
	spread(dst, ptr, idx, val, w[:n])
}

func spreadPlain(dst []float64, ptr []int64, idx []int32, val, w []float64) {
	for i, u := range w {
		lo, hi := ptr[i]-ptr[0], ptr[i+1]-ptr[0]
		cols, v := idx[lo:hi], val[lo:hi]
		v = v[:len(cols)]
		for e, j := range cols {
			dst[j] += float64(v[e] * u)
		}
	}
}

// Given is how many numbers Exchange keeps for a point: the force and the mass.
const Given = 4

// Exchange is [Forces] of a line that gives to its points too: of its entry e, point j =
// idx[e] gets c = val[e] u as mass, and the force c/max(d, floor) times (x_j − q), in
// the Given numbers of back from Given j on: the force, then the mass. The indices of
// a line are different.
//
// Cost: 2.5 ns an entry by assembly, 7 in Go.
func Exchange(
	q *[3]float32, x []float32, idx []int32, val, w []float64, u, floor float64, back []float64,
) Force {
	val = val[:len(idx)]
	var s [5][4]float64
	if len(idx) == 0 {
		return Force{}
	}
	if len(idx) >= fewForces && cap(x) > len(x) {
		exchange(q, x, idx, val, w, u, floor, back, &s)
	} else {
		exchangePlain(q, x, idx, val, w, u, floor, back, &s)
	}
	for k, v := range s {
		s[k][0] = (v[0] + v[2]) + (v[1] + v[3])
	}
	return Force{s[0][0], s[1][0], s[2][0], s[3][0], s[4][0]}
}

// exchangePlain is Exchange in plain Go, up to the four partial sums of each number.
func exchangePlain(
	q *[3]float32, x []float32, idx []int32, val, w []float64, u, floor float64, back []float64, s *[5][4]float64,
) {
	px, py, pz := float64(q[0]), float64(q[1]), float64(q[2])
	for k, j := range idx {
		p, at := x[3*j:3*j+3:3*j+3], k&3
		b := back[Given*j : Given*j+Given : Given*j+Given]
		c := val[k]
		x, y, z := px-float64(p[0]), py-float64(p[1]), pz-float64(p[2])
		d := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
		mass := float64(c * w[j])
		s[0][at] += mass
		s[1][at] += float64(mass * d)
		b[3] += float64(c * u)
		if d < floor {
			d = floor
		}
		if d > 0 {
			c /= d
			mass, c = float64(c*w[j]), float64(c*-u)
			s[2][at] += float64(mass * x)
			s[3][at] += float64(mass * y)
			s[4][at] += float64(mass * z)
			b[0] += float64(c * x)
			b[1] += float64(c * y)
			b[2] += float64(c * z)
		}
	}
}
