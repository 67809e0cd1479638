package cloud

import "math"

// cover is a tree of boxes over the points of a cloud. Every node knows which of
// its points is farthest from the points taken so far, so that the root knows the
// next one, and a point that is taken is only compared with boxes that it may be
// nearer to than all before.
type cover struct {
	d     int
	x     []float32 // the points, leaf after leaf
	index []int32   // of each, its place in the cloud
	place []int32   // of each point of the cloud, its place here
	dist  []float64 // of each, the squared distance to the nearest point taken; −1: taken itself
	nodes []coverNode
	boxes []float64 // of each node, d least coordinates, then d greatest
	taken []float64 // the point that is being taken
	self  int32     // and its place
}

// coverNode is the part of the points from lo to hi; its children are nodes
// 2i+1 and 2i+2.
type coverNode struct {
	lo, hi int32
	far    int32   // index of the farthest point
	most   float64 // its squared distance
	inner  bool    // has children
}

const coverLeaf = 32 // points at most; from 8 to 128 the times differ by less than they vary

func newCover(c Cloud) *cover {
	t := &cover{d: c.D, x: make([]float32, len(c.X)), index: make([]int32, c.N), dist: make([]float64, c.N),
		place: make([]int32, c.N), taken: make([]float64, c.D)}
	for i := range t.index {
		t.index[i], t.dist[i] = int32(i), math.Inf(1)
	}
	t.build(c, 0, 0, c.N)
	for at, p := range t.index {
		t.place[p] = int32(at)
	}
	return t
}

// build makes node i of the points from lo to hi, halved by count across the
// widest side of their box.
func (t *cover) build(c Cloud, i, lo, hi int) {
	for len(t.nodes) <= i {
		t.nodes = append(t.nodes, coverNode{})
	}
	t.boxes = append(t.boxes, make([]float64, max(0, 2*t.d*(i+1)-len(t.boxes)))...)
	box := t.boxes[2*t.d*i : 2*t.d*(i+1)]
	for k := range t.d {
		box[k], box[t.d+k] = math.Inf(1), math.Inf(-1)
	}
	for _, p := range t.index[lo:hi] {
		for k, v := range c.row(int(p)) {
			box[k], box[t.d+k] = min(box[k], float64(v)), max(box[t.d+k], float64(v))
		}
	}
	axis := 0
	for k := range t.d {
		if box[t.d+k]-box[k] > box[t.d+axis]-box[axis] {
			axis = k
		}
	}
	inner := hi-lo > coverLeaf
	t.nodes[i] = coverNode{lo: int32(lo), hi: int32(hi), most: math.Inf(1), far: t.index[lo], inner: inner}
	if !inner {
		for at, p := range t.index[lo:hi] {
			copy(t.x[(lo+at)*t.d:], c.row(int(p)))
		}
		return
	}
	halve(t.index[lo:hi], func(p int32) float32 { return c.X[int(p)*c.D+axis] })
	mid := (lo + hi) / 2
	t.build(c, 2*i+1, lo, mid)
	t.build(c, 2*i+2, mid, hi)
}

// halve moves the indices of the lower keys into the first half: quickselect
// with the median of three, which equal keys do not slow down.
func halve(index []int32, key func(int32) float32) {
	mid := len(index) / 2
	for lo, hi := 0, len(index)-1; lo < hi; {
		a, b, c := key(index[lo]), key(index[(lo+hi)/2]), key(index[hi])
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for key(index[i]) < pivot {
				i++
			}
			for key(index[j]) > pivot {
				j--
			}
			if i <= j {
				index[i], index[j] = index[j], index[i]
				i++
				j--
			}
		}
		switch {
		case mid <= j:
			hi = j
		case mid >= i:
			lo = i
		default:
			return
		}
	}
}

// take takes point p of the cloud c.
func (t *cover) take(c Cloud, p int) {
	for k, v := range c.row(p) {
		t.taken[k] = float64(v)
	}
	t.self = t.place[p]
	t.visit(0)
}

// visit brings the distances below node i up to date. No point below has a
// distance above most, and none lies nearer to the taken point than the box
// does, also in rounded arithmetic, for that is monotone: so the test is exact.
func (t *cover) visit(i int) {
	n := &t.nodes[i]
	if !n.inner {
		t.leaf(n)
		return
	}
	for child := 2*i + 1; child <= 2*i+2; child++ {
		n := &t.nodes[child]
		if n.lo <= t.self && t.self < n.hi || t.gap(child) < n.most {
			t.visit(child)
		}
	}
	a, b := &t.nodes[2*i+1], &t.nodes[2*i+2]
	if b.most > a.most || b.most == a.most && b.far < a.far {
		a = b
	}
	n.most, n.far = a.most, a.far
}

// gap is the squared distance from the taken point to the box of node i.
func (t *cover) gap(i int) float64 {
	box, sum := t.boxes[2*t.d*i:2*t.d*(i+1)], 0.0
	for k, v := range t.taken {
		g := max(box[k]-v, v-box[t.d+k], 0)
		sum += float64(g * g)
	}
	return sum
}

func (t *cover) leaf(n *coverNode) {
	n.most = -2
	for at := int(n.lo); at < int(n.hi); at++ {
		sum := 0.0
		for k, v := range t.x[at*t.d : (at+1)*t.d] {
			g := float64(v) - t.taken[k]
			sum += float64(g * g)
		}
		d := min(t.dist[at], sum)
		if at == int(t.self) {
			d = -1
		}
		t.dist[at] = d
		if d > n.most || d == n.most && t.index[at] < n.far {
			n.most, n.far = d, t.index[at]
		}
	}
}
