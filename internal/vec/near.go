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

// WithinEither is Within for points that have a bound of their own too, own[i] that
// of place i: those within either are told. own has room as x has.
func WithinEither(
	q *[3]float32, x, own []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32,
) int {
	if need := MostPoints*bits.OnesCount64(mask) + 8; len(out) < need {
		panic("vec: no room for the places")
	}
	return either(q, x, own, spans, mask, bound, out)
}

// Eight is how many boxes lie side by side in memory, and BoxLen the numbers of such
// a group: the first coordinate of the low corners, the second, the third, and those
// of the high corners, Eight times each.
const (
	Eight  = 8
	BoxLen = 6 * Eight
)

// BoxesNear tells by bits which of the first n boxes, Boxes at most, in groups, are
// within the squared distance bound of a box, given by its low and its high corner, or
// within their own bound.
func BoxesNear(box *[6]float32, boxes, own []float32, n int, bound float32) uint64 {
	groups := (n + Eight - 1) / Eight
	if len(boxes) < groups*BoxLen || len(own) < groups*Eight || n > Boxes {
		panic("vec: boxes beyond their groups")
	}
	return boxesNear(box, boxes, own, groups, bound) & (math.MaxUint64 >> (Boxes - n))
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

func eitherPlain(
	q *[3]float32, x, own []float32, spans *[Boxes][2]int32, mask uint64, bound float32, out []int32,
) (n int) {
	for ; mask != 0; mask &= mask - 1 {
		s := spans[bits.TrailingZeros64(mask)]
		p := x[3*s[0] : 3*s[1]]
		for k := 0; k+2 < len(p); k += 3 {
			out[n] = s[0] + int32(k/3)
			if square(q, p[k], p[k+1], p[k+2]) <= max(bound, own[out[n]]) {
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

func boxesPlain(box *[6]float32, boxes, own []float32, groups int, bound float32) (mask uint64) {
	for k := range Eight * groups {
		g := boxes[k/Eight*BoxLen:][:BoxLen]
		s, at := float32(0), k%Eight
		for c := range 3 {
			d := max(g[c*Eight+at]-box[c+3], box[c]-g[(c+3)*Eight+at], 0)
			s += d * d
		}
		if s <= max(bound, own[k]) {
			mask |= 1 << k
		}
	}
	return mask
}
