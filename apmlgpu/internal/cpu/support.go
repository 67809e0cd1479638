package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/spatial"
	"github.com/gondola-lab/gondola/internal/vec"
)

// chunkRows is the rows of a chunk of a support: their buffers are about as long as a
// second-level cache.
const chunkRows = 256

// square is the squared radius of the ball of point i, in the unit of s.
func (h *half) square(i int) float64 {
	r := (h.d1[i] + h.reach(i)) / h.s.unit
	return r * r
}

// bound is a float32 bound of the ball of point i, −1 where it holds nothing.
func (h *half) bound(i int) float32 {
	if h.gap[i] == 0 {
		return -1
	}
	return spatial.Widen(h.square(i))
}

// balls are the bounds of the balls of all points of a side, by place, and those of
// its leaves.
type balls struct {
	point []float32
	leaf  bounds
}

// newBalls makes the balls of the points of h.s; nil where it has no tree.
func newBalls(h *half) *balls {
	if h.s.tree == nil {
		return nil
	}
	b := &balls{point: make([]float32, h.s.n, h.s.n+vec.MostPoints)}
	for i := range b.point {
		b.point[i] = h.bound(i)
	}
	b.leaf = h.s.boxes.newBounds(h.s.tree, b.point)
	return b
}

// bytes of balls, from counts.
func (s *side) ballBytes() int64 {
	if s.tree == nil {
		return 0
	}
	return 4*int64(s.n+vec.MostPoints) + s.boxes.bytes()/6
}

// finding is what a goroutine uses again from row to row of a support.
type finding struct {
	herd, alone *herd
	idx         []int32
	a, b        []float64 // by entry: exponents, then similarities, of the row and of the column
	bytes       int64     // of these, in the ledger
}

// grow makes room for n entries, of which the first have numbers, if it may.
func (w *finding) grow(n, numbers int, l *ledger) error {
	idx, val := cap(w.idx), cap(w.a)
	if n > idx {
		idx = n + n/2
	}
	if n > val {
		val = n + n/2
	}
	if bytes := 4*int64(idx) + 16*int64(val); bytes > w.bytes {
		if err := l.take("the support", bytes-w.bytes); err != nil {
			return err
		}
		w.bytes = bytes
	}
	w.idx, w.a, w.b = grown(w.idx, idx), grown(w.a[:numbers], val), grown(w.b[:numbers], val)
	return nil
}

// candidates appends to w.idx the columns, ascending, that are in the ball of row i or
// in whose own ball row i is, and some that are close to that.
func (m *merger) candidates(i int, w *finding) {
	s, o := m.x.s, m.y.s
	if m.balls == nil || s.tree == nil {
		for j := range o.n {
			w.idx = append(w.idx, int32(j))
		}
		return
	}
	if w.herd == nil {
		w.herd, w.alone = newHerd(s, o), newHerd(s, o)
		w.herd.balls, w.alone.balls = m.balls, m.balls
	}
	d := w.herd
	if i < d.from || i >= d.to {
		d.lead(i, 0, s.n)
		for k := d.from; k < d.to; k++ {
			d.bound[k-d.from] = m.x.bound(k)
		}
		d.gather(mostLeaves)
	}
	if !d.together { // far from each other, or near everything
		d = w.alone
		d.from, d.to, d.bound = i, i+1, append(d.bound[:0], m.x.bound(i))
		d.gather(math.MaxInt)
	}
	w.idx = d.ball(d.point(i), d.bound[i-d.from], w.idx)
}

// similar makes the exponents of the entries of row i, those of w from n on, and leaves
// out what is in neither support. The test is (d − d₁) < κ·γ in float64; the tree only
// proposes.
func (m *merger) similar(i, n int, w *finding, p *vec.Pair) (rows, cols int, err error) {
	x, y := m.x, m.y
	if err := w.grow(len(w.idx)+4, n, m.ledger); err != nil {
		return 0, 0, err
	}
	w.a, w.b = w.a[:len(w.idx)], w.b[:len(w.idx)]
	idx, a, b := w.idx[n:], w.a[n:], w.b[n:]
	whole := (len(idx) + 3) &^ 3
	clear(idx[len(idx):whole])
	distances(x.s, y.s, i, idx[:whole], b[:whole])
	p.SetPoint(x.d1[i], x.reach(i), x.sharp(i))
	rows, cols, none := p.Similar(idx, y.d1, y.gap, a, b)
	if none == 0 {
		return rows, cols, nil
	}
	to := 0
	for k, j := range idx {
		if math.IsInf(a[k], -1) && math.IsInf(b[k], -1) {
			continue
		}
		idx[to], a[to], b[to] = j, a[k], b[k]
		to++
	}
	w.idx, w.a, w.b = w.idx[:n+to], w.a[:n+to], w.b[:n+to]
	return rows, cols, nil
}

// grown is s with room for n.
func grown[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s
	}
	t := make([]T, len(s), n)
	copy(t, s)
	return t
}
