package cpu

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// A truncated form lists the pairs with (C_ij − f_i − g_j)/ε below listDepth +
// listRoom. What a row leaves out has at most the share e^−(listDepth+listRoom) of
// its mass, and e^−listDepth while the logarithms of scalings rise by listRoom.
const (
	listDepth = 25
	listRoom  = 5
)

// listBytes is the memory of an entry: by rows and by columns, an index and a
// float32 each.
const listBytes = 16

// truncated is the factors that matter, by rows and by columns.
type truncated struct {
	rows, cols *matrix
	z          []float64 // of the rows of a round
	bound      float64   // share of a row's mass that is left out, at most
	m          int
}

func (t *truncated) entries() int64 {
	if t == nil {
		return 0
	}
	return t.rows.ptr[len(t.rows.ptr)-1]
}

func (t *truncated) bytes() int64 {
	if t == nil {
		return 0
	}
	return t.entries()*listBytes + 8*int64(len(t.rows.ptr)+len(t.cols.ptr)) + 8*int64(len(t.z))
}

// Drift says that the list holds while logarithms of scalings rise by most in all;
// without a list nothing was left out.
func (h *gibbs) Drift(most float64) bool {
	if h.list == nil {
		return true
	}
	h.list.bound = math.Exp(max(most, 0) - listDepth - listRoom)
	return most <= listRoom
}

// Covers looks at potentials instead.
func (h *gibbs) Covers(f, g []float64) bool {
	if h.list == nil {
		return true
	}
	rise := func(f, was []float64) float64 {
		most := math.Inf(-1)
		for i, v := range f {
			most = max(most, v/h.eps-was[i])
		}
		return most
	}
	return h.Drift(rise(f, h.f) + rise(g, h.g))
}

// round goes over the rows, and then over the columns.
func (t *truncated) round(w, c []float64, step func(i int, r float64) float64, crew *crew) error {
	err := crew.run(len(t.rows.blocks), func(_, k int) {
		b := &t.rows.blocks[k]
		z := t.z[b.lo:b.hi]
		vec.Lines(z, t.rows.ptr[b.lo:b.hi+1], b.idx, b.narrow, w, 1)
		for i, r := range z {
			z[i] = step(b.lo+i, r)
		}
	})
	if err != nil || c == nil {
		return err
	}
	return crew.run(len(t.cols.blocks), func(_, k int) {
		b := &t.cols.blocks[k]
		vec.Lines(c[b.lo:b.hi], t.cols.ptr[b.lo:b.hi+1], b.idx, b.narrow, t.z, 1)
	})
}

// nodes are the boxes of a tree's nodes, node 1 the root, and the largest
// potential below each.
type nodes struct {
	box  [][6]float64
	most []float64
}

// nodesOf needs potentials over eps.
func nodesOf(p *spots, g []float64) nodes {
	leaves := p.tree.Leaves()
	t := nodes{make([][6]float64, 2*leaves), make([]float64, 2*leaves)}
	for l := range leaves {
		for c, v := range p.tree.Box(l) {
			t.box[leaves+l][c] = float64(v) - float64(p.from[c%3])
		}
		lo, hi := p.tree.Leaf(l)
		t.most[leaves+l] = math.Inf(-1)
		for _, v := range g[lo:hi] {
			t.most[leaves+l] = max(t.most[leaves+l], v)
		}
	}
	for k := leaves - 1; k > 0; k-- {
		a, b := &t.box[2*k], &t.box[2*k+1]
		for c := range 3 {
			t.box[k][c], t.box[k][c+3] = min(a[c], b[c]), max(a[c+3], b[c+3])
		}
		t.most[k] = max(t.most[2*k], t.most[2*k+1])
	}
	return t
}

// apart is the squared distance between two boxes.
func apart(a, b *[6]float64) float64 {
	sum := 0.0
	for c := range 3 {
		d := max(a[c]-b[c+3], b[c]-a[c+3], 0)
		sum += d * d
	}
	return sum
}

// around appends the leaves of t, ascending, with a pair that may matter to a box
// whose largest potential is f.
func (h *gibbs) around(t *nodes, box *[6]float64, f float64, out []int32) []int32 {
	stack := append(make([]int32, 0, 64), 1)
	leaves := len(t.most) / 2
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if h.scale(apart(box, &t.box[k])*(1-1e-12), h.eps)-f-t.most[k] >= listDepth+listRoom {
			continue
		}
		if int(k) >= leaves {
			out = append(out, k-int32(leaves))
			continue
		}
		stack = append(stack, 2*k+1, 2*k)
	}
	return out
}

// lister makes the lines of a chunk.
type lister struct {
	h      *gibbs
	f, g   []float64 // over eps
	nx, ny nodes
	count  atomic.Int64
	most   int64 // entries
	stop   atomic.Bool
}

// leavesAChunk is the leaves of rows that are listed together.
const leavesAChunk = 16

