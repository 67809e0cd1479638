package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// sparseShare is the part of all pairs up to which the support is held sparse.
const sparseShare = 8

// build makes the plan before balancing by the method, or for "auto" by the
// way that the count of the support allows.
func (a *apml) build(method string, logInverse float64) (plan, error) {
	a.x.threshold(logInverse)
	a.y.threshold(logInverse)
	if method == backend.Auto || method == backend.Sparse {
		p, err := a.sparse(method == backend.Sparse)
		if p != nil || err != nil {
			return p, err
		}
	}
	if a.q.Automatic {
		logInverse = math.Inf(1)
		a.x.threshold(logInverse)
		a.y.threshold(logInverse)
	}
	pairs := 8 * float64(a.pair.x.n) * float64(a.pair.y.n)
	if method == backend.Streaming {
		return a.dense(backend.Streaming, logInverse)
	}
	if pairs > float64(a.ledger.left()) {
		if a.q.Method == backend.Dense {
			return nil, &backend.MemoryError{What: "the dense plan", Need: int64(min(pairs, 9e18)), Limits: a.ledger.left()}
		}
		return a.dense(backend.Streaming, logInverse)
	}
	a.ledger.enter("dense")
	if err := a.ledger.take("the dense plan", int64(pairs)); err != nil {
		return nil, err
	}
	a.held = int64(pairs)
	return a.dense(backend.Dense, logInverse)
}

// dense makes a plan over all pairs, stored or streaming.
func (a *apml) dense(method string, logInverse float64) (plan, error) {
	a.ledger.enter("dense")
	p := &dense{x: a.x, y: a.y, byCount: a.q.CountMerge, crew: a.crew}
	if err := a.x.denominators(a.share, a.crew); err != nil {
		return nil, err
	}
	if err := a.y.denominators(a.share, a.crew); err != nil {
		return nil, err
	}
	out := a.out
	out.Method, out.Stored = method, 0
	out.NNZ = int64(out.N) * int64(out.M)
	out.NNZRows, out.NNZCols = out.NNZ, out.NNZ
	if !math.IsInf(logInverse, 1) {
		var err error
		if out.NNZ, out.NNZRows, out.NNZCols, err = p.count(); err != nil {
			return nil, err
		}
	}
	if method == backend.Streaming {
		return p, nil
	}
	out.Stored = int64(a.x.s.n) * int64(a.y.s.n)
	return p, p.store()
}

// supports are the lists of both directions, by row.
type supports struct {
	rows  *lists
	cols  *byRow
	bytes int64 // counted in the ledger
}

// sparse makes the plan by its support, or nil where the support is not small
// or does not fit and the method is free.
func (a *apml) sparse(pinned bool) (plan, error) {
	a.ledger.enter("support")
	s := &supports{}
	defer func() { a.ledger.drop(s.bytes) }()
	most := int64(min(float64(a.x.s.n)*float64(a.y.s.n)/sparseShare, 9e18))
	if pinned {
		most = math.MaxInt64
	}
	if ok, err := a.search(s, most, pinned); !ok {
		return nil, err
	}
	a.ledger.enter("merge")
	csr, err := a.merge(s, most, pinned)
	if csr == nil || err != nil {
		return nil, err
	}
	nnz := int64(len(csr.idx))
	a.out.Method, a.out.Stored = backend.Sparse, nnz
	more := entryBytes(nnz)*nnz + 8*int64(a.y.s.n)
	a.ledger.drop(s.bytes)
	*s = supports{}
	if err := a.ledger.take("the sparse plan", more); err != nil {
		a.ledger.drop(a.held)
		a.held = 0
		return nil, a.tooLarge(err, pinned)
	}
	a.held += more
	csc := csr.flip(a.y.s.n)
	return &sparse{x: a.x, y: a.y, csr: csr, csc: csc, ties: uniformsOf(a.x, a.y), crew: a.crew}, a.crew.err()
}

// search lists the supports of both directions, those of the columns turned
// into lists by row.
func (a *apml) search(s *supports, most int64, pinned bool) (ok bool, err error) {
	for _, h := range []*half{a.x, a.y} {
		fits := max(a.ledger.left(), 0) / 24 // the list and the scratch beside it
		l, small, err := h.search(a.share, min(most, fits), a.crew)
		if err == nil && !small {
			err = &backend.MemoryError{What: "the support", Need: 24*fits + 24, Limits: 24 * fits}
		}
		if err == nil {
			err = a.ledger.take("the support", l.bytes())
		}
		if err != nil {
			return false, a.tooLarge(err, pinned)
		}
		s.bytes += l.bytes()
		if h == a.x {
			s.rows = l
			continue
		}
		before, more := l.bytes(), l.entry()*l.total+8*int64(a.x.s.n)
		if err := a.ledger.take("the support", more); err != nil {
			return false, a.tooLarge(err, pinned)
		}
		a.out.NNZCols = l.total
		s.cols = l.flip(a.x.s.n)
		a.ledger.drop(before)
		s.bytes += more - before
	}
	a.out.NNZRows = s.rows.total
	return true, nil
}

// merge makes the plan by rows, or nil where it is not small or does not fit.
func (a *apml) merge(s *supports, most int64, pinned bool) (*matrix, error) {
	x, y, c := a.x, a.y, a.crew
	ptr := make([]int64, x.s.n+1)
	if err := s.rows.eachRow(c, s.cols, func(i int, p, q support) {
		ptr[i+1] = int64(union(p.idx, q.idx))
	}); err != nil {
		return nil, err
	}
	for i := range x.s.n {
		ptr[i+1] += ptr[i]
	}
	nnz := ptr[x.s.n]
	if nnz > most {
		return nil, nil
	}
	need := entryBytes(nnz)*nnz + 8*int64(x.s.n)
	if err := a.ledger.take("the sparse plan", need); err != nil {
		return nil, a.tooLarge(err, pinned)
	}
	a.held = need
	m := newMatrix(ptr)
	err := s.rows.eachRow(c, s.cols, func(i int, p, q support) {
		m.fill(i, p, q, x, y, a.q.CountMerge)
	})
	m.blocks()
	a.out.NNZ = nnz
	if x.s.mult != nil || y.s.mult != nil {
		a.original(m, s)
	}
	return m, err
}

// original counts the entries in pairs of original points.
func (a *apml) original(m *matrix, s *supports) {
	a.out.NNZ, a.out.NNZRows, a.out.NNZCols = 0, 0, 0
	at := int32(0)
	for i, n := range s.rows.count {
		if i%chunkRows == 0 {
			at = 0
		}
		t := int64(a.x.s.times(i))
		a.out.NNZ += t * a.y.s.several(m.idx[m.ptr[i]:m.ptr[i+1]])
		a.out.NNZRows += t * a.y.s.several(s.rows.idx[i/chunkRows][at:at+n])
		a.out.NNZCols += t * a.y.s.several(s.cols.idx[s.cols.ptr[i]:s.cols.ptr[i+1]])
		at += n
	}
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

// tooLarge turns a lack of memory into nothing where another way is open.
func (a *apml) tooLarge(err error, pinned bool) error {
	if _, memory := err.(*backend.MemoryError); memory && !pinned {
		return nil
	}
	return err
}
