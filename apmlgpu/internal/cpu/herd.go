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
	about      *boxes    // of other
	balls      *balls    // of other's points: those in whose balls a point is are near too; nil: none
	from, to   int       // the points that ask; none at first
	together   bool      // gather has found the leaves
	leaves     []int32   // of other, near all of them
	sets       []leafSet // the leaves as vec wants them
	bound      []float32 // by point that asks, of gather
	found      []int32   // of one question
	box        [6]float32
}

// leafSet is some leaves: their boxes by coordinate, and their points.
type leafSet struct {
	n     int
	mask  uint64 // the leaves that are looked at
	boxes [vec.Boxes / vec.Eight * vec.BoxLen]float32
	own   [vec.Boxes]float32 // of balls
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
	return &herd{own: s.tree, other: o.tree, about: o.boxes}
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

// gather finds the leaves within the largest bound of the herd; where they are more
// than most the herd does not ask together.
func (h *herd) gather(most int) {
	h.at(h.point(h.from))
	box, bound := &h.box, float32(0)
	for i := h.from; i < h.to; i++ {
		for c, v := range h.point(i) {
			if v < box[c] {
				box[c] = v
			}
			if v > box[c+3] {
				box[c+3] = v
			}
		}
		if b := h.bound[i-h.from]; b > bound {
			bound = b
		}
	}
	var own bounds
	if h.balls != nil {
		own = h.balls.leaf
	}
	h.leaves, h.together = h.about.around(box, bound, own, h.leaves[:0], most)
	if !h.together {
		return
	}
	for k, l := range h.leaves {
		if k/vec.Boxes == len(h.sets) {
			h.sets = append(h.sets, leafSet{})
		}
		set, at := &h.sets[k/vec.Boxes], k%vec.Boxes
		setBox(set.boxes[:], at, h.other.Box(int(l)))
		if own != nil {
			set.own[at] = own[0][l]
		}
		lo, hi := h.other.Leaf(int(l))
		set.spans[at], set.n = [2]int32{int32(lo), int32(hi)}, at+1
	}
}

// at sets the box of one point, which asks. Numbers are written one by one, as they are
// read: a copy of them all would wait for them.
func (h *herd) at(q *[3]float32) {
	h.box[0], h.box[1], h.box[2] = q[0], q[1], q[2]
	h.box[3], h.box[4], h.box[5] = q[0], q[1], q[2]
}

// near are the sets that have leaves.
func (h *herd) near() []leafSet { return h.sets[:(len(h.leaves)+vec.Boxes-1)/vec.Boxes] }

// ball appends to out the places, ascending, of the points within the float32 bound
// of q, as [spatial.Tree.Ball] does, or in whose balls q is.
func (h *herd) ball(q *[3]float32, bound float32, out []int32) []int32 {
	h.at(q)
	h.look(bound)
	return h.points(q, bound, out)
}

// look marks the leaves within bound of the box, and counts them.
func (h *herd) look(bound float32) (leaves int) {
	near := h.near()
	for k := range near {
		set := &near[k]
		set.mask = vec.BoxesNear(&h.box, set.boxes[:], set.own[:], set.n, bound)
		leaves += bits.OnesCount64(set.mask)
	}
	return leaves
}

// points appends to out the places of the points of the marked leaves within bound of q.
func (h *herd) points(q *[3]float32, bound float32, out []int32) []int32 {
	near := h.near()
	for k := range near {
		set := &near[k]
		if set.mask == 0 {
			continue
		}
		n := len(out)
		room := n + vec.MostPoints*bits.OnesCount64(set.mask) + 8
		out = slices.Grow(out, room-n)[:room]
		if h.balls != nil {
			own := h.balls.point[:cap(h.balls.point)]
			n += vec.WithinEither(q, h.other.X[:cap(h.other.X)], own, &set.spans, set.mask, bound, out[n:])
		} else {
			n += vec.Within(q, h.other.X[:cap(h.other.X)], &set.spans, set.mask, bound, out[n:])
		}
		out = out[:n]
	}
	return out
}

// fewLeaves is how many leaves are looked at for all points within a first bound; where
// they are more, a pass over them for a better bound comes first.
const fewLeaves = 3

// nearest appends to out places that have the two nearest of q among them, which are
// within bound.
func (h *herd) nearest(q *[3]float32, bound float32, out []int32) []int32 {
	h.at(q)
	if h.look(bound) > fewLeaves {
		bound = spatial.Widen(float64(h.second(q)))
		h.look(bound)
	}
	return h.points(q, bound, out)
}

// second returns the second least float32 squared distance of q from the points of
// the marked leaves.
func (h *herd) second(q *[3]float32) float32 {
	first := float32(math.Inf(1))
	second := first
	near := h.near()
	for k := range near {
		if set := &near[k]; set.mask != 0 {
			a, b := vec.Least(q, h.other.X[:cap(h.other.X)], &set.spans, set.mask)
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
	h.gather(mostLeaves)
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
		h.found = h.nearest(q, h.bound[i-h.from], h.found[:0])
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