// holdList lists the pairs that matter, with their factors.
func (h *gibbs) holdList(f, g []float64) error {
	l := h.pair.ledger
	n, m := h.x.n, h.y.n
	a := &lister{h: h, f: over(f, h.eps), g: over(g, h.eps), most: l.left() / listBytes}
	if h.form.Most > 0 {
		a.most = min(a.most, h.form.Most)
	}
	a.nx, a.ny = nodesOf(h.x, a.f), nodesOf(h.y, a.g)
	rows := &matrix{ptr: make([]int64, n+1)}
	leaves := h.x.tree.Leaves()
	rows.blocks = make([]block, chunksOf(leaves, leavesAChunk))
	err := h.pair.crew.each(leaves, leavesAChunk, func(k, lo, hi int) {
		a.chunk(&rows.blocks[k], rows.ptr, lo, hi)
	})
	if err != nil {
		return err
	}
	if a.stop.Load() {
		return l.refuse("the list of pairs that matter", float64(a.count.Load())*listBytes)
	}
	for i := range n {
		rows.ptr[i+1] += rows.ptr[i]
	}
	t := &truncated{rows: rows, z: make([]float64, n), bound: math.Exp(-listDepth - listRoom), m: m}
	// By rows and columns: entries, where lines begin, potentials, and the sums of a round.
	bytes := a.count.Load()*listBytes + 8*int64(n+m+2) + 8*int64(n+m) + 8*int64(n)
	if err := l.take("the list of pairs that matter", bytes); err != nil {
		return err
	}
	t.cols = rows.flip(m, true, h.pair.crew)
	h.list, h.f, h.g = t, a.f, a.g
	return h.pair.crew.err()
}

// chunk lists the rows of leaves lo to hi.
func (a *lister) chunk(b *block, ptr []int64, lo, hi int) {
	h := a.h
	var near []int32
	var idx, cols []int32
	var val []float64
	var narrow []float32
	b.lo, _ = h.x.tree.Leaf(lo)
	_, b.hi = h.x.tree.Leaf(hi - 1)
	leaves := h.x.tree.Leaves()
	for l := lo; l < hi && !h.pair.crew.halt() && !a.stop.Load(); l++ {
		near = h.around(&a.ny, &a.nx.box[leaves+l], a.nx.most[leaves+l], near[:0])
		from, to := h.x.tree.Leaf(l)
		for i := from; i < to; i++ {
			idx, val = a.row(i, near, idx[:0], val[:0])
			vec.Exp(val)
			cols = append(cols, idx...)
			for _, v := range val {
				narrow = append(narrow, float32(v))
			}
			ptr[i+1] = int64(len(idx))
		}
		if a.count.Load()+int64(len(cols)) > a.most {
			a.stop.Store(true)
		}
	}
	b.idx, b.narrow = slices.Clone(cols), slices.Clone(narrow) // of their own length
	a.count.Add(int64(len(b.idx)))
}

// row lists the partners of point i among the leaves near, with the logarithms of
// their factors.
func (a *lister) row(i int, near []int32, idx []int32, val []float64) ([]int32, []float64) {
	h := a.h
	unit, root := h.scale(1, h.eps), h.form.Cost == backend.Plain
	x, y, z := h.y.col[0], h.y.col[1], h.y.col[2]
	px, py, pz := h.x.col[0][i], h.x.col[1][i], h.x.col[2][i]
	f := a.f[i]
	for _, l := range near {
		lo, hi := h.y.tree.Leaf(int(l))
		for j := lo; j < hi; j++ {
			p, q, r := px-x[j], py-y[j], pz-z[j]
			d := float64(p*p) + float64(q*q) + float64(r*r)
			if root {
				d = math.Sqrt(d)
			}
			if t := f + a.g[j] - d*unit; t > -listDepth-listRoom {
				idx, val = append(idx, int32(j)), append(val, min(t, mostNarrow))
			}
		}
	}
	return idx, val
}

// line is the partners that point i of a has in b by the list, or nil: all.
func (h *gibbs) line(a, b *spots, i int) []int32 {
	switch {
	case h.list == nil:
		return nil
	case a == h.x && b == h.y:
		return h.list.rows.columnsOf(i)
	case a == h.y && b == h.x:
		return h.list.cols.columnsOf(i)
	}
	return nil // clusters
}

// columnsOf is the columns of line i.
func (m *matrix) columnsOf(i int) []int32 {
	idx, _ := m.entriesOf(i)
	return idx
}

// entriesOf is the columns of line i and their float32 numbers.
func (m *matrix) entriesOf(i int) ([]int32, []float32) {
	lo, hi := 0, len(m.blocks)
	for hi-lo > 1 {
		if k := (lo + hi) / 2; m.blocks[k].lo <= i {
			lo = k
		} else {
			hi = k
		}
	}
	b := &m.blocks[lo]
	from, to := m.line(b, i)
	return b.idx[from:to], b.narrow[from:to]
}
