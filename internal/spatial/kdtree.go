// Package spatial finds exact neighbours among points: a kd-tree over float32
// coordinates that proposes and float64 distances that decide, the order along
// the Z-curve, and groups of equal points.
package spatial

import "sync"

// leafSize is the most points of a leaf; 8 to 24 are within a tenth of each
// other on cubes and spheres of 4,096 to 131,072 points.
const leafSize = 16

// Tree is an implicit kd-tree over points of three coordinates. Every leaf lies
// at the same depth, so equal points cost no recursion, and the points are
// permuted into leaf order: a walk over the tree's own points is already sorted
// in space.
//
// A leaf has at least one point, an inner node at least two.
//
// Node 1 is the root, nodes 2k and 2k+1 are the halves of node k, and node
// leaves+l is leaf l, which holds the points start[l] to start[l+1].
type Tree struct {
	X      []float32 // coordinates in leaf order, rows of 3; behind the last is room for a leaf
	ID     []int32   // ID[k] is the index, before the build, of the k-th point in leaf order
	leaves int
	split  []float32 // by inner node
	axis   []uint8   // by inner node
	start  []int32   // by leaf, and one more
	box    []float32 // by leaf: low and high corner, 6 numbers
	halt   func() bool
}

// askPoints is the points of work between two questions whether to stop.
const askPoints = 1 << 14

type item struct {
	x  [3]float32
	id int32
}

// Build makes the tree of the rows of x, three coordinates each, at least one
// row. The tree is the same for any number of threads. It asks halt, which may
// be nil, every millisecond or so; after a yes the tree is of no use. Cost: O(n log n) time,
// 16 bytes a point while it runs and 17 that stay.
func Build(x []float32, threads int, halt func() bool) *Tree {
	n := len(x) / 3
	leaves := 1
	for n > leaves*leafSize {
		leaves *= 2
	}
	t := &Tree{
		X: make([]float32, 3*n, 3*(n+leafSize)), ID: make([]int32, n), leaves: leaves,
		split: make([]float32, leaves), axis: make([]uint8, leaves),
		start: make([]int32, leaves+1), box: make([]float32, 6*leaves), halt: halt,
	}
	p := make([]item, n)
	for i := range p {
		p[i] = item{[3]float32{x[3*i], x[3*i+1], x[3*i+2]}, int32(i)}
	}
	t.start[leaves] = int32(n)
	t.grow(p, 1, 0, threads)
	return t
}

// Bytes returns the memory that a tree of n points keeps.
func Bytes(n int) int64 {
	leaves := int64(1)
	for int64(n) > leaves*leafSize {
		leaves *= 2
	}
	return 16*int64(n) + leaves*(4+1+4+24)
}

// grow splits p, whose first point is number lo in leaf order, below node.
func (t *Tree) grow(p []item, node, lo, threads int) {
	if node >= t.leaves {
		t.fill(p, node-t.leaves, lo)
		return
	}
	if len(p) >= askPoints && t.halt != nil && t.halt() {
		return
	}
	low, high := bounds(p)
	a := 0
	for k := 1; k < 3; k++ {
		if high[k]-low[k] > high[a]-low[a] {
			a = k
		}
	}
	mid := (len(p) + 1) / 2
	pick(p, mid, a)
	t.split[node], t.axis[node] = p[mid].x[a], uint8(a)
	if threads < 2 || len(p) < 4096 {
		t.grow(p[:mid], 2*node, lo, 1)
		t.grow(p[mid:], 2*node+1, lo+mid, 1)
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { t.grow(p[:mid], 2*node, lo, threads/2) })
	t.grow(p[mid:], 2*node+1, lo+mid, threads-threads/2)
	wg.Wait()
}

// fill writes leaf l from p.
func (t *Tree) fill(p []item, l, lo int) {
	t.start[l] = int32(lo)
	for i, q := range p {
		copy(t.X[3*(lo+i):], q.x[:])
		t.ID[lo+i] = q.id
	}
	low, high := bounds(p)
	copy(t.box[6*l:], low[:])
	copy(t.box[6*l+3:], high[:])
}

func bounds(p []item) (low, high [3]float32) {
	a, b, c := p[0].x[0], p[0].x[1], p[0].x[2]
	d, e, f := a, b, c
	for i := range p {
		x, y, z := p[i].x[0], p[i].x[1], p[i].x[2]
		if x < a {
			a = x
		}
		if x > d {
			d = x
		}
		if y < b {
			b = y
		}
		if y > e {
			e = y
		}
		if z < c {
			c = z
		}
		if z > f {
			f = z
		}
	}
	return [3]float32{a, b, c}, [3]float32{d, e, f}
}

// pick moves the k smallest points of p along axis a before p[k], by Hoare's
// selection with the middle of three.
func pick(p []item, k, a int) {
	lo, hi := 0, len(p)-1
	for lo < hi {
		m := (lo + hi) / 2
		if p[m].x[a] < p[lo].x[a] {
			p[m], p[lo] = p[lo], p[m]
		}
		if p[hi].x[a] < p[lo].x[a] {
			p[hi], p[lo] = p[lo], p[hi]
		}
		if p[hi].x[a] < p[m].x[a] {
			p[hi], p[m] = p[m], p[hi]
		}
		v, i, j := p[m].x[a], lo, hi
		for i <= j {
			for p[i].x[a] < v {
				i++
			}
			for p[j].x[a] > v {
				j--
			}
			if i <= j {
				p[i], p[j] = p[j], p[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}

// Slack of a float32 squared distance: its relative error is below 4e-7, and
// near the smallest float32 its absolute error is some steps of 1.4e-45.
const (
	slack = 1 + 1e-6
	least = 1e-42
)

// boxDistance is the squared distance of a point from leaf l's box.
func (t *Tree) boxDistance(l int, x, y, z float32) float32 {
	b := t.box[6*l : 6*l+6 : 6*l+6]
	dx := max(b[0]-x, x-b[3], 0)
	dy := max(b[1]-y, y-b[4], 0)
	dz := max(b[2]-z, z-b[5], 0)
	return dx*dx + dy*dy + dz*dz
}
