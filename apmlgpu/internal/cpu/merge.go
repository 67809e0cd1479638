package cpu

import (
	"math"
	"sync/atomic"

	"github.com/gondola-lab/gondola/internal/vec"
)

// merger makes the plan by rows. Row i asks once for the columns that are in its ball
// or in whose balls it is, so that the entries of both directions come joined and
// ascending; the similarities of the columns stay beside those of the rows until the
// sums of all columns are known.
type merger struct {
	x, y      *half
	balls     *balls // of y; nil: none, all columns are candidates
	byCount   bool
	mayNarrow bool  // float32 can hold the similarities
	narrowAt  int64 // entries of the columns from which it does
	most      int64 // entries
	crew      *crew
	ledger    *ledger

	other  []part       // of the columns, by block
	bytes  atomic.Int64 // in the ledger
	total  atomic.Int64 // entries
	unique atomic.Int64 // those of the columns

	all, byRow, byCol atomic.Int64 // pairs of original points
}

// part are the similarities of the columns in a block: wide or narrow, as the block is.
type part struct {
	wide   []float64
	narrow []float32
}

// run returns the matrix by rows, or nil with ok false where it has more than
// most entries.
func (m *merger) run() (csr *matrix, ok bool, err error) {
	n := m.x.s.n
	chunks := (n + chunkRows - 1) / chunkRows
	csr = &matrix{ptr: make([]int64, n+1), blocks: make([]block, chunks)}
	m.other = make([]part, chunks)
	work := make([]finding, m.crew.threads)
	refused := make([]error, chunks)
	var full atomic.Bool
	err = m.crew.run(chunks, func(w, k int) {
		if m.total.Load() <= m.most && !full.Load() {
			refused[k] = m.chunk(csr, k, &work[w])
			full.CompareAndSwap(false, refused[k] != nil)
		}
	})
	for k := range work {
		m.ledger.drop(work[k].bytes)
	}
	for _, r := range refused {
		if r != nil && err == nil {
			err = r
		}
	}
	if err != nil || m.total.Load() > m.most {
		return nil, false, err
	}
	m.ledger.enter("merge")
	for i := range n {
		csr.ptr[i+1] += csr.ptr[i]
	}
	if m.narrow() {
		if err := m.crew.run(chunks, func(_, k int) { m.shorten(&csr.blocks[k], &m.other[k]) }); err != nil {
			return nil, false, err
		}
	}
	if err := m.denominators(csr); err != nil {
		return nil, false, err
	}
	return csr, true, m.join(csr)
}

// narrow says that values are kept as float32, as far as is known.
func (m *merger) narrow() bool { return m.mayNarrow && m.unique.Load() >= m.narrowAt }

// pending is the entries whose exponentials are taken at once: enough to be worth a
// call, and few enough for the cache.
const pending = 1 << 12

// chunk makes the rows of chunk k; csr.ptr[i+1] is the entries of row i.
func (m *merger) chunk(csr *matrix, k int, w *finding) error {
	x, y := m.x, m.y
	b := &csr.blocks[k]
	b.lo, b.hi = k*chunkRows, min((k+1)*chunkRows, x.s.n)
	w.idx, w.a, w.b = w.idx[:0], w.a[:0], w.b[:0]
	var pair vec.Pair
	pair.SetOther(y.kappa, y.logit)
	var all, row, col, unique int64
	done, from := b.lo, 0 // the row whose similarities come next, and its first entry
	for i := b.lo; i < b.hi && !m.crew.halt(); i++ {
		n := len(w.idx)
		m.candidates(i, w)
		rows, cols, err := m.similar(i, n, w, &pair)
		if err != nil {
			return err
		}
		entries := len(w.idx) - n
		csr.ptr[i+1] = int64(entries)
		unique += int64(cols)
		t := int64(x.s.times(i))
		if y.s.mult == nil {
			all, row, col = all+t*int64(entries), row+t*int64(rows), col+t*int64(cols)
		} else {
			e, r, c := y.s.several(w.idx[n:], w.a[n:], w.b[n:])
			all, row, col = all+t*e, row+t*r, col+t*c
		}
		if m.total.Add(int64(entries)) > m.most {
			return nil
		}
		if len(w.idx)-from >= pending || i+1 == b.hi {
			m.sums(w, csr.ptr[done+1:i+2], done, from)
			done, from = i+1, len(w.idx)
		}
	}
	m.all.Add(all)
	m.byRow.Add(row)
	m.byCol.Add(col)
	m.unique.Add(unique)
	return m.store(b, &m.other[k], w)
}

