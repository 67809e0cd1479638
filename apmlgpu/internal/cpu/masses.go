package cpu

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
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

// share gives every point its share of total by weight, to two units of it: what
// rounding has left over goes to the heaviest points, a unit each. Many equal weights
// are all rounded the same way, so that one point would take a thousand units.
func (h *heap) share(total int64) {
	weight := func(i int32) float64 {
		if h.c.W == nil {
			return 1
		}
		return h.c.W[i]
	}
	var heavy []int32
	largest, sum := 0.0, 0.0
	for i, u := range h.unit {
		if u > 0 {
			heavy = append(heavy, int32(i))
			largest = max(largest, weight(int32(i)))
		}
	}
	for _, i := range heavy {
		sum += weight(i) / largest
	}
	left := total
	for _, i := range heavy {
		h.unit[i] = max(1, int64(math.Round(weight(i)/largest/sum*float64(total))))
		left -= h.unit[i]
	}
	slices.SortStableFunc(heavy, func(i, j int32) int { return cmp.Compare(weight(j), weight(i)) })
	for left != 0 {
		for _, i := range heavy {
			switch {
			case left > 0:
				h.unit[i]++
				left--
			case left < 0 && h.unit[i] > 1:
				h.unit[i]--
				left++
			}
		}
	}
}
