// Package spatial finds exact neighbours among points: a kd-tree over float32
// coordinates that proposes and float64 distances that decide, the order along
// the Z-curve, and groups of equal points.
package spatial

import (
	"math"
	"sync"
)

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

// item is a point and its index. Coordinates are kept as whole numbers of the same
// order, which the processor compares and chooses without branches: which way a
// comparison of points goes cannot be foretold.
type item struct{ xy, zi uint64 }

// ordered is a whole number that compares as v does, −0 below 0.
func ordered(v float32) uint32 {
	b := math.Float32bits(v)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// coordinate is the number whose ordered is k.
func coordinate(k uint32) float32 {
	return math.Float32frombits(k ^ (^uint32(int32(k)>>31) | 1<<31))
}

func newItem(x, y, z float32, id int) item {
	return item{uint64(ordered(x)) | uint64(ordered(y))<<32, uint64(ordered(z)) | uint64(id)<<32}
}

// keys tells where items have the number of axis a: in xy where the mask is set, else
// in zi, shifted.
func keys(a int) (mask uint64, shift int) {
	return [3]uint64{math.MaxUint64, math.MaxUint64, 0}[a], [3]int{0, 32, 0}[a]
}

func (p item) key(mask uint64, shift int) uint32 {
	return uint32((p.xy&mask | p.zi&^mask) >> (shift & 63))
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
		p[i] = newItem(x[3*i], x[3*i+1], x[3*i+2], i)
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
	mask, shift := keys(a)
	pick(p, mid, mask, shift)
	t.split[node], t.axis[node] = coordinate(p[mid].key(mask, shift)), uint8(a)
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
		to := t.X[3*(lo+i) : 3*(lo+i)+3]
		to[0], to[1] = coordinate(uint32(q.xy)), coordinate(uint32(q.xy>>32))
		to[2], t.ID[lo+i] = coordinate(uint32(q.zi)), int32(q.zi>>32)
	}
	low, high := bounds(p)
	copy(t.box[6*l:], low[:])
	copy(t.box[6*l+3:], high[:])
}

func bounds(p []item) (low, high [3]float32) {
	a, b, c := uint32(p[0].xy), uint32(p[0].xy>>32), uint32(p[0].zi)
	d, e, f := a, b, c
	for _, q := range p {
		x, y, z := uint32(q.xy), uint32(q.xy>>32), uint32(q.zi)
		a, b, c = min(a, x), min(b, y), min(c, z)
		d, e, f = max(d, x), max(e, y), max(f, z)
	}
	return [3]float32{coordinate(a), coordinate(b), coordinate(c)},
		[3]float32{coordinate(d), coordinate(e), coordinate(f)}
}

// pick moves the k smallest points of p by their keys before p[k], by selection with
// the middle of three, or of three such middles.
func pick(p []item, k int, mask uint64, shift int) {
	for len(p) > 1 {
		v := pivot(p, mask, shift)
		less := part(p, v, mask, shift)
		switch {
		case k < less:
			p = p[:less]
			continue
		case less <= len(p)/8: // few are below v, or none: perhaps many are v
			equal := part(p[less:], v+1, mask, shift)
			if k < less+equal {
				return
			}
			less += equal
		}
		p, k = p[less:], k-less
	}
}

// pivot is a key that about half of p is below.
func pivot(p []item, mask uint64, shift int) uint32 {
	n := len(p)
	at := func(i int) uint32 { return p[i].key(mask, shift) }
	if n < 64 {
		return middle(at(0), at(n/2), at(n-1))
	}
	s := n / 9
	return middle(middle(at(0), at(s), at(2*s)), middle(at(3*s), at(n/2), at(5*s)), middle(at(6*s), at(7*s), at(n-1)))
}

func middle(a, b, c uint32) uint32 { return max(min(a, b), min(max(a, b), c)) }

// part moves the points whose keys are below v to the front, without branches, and
// tells how many they are.
func part(p []item, v uint32, mask uint64, shift int) int {
	less := 0
	for i := range p {
		q := p[i]
		p[i] = p[less]
		p[less] = q
		below := 0
		if q.key(mask, shift) < v {
			below = 1
		}
		less += below
	}
	return less
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
