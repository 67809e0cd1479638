package cloud

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"codeberg.org/sbinet/npyio/npy"
)

// readNPY reads an array of N×D, of N, or of 1×N×D.
func readNPY(in *input) (Cloud, error) {
	b, err := batchNPY(in)
	if err != nil {
		return Cloud{}, err
	}
	if b.Len() != 1 {
		return Cloud{}, in.fail(ErrShape, "read it by OpenBatch or ReadBatch", "the array holds %d clouds", b.Len())
	}
	return b.At(0), nil
}

// batchNPY reads an array of B×N×D, or of one cloud.
func batchNPY(in *input) (Batch, error) {
	h, err := in.npyHead()
	if err != nil {
		return Batch{}, err
	}
	b, err := in.npyBatch(h)
	if err == nil {
		in.tail()
	}
	return b, err
}

// npyBatch reads the numbers behind a header as clouds.
func (in *input) npyBatch(h npyHeader) (Batch, error) {
	dims := h.shape
	switch len(dims) {
	case 1:
		dims = []int64{1, dims[0], 1}
	case 2:
		dims = []int64{1, dims[0], dims[1]}
	case 3:
	default:
		return Batch{}, in.fail(ErrShape, "reshape it to N×D or B×N×D", "the array has %d axes", len(dims))
	}
	b, n, d := dims[0], dims[1], dims[2]
	most := int64(in.opt.Limits.MaxPoints)
	switch {
	case b == 0 || n == 0:
		return Batch{}, in.fail(ErrEmpty, "give an array with at least one row", "the shape is %v", h.shape)
	case d == 0:
		return Batch{}, in.fail(ErrShape, "give rows of at least one number", "the shape is %v", h.shape)
	case d > int64(in.opt.Limits.MaxProps):
		return Batch{}, in.fail(ErrLimit, "transpose the array: a row is a point",
			"%d coordinates, %d allowed", d, in.opt.Limits.MaxProps)
	case n > most || b > most/n:
		return Batch{}, in.fail(ErrLimit, "raise Limits.MaxPoints, or read a smaller file",
			"%v points, %d allowed", h.shape, most)
	}
	x, err := in.npyPoints(h, int(d))
	if err != nil {
		return Batch{}, err
	}
	out := Batch{D: int(d), Off: []int{0}}
	for i := range int(b) {
		rows := x[i*int(n*d) : (i+1)*int(n*d)]
		kept, err := in.finiteRows(rows, int(d))
		if err != nil {
			return Batch{}, err
		}
		if len(kept) == 0 {
			return Batch{}, in.fail(ErrEmpty, "give a file with at least one point", "cloud %d holds none", i)
		}
		out.X = append(x[:len(out.X)], kept...) // in place: kept never lies before it
		out.Off = append(out.Off, len(out.X)/int(d))
	}
	return out, nil
}

// npyPoints reads all numbers behind a header as points in d dimensions.
func (in *input) npyPoints(h npyHeader, d int) ([]float32, error) {
	origin, err := in.origin(d)
	if err != nil {
		return nil, err
	}
	if origin == nil {
		return npyNumbers[float32](in, h)
	}
	x, err := npyNumbers[float64](in, h)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(x))
	for i, v := range x {
		if out[i] = float32(v - origin[i%d]); !finite(out[i]) && v-v == 0 {
			return nil, in.fail(ErrNotFinite, "scale the data down", "point %d: float32 cannot hold %g", i/d, v-origin[i%d])
		}
	}
	return out, nil
}

// finiteRows returns the rows without those that hold NaN, in place, if DropNaN
// says so; else NaN is an error, as Inf always is.
func (in *input) finiteRows(x []float32, d int) ([]float32, error) {
	kept := 0
	for i := 0; i < len(x); i += d {
		nan := false
		for k, v := range x[i : i+d] {
			switch {
			case finite(v), v != v && in.keepNaN:
			case v != v && in.opt.DropNaN:
				nan = true
			case v != v:
				return nil, in.fail(ErrNotFinite, "set DropNaN to leave such points out",
					"coordinate %d of point %d is NaN", k, i/d)
			default:
				return nil, in.fail(ErrNotFinite, "remove or mend the point", "coordinate %d of point %d is %g", k, i/d, v)
			}
		}
		if !nan {
			kept += copy(x[kept:], x[i:i+d])
		}
	}
	if kept < len(x) {
		in.note("%d points with NaN are left out", (len(x)-kept)/d)
	}
	return x[:kept], nil
}

