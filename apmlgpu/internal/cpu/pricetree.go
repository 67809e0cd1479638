package cpu

import (
	"math"
	"slices"
)

// spot is a point of up to three coordinates.
type spot = [3]float64

// priceCell is a node of a price tree: a box, and bounds of the prices in it.
type priceCell struct {
	mid, half   spot
	slope       spot    // mean gradient of the prices below
	most        float64 // largest v − slope·(y − mid), and less |y − mid|² where the cost is squared
	crude       float64 // largest v
	weight      float64 // of the slope
	above       float64 // what most may be larger by when seen from the parent
	lo, hi      int32   // points
	left, right int32   // −1 in a leaf
	up          int32
}

// priceTree finds targets of least C − v, where prices v only fall: bounds that were
// right once stay right. Points lie in the order of the tree.
type priceTree struct {
	at      []spot
	id      []int32 // of the points, as they were given
	v       []float64
	pull    []spot    // gradient of v as far as it is known, times its weight
	heavy   []float64 // that weight
	leaf    []int32
	cells   []priceCell
	squared bool
	look    []spot // some points of the other cloud
	halt    func() bool

	q     spot // of the query
	k     int
	cut   float64
	found []offer
	work  int64 // nodes and points looked at
}

// offer is a target with its cost and its cost less its price.
type offer struct {
	r, c float64
	j    int32
}

// haltSteps is how many comparisons of a sort there are between two questions whether to
// stop.
const haltSteps = 1 << 14

// sortUntil is slices.SortFunc that a halt ends: the order is of no use then.
func sortUntil[E any](s []E, halt func() bool, compare func(a, b E) int) {
	asked, halted := 0, false
	slices.SortFunc(s, func(a, b E) int {
		if asked++; asked%haltSteps == 0 {
			halted = halted || halt()
		}
		if halted { // to the end at once
			return 0
		}
		return compare(a, b)
	})
}

// leafSpots is how many points a leaf holds at most.
const leafSpots = 8

// priceTreeBytes is the memory of a price tree a point.
const priceTreeBytes = 24 + 4 + 8 + 24 + 8 + 4 + 160*2/leafSpots*2

func gap2(a, b *spot) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return x*x + y*y + z*z
}

func (t *priceTree) cost(a, b *spot) float64 {
	if s := gap2(a, b); !t.squared {
		return math.Sqrt(s)
	} else {
		return s
	}
}

// newPriceTree builds a tree by median splits: cells of one depth hold equally many
// points. A side counts by how much the gradient of the cost, seen from the points of
// look, varies along it, so that cells of far clouds are long where costs hardly change.
// After a halt the tree is of no use.
func newPriceTree(p []spot, squared bool, look []spot, halt func() bool) *priceTree {
	n := len(p)
	t := &priceTree{at: make([]spot, n), id: numbers(n), v: make([]float64, n), pull: make([]spot, n),
		heavy: make([]float64, n), leaf: make([]int32, n), squared: squared, look: look, halt: halt}
	t.split(p, 0, int32(n), -1)
	for k := range t.cells {
		if c := &t.cells[k]; c.left < 0 {
			for j := c.lo; j < c.hi; j++ {
				t.leaf[j] = int32(k)
			}
		}
	}
	for k, i := range t.id {
		t.at[k] = p[i]
	}
	t.refresh()
	return t
}

func (t *priceTree) split(p []spot, lo, hi, up int32) int32 {
	me := int32(len(t.cells))
	low, high := p[t.id[lo]], p[t.id[lo]]
	for _, i := range t.id[lo:hi] {
		for e, v := range p[i] {
			low[e], high[e] = min(low[e], v), max(high[e], v)
		}
	}
	c := priceCell{lo: lo, hi: hi, left: -1, right: -1, up: up}
	for e := range low {
		c.mid[e], c.half[e] = (low[e]+high[e])/2, (high[e]-low[e])/2*(1+1e-15)
	}
	w := t.turning(&c.mid)
	side := 0
	for e := range low {
		if c.half[e]*w[e] > c.half[side]*w[side] {
			side = e
		}
	}
	t.cells = append(t.cells, c)
	if hi-lo <= leafSpots || hi-lo > 1<<10 && t.halt() {
		return me
	}
	sortUntil(t.id[lo:hi], t.halt, func(a, b int32) int {
		switch v, w := p[a][side], p[b][side]; {
		case v < w:
			return -1
		case v > w:
			return 1
		}
		return int(a - b)
	})
	middle := (lo + hi) / 2
	left := t.split(p, lo, middle, me)
	right := t.split(p, middle, hi, me)
	t.cells[me].left, t.cells[me].right = left, right
	return me
}