// sums turns exponents from an entry on into similarities, and sums up those of the
// rows from row on, whose numbers of entries are count.
func (m *merger) sums(w *finding, count []int64, row, from int) {
	x, y := m.x, m.y
	vec.Exp(w.a[from:])
	vec.Exp(w.b[from:])
	for k, n := range count {
		i, a, b := row+k, w.a[from:from+int(n)], w.b[from:from+int(n)]
		if x.gap[i] != 0 {
			x.q[i] = x.share * x.s.weight(i) / sum(a, w.idx[from:], y.s.mult)
		}
		if m.byCount {
			mark(a, b)
		}
		from += int(n)
	}
}

// sum is Σ v, with the multiplicities of the points idx, in four parts.
func sum(v []float64, idx []int32, mult []int32) float64 {
	var s [4]float64
	if mult != nil {
		for k, e := range v {
			s[k&3] += e * float64(mult[idx[k]])
		}
	} else {
		for ; len(v) >= 4; v = v[4:] {
			s[0], s[1], s[2], s[3] = s[0]+v[0], s[1]+v[1], s[2]+v[2], s[3]+v[3]
		}
		for k, e := range v {
			s[k] += e
		}
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}

// mark turns the sign of similarities of pairs that both sides hold, for a merge by
// count; one may be so small that it has become zero.
func mark(a, b []float64) {
	for k := range a {
		if a[k] != 0 && b[k] != 0 {
			a[k], b[k] = -a[k], -b[k]
		}
	}
}

// several is how many original points the points idx stand for: all, those whose
// exponent in a is one, and those of b.
func (s *side) several(idx []int32, a, b []float64) (all, rows, cols int64) {
	for k, j := range idx {
		t := int64(s.mult[j])
		all += t
		if !math.IsInf(a[k], -1) {
			rows += t
		}
		if !math.IsInf(b[k], -1) {
			cols += t
		}
	}
	return all, rows, cols
}

// store keeps the entries of a chunk.
func (m *merger) store(b *block, o *part, w *finding) error {
	narrow := m.narrow()
	bytes := int64(len(w.idx)) * (entryBytes(narrow) + partBytes(narrow))
	if err := m.ledger.take("the sparse plan", bytes); err != nil {
		return err
	}
	m.bytes.Add(bytes)
	b.idx = append([]int32(nil), w.idx...)
	if narrow {
		b.narrow, o.narrow = lifted(w.a), lifted(w.b)
	} else {
		b.wide, o.wide = append([]float64{}, w.a...), append([]float64{}, w.b...)
	}
	return nil
}

// partBytes is the memory of an entry of a part.
func partBytes(narrow bool) int64 { return entryBytes(narrow) - 4 }

// lifted is v as float32 values of a matrix.
func lifted(v []float64) []float32 {
	s := make([]float32, len(v))
	for e, v := range v {
		s[e] = float32(v * up)
	}
	return s
}

// shorten makes a block narrow.
func (m *merger) shorten(b *block, o *part) {
	if b.wide == nil {
		return
	}
	b.narrow, o.narrow = lifted(b.wide), lifted(o.wide)
	b.wide, o.wide = nil, nil
	less := int64(len(b.idx)) * 2 * (partBytes(false) - partBytes(true))
	m.ledger.drop(less)
	m.bytes.Add(-less)
}
