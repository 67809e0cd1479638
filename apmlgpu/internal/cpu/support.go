package cpu

import (
	"math"
	"sync/atomic"
)

// chunkRows is the rows of a chunk of lists: their buffers are about as long
// as a first-level cache.
const chunkRows = 256

// keepPoints is the number of points up to which lists keep the exponentials
// that search has computed; above it memory counts more, and the merge computes
// them again, to the same bits.
const keepPoints = 1 << 18

// lists are the supports of all points of one direction: the points of chunk k
// have their columns one after the other in idx[k], ascending in each row, and
// their similarities in val[k], or nowhere.
type lists struct {
	count []int32
	idx   [][]int32
	val   [][]float64 // nil: not kept
	total int64
}

// bytes of the lists.
func (l *lists) bytes() int64 { return l.entry()*l.total + 4*int64(len(l.count)) }

// entry is the bytes of an entry.
func (l *lists) entry() int64 {
	if l.val != nil {
		return 12
	}
	return 4
}

// scratch is what a goroutine of search uses again.
type scratch struct {
	found, kept []int32
	val         []float64
}

// search lists for every point of h.s the points of h.o in its support, and
// fills h.q. The test is (d − d₁) < κ·γ in float64; the tree only proposes. It
// gives up with ok false, and no lists, as soon as there are more than most
// entries: whether it does depends on the input alone.
func (h *half) search(share float64, most int64, c *crew) (l *lists, ok bool, err error) {
	chunks := (h.s.n + chunkRows - 1) / chunkRows
	l = &lists{count: make([]int32, h.s.n), idx: make([][]int32, chunks)}
	if h.s.n+h.o.n <= keepPoints {
		l.val = make([][]float64, chunks)
	}
	var total atomic.Int64
	work := make([]scratch, c.threads)
	err = c.run(chunks, func(w, k int) {
		s := &work[w]
		s.kept, s.val = s.kept[:0], s.val[:0]
		for i := k * chunkRows; i < min((k+1)*chunkRows, h.s.n) && !c.halt(); i++ {
			if h.gap[i] == 0 {
				continue
			}
			before := len(s.kept)
			z := h.row(i, s, l.val != nil)
			h.q[i] = share * h.s.weight(i) / z
			l.count[i] = int32(len(s.kept) - before)
			if total.Add(int64(l.count[i])) > most {
				return
			}
		}
		l.idx[k] = append([]int32(nil), s.kept...)
		if l.val != nil {
			l.val[k] = append([]float64(nil), s.val...)
		}
	})
	l.total = total.Load()
	if l.total > most {
		return nil, false, err
	}
	return l, true, err
}

// row appends the support of point i, and if keep its similarities, and returns
// the sum of the similarities with multiplicity.
func (h *half) row(i int, w *scratch, keep bool) (z float64) {
	s, o := h.s, h.o
	d1, reach, sharp := h.d1[i], h.reach(i), h.logit/h.gap[i]
	r := (d1 + reach) / s.unit
	w.found = o.find.Ball(s.row(i), r*r, w.found[:0])
	for _, j := range w.found {
		t := distance(s, o, i, int(j)) - d1
		if !(t < reach) {
			continue
		}
		e := math.Exp(-t * sharp)
		w.kept = append(w.kept, j)
		if keep {
			w.val = append(w.val, e)
		}
		if o.mult != nil {
			e *= float64(o.mult[j])
		}
		z += e
	}
	return z
}

// byRow are lists turned round: row i has idx[ptr[i]:ptr[i+1]], ascending, and
// val, or nothing, beside it.
type byRow struct {
	ptr []int64
	idx []int32
	val []float64
}

// flip turns lists by column, rows ascending, into lists by row, columns
// ascending, by counting. The lists are gone then.
func (l *lists) flip(rows int) *byRow {
	t := &byRow{ptr: make([]int64, rows+1), idx: make([]int32, l.total)}
	if l.val != nil {
		t.val = make([]float64, l.total)
	}
	for _, part := range l.idx {
		for _, i := range part {
			t.ptr[i+1]++
		}
	}
	for i := range rows {
		t.ptr[i+1] += t.ptr[i]
	}
	j := 0
	for k, part := range l.idx {
		at := 0
		for end := min(j+chunkRows, len(l.count)); j < end; j++ {
			for range l.count[j] {
				i := part[at]
				p := t.ptr[i]
				t.idx[p] = int32(j)
				if l.val != nil {
					t.val[p] = l.val[k][at]
				}
				t.ptr[i]++
				at++
			}
		}
		l.idx[k] = nil
	}
	copy(t.ptr[1:], t.ptr) // each ptr[i] has become the end of row i
	t.ptr[0] = 0
	l.val = nil
	return t
}

// support is one row of one side: columns, and similarities or nil.
type support struct {
	idx []int32
	val []float64
}

// next takes the first entry off.
func (s *support) next() (j int32, e float64) {
	j, s.idx = s.idx[0], s.idx[1:]
	if s.val != nil {
		e, s.val = s.val[0], s.val[1:]
	}
	return j, e
}

// eachRow calls f for every row with its support of the row side and of the
// column side, chunk by chunk.
func (l *lists) eachRow(c *crew, cols *byRow, f func(i int, a, b support)) error {
	return c.each(len(l.count), chunkRows, func(k, lo, hi int) {
		at := int32(0)
		for i := lo; i < hi && !c.halt(); i++ {
			n := at + l.count[i]
			a := support{idx: l.idx[k][at:n]}
			b := support{idx: cols.idx[cols.ptr[i]:cols.ptr[i+1]]}
			if l.val != nil {
				a.val, b.val = l.val[k][at:n], cols.val[cols.ptr[i]:cols.ptr[i+1]]
			}
			f(i, a, b)
			at = n
		}
	})
}
