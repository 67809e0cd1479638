package cpu

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gondola-lab/gondola/internal/spatial"
	"github.com/gondola-lab/gondola/internal/vec"
)

// herd is the points of some leaves of a side, which ask the other side's tree
// together: one walk finds the leaves near all of them, and each point chooses
// among those by their boxes, eight at a time. What it answers is what the
// tree's own methods answer.
type herd struct {
	own, other *spatial.Tree
	from, to   int       // the points that ask; none at first
	together   bool      // gather has found the leaves
	leaves     []int32   // of other, near all of them
	sets       []leafSet // the leaves as vec wants them
	bound      []float32 // by point that asks, of gather
	found      []int32   // of one question
}

// leafSet is some leaves: their boxes by coordinate, and their points.
type leafSet struct {
	n     int
	boxes [6 * vec.Boxes]float32
	spans [vec.Boxes][2]int32
}

// mostLeaves is how many leaves a herd may have near it; a herd whose points are
// far apart asks one by one.
const mostLeaves = 4 * vec.Boxes

// newHerd returns the herds of s that ask o, or nil where there are no trees.
func newHerd(s, o *side) *herd {
	if s.tree == nil || o.tree == nil {
		return nil
	}
	return &herd{own: s.tree, other: o.tree}
}

// herdLeaves is how many leaves in a row, a power of two, make a herd: more points
// share a walk then, and each looks at more boxes.
const herdLeaves = 2

// lead sets the herd to the leaves about point i, bounded by lo and hi.
func (h *herd) lead(i, lo, hi int) {
	a, b := h.own.Group(h.own.LeafAt(i), herdLeaves)
	h.from, h.to = max(a, lo), min(b, hi)
	h.bound = append(h.bound[:0], make([]float32, h.to-h.from)...)
}

// point is the coordinates of point i of the asking side.
func (h *herd) point(i int) *[3]float32 { return (*[3]float32)(h.own.X[3*i:]) }

// gather finds the leaves within the largest bound of the herd; where they are too
// many the herd does not ask together.
func (h *herd) gather() {
	box := [6]float32{}
	copy(box[:3], h.point(h.from)[:])
	copy(box[3:], h.point(h.from)[:])
	bound := float32(0)
	for i := h.from; i < h.to; i++ {
		p := h.point(i)
		for c, v := range p {
			box[c], box[c+3] = min(box[c], v), max(box[c+3], v)
		}
		bound = max(bound, h.bound[i-h.from])
	}
	h.leaves, h.together = h.other.Around(&box, bound, h.leaves[:0], mostLeaves)
	if !h.together {
		return
	}
	for k, l := range h.leaves {
		if k/vec.Boxes == len(h.sets) {
			h.sets = append(h.sets, leafSet{})
		}
		set, at := &h.sets[k/vec.Boxes], k%vec.Boxes
		b := h.other.Box(int(l))
		for c, v := range b {
			set.boxes[c*vec.Boxes+at] = v
		}
		lo, hi := h.other.Leaf(int(l))
		set.spans[at], set.n = [2]int32{int32(lo), int32(hi)}, at+1
	}
}

// near are the sets that have leaves.
func (h *herd) near() []leafSet { return h.sets[:(len(h.leaves)+vec.Boxes-1)/vec.Boxes] }

// ball appends to out the places, ascending, of the points within the float32 bound
// of q, as [spatial.Tree.Ball] does.
func (h *herd) ball(q *[3]float32, bound float32, out []int32) []int32 {
	near := h.near()
	for k := range near {
		set := &near[k]
		mask := vec.BoxesWithin(q, &set.boxes, set.n, bound)
		if mask == 0 {
			continue
		}
		n := len(out)
		room := n + vec.MostPoints*bits.OnesCount64(mask) + 8
		out = slices.Grow(out, room-n)[:room]
		out = out[:n+vec.Within(q, h.other.X[:cap(h.other.X)], &set.spans, mask, bound, out[n:])]
	}
	return out
}

// second returns the second least float32 squared distance of q from the points of
// the leaves within bound.
func (h *herd) second(q *[3]float32, bound float32) float32 {
	first := float32(math.Inf(1))
	second := first
	near := h.near()
	for k := range near {
		set := &near[k]
		if mask := vec.BoxesWithin(q, &set.boxes, set.n, bound); mask != 0 {
			a, b := vec.Least(q, h.other.X[:cap(h.other.X)], &set.spans, mask)
			second = min(second, max(first, a), b)
			first = min(first, a)
		}
	}
	return second
}

// square is the squared float64 distance of q from the point at a place.
func (h *herd) square(q *[3]float32, place int32) float64 {
	p := (*[3]float32)(h.other.X[3*place:])
	x, y, z := float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1]), float64(p[2])-float64(q[2])
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// home bounds the distance of every point's second nearest by the leaf in whose
// cell the points of its own leaf begin, and gathers the leaves.
func (h *herd) home() {
	var spans [vec.Boxes][2]int32
	for i, end := h.from, h.from; i < h.to; i++ {
		if i == end {
			_, end = h.own.Leaf(h.own.LeafAt(i))
			lo, hi := h.other.Leaf(h.other.LeafOf(h.point(i)))
			spans[0] = [2]int32{int32(lo), int32(hi)}
		}
		_, s := vec.Least(h.point(i), h.other.X[:cap(h.other.X)], &spans, 1)
		h.bound[i-h.from] = spatial.Widen(float64(s))
	}
	h.gather()
}

// two finds the two nearest of every point of the herd and calls f with them, as
// [spatial.Tree.Two] gives them.
func (h *herd) two(f func(i int, first int32, d1, d2 float64)) {
	h.home()
	for i := h.from; i < h.to; i++ {
		q := h.point(i)
		if !h.together {
			first, d1, d2 := h.other.Two(q[:])
			f(i, first, d1, d2)
			continue
		}
		h.found = h.ball(q, spatial.Widen(float64(h.second(q, h.bound[i-h.from]))), h.found[:0])
		first, d1, d2 := int32(0), math.Inf(1), math.Inf(1)
		for _, place := range h.found {
			switch d := h.square(q, place); {
			case d < d1:
				first, d1, d2 = place, d, d1
			case d < d2:
				d2 = d
			}
		}
		f(i, first, d1, d2)
	}
}
