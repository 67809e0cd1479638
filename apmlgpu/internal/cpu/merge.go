package cpu

import "math"

// matrix is a sparse matrix by lines: line i has the columns
// idx[ptr[i]:ptr[i+1]], ascending, with their values: in wide, or, where there
// are many, in narrow.
type matrix struct {
	ptr    []int64
	idx    []int32
	wide   []float64
	narrow []float32 // values times 2^lift
	cut    []int32   // lines where a block begins, and the number of lines
}

// narrowFrom is the number of entries from which values are kept as float32:
// memory counts more there, and errors of 6e-8 an entry average out.
const narrowFrom = 1 << 22

// lift keeps float32 values in range: those of similarities down to 1e-67 are
// not subnormal, and 1 does not overflow.
const lift = 100

var up, down = math.Ldexp(1, lift), math.Ldexp(1, -lift)

// newMatrix makes a matrix of n lines and the entries of ptr.
func newMatrix(ptr []int64) *matrix {
	m := &matrix{ptr: ptr}
	nnz := ptr[len(ptr)-1]
	m.idx = make([]int32, nnz)
	if nnz < narrowFrom {
		m.wide = make([]float64, nnz)
	} else {
		m.narrow = make([]float32, nnz)
	}
	return m
}

// entryBytes is the memory of an entry of a matrix of nnz entries.
func entryBytes(nnz int64) int64 {
	if nnz < narrowFrom {
		return 12
	}
	return 8
}

// blocks cuts the lines into runs of about equal work, by counts alone.
func (m *matrix) blocks() {
	n := len(m.ptr) - 1
	m.cut = append(m.cut[:0], 0)
	first := 0
	for i := range n {
		if m.ptr[i+1]-m.ptr[first]+4*int64(i+1-first) >= 1<<14 || i+1 == n {
			m.cut = append(m.cut, int32(i+1))
			first = i + 1
		}
	}
}

// flip turns a matrix by rows into one by columns.
func (m *matrix) flip(cols int) *matrix {
	ptr := make([]int64, cols+1)
	for _, j := range m.idx {
		ptr[j+1]++
	}
	for j := range cols {
		ptr[j+1] += ptr[j]
	}
	t := newMatrix(ptr)
	if m.wide != nil {
		scatter(t, m, t.wide, m.wide)
	} else {
		scatter(t, m, t.narrow, m.narrow)
	}
	copy(ptr[1:], ptr)
	ptr[0] = 0
	t.blocks()
	return t
}

// scatter moves the entries of m to their columns; each t.ptr becomes the end
// of its line.
func scatter[V float32 | float64](t, m *matrix, to, from []V) {
	for i := range len(m.ptr) - 1 {
		lo, hi := m.ptr[i], m.ptr[i+1]
		val := from[lo:hi]
		for k, j := range m.idx[lo:hi] {
			at := t.ptr[j]
			t.idx[at], to[at] = int32(i), val[k]
			t.ptr[j] = at + 1
		}
	}
}

// union counts the different numbers in two ascending lists.
func union(a, b []int32) int {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return len(a) + len(b) - both
}

// fill writes row i of the plan before balancing: the columns of either side,
// with half the sum of both sides' probabilities, or by count their mean over
// the sides that have the pair.
func (m *matrix) fill(i int, a, b support, x, y *half, byCount bool) {
	again := a.val == nil // similarities were not kept
	at := m.ptr[i]
	for len(a.idx) > 0 || len(b.idx) > 0 {
		row := len(a.idx) > 0 && (len(b.idx) == 0 || a.idx[0] <= b.idx[0])
		col := len(b.idx) > 0 && (len(a.idx) == 0 || b.idx[0] <= a.idx[0])
		var j int32
		var p, q float64
		if row {
			j, p = a.next()
		}
		if col {
			j, q = b.next()
		}
		if again {
			d := distance(x.s, y.s, i, int(j))
			if row {
				p = x.similarity(i, d)
			}
			if col {
				q = y.similarity(int(j), d)
			}
		}
		v := p*x.q[i] + q*y.q[j]
		if byCount && row && col {
			v /= 2
		}
		m.idx[at] = j
		if m.wide != nil {
			m.wide[at] = v
		} else {
			m.narrow[at] = float32(v * up)
		}
		at++
	}
}

// similarity of point i and a partner of its support at distance d.
func (h *half) similarity(i int, d float64) float64 {
	return math.Exp(-(d - h.d1[i]) * (h.logit / h.gap[i]))
}
