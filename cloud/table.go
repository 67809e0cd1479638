package cloud

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// column gathers numbers whose count nobody vouches for: blocks of at most
// 1 MiB, joined at the end.
type column[T byte | float32 | float64] struct {
	full [][]T
	cur  []T
}

func (c *column[T]) add(v ...T) {
	for len(v) > 0 {
		if len(c.cur) == cap(c.cur) {
			c.grow()
		}
		k := min(len(v), cap(c.cur)-len(c.cur))
		c.cur, v = append(c.cur, v[:k]...), v[k:]
	}
}

// push is add for one number.
func (c *column[T]) push(v T) {
	if len(c.cur) == cap(c.cur) {
		c.grow()
	}
	c.cur = append(c.cur, v)
}

func (c *column[T]) grow() {
	size := ahead / 8
	if c.cur == nil {
		size = 1 << 10
	} else {
		c.full = append(c.full, c.cur)
	}
	c.cur = make([]T, 0, size)
}

// room makes sure that there is room for at least n more and returns for how
// many there is.
func (c *column[T]) room(n int) int {
	if cap(c.cur)-len(c.cur) < n {
		c.grow()
	}
	return cap(c.cur) - len(c.cur)
}

func (c *column[T]) join() []T {
	if len(c.full) == 0 {
		return slices.Clip(c.cur)
	}
	out := slices.Concat(append(c.full, c.cur)...)
	c.full, c.cur = nil, nil
	return out
}

// table takes the rows of a file apart and makes a Cloud of them. A reader sets
// row (coordinates, then attributes) and weight and calls commit.
type table struct {
	in       *input
	layout   layout
	weighted bool      // one of the columns is the weight
	origin   []float64 // is subtracted from the coordinates; nil: nothing is
	keepNaN  bool      // rows with NaN coordinates stay: the format has them by design
	row      []float32
	weight   float64
	x        column[float32]
	w        column[float64]
	attr     []column[float32]
	n        int // rows kept
	nan      int // rows with NaN, kept or dropped
	rounded  int // integers that float32 cannot hold
}

// newTable makes a table for the columns of names. sure is the number of rows if
// the bytes for them are known to be there, else zero.
func (in *input) newTable(names []string, sure int) (*table, error) {
	if len(names) > in.opt.Limits.MaxProps {
		return nil, in.fail(ErrLimit, "raise Limits.MaxProps", "%d columns, %d allowed", len(names), in.opt.Limits.MaxProps)
	}
	l, err := arrange(names)
	if err != nil {
		return nil, in.fail(ErrFormat, "name the columns of the coordinates x, y, z", "%v", err)
	}
	t := &table{in: in, layout: l, row: make([]float32, l.d+len(l.attr)), attr: make([]column[float32], len(l.attr))}
	if t.origin, err = in.origin(l.d); err != nil {
		return nil, err
	}
	t.weighted = slices.Contains(l.dest, toWeight)
	if sure > 0 {
		t.x.cur = make([]float32, 0, sure*l.d)
		for j := range t.attr {
			t.attr[j].cur = make([]float32, 0, sure)
		}
	}
	return t, nil
}

// origin returns the option Origin for coordinates in d dimensions, or nil.
func (in *input) origin(d int) ([]float64, error) {
	o := in.opt.Origin
	if len(o) > 0 && len(o) != d {
		return nil, optionError(in.op, "Origin", o, fmt.Sprintf("as %d numbers, one a coordinate", d))
	}
	for _, v := range o {
		if v-v != 0 {
			return nil, optionError(in.op, "Origin", o, "as finite numbers")
		}
	}
	if len(o) == 0 {
		return nil, nil
	}
	return o, nil
}

// commit ends a row.
func (t *table) commit() error {
	d, nan := t.layout.d, false
	for k, v := range t.row[:d] {
		if v-v == 0 {
			continue
		}
		if v == v {
			return t.in.fail(ErrNotFinite, "remove or mend the point", "coordinate %d of point %d is %g", k, t.n, v)
		}
		if nan = true; !t.keepNaN && !t.in.opt.DropNaN {
			return t.in.fail(ErrNotFinite, "set DropNaN to leave such points out",
				"coordinate %d of point %d is NaN", k, t.n)
		}
	}
	if nan {
		t.nan++
		if t.in.opt.DropNaN {
			return nil
		}
	}
	if t.n == t.in.opt.Limits.MaxPoints {
		return t.in.fail(ErrLimit, "raise Limits.MaxPoints, or read a smaller file", "more than %d points", t.n)
	}
	t.n++
	if cap(t.x.cur)-len(t.x.cur) >= d {
		t.x.cur = append(t.x.cur, t.row[:d]...)
	} else {
		t.x.add(t.row[:d]...)
	}
	for j, v := range t.row[d:] {
		t.attr[j].push(v)
	}
	if t.weighted {
		if !(t.weight >= 0) || math.IsInf(t.weight, 1) {
			return t.in.fail(ErrWeights, "give finite weights that are at least zero",
				"weight of point %d is %g", t.n-1, t.weight)
		}
		t.w.push(t.weight)
	}
	return nil
}

