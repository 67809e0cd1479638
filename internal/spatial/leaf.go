package spatial

import "math"

// Leaf returns the places, lo to hi, of the points of leaf l.
func (t *Tree) Leaf(l int) (lo, hi int) { return int(t.start[l]), int(t.start[l+1]) }

// Group returns the places, lo to hi, of the points of n leaves in a row, leaf l
// among them; n is a power of two. They are all points where the tree has fewer leaves.
func (t *Tree) Group(l, n int) (lo, hi int) {
	n = min(n, t.leaves)
	l -= l % n
	return int(t.start[l]), int(t.start[l+n])
}

// Box returns the low and the high corner of leaf l.
func (t *Tree) Box(l int) *[6]float32 { return (*[6]float32)(t.box[6*l:]) }

// LeafAt returns the leaf of the point at a place.
func (t *Tree) LeafAt(place int) int {
	lo, hi := 0, t.leaves
	for hi-lo > 1 {
		if m := (lo + hi) / 2; int(t.start[m]) <= place {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// LeafOf returns the leaf in whose cell q lies.
func (t *Tree) LeafOf(q *[3]float32) int {
	node := 1
	for node < t.leaves {
		s := q[t.axis[node]] - t.split[node]
		node *= 2
		if s >= 0 {
			node++
		}
	}
	return node - t.leaves
}

// Widen returns a float32 bound that no float32 squared distance of a point
// exceeds whose float64 squared distance is at most d.
func Widen(d float64) float32 {
	f := float32(d*slack + least)
	if !(f < math.MaxFloat32) {
		return float32(math.Inf(1))
	}
	return math.Float32frombits(math.Float32bits(f) + 1)
}

// Leaves returns the number of leaves, a power of two.
func (t *Tree) Leaves() int { return t.leaves }