// turning is how much each part of the cost's gradient at c varies over look; far
// points count more.
func (t *priceTree) turning(c *spot) spot {
	if len(t.look) == 0 {
		return spot{1, 1, 1}
	}
	var mean, square spot
	total := 0.0
	for k := range t.look {
		g := t.slopeOf(&t.look[k], c)
		w := gap2(&t.look[k], c)
		total += w
		for e, v := range g {
			mean[e] += w * v
			square[e] += w * v * v
		}
	}
	if total == 0 {
		return spot{1, 1, 1}
	}
	for e := range mean {
		m := mean[e] / total
		mean[e] = math.Sqrt(max(0, square[e]/total-m*m)) + 1e-9
	}
	return mean
}

// slopeOf is the gradient of the cost from x at y.
func (t *priceTree) slopeOf(x, y *spot) spot {
	d := spot{y[0] - x[0], y[1] - x[1], y[2] - x[2]}
	w := 2.0
	if !t.squared {
		if w = math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]); w > 0 {
			w = 1 / w
		}
	}
	return spot{d[0] * w, d[1] * w, d[2] * w}
}

// aim notes that target j is x's: the price there rises as the cost from x does.
func (t *priceTree) aim(j int32, x *spot) {
	g, w := t.slopeOf(x, &t.at[j]), gap2(x, &t.at[j])
	t.pull[j], t.heavy[j] = spot{g[0] * w, g[1] * w, g[2] * w}, w
}

// some are 16 points of p, evenly over its order.
func some(p []spot) []spot {
	s := make([]spot, 16)
	for k := range s {
		s[k] = p[k*len(p)/len(s)]
	}
	return s
}

// turned moves both clouds to a common middle and turns them to the axes along which
// the gradient of the cost varies most, of 512 pairs.
func turned(x, y []spot, squared bool) (a, b []spot) {
	low, high := x[0], x[0]
	for _, p := range [][]spot{x, y} {
		for _, q := range p {
			for e, v := range q {
				low[e], high[e] = min(low[e], v), max(high[e], v)
			}
		}
	}
	var t priceTree
	t.squared = squared
	const pairs = 512
	var mean spot
	all := make([]spot, pairs)
	for k := range all {
		all[k] = t.slopeOf(&x[k*len(x)/pairs], &y[k*7919%pairs*len(y)/pairs])
		for e, v := range all[k] {
			mean[e] += v / pairs
		}
	}
	var m [3]spot
	for _, g := range all {
		for a := range m {
			for b := range m {
				m[a][b] += (g[a] - mean[a]) * (g[b] - mean[b])
			}
		}
	}
	axes := axesOf(m)
	turn := func(p []spot) []spot {
		out := make([]spot, len(p))
		for i, q := range p {
			for e := range q {
				q[e] -= low[e] + (high[e]-low[e])/2
			}
			for e, axis := range axes {
				out[i][e] = axis[0]*q[0] + axis[1]*q[1] + axis[2]*q[2]
			}
		}
		return out
	}
	return turn(x), turn(y)
}

// axesOf are the principal axes of a symmetric matrix, by rotations of Jacobi.
func axesOf(m [3]spot) [3]spot {
	axes := [3]spot{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for range 30 {
		p, q := 0, 1
		for _, pair := range [][2]int{{0, 2}, {1, 2}} {
			if math.Abs(m[pair[0]][pair[1]]) > math.Abs(m[p][q]) {
				p, q = pair[0], pair[1]
			}
		}
		if math.Abs(m[p][q]) <= 1e-14*(m[0][0]+m[1][1]+m[2][2]) {
			break
		}
		angle := math.Atan2(2*m[p][q], m[p][p]-m[q][q]) / 2
		c, s := math.Cos(angle), math.Sin(angle)
		for k := range m {
			m[k][p], m[k][q] = c*m[k][p]+s*m[k][q], c*m[k][q]-s*m[k][p]
		}
		for k := range m {
			m[p][k], m[q][k] = c*m[p][k]+s*m[q][k], c*m[q][k]-s*m[p][k]
			axes[p][k], axes[q][k] = c*axes[p][k]+s*axes[q][k], c*axes[q][k]-s*axes[p][k]
		}
	}
	return axes
}
