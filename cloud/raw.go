package cloud

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// readRaw reads little-endian float32 numbers without a header, Stride a point.
// The first three are coordinates; of more, the usual names are intensity and
// ring, unless Columns names them all.
func readRaw(in *input) (Cloud, error) {
	stride := in.opt.Stride
	switch {
	case stride == 0:
		return Cloud{}, in.fail(ErrFormat, "set Stride to the float32 numbers a point: 3, or 4 for KITTI, 5 for nuScenes",
			"raw numbers do not say how many make a point")
	case stride < 0 || stride > in.opt.Limits.MaxProps:
		return Cloud{}, optionError(in.op, "Stride", stride, fmt.Sprintf("from 1 to %d", in.opt.Limits.MaxProps))
	}
	names := numbered(append(axes(min(stride, 3)), "intensity", "ring")[:min(stride, 5)], stride)
	if stride < 3 {
		names = axes(stride)
	}
	if len(in.opt.Columns) > 0 {
		if names = in.opt.Columns; len(names) != stride {
			return Cloud{}, optionError(in.op, "Columns", quoted(names), fmt.Sprintf("%d names, as Stride says", stride))
		}
	}
	row, sure := int64(4*stride), 0
	if in.size > 0 {
		if left := (in.size - in.off) % row; left != 0 {
			return Cloud{}, in.short("%d bytes are no whole number of points of %d bytes", in.size, row)
		}
		if err := in.points(in.size/row, row); err != nil {
			return Cloud{}, err
		}
		sure = int(in.size / row)
	}
	t, err := in.newTable(names, sure)
	if err != nil {
		return Cloud{}, err
	}
	var r record
	for j := range names {
		r.add(t, j, float32s)
	}
	block := make([]byte, blockBytes/row*row+row)
	for {
		n, err := io.ReadFull(in.r, block)
		in.off += int64(n)
		if n%int(row) != 0 {
			return Cloud{}, in.short("the last point has %d of %d bytes", n%int(row), row)
		}
		if over := t.n + n/int(row); over > in.opt.Limits.MaxPoints {
			return Cloud{}, in.points(int64(over), row)
		}
		if err := t.rows(r, block[:n]); err != nil {
			return Cloud{}, err
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return t.cloud()
		}
		if err != nil {
			return Cloud{}, in.broken(err)
		}
	}
}

// writeRaw writes the coordinates, or what Columns names: coordinates by x, y, z
// and attributes, all of them in any order.
func writeRaw(w *bufio.Writer, c Cloud, opt Options) error {
	names := opt.Columns
	if len(names) == 0 {
		names = axes(c.D)
	}
	all := append(axes(c.D), c.names()...)
	if len(opt.Columns) == 0 || c.W != nil {
		if err := c.only(false); err != nil {
			return err
		}
	}
	attr, order := c.attrs(), make([]int, len(names))
	for i, name := range names {
		order[i] = slices.Index(all, name)
		if order[i] < 0 || slices.Contains(order[:i], order[i]) || len(names) != len(all) {
			return optionError("cloud.Write", "Columns", quoted(names), "as all of "+quoted(all)+", each once")
		}
	}
	var b []byte
	for i := range c.N {
		b = b[:0]
		for _, j := range order {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.value(attr, i, j)))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
