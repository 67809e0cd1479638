package cpu

import "math"

// haltQueries is how many questions to a tree there are between two whether to stop.
const haltQueries = 64

// listLength is how many targets a row lists.
const listLength = 32

// entry is a listed target: its cost, and where it lies in the tree.
type entry struct {
	c float64
	j int32
}

// auction is an assignment problem between equally many rows and targets. Every
// row lists its best targets; all others had C − v of at least bound when the list was
// made, and have it for ever, for prices only fall. So all pairs count, and few are
// held.
type auction struct {
	t     *transport // counts steps, and ends the work
	x     []spot
	tree  *priceTree
	lists [][]entry
	bound []float64
	u     []float64
	to    []int32 // target of a row, −1: none
	from  []int32 // row of a target
	k     int
	due   int   // queries since the bounds of the tree were made
	most  int64 // work of the tree after which the auction gives up
	begun bool  // the first scale is done
	// coarse says that rows are cells whose prices come from larger ones: an eps that must
	// be raised there tells that the auction between the points will be dear.
	coarse bool
}

// listsAtOnce is how many lists are made between two questions whether to stop.
const listsAtOnce = 1 << 12

// newAuction is the auction before its first bid. After a halt it is of no use.
func newAuction(t *transport, x []spot, tree *priceTree) *auction {
	n := len(x)
	a := &auction{t: t, x: x, tree: tree, lists: make([][]entry, n), bound: make([]float64, n), u: make([]float64, n),
		to: make([]int32, n), from: make([]int32, n), k: min(listLength, n),
		most: int64(workARow * math.Sqrt(float64(max(t.x.n, leastWork))) * float64(n))}
	var some []entry
	for i := range a.lists {
		if len(some) < a.k { // not all at once: the memory of many is long to clear
			if t.crew.halt() {
				return a
			}
			some = make([]entry, min(n-i, listsAtOnce)*a.k)
		}
		a.lists[i], some = some[:0:a.k], some[a.k:]
		a.bound[i], a.to[i], a.from[i] = math.Inf(-1), -1, -1
	}
	return a
}

// fill makes the list of row i anew, k long.
func (a *auction) fill(i int32, k int) {
	if a.due++; a.due > len(a.x)/8+16 {
		a.due = 0
		a.aimAll()
	}
	cut := math.Inf(1)
	if len(a.lists[i]) >= k {
		cut = math.Inf(-1)
		for _, e := range a.lists[i] {
			cut = max(cut, e.c-a.tree.v[e.j])
		}
	}
	found := a.tree.best(&a.x[i], k, cut)
	list := a.lists[i][:0]
	for _, f := range found {
		list = append(list, entry{f.c, f.j})
	}
	a.lists[i], a.bound[i] = list, math.Inf(1)
	if len(found) < len(a.x) {
		a.bound[i] = found[len(found)-1].r
	}
}

// aimAll makes slopes and bounds of the tree fresh.
func (a *auction) aimAll() {
	for j, i := range a.from {
		if i >= 0 {
			a.tree.aim(int32(j), &a.x[i])
		}
	}
	a.tree.refresh()
}

// two is the best target of row i, its C − v, and a lower bound of that of all
// others.
func (a *auction) two(i int32) (j int32, first, second float64) {
	v := a.tree.v
	for {
		j, first, second = -1, math.Inf(1), math.Inf(1)
		for _, e := range a.lists[i] {
			switch r := e.c - v[e.j]; {
			case r < first:
				j, first, second = e.j, r, first
			case r < second:
				second = r
			}
		}
		b := a.bound[i]
		if second <= b {
			return j, first, second
		}
		if first <= b {
			return j, first, b
		}
		a.fill(i, max(a.k, len(a.lists[i])))
	}
}

// tight sets u and frees the pairs that pay more than slack above it; it returns
// how many.
func (a *auction) tight(slack float64) (freed int) {
	for i := range a.x {
		if i%haltQueries == 0 && a.t.crew.halt() {
			return freed
		}
		_, first, _ := a.two(int32(i))
		a.u[i] = first
		if j := a.to[i]; j >= 0 && a.tree.cost(&a.x[i], &a.tree.at[j])-a.tree.v[j] > first+slack {
			a.to[i], a.from[j] = -1, -1
			freed++
		}
	}
	return freed
}