// set puts number v of a binary file into column j.
func (t *table) set(j int, k kind, b []byte) error {
	dest := t.layout.dest[j]
	if dest == toNothing {
		return nil
	}
	if k == float32s && dest >= 0 && (t.origin == nil || dest >= t.layout.d) { // as it is, whatever the bits of a NaN
		t.row[dest] = math.Float32frombits(le32(b))
		return nil
	}
	v := k.number(b)
	if dest == toWeight {
		t.weight = v
		return nil
	}
	if t.origin != nil && dest < t.layout.d {
		v -= t.origin[dest]
	}
	f := float32(v)
	if f-f != 0 && v-v == 0 {
		return t.in.fail(ErrNotFinite, "scale the data down", "point %d: float32 cannot hold %g", t.n, v)
	}
	if k.integer() && float64(f) != v {
		t.rounded++
	}
	t.row[dest] = f
	return nil
}

// fast takes a block of rows of size bytes whose only columns are float32
// coordinates in their order from byte at on. It returns the number of rows
// taken; a row with NaN or Inf ends it early.
func (t *table) fast(block []byte, size, at int) int {
	d, done, rows := t.layout.d, 0, len(block)/size
	for done < rows {
		room := t.x.room(d) / d
		n := min(rows-done, room)
		got := decodeRows(t.x.cur[len(t.x.cur):][:n*d], block[done*size+at:], d, size)
		t.x.cur = t.x.cur[:len(t.x.cur)+got*d]
		t.n += got
		done += got
		if got < n {
			break
		}
	}
	return done
}

// exponentBits are all ones in NaN and Inf, and in no other float32.
const exponentBits = 0x7f800000

// decodeRows fills dst with d numbers of each row; it ends before the first row
// that holds NaN or Inf and returns the number of rows before it.
func decodeRows(dst []float32, b []byte, d, size int) int {
	if size == 4*d {
		b = b[:4*len(dst)]
		for i := range dst {
			u := binary.LittleEndian.Uint32(b[4*i : 4*i+4])
			if u&exponentBits == exponentBits {
				return i / d
			}
			dst[i] = math.Float32frombits(u)
		}
		return len(dst) / d
	}
	for i := range len(dst) / d {
		for k := range d {
			u := binary.LittleEndian.Uint32(b[i*size+4*k:])
			if u&exponentBits == exponentBits {
				return i
			}
			dst[i*d+k] = math.Float32frombits(u)
		}
	}
	return len(dst) / d
}

// cloud ends the table.
func (t *table) cloud() (Cloud, error) {
	in := t.in
	switch {
	case t.nan > 0 && in.opt.DropNaN:
		in.note("%d points with NaN are left out", t.nan)
	case t.nan > 0:
		in.note("%d points hold NaN: set DropNaN to leave them out", t.nan)
	}
	if t.rounded > 0 {
		in.note("%d whole numbers are rounded: float32 holds them to 16,777,216", t.rounded)
	}
	if t.n == 0 {
		return Cloud{}, in.fail(ErrEmpty, "give a file with at least one point", "the file holds none")
	}
	c := Cloud{N: t.n, D: t.layout.d, X: t.x.join()}
	for j, name := range t.layout.attr {
		if c.Attr == nil {
			c.Attr = map[string][]float32{}
		}
		c.Attr[name] = t.attr[j].join()
	}
	c.W = t.w.join()
	if err := in.weights(c); err != nil {
		return Cloud{}, err
	}
	return c, nil
}

// weights checks the weights of a cloud that was read as a whole.
func (in *input) weights(c Cloud) error {
	err := c.checkWeights(in.op)
	if err == nil {
		return nil
	}
	e := *err.(*Error)
	e.File, e.Format = in.opt.Name, in.format
	return &e
}
