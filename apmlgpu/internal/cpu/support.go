package cpu

import (
	"sync/atomic"

	"github.com/gondola-lab/gondola/internal/spatial"
	"github.com/gondola-lab/gondola/internal/vec"
)

// chunkRows is the rows of a chunk of lists: their buffers are about as long
// as a first-level cache.
const chunkRows = 256

// scratch is what a goroutine uses again from row to row.
type scratch struct {
	found, kept []int32
	val, other  []float64
	herd        *herd
}

// row finds the support of point i, ascending, and its similarities, in w, and
// returns the sum of the similarities with multiplicity. The test is
// (d − d₁) < κ·γ in float64; the tree only proposes.
func (h *half) row(i int, w *scratch) (z float64) {
	s, o := h.s, h.o
	d1, reach, sharp := h.d1[i], h.reach(i), -h.sharp(i)
	h.candidates(i, w)
	if cap(w.kept) < len(w.found) {
		w.kept, w.val = make([]int32, 2*len(w.found)), make([]float64, 2*len(w.found))
	}
	kept, val := w.kept[:len(w.found)], w.val[:len(w.found)]
	distances(s, o, i, w.found, val)
	n := 0
	for k, j := range w.found {
		t := val[k] - d1
		kept[n], val[n] = j, t
		if t < reach {
			n++
		}
	}
	w.kept, w.val = kept[:n], val[:n]
	for k := range w.val {
		w.val[k] *= sharp
	}
	vec.Exp(w.val)
	for k, e := range w.val {
		if o.mult != nil {
			e *= float64(o.mult[kept[k]])
		}
		z += e
	}
	return z
}

// square is the squared radius of the ball of point i, in the unit of s.
func (h *half) square(i int) float64 {
	r := (h.d1[i] + h.reach(i)) / h.s.unit
	return r * r
}

// candidates fills w.found with the points in the ball of point i and some close to
// it, ascending. The points of a leaf ask together when the first of them asks.
func (h *half) candidates(i int, w *scratch) {
	if h.s.tree == nil || h.o.tree == nil {
		w.found = h.o.find.Ball(h.s.row(i), h.square(i), w.found[:0])
		return
	}
	if w.herd == nil {
		w.herd = newHerd(h.s, h.o)
	}
	d := w.herd
	if i < d.from || i >= d.to {
		d.lead(i, 0, h.s.n)
		for k := d.from; k < d.to; k++ {
			d.bound[k-d.from] = -1
			if h.gap[k] != 0 {
				d.bound[k-d.from] = spatial.Widen(h.square(k))
			}
		}
		d.gather()
	}
	if d.together {
		w.found = d.ball(d.point(i), d.bound[i-d.from], w.found[:0])
		return
	}
	w.found = h.o.find.Ball(h.s.row(i), h.square(i), w.found[:0])
}

// lists are the supports of all points of one direction: the points of chunk k
// have their partners one after the other in idx[k], ascending in each row.
type lists struct {
	count []int32
	idx   [][]int32
	total int64
}

// bytes of the lists.
func (l *lists) bytes() int64 { return 4*l.total + 4*int64(len(l.count)) }

// search lists for every point of h.s the points of h.o in its support, and
// fills h.q. It gives up with ok false, and no lists, as soon as there are more
// than most entries: whether it does depends on the input alone.
func (h *half) search(most int64, c *crew) (l *lists, ok bool, err error) {
	chunks := (h.s.n + chunkRows - 1) / chunkRows
	l = &lists{count: make([]int32, h.s.n), idx: make([][]int32, chunks)}
	var total atomic.Int64
	work := make([]scratch, c.threads)
	parts := make([][]int32, c.threads)
	err = c.run(chunks, func(w, k int) {
		part := parts[w][:0]
		for i := k * chunkRows; i < min((k+1)*chunkRows, h.s.n) && !c.halt(); i++ {
			if h.gap[i] == 0 {
				continue
			}
			h.q[i] = h.share * h.s.weight(i) / h.row(i, &work[w])
			part = append(part, work[w].kept...)
			l.count[i] = int32(len(work[w].kept))
			if total.Add(int64(l.count[i])) > most {
				return
			}
		}
		l.idx[k] = append([]int32(nil), part...)
		parts[w] = part
	})
	l.total = total.Load()
	if l.total > most {
		return nil, false, err
	}
	return l, true, err
}

// byRow are lists turned round: row i has idx[ptr[i]:ptr[i+1]], ascending.
type byRow struct {
	ptr []int64
	idx []int32
}

// flip turns lists by column, rows ascending, into lists by row, columns
// ascending, by counting. The lists are gone then. After a halt of the crew the
// answer is of no use.
func (l *lists) flip(rows int, c *crew) *byRow {
	t := &byRow{ptr: make([]int64, rows+1), idx: make([]int32, l.total)}
	for _, part := range l.idx {
		for _, i := range part {
			t.ptr[i+1]++
		}
	}
	for i := range rows {
		t.ptr[i+1] += t.ptr[i]
	}
	c.ranges(t.ptr, func(from, to int32) {
		j := 0
		for k, part := range l.idx {
			if c.halt() {
				return
			}
			for end := min(j+chunkRows, len(l.count)); j < end; j++ {
				for _, i := range between(part[:l.count[j]], from, to) {
					t.idx[t.ptr[i]] = int32(j)
					t.ptr[i]++
				}
				part = part[l.count[j]:]
			}
			if int(to-from) == rows { // nobody else reads it
				l.idx[k] = nil
			}
		}
	})
	copy(t.ptr[1:], t.ptr) // each ptr[i] has become the end of row i
	t.ptr[0] = 0
	return t
}
