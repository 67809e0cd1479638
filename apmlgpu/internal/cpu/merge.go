package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// merger makes the plan by rows: it searches the supports of the rows and joins
// each with the row's list of the column side, chunk by chunk.
type merger struct {
	x, y    *half
	cols    *byRow
	byCount bool
	narrow  bool
	most    int64 // entries
	crew    *crew
	ledger  *ledger

	taken             atomic.Int64 // bytes, in the ledger
	total             atomic.Int64 // entries
	all, byRow, byCol atomic.Int64 // pairs of original points
}

// run returns the matrix by rows, or nil with ok false where it has more than
// most entries.
func (m *merger) run() (csr *matrix, ok bool, err error) {
	n := m.x.s.n
	chunks := (n + chunkRows - 1) / chunkRows
	csr = &matrix{ptr: make([]int64, n+1), blocks: make([]block, chunks)}
	work, out := make([]scratch, m.crew.threads), make([]scratch, m.crew.threads)
	room := chunkRows * (2*len(m.cols.idx)/n + 8)
	for k := range min(m.crew.threads, chunks) {
		out[k].kept, out[k].val = make([]int32, 0, room), make([]float64, 0, room)
	}
	refused := make([]error, chunks)
	err = m.crew.run(chunks, func(w, k int) {
		if m.total.Load() > m.most {
			return
		}
		refused[k] = m.chunk(csr, k, &work[w], &out[w])
	})
	for _, r := range refused {
		if r != nil && err == nil {
			err = r
		}
	}
	if err != nil || m.total.Load() > m.most {
		return nil, false, err
	}
	for i := range n {
		csr.ptr[i+1] += csr.ptr[i]
	}
	return csr, true, nil
}

// chunk makes the rows of chunk k; csr.ptr[i+1] is the entries of row i.
func (m *merger) chunk(csr *matrix, k int, w, out *scratch) error {
	x, y := m.x, m.y
	b := &csr.blocks[k]
	b.lo, b.hi = k*chunkRows, min((k+1)*chunkRows, x.s.n)
	out.kept, out.val = out.kept[:0], out.val[:0]
	var all, row, col int64
	for i := b.lo; i < b.hi && !m.crew.halt(); i++ {
		w.kept, w.val = w.kept[:0], w.val[:0]
		if x.gap[i] != 0 {
			x.q[i] = x.share * x.s.weight(i) / x.row(i, w)
		}
		before := len(out.kept)
		list := m.cols.idx[m.cols.ptr[i]:m.cols.ptr[i+1]]
		m.join(i, w, list, out)
		csr.ptr[i+1] = int64(len(out.kept) - before)
		t := int64(x.s.times(i))
		all += t * y.s.several(out.kept[before:])
		row += t * y.s.several(w.kept)
		col += t * y.s.several(list)
		if m.total.Add(csr.ptr[i+1]) > m.most {
			return nil
		}
	}
	m.all.Add(all)
	m.byRow.Add(row)
	m.byCol.Add(col)
	bytes := int64(len(out.kept)) * entryBytes(m.narrow)
	if err := m.ledger.take("the sparse plan", bytes); err != nil {
		return err
	}
	m.taken.Add(bytes)
	b.idx = append([]int32(nil), out.kept...)
	if !m.narrow {
		b.wide = append([]float64{}, out.val...)
		return nil
	}
	b.narrow = make([]float32, len(out.val))
	for e, v := range out.val {
		b.narrow[e] = float32(v * up)
	}
	return nil
}

// join appends row i of the plan before balancing to out: the columns of
// either side, with half the sum of both sides' probabilities, or by count
// their mean over the sides that have the pair.
func (m *merger) join(i int, w *scratch, list []int32, out *scratch) {
	row, p, q := w.kept, w.val, m.columnSide(i, list, w)
	for k := range p {
		p[k] *= m.x.q[i]
	}
	if m.byCount {
		m.halve(i, row, p, q)
	}
	n := len(out.kept)
	out.kept = slices.Grow(out.kept, len(row)+len(list))
	out.val = slices.Grow(out.val, len(row)+len(list))
	to, val := out.kept[n:n+len(row)+len(list)], out.val[n:n+len(row)+len(list)]
	// Which side comes next cannot be foretold: a number that is not taken is added
	// times 0, so that nothing branches on it.
	taken, both := [2]float64{0, 1}, [3]float64{0, 1, 1}
	if m.byCount {
		both[2] = 0.5
	}
	a, b, e := 0, 0, 0
	for a < len(row) && b < len(list) {
		j, k := row[a], list[b]
		left, right := 0, 0
		if j <= k {
			left = 1
		}
		if k <= j {
			right = 1
		}
		to[e], val[e] = min(j, k), (p[a]*taken[left]+q[b]*taken[right])*both[left+right]
		a, b, e = a+left, b+right, e+1
	}
	copy(val[e:], p[a:])
	e += copy(to[e:], row[a:])
	copy(val[e:], q[b:])
	e += copy(to[e:], list[b:])
	out.kept, out.val = out.kept[:n+e], out.val[:n+e]
}

