package apmlgpu

import (
	"math"
	"math/bits"
	"slices"
)

// line is one-dimensional transport between two sorted lists, with memory that
// is used again. It belongs to one goroutine.
type line struct {
	cost   Cost
	px, py sorted
	halt   func() bool // asked now and then; after a yes the answer is of no use
	moves  int
	halted bool
}

// sorted is projections in ascending order, equal ones by their index.
type sorted struct {
	at    []float64 // by index
	order []int32   // indices in ascending order of at
	mass  []float64 // by index, Σ 1; nil: uniform
	keys  []uint64  // of the sort
	keys2 []uint64
	rest  []int32
}

// lineBytes is the memory a point of one sorted list.
const lineBytes = 8 + 4 + 8 + 8 + 4

func newSorted(n int, mass []float64) sorted {
	return sorted{at: make([]float64, n), order: make([]int32, n), mass: mass, keys: make([]uint64, n),
		keys2: make([]uint64, n), rest: make([]int32, n)}
}

// solve is the transport cost between both lists, with the signed distances that
// between gives: projections decide the order alone. The derivatives of the cost
// with respect to the projections are added to gx and gy, by index, where these
// are not nil.
func (l *line) solve(gx, gy []float64, between func(i, j int32) float64) float64 {
	l.px.sort(l.halt)
	l.py.sort(l.halt)
	n, m := len(l.px.at), len(l.py.at)
	total := 0.0
	move := func(i, j int32, mass float64) {
		if l.moves++; l.moves%chunkPoints == 0 {
			l.halted = l.halted || l.halt()
		}
		price, slope := l.cost.of(between(i, j))
		total += mass * price
		if gx != nil {
			gx[i] += mass * slope
			gy[j] -= mass * slope
		}
	}
	switch {
	case l.px.mass != nil || l.py.mass != nil:
		l.merge(move)
	case n == m:
		per := 1 / float64(n)
		for k, i := range l.px.order {
			move(i, l.py.order[k], per)
		}
	default:
		// x has n points of m units, y m points of n units: whole numbers, no dust.
		per := 1 / (float64(n) * float64(m))
		left, room := int64(m), int64(n)
		for a, b := 0, 0; a < n && !l.halted; {
			units := min(left, room)
			move(l.px.order[a], l.py.order[b], float64(units)*per)
			if left -= units; left == 0 {
				a, left = a+1, int64(m)
			}
			if room -= units; room == 0 {
				b, room = b+1, int64(n)
			}
		}
	}
	return total
}

// merge walks over the quantiles of both lists: between two neighbouring sums of
// mass, of either, one pair of points is matched. Sums end at 1 by decree, so
// that no dust is left over.
func (l *line) merge(move func(i, j int32, mass float64)) {
	n, m := len(l.px.order), len(l.py.order)
	a, b, done := 0, 0, 0.0
	endX, endY := l.px.share(0), l.py.share(0)
	for !l.halted {
		if a == n-1 {
			endX = 1
		}
		if b == m-1 {
			endY = 1
		}
		to := min(endX, endY)
		if to > done {
			move(l.px.order[a], l.py.order[b], to-done)
			done = to
		}
		if a == n-1 && b == m-1 {
			return
		}
		// The last point of a list has nothing behind it: the other one goes on.
		if b == m-1 || a < n-1 && endX <= endY {
			a++
			endX += l.px.share(a)
		} else {
			b++
			endY += l.py.share(b)
		}
	}
}

// share is the mass of the k-th point in order.
func (s *sorted) share(k int) float64 {
	if s.mass == nil {
		return 1 / float64(len(s.order))
	}
	return s.mass[s.order[k]]
}

// fewPoints is where comparing is faster than counting digits.
const fewPoints = 512

// sort fills order. It is stable: equal projections, −0 and 0 among them, stay
// in the order of their indices.
func (s *sorted) sort(halt func() bool) {
	for k := range s.order {
		s.order[k] = int32(k)
	}
	if len(s.order) < fewPoints {
		slices.SortFunc(s.order, func(i, j int32) int {
			switch {
			case s.at[i] < s.at[j]:
				return -1
			case s.at[i] > s.at[j]:
				return 1
			}
			return int(i - j)
		})
		return
	}
	for k, v := range s.at {
		s.keys[k] = ascending(v)
	}
	s.radix(halt)
}

// ascending maps numbers to unsigned ones in the same order.
func ascending(v float64) uint64 {
	b := math.Float64bits(v + 0) // −0 + 0 is 0
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// digit is the bits of a pass of radix.
const digit = 8

// radix sorts order by keys, from the lowest digit to the highest; a digit in
// which all keys agree costs nothing.
func (s *sorted) radix(halt func() bool) {
	var count [64 / digit][1 << digit]int32
	low, high := ^uint64(0), uint64(0)
	for _, k := range s.keys {
		low, high = low&k, high|k
	}
	moving := low ^ high // bits in which keys differ
	for _, k := range s.keys {
		for p := range count {
			count[p][byte(k>>(digit*p))]++
		}
	}
	for p := bits.TrailingZeros64(moving) / digit; p < len(count); p++ {
		if byte(moving>>(digit*p)) == 0 {
			continue
		}
		if halt() {
			return
		}
		at := int32(0)
		for d, c := range count[p] {
			count[p][d], at = at, at+c
		}
		for k, key := range s.keys {
			d := byte(key >> (digit * p))
			to := count[p][d]
			count[p][d]++
			s.keys2[to], s.rest[to] = key, s.order[k]
		}
		s.keys, s.keys2 = s.keys2, s.keys
		s.order, s.rest = s.rest, s.order
	}
}
