package cloud

import (
	"bufio"
	"fmt"
	"io"
	"slices"
)

// readPLY reads the element vertex of a PLY file; the other elements may come
// before or after it and are passed over, list by list.
func readPLY(in *input) (Cloud, error) {
	h, err := in.plyHead()
	if err != nil {
		return Cloud{}, err
	}
	var c Cloud
	for i := range h.elements {
		e := &h.elements[i]
		if e.name != "vertex" {
			if err := in.plyPass(&h, e); err != nil {
				return Cloud{}, err
			}
			continue
		}
		sure := 0
		if h.encoding != "ascii" && in.size > 0 && e.fixed() > 0 { // check has seen that the bytes are there
			sure = int(e.count)
		}
		t, err := in.newTable(e.names(), sure)
		if err != nil {
			return Cloud{}, err
		}
		switch {
		case h.encoding == "ascii":
			err = t.plyText(e)
		case e.fixed() > 0:
			err = t.plyRows(e, h.encoding == "binary_big_endian")
		default:
			err = t.plyLists(e, h.encoding == "binary_big_endian")
		}
		if err != nil {
			return Cloud{}, err
		}
		if c, err = t.cloud(); err != nil {
			return Cloud{}, err
		}
	}
	if h.encoding == "ascii" {
		return c, in.tailText()
	}
	in.tail()
	return c, nil
}

// plyText reads the rows of an ascii file, one a line.
func (t *table) plyText(e *plyElement) error {
	lists := e.fixed() < 0
	for i := range e.count {
		line, err := t.in.data()
		if err == io.EOF {
			return t.in.short("point %d of %d is missing", i, e.count)
		}
		if err != nil {
			return err
		}
		if lists {
			err = t.plyTextLists(e, line)
		} else {
			err = t.text(line, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plyTextLists is text for a row that has lists among its columns.
func (t *table) plyTextLists(e *plyElement, line []byte) error {
	w := split(line, 0)
	for j, p := range e.props {
		b, ok := w.next()
		if !ok {
			return t.in.bad("%d properties where %d are expected", j, len(e.props))
		}
		if !p.list {
			if err := t.word(j, t.layout.dest[j], b); err != nil {
				return err
			}
			continue
		}
		n, ok := count(b)
		if !ok || n < 0 {
			return t.in.bad("length %.40q of list %q", b, p.name)
		}
		for range n {
			if _, ok := w.next(); !ok {
				return t.in.bad("list %q ends before its length of %d", p.name, n)
			}
		}
	}
	if _, more := w.next(); more {
		return t.in.bad("more than the %d properties expected", len(e.props))
	}
	return t.commit()
}

// plyRows reads rows of a fixed number of bytes.
func (t *table) plyRows(e *plyElement, big bool) error {
	var r record
	for j, p := range e.props {
		r.add(t, j, p.kind)
	}
	if !big {
		return t.records(r, e.count, nil)
	}
	return t.records(r, e.count, func(b []byte) {
		for ; len(b) > 0; b = b[r.size:] {
			e.swap(b)
		}
	})
}

// swap turns the values of a big-endian row round.
func (e *plyElement) swap(b []byte) {
	for _, p := range e.props {
		n := p.kind.bytes()
		slices.Reverse(b[:n])
		b = b[n:]
	}
}

// plyLists reads rows that have lists among their columns.
func (t *table) plyLists(e *plyElement, big bool) error {
	for range e.count {
		for j, p := range e.props {
			if p.list {
				if err := t.in.plyList(p, big); err != nil {
					return err
				}
				continue
			}
			b, err := t.in.plyValue(p.kind, big)
			if err == nil {
				err = t.set(j, p.kind, b)
			}
			if err != nil {
				return err
			}
		}
		if err := t.commit(); err != nil {
			return err
		}
	}
	return nil
}

// plyValue reads one value and turns it round where it is big-endian.
func (in *input) plyValue(k kind, big bool) ([]byte, error) {
	in.text = false
	b, err := in.r.Peek(k.bytes())
	if err != nil {
		return nil, in.broken(err)
	}
	in.off += int64(len(b))
	if _, err := in.r.Discard(len(b)); err != nil { // b stays until the next read
		return nil, in.broken(err)
	}
	if big {
		slices.Reverse(b)
	}
	return b, nil
}

// plyList passes over one list.
func (in *input) plyList(p plyProp, big bool) error {
	b, err := in.plyValue(p.length, big)
	if err != nil {
		return err
	}
	n := int64(p.length.number(b))
	if n < 0 {
		return in.bad("length %d of list %q", n, p.name)
	}
	if err := in.holds(n, int64(p.kind.bytes()), "values of list "+p.name); err != nil {
		return err
	}
	return in.skip(n * int64(p.kind.bytes()))
}

// plyPass passes over an element.
func (in *input) plyPass(h *plyHeader, e *plyElement) error {
	if h.encoding == "ascii" {
		for i := int64(0); i < e.count && len(e.props) > 0; i++ {
			if _, err := in.data(); err == io.EOF {
				return in.short("row %d of %d of element %q is missing", i, e.count, e.name)
			} else if err != nil {
				return err
			}
		}
		return nil
	}
	if size := e.fixed(); size >= 0 {
		return in.skip(e.count * int64(size))
	}
	for range e.count {
		for _, p := range e.props {
			err := error(nil)
			if p.list {
				err = in.plyList(p, h.encoding == "binary_big_endian")
			} else {
				err = in.skip(int64(p.kind.bytes()))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writePLY writes float32 properties, and the weight as a double.
func writePLY(w *bufio.Writer, c Cloud, opt Options) error {
	names, err := c.columns("cloud.Write")
	if err != nil {
		return err
	}
	ascii := opt.Encoding == "ascii"
	encoding := "binary_little_endian"
	if ascii {
		encoding = "ascii"
	}
	fmt.Fprintf(w, "ply\nformat %s 1.0\nelement vertex %d\n", encoding, c.N)
	for j, name := range names {
		kind := "float"
		if c.W != nil && j == len(names)-1 {
			kind = "double"
		}
		fmt.Fprintf(w, "property %s %s\n", kind, name)
	}
	fmt.Fprint(w, "end_header\n")
	if ascii {
		return c.writeText(w, ' ')
	}
	return c.writeBinary(w)
}
