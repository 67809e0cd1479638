package cloud

import "math"

// record is a row of fixed size of a binary file: its bytes, and where in them
// the columns lie that are kept.
type record struct {
	size    int
	columns []recordColumn
}

type recordColumn struct {
	column, at int
	kind       kind
}

// add appends a column; one that goes nowhere is only passed over.
func (r *record) add(t *table, column int, k kind) {
	if t.layout.dest[column] != toNothing {
		r.columns = append(r.columns, recordColumn{column, r.size, k})
	}
	r.size += k.bytes()
}

// blockBytes is what is read at a time: four times the buffer of an input, which
// so is passed by.
const blockBytes = 256 << 10

// records reads count rows, many at a time. mend, if it is not nil, turns the
// numbers of a block of rows into little-endian ones.
func (t *table) records(r record, count int64, mend func(b []byte)) error {
	block := make([]byte, r.size*max(1, int(min(count, int64(blockBytes/r.size)))))
	for left := count; left > 0; {
		b := block[:int(min(left, int64(len(block)/r.size)))*r.size]
		if err := t.in.full(b); err != nil {
			return err
		}
		left -= int64(len(b) / r.size)
		if mend != nil {
			mend(b)
		}
		if err := t.rows(r, b); err != nil {
			return err
		}
	}
	return nil
}

// rows takes whole rows that were just read: as many as can be by columns, the
// others one by one.
func (t *table) rows(r record, b []byte) error {
	end := t.in.off
	at, plain := t.plain(r)
	simple := !plain && t.simple(r)
	for len(b) > 0 {
		switch {
		case plain:
			b = b[t.fast(b, r.size, at)*r.size:]
		case simple:
			b = b[t.columns(r, b)*r.size:]
		}
		if len(b) == 0 {
			break
		}
		t.in.off = end - int64(len(b)) // errors name the row's first byte
		for _, c := range r.columns {
			if err := t.set(c.column, c.kind, b[c.at:]); err != nil {
				return err
			}
		}
		if err := t.commit(); err != nil {
			return err
		}
		b = b[r.size:]
	}
	t.in.off = end
	return nil
}

// plain reports whether the coordinates are float32, side by side, in order, and
// the only columns that are kept; at is their first byte in a row.
func (t *table) plain(r record) (at int, ok bool) {
	if t.origin != nil || len(r.columns) != t.layout.d || len(t.layout.attr) > 0 {
		return 0, false
	}
	at = r.columns[0].at
	for k, c := range r.columns {
		if c.kind != float32s || t.layout.dest[c.column] != k || c.at != at+4*k {
			return 0, false
		}
	}
	return at, true
}

// simple reports whether the coordinates are float32 and every other column is
// that or a whole number of at most two bytes: nothing in it can be wrong but a
// coordinate that is not finite.
func (t *table) simple(r record) bool {
	for _, c := range r.columns {
		dest := t.layout.dest[c.column]
		if dest < 0 || c.kind != float32s && (dest < t.layout.d || !c.kind.integer() || c.kind.bytes() > 2) {
			return false
		}
	}
	return t.origin == nil
}

// columns is fast for a record that is simple: column after column.
func (t *table) columns(r record, b []byte) int {
	d := t.layout.d
	n := min(len(b)/r.size, t.x.room(d)/d)
	for j := range t.attr {
		n = min(n, t.attr[j].room(1))
	}
	for _, c := range r.columns { // how many rows from here on are finite
		for i := 0; i < n && t.layout.dest[c.column] < d; i++ {
			if le32(b[i*r.size+c.at:])&exponentBits == exponentBits {
				n = i
			}
		}
	}
	base := len(t.x.cur)
	t.x.cur = t.x.cur[:base+n*d]
	for _, c := range r.columns {
		to, step := t.x.cur[base:], d
		if dest := t.layout.dest[c.column]; dest < d {
			to = to[min(dest, len(to)):]
		} else {
			a := &t.attr[dest-d]
			a.cur = a.cur[:len(a.cur)+n]
			to, step = a.cur[len(a.cur)-n:], 1
		}
		c.spread(to, step, b, r.size, n)
	}
	t.n += n
	return n
}

// spread copies a column of n rows of size bytes to every step-th number of to.
func (c recordColumn) spread(to []float32, step int, b []byte, size, n int) {
	switch c.kind {
	case float32s:
		for i := range n {
			to[i*step] = math.Float32frombits(le32(b[i*size+c.at:]))
		}
	case uint8s:
		for i := range n {
			to[i*step] = float32(b[i*size+c.at])
		}
	default:
		for i := range n {
			to[i*step] = float32(c.kind.number(b[i*size+c.at:]))
		}
	}
}
