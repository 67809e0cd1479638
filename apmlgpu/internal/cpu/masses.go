package cpu

import (
	"math"
	"math/bits"
)

// mostMass bounds the total mass times the number of rows, which the simplex
// multiplies, as a power of two.
const mostMass = 61

// measure gives points whole masses of the same sum on both sides: exactly
// where weights are uniform, else to some 1e-15 of the total.
func (t *transport) measure() {
	n, m := t.x.points(), t.y.points()
	room := mostMass - bits.Len(uint(max(t.x.n, t.y.n)))
	even := t.x.even() && t.y.even()
	if even {
		g := gcd(n, m)
		if hi, total := bits.Mul64(uint64(n), uint64(m/g)); hi == 0 && bits.Len64(total) <= room {
			t.total = int64(total)
			t.x.each(m / g)
			t.y.each(n / g)
		} else {
			even = false
		}
	}
	if !even {
		t.total = 1 << min(room, 52)
		t.x.share(t.total)
		t.y.share(t.total)
	}
	for _, h := range []*heap{&t.x, &t.y} {
		h.mass = make([]int64, h.n)
		for k := range h.n {
			h.copies(k, func(i int32) { h.mass[k] += h.unit[i] })
		}
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// points is how many of the caller's points count.
func (h *heap) points() int64 {
	n := int64(0)
	for _, u := range h.unit {
		n += u
	}
	return n
}

// even says that all points that count have the same weight.
func (h *heap) even() bool {
	if h.c.W == nil {
		return true
	}
	first := -1.0
	for i, u := range h.unit {
		if u == 0 {
			continue
		}
		if first < 0 {
			first = h.c.W[i]
		}
		if h.c.W[i] != first {
			return false
		}
	}
	return true
}

func (h *heap) each(unit int64) {
	for i := range h.unit {
		h.unit[i] *= unit
	}
}

// share gives every point its share of total by weight; what rounding has left
// over goes to the largest.
func (h *heap) share(total int64) {
	largest, sum, big := 0.0, 0.0, 0
	weight := func(i int) float64 {
		if h.c.W == nil {
			return 1
		}
		return h.c.W[i]
	}
	for i, u := range h.unit {
		if w := weight(i); u > 0 && w > largest {
			largest, big = w, i
		}
	}
	for i, u := range h.unit {
		if u > 0 {
			sum += weight(i) / largest
		}
	}
	left := total
	for i, u := range h.unit {
		if u > 0 {
			h.unit[i] = max(1, int64(math.Round(weight(i)/largest/sum*float64(total))))
			left -= h.unit[i]
		}
	}
	h.unit[big] += left
}