// npyNumbers reads all numbers behind a header, in C order. The decoding is
// npyio's, a block at a time.
func npyNumbers[T float32 | float64](in *input, h npyHeader) ([]T, error) {
	n := int64(1)
	for _, d := range h.shape { // limits have bounded the product
		n *= d
	}
	var flat []T
	var err error
	switch descr := strings.Replace(h.descr, "=", "<", 1); descr {
	case "<f4", ">f4":
		flat, err = npyBlocks[T, float32](in, descr, n, 4)
	case "<f8", ">f8":
		flat, err = npyBlocks[T, float64](in, descr, n, 8)
	default:
		return nil, in.fail(ErrFormat, "save it as float32: numpy.save(path, a.astype(numpy.float32))",
			"numbers of type %.40q, not <f4, >f4, <f8 or >f8", h.descr)
	}
	if err != nil || !h.fortran || len(h.shape) < 2 {
		return flat, err
	}
	out := make([]T, len(flat))
	index := make([]int64, len(h.shape)) // of flat[i], the first index fastest
	for _, v := range flat {
		at := int64(0)
		for k, d := range h.shape {
			at = at*d + index[k]
		}
		out[at] = v
		for k := range index {
			if index[k]++; index[k] < h.shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return out, nil
}

// npyBlocks reads n numbers of type F and size bytes as numbers of type T.
func npyBlocks[T, F float32 | float64](in *input, descr string, n, size int64) ([]T, error) {
	if err := in.holds(n, size, "numbers"); err != nil {
		return nil, err
	}
	var out column[T]
	if in.size > 0 && !in.told {
		out.cur = make([]T, 0, n)
	}
	src := &counted{in: in}
	r, err := npy.NewReader(io.MultiReader(strings.NewReader(npyText(descr, []int{int(n)})), src))
	if err != nil {
		return nil, in.bad("%v", err)
	}
	block := make([]F, min(n, 16<<10))
	for done := int64(0); done < n; {
		block = block[:min(n-done, int64(len(block)))]
		err := r.Read(&block)
		if src.err != nil && src.err != io.EOF {
			return nil, in.broken(src.err)
		}
		if src.n != (done+int64(len(block)))*size { // npyio takes an early end for zeros
			return nil, in.short("%d numbers are promised, %d follow", n, src.n/size)
		}
		if err != nil {
			return nil, in.bad("%v", err)
		}
		for i, v := range block {
			f := T(v)
			if f-f != 0 && v-v == 0 {
				return nil, in.fail(ErrNotFinite, "scale the data down", "number %d: float32 cannot hold %g", done+int64(i), v)
			}
			out.add(f)
		}
		done += int64(len(block))
	}
	return out.join(), nil
}

// counted hands the body of a file to npyio and remembers how far it came.
type counted struct {
	in  *input
	n   int64
	err error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.in.r.Read(p)
	c.n += int64(n)
	c.in.off += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

// npyText is the header of an array in C order, version 1, padded to 64 bytes.
func npyText(descr string, shape []int) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	return npyMagic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
}

// writeNPY writes an array of N×D float32.
func writeNPY(w *bufio.Writer, c Cloud, _ Options) error {
	if err := c.only(false); err != nil {
		return err
	}
	return Array{Shape: []int{c.N, c.D}, F32: c.X}.write(w)
}

// write writes a as NPY.
func (a Array) write(w io.Writer) error {
	descr := "<f4"
	if a.F64 != nil {
		descr = "<f8"
	}
	if _, err := io.WriteString(w, npyText(descr, a.Shape)); err != nil {
		return err
	}
	var b []byte
	for lo := 0; lo < len(a.F32)+len(a.F64); lo += 4096 {
		b = b[:0]
		for _, v := range a.F32[min(lo, len(a.F32)):min(lo+4096, len(a.F32))] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		for _, v := range a.F64[min(lo, len(a.F64)):min(lo+4096, len(a.F64))] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
