package cloud

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// readPCD reads a PCD file of version 0.5 to 0.7. Points with NaN stay: an
// organised cloud has them where the sensor saw nothing.
func readPCD(in *input) (Cloud, error) {
	h, err := in.pcdHead()
	if err != nil {
		return Cloud{}, err
	}
	sure := 0
	if h.encoding == "binary" && in.size > 0 {
		sure = int(h.points)
	}
	t, err := in.newTable(h.names(), sure)
	if err != nil {
		return Cloud{}, err
	}
	t.keepNaN = true
	switch h.encoding {
	case "ascii":
		err = t.pcdText(&h)
	case "binary":
		err = t.pcdRows(&h)
	default:
		err = t.pcdPacked(&h)
	}
	if err != nil {
		return Cloud{}, err
	}
	c, err := t.cloud()
	if err != nil {
		return Cloud{}, err
	}
	if h.encoding == "ascii" {
		return c, in.tailText()
	}
	in.tail()
	return c, nil
}

func (t *table) pcdText(h *pcdHeader) error {
	for i := range h.points {
		line, err := t.in.data()
		if err == io.EOF {
			return t.in.short("point %d of %d is missing", i, h.points)
		}
		if err == nil {
			err = t.text(line, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pcdRows reads point after point.
func (t *table) pcdRows(h *pcdHeader) error {
	var r record
	column := 0
	for _, f := range h.fields {
		if f.name == "_" {
			r.size += f.bytes * f.count
			continue
		}
		for range f.count {
			r.add(t, column, f.kind)
			column++
		}
	}
	return t.records(r, h.points, nil)
}

// pcdPacked reads the two sizes and the LZF data, in which field stands after
// field: all x, then all y, and so on.
func (t *table) pcdPacked(h *pcdHeader) error {
	in := t.in
	var sizes [8]byte
	if err := in.full(sizes[:]); err != nil {
		return err
	}
	packed, size := int64(le32(sizes[:])), int64(le32(sizes[4:]))
	if want := h.points * int64(h.row()); size != want {
		return in.bad("the data unpacks to %d bytes, %d points need %d", size, h.points, want)
	}
	if err := in.holds(packed, 1, "packed bytes"); err != nil {
		return err
	}
	if size > in.opt.Limits.MaxBytes {
		return in.fail(ErrLimit, "raise Limits.MaxBytes", "the data unpacks to %d bytes, %d allowed", size, in.opt.Limits.MaxBytes)
	}
	if size > 90*packed { // three bytes make at most 264
		return in.bad("%d bytes cannot unpack to %d", packed, size)
	}
	body, err := in.body(int(packed))
	if err != nil {
		return err
	}
	data, err := unpackLZF(body, int(size))
	if err != nil {
		return in.bad("%v", err)
	}
	var cols [][]byte // of each column, its values from the first point on
	var step []pcdField
	n := int(h.points)
	for _, f := range h.fields {
		for i := 0; i < f.count && f.name != "_"; i++ {
			cols, step = append(cols, data[i*f.bytes:]), append(step, f)
		}
		data = data[n*f.bytes*f.count:]
	}
	for i := range n {
		for j, f := range step {
			if err := t.set(j, f.kind, cols[j][i*f.bytes*f.count:]); err != nil {
				return err
			}
		}
		if err := t.commit(); err != nil {
			return err
		}
	}
	return nil
}

// writePCD writes float32 fields, and the weight as a field of eight bytes.
func writePCD(w *bufio.Writer, c Cloud, opt Options) error {
	names, err := c.columns("cloud.Write")
	if err != nil {
		return err
	}
	encoding := or(opt.Encoding, "binary")
	size := strings.Repeat(" 4", len(names))
	if c.W != nil {
		size = size[:len(size)-1] + "8"
	}
	fmt.Fprintf(w, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS %s\nSIZE%s\nTYPE%s\nCOUNT%s\n",
		strings.Join(names, " "), size, strings.Repeat(" F", len(names)), strings.Repeat(" 1", len(names)))
	fmt.Fprintf(w, "WIDTH %d\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %d\nDATA %s\n", c.N, c.N, encoding)
	if encoding == "ascii" {
		return c.writeText(w, ' ')
	}
	return c.writeBinary(w)
}
