package vec

import (
	"math"
	"math/bits"
)

// MostPoints is the most points of a leaf, and Boxes how many leaves one call
// looks at, at most.
const (
	MostPoints = 16
	Boxes      = 64
)

// Squared distances here are float32: they propose and never decide. Their
// relative error is below 4e-7, fused or not.

// Within writes to out the places of the points within the squared distance bound
// of q and returns their number. Points are rows of three coordinates of x; those
// looked at are of the leaves whose bit is set in mask, leaf k the places spans[k][0]
// to spans[k][1], MostPoints at most. Places come leaf by leaf, ascending.
//
// x has room for MostPoints points from the start of every leaf on, and out for
// MostPoints places a leaf and 8 more; what is behind the places told is garbage.
// Cost: 7 ns a leaf, in Go 20.
func Within(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32) int {
	if need := MostPoints*bits.OnesCount64(mask) + 8; len(out) < need {
		panic("vec: no room for the places")
	}
	return within(q, x, spans, mask, bound, out)
}

// Least returns the smallest and the second smallest squared distance of q from the
// points of some leaves, as Within has them; +Inf where there are fewer points.
func Least(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64) (first, second float32) {
	return least(q, x, spans, mask)
}

// BoxesWithin tells by bits which of the first n boxes, Boxes at most, are within
// the squared distance bound of q. A box is its low and its high corner; boxes has
// the first coordinate of the low corners of all boxes, the second, and so on.
func BoxesWithin(q *[3]float32, boxes *[6 * Boxes]float32, n int, bound float32) uint64 {
	return boxesWithin(q, boxes, (n+7)/8, bound) & (math.MaxUint64 >> (Boxes - n))
}

func square(q *[3]float32, x, y, z float32) float32 {
	x, y, z = q[0]-x, q[1]-y, q[2]-z
	return x*x + y*y + z*z
}

func withinPlain(
	q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32,
) (n int) {
	for ; mask != 0; mask &= mask - 1 {
		s := spans[bits.TrailingZeros64(mask)]
		p := x[3*s[0] : 3*s[1]]
		for k := 0; k+2 < len(p); k += 3 {
			out[n] = s[0] + int32(k/3)
			if square(q, p[k], p[k+1], p[k+2]) <= bound {
				n++
			}
		}
	}
	return n
}

func leastPlain(q *[3]float32, x []float32, spans *[Boxes][2]int32, mask uint64) (first, second float32) {
	first = float32(math.Inf(1))
	second = first
	for ; mask != 0; mask &= mask - 1 {
		s := spans[bits.TrailingZeros64(mask)]
		p := x[3*s[0] : 3*s[1]]
		for k := 0; k+2 < len(p); k += 3 {
			d := square(q, p[k], p[k+1], p[k+2])
			second = min(second, max(first, d))
			first = min(first, d)
		}
	}
	return first, second
}

func boxesPlain(q *[3]float32, boxes *[6 * Boxes]float32, groups int, bound float32) (mask uint64) {
	for k := range 8 * groups {
		s := float32(0)
		for c, v := range q {
			d := max(boxes[c*Boxes+k]-v, v-boxes[(c+3)*Boxes+k], 0)
			s += d * d
		}
		if s <= bound {
			mask |= 1 << k
		}
	}
	return mask
}