// halve takes from the entries of one side what the other, which is uniform and
// so holds every pair too, has too much in its rank-one term: such a pair has the
// mean of both.
func (m *merger) halve(i int, row []int32, p, q []float64) {
	for k, j := range row {
		if u := m.y.uniform(int(j)); u != 0 {
			p[k] = (p[k] - u) / 2
		}
	}
	if u := m.x.uniform(i); u != 0 {
		for k := range q {
			q[k] = (q[k] - u) / 2
		}
	}
}

// columnSide is what the columns of list give to row i.
func (m *merger) columnSide(i int, list []int32, w *scratch) []float64 {
	y := m.y
	w.other = slices.Grow(w.other[:0], len(list))[:len(list)]
	distances(m.x.s, y.s, i, list, w.other)
	for k, j := range list {
		w.other[k] = (y.d1[j] - w.other[k]) * y.sharp(int(j))
	}
	vec.Exp(w.other)
	for k, j := range list {
		w.other[k] *= y.q[j]
	}
	return w.other
}

// several is how many original points the points idx stand for.
func (s *side) several(idx []int32) int64 {
	if s.mult == nil {
		return int64(len(idx))
	}
	n := int64(0)
	for _, j := range idx {
		n += int64(s.mult[j])
	}
	return n
}

// sparse makes the plan by its support, or nil where the support is not small
// or does not fit and the method is free.
func (a *apml) sparse(pinned bool, logInverse float64) (plan, error) {
	x, y := a.x, a.y
	most := int64(min(float64(x.s.n)*float64(y.s.n)/sparseShare, 9e18))
	if pinned {
		most = 9e18
	}
	cols, narrow, bytes, err := a.columns(most, logInverse)
	defer func() { a.ledger.drop(bytes) }()
	if err != nil || cols == nil {
		return nil, a.tooLarge(err, pinned)
	}
	a.ledger.enter("merge")
	m := &merger{
		x: x, y: y, cols: cols, byCount: a.q.CountMerge, narrow: narrow,
		most: most, crew: a.crew, ledger: a.ledger,
	}
	lines := 8 * int64(x.s.n+y.s.n)
	if err := a.ledger.take("the sparse plan", lines); err != nil {
		return nil, a.tooLarge(err, pinned)
	}
	csr, ok, err := m.run()
	a.held = lines + m.taken.Load()
	m.cols, cols = nil, nil
	a.ledger.drop(bytes)
	bytes = 0
	if ok {
		err = a.ledger.take("the sparse plan", m.taken.Load())
	}
	if err != nil || !ok {
		a.ledger.drop(a.held)
		a.held = 0
		return nil, a.tooLarge(err, pinned)
	}
	a.held += m.taken.Load()
	out := a.out
	out.Method, out.Stored = backend.Sparse, m.total.Load()
	out.NNZ, out.NNZRows, out.NNZCols = m.all.Load(), m.byRow.Load(), m.byCol.Load()
	return &sparse{x: x, y: y, csr: csr, csc: csr.flip(y.s.n, narrow, a.crew), ties: uniformsOf(x, y, a.q.CountMerge),
		crew: a.crew, ledger: a.ledger}, a.crew.err()
}

// columns lists the supports of the columns, by row; nil where they are more
// than most. bytes is what stays taken in the ledger.
func (a *apml) columns(most int64, logInverse float64) (cols *byRow, narrow bool, bytes int64, err error) {
	a.ledger.enter("support")
	fits := max(a.ledger.left(), 0) / 8 // an entry twice, before and after the turn
	l, ok, err := a.y.search(min(most, fits), a.crew)
	switch {
	case err != nil || !ok && fits > most:
		return nil, false, 0, err
	case !ok:
		return nil, false, 0, a.ledger.refuse("the support", 8*float64(fits)+8)
	}
	turned := 4*l.total + 8*int64(a.x.s.n)
	if err := a.ledger.take("the support", turned+l.bytes()); err != nil {
		return nil, false, 0, err
	}
	narrow = l.total >= narrowFrom && logInverse <= narrowTo
	cols = l.flip(a.x.s.n, a.crew)
	a.ledger.drop(l.bytes())
	return cols, narrow, turned, a.crew.err()
}

// tooLarge turns a lack of memory into nothing where another way is open.
func (a *apml) tooLarge(err error, pinned bool) error {
	if _, memory := err.(*backend.MemoryError); memory && !pinned {
		return nil
	}
	return err
}
