package cpu

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/internal/vec"
)

// matrix is a sparse matrix by lines, in blocks of lines. Line i is the entries
// ptr[i] to ptr[i+1], columns ascending.
type matrix struct {
	ptr    []int64
	blocks []block
}

// block is some lines of a matrix: entry e of the matrix is entry e − ptr[lo]
// here. Values are in wide or, where there are many, in narrow.
type block struct {
	lo, hi int
	idx    []int32
	wide   []float64
	narrow []float32 // values times 2^lift
}

// narrowFrom is the number of entries of one direction from which values are
// kept as float32: memory counts more there, and errors of 6e-8 an entry
// average out.
const narrowFrom = 1 << 20

// lift keeps float32 values in range: 1 does not overflow, and those of
// similarities down to narrowTo are not subnormal.
const (
	lift     = 100
	narrowTo = 138 // ln(1/t): t = 1e-60
)

var up, down = math.Ldexp(1, lift), math.Ldexp(1, -lift)

// entryBytes is the memory of an entry.
func entryBytes(narrow bool) int64 {
	if narrow {
		return 8
	}
	return 12
}

// line is where line i lies in block b.
func (m *matrix) line(b *block, i int) (lo, hi int64) {
	return m.ptr[i] - m.ptr[b.lo], m.ptr[i+1] - m.ptr[b.lo]
}

// cut makes blocks of about equal work of the lines of ptr, by counts alone;
// all share idx and the values.
func (m *matrix) cut(idx []int32, wide []float64, narrow []float32) {
	n, first := len(m.ptr)-1, 0
	for i := range n {
		if m.ptr[i+1]-m.ptr[first]+4*int64(i+1-first) < 1<<14 && i+1 < n {
			continue
		}
		lo, hi := m.ptr[first], m.ptr[i+1]
		b := block{lo: first, hi: i + 1, idx: idx[lo:hi]}
		if wide != nil {
			b.wide = wide[lo:hi]
		} else {
			b.narrow = narrow[lo:hi]
		}
		m.blocks = append(m.blocks, b)
		first = i + 1
	}
}

// flip turns a matrix by rows into one by columns. After a halt of the crew the
// answer is of no use.
func (m *matrix) flip(cols int, narrow bool, c *crew) *matrix {
	t := &matrix{ptr: make([]int64, cols+1)}
	c.parts(cols, m.ptr[len(m.ptr)-1], func(from, to int32) { m.count(t.ptr[1:], from, to, c) })
	for j := range cols {
		t.ptr[j+1] += t.ptr[j]
	}
	nnz := t.ptr[cols]
	idx := make([]int32, nnz)
	var wide []float64
	var small []float32
	if narrow {
		small = make([]float32, nnz)
	} else {
		wide = make([]float64, nnz)
	}
	c.ranges(t.ptr, func(from, to int32) {
		for k := range m.blocks {
			if c.halt() {
				return
			}
			b := &m.blocks[k]
			if narrow {
				scatter(t.ptr, idx, small, m, b, b.narrow, from, to)
			} else {
				scatter(t.ptr, idx, wide, m, b, b.wide, from, to)
			}
		}
	})
	copy(t.ptr[1:], t.ptr)
	t.ptr[0] = 0
	t.cut(idx, wide, small)
	return t
}

// count adds to the numbers of entries of the columns from to to.
func (m *matrix) count(many []int64, from, to int32, c *crew) {
	all := from == 0 && int(to) == len(many)
	for k := range m.blocks {
		if c.halt() {
			return
		}
		b := &m.blocks[k]
		if all {
			for _, j := range b.idx {
				many[j]++
			}
			continue
		}
		for i := b.lo; i < b.hi; i++ {
			lo, hi := m.line(b, i)
			for _, j := range between(b.idx[lo:hi], from, to) {
				many[j]++
			}
		}
	}
}

// scatter moves the entries of b in the columns from to to to them; each ptr becomes
// the end of its line.
func scatter[V float32 | float64](ptr []int64, idx []int32, dst []V, m *matrix, b *block, src []V, from, to int32) {
	for i := b.lo; i < b.hi; i++ {
		lo, hi := m.line(b, i)
		val, cols := src[lo:hi], b.idx[lo:hi]
		first := 0
		if len(cols) > 0 && cols[0] < from {
			first, _ = slices.BinarySearch(cols, from)
		}
		val = val[first:]
		for k, j := range between(cols, from, to) {
			at := ptr[j]
			idx[at], dst[at] = int32(i), val[k]
			ptr[j] = at + 1
		}
	}
}

// between is those of ascending numbers that are at least from and below to.
func between(s []int32, from, to int32) []int32 {
	part, _ := within(s, from, to)
	return part
}

// within is between, and how many numbers are below from.
func within(s []int32, from, to int32) (part []int32, below int) {
	if len(s) == 0 || s[0] >= from && s[len(s)-1] < to {
		return s, 0
	}
	lo, _ := slices.BinarySearch(s, from)
	hi, _ := slices.BinarySearch(s, to)
	return s[lo:hi], lo
}

// parts calls f for parts of n lines, side by side where entries are many.
func (c *crew) parts(n int, entries int64, f func(from, to int32)) {
	parts := min(c.threads, mostRanges)
	if entries < 1<<16 {
		parts = 1
	}
	c.run(parts, func(_, k int) { f(int32(n*k/parts), int32(n*(k+1)/parts)) }) // a halt is asked for by the caller
}

// ranges calls f for ranges of the lines of ptr, side by side, each with about as
// many entries: what a range moves lies where it would lie with one range.
func (c *crew) ranges(ptr []int64, f func(from, to int32)) {
	n := len(ptr) - 1
	parts := min(c.threads, mostRanges)
	if ptr[n] < 1<<16 {
		parts = 1
	}
	cut := make([]int32, parts+1)
	for k := 1; k < parts; k++ {
		line, _ := slices.BinarySearch(ptr, ptr[n]/int64(parts)*int64(k))
		cut[k] = int32(min(line, n))
	}
	cut[parts] = int32(n)
	c.run(parts, func(_, k int) { f(cut[k], cut[k+1]) }) // a halt is asked for by the caller
}

// mostRanges bounds how often all entries are read.
const mostRanges = 8

// multiply is dst = (m + rank-one terms) w.
func (m *matrix) multiply(dst, w []float64, u uniforms, c *crew) error {
	err := c.run(len(m.blocks), func(_, k int) {
		b := &m.blocks[k]
		lines, ptr := dst[b.lo:b.hi], m.ptr[b.lo:b.hi+1]
		if b.wide != nil {
			vec.Lines(lines, ptr, b.idx, b.wide, w, 1)
		} else {
			vec.Lines(lines, ptr, b.idx, b.narrow, w, down)
		}
	})
	u.add(dst, w)
	return err
}
