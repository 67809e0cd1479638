package cloud

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// npzEntry is an array of an archive whose header has been read.
type npzEntry struct {
	name string
	head npyHeader
	file *zip.File
}

// readNPZ reads an archive of arrays: the points from the array that Array
// names, else x, points or the only one with rows; the weights from w; and every
// other array of N numbers as an attribute.
func readNPZ(in *input) (Cloud, error) {
	b, points, entries, err := in.npzClouds()
	if err != nil {
		return Cloud{}, err
	}
	if b.Len() != 1 {
		return Cloud{}, in.fail(ErrShape, "read it by OpenBatch or ReadBatch",
			"the array %s holds %d clouds", points.name, b.Len())
	}
	c := b.At(0)
	for _, e := range entries {
		if e.name == points.name {
			continue
		}
		if e.name == "w" {
			if err := in.npzWeights(e, points); err != nil {
				return Cloud{}, err
			}
		} else if len(e.head.shape) != 1 || e.head.shape[0] != points.rows() || !e.plain() {
			in.note("the array %s (%s, shape %v) is left out", e.name, e.head.descr, e.head.shape)
			continue
		}
		err := in.npzRead(e, func(sub *input, h npyHeader) (err error) {
			if e.name == "w" {
				c.W, err = npyNumbers[float64](sub, h)
				return err
			}
			if c.Attr == nil {
				c.Attr = map[string][]float32{}
			}
			c.Attr[e.name], err = npyNumbers[float32](sub, h)
			return err
		})
		if err != nil {
			return Cloud{}, err
		}
	}
	return in.npzEnd(c)
}

// batchNPZ reads an archive whose array of points is B×N×D, or one cloud; the
// weights are an array w of B×N. Every other array is left out.
func batchNPZ(in *input) (Batch, error) {
	b, points, entries, err := in.npzClouds()
	if err != nil {
		return Batch{}, err
	}
	for _, e := range entries {
		switch {
		case e.name == points.name:
			continue
		case e.name != "w":
			in.note("the array %s (%s, shape %v) is left out", e.name, e.head.descr, e.head.shape)
			continue
		}
		if err := in.npzWeights(e, points); err != nil {
			return Batch{}, err
		}
		err := in.npzRead(e, func(sub *input, h npyHeader) (err error) {
			b.W, err = npyNumbers[float64](sub, h)
			return err
		})
		if err != nil {
			return Batch{}, err
		}
	}
	clouds := make([]Cloud, b.Len())
	for i := range clouds {
		if clouds[i], err = in.npzEnd(b.At(i)); err != nil {
			return Batch{}, inCloud(err, i)
		}
	}
	return Join(clouds...)
}

// npzEnd looks at a cloud whose arrays are all read: only now can points with NaN
// be left out of each.
func (in *input) npzEnd(c Cloud) (Cloud, error) {
	if bad := c.FirstBad(); bad >= 0 && !in.opt.DropNaN {
		return Cloud{}, in.fail(ErrNotFinite, "set DropNaN to leave such points out",
			"coordinate %d of point %d is NaN", c.firstBad(bad), bad)
	} else if bad >= 0 {
		var kept []int
		for i := range c.N {
			if c.firstBad(i) < 0 {
				kept = append(kept, i)
			}
		}
		if len(kept) == 0 {
			return Cloud{}, in.fail(ErrEmpty, "give a file with at least one point", "every point holds NaN")
		}
		in.note("%d points with NaN are left out", c.N-len(kept))
		c = c.pick(kept)
	}
	if err := in.weights(c); err != nil {
		return Cloud{}, err
	}
	return c, nil
}

// npzWeights refuses weights that are not a number for each point: left out they
// would change every loss without a word.
func (in *input) npzWeights(w, points npzEntry) error {
	want := points.head.shape[:max(1, len(points.head.shape)-1)]
	flat := slices.Equal(w.head.shape, want[len(want)-1:]) && (len(want) == 1 || want[0] == 1)
	if (slices.Equal(w.head.shape, want) || flat) && w.plain() {
		return nil
	}
	return in.fail(ErrShape, "save a float weight for each point, or give the array another name",
		"the weights w are %s of shape %v, the points of shape %v", w.head.descr, w.head.shape, points.head.shape)
}

// plain reports whether the numbers are of a type that is read.
func (e npzEntry) plain() bool {
	return strings.HasSuffix(e.head.descr, "f4") || strings.HasSuffix(e.head.descr, "f8")
}

// npzClouds opens the archive and reads its array of points.
func (in *input) npzClouds() (b Batch, points npzEntry, entries []npzEntry, err error) {
	if entries, err = in.npzEntries(); err != nil {
		return b, points, entries, err
	}
	if points, err = in.npzPoints(entries); err != nil {
		return b, points, entries, err
	}
	err = in.npzRead(points, func(sub *input, h npyHeader) error {
		sub.keepNaN = true
		b, err = sub.npyBatch(h)
		return err
	})
	return b, points, entries, err
}

// rows is the number of points of a cloud of an array of points.
func (e npzEntry) rows() int64 {
	if len(e.head.shape) == 3 {
		return e.head.shape[1]
	}
	return e.head.shape[0]
}

// npzEntries opens the archive and reads the header of every array.
func (in *input) npzEntries() ([]npzEntry, error) {
	at, size, err := in.random()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(at, size)
	if err != nil {
		return nil, in.bad("%v", err)
	}
	if n := len(archive.File); n > in.opt.Limits.MaxProps {
		return nil, in.fail(ErrLimit, "raise Limits.MaxProps", "%d arrays, %d allowed", n, in.opt.Limits.MaxProps)
	}
	var entries []npzEntry
	total := uint64(0)
	for _, f := range archive.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			in.note("%q is no array and left out", f.Name)
			continue
		}
		most := uint64(in.opt.Limits.MaxBytes)
		if f.UncompressedSize64 > most || total+f.UncompressedSize64 > most {
			return nil, in.fail(ErrLimit, "raise Limits.MaxBytes", "the arrays unpack to more than %d bytes", most)
		}
		total += f.UncompressedSize64
		if packed := f.CompressedSize64; packed > uint64(size) {
			return nil, in.short("%s: %d packed bytes in an archive of %d", f.Name, packed, size)
		} else if f.UncompressedSize64 > ahead && f.UncompressedSize64/maxRatio > packed {
			return nil, in.fail(ErrLimit, "unpack the archive and look at it",
				"%s: %d bytes unpack to %d, more than %d times as many", f.Name, packed, f.UncompressedSize64, maxRatio)
		}
		if slices.ContainsFunc(entries, func(e npzEntry) bool { return e.name == name }) {
			return nil, in.bad("two arrays %q", name)
		}
		e := npzEntry{name: name, file: f}
		err := in.npzOpen(f, func(sub *input) (err error) {
			e.head, err = sub.npyHead()
			return err
		})
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// random returns the file as something that can be read at any place; a stream
// is read into memory first.
func (in *input) random() (io.ReaderAt, int64, error) {
	if at, ok := in.src.(io.ReaderAt); ok && in.size > 0 {
		return io.NewSectionReader(at, in.base, in.size), in.size, nil
	}
	var all column[byte]
	block := make([]byte, 64<<10)
	for {
		n, err := in.r.Read(block)
		all.add(block[:n]...)
		in.off += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, in.broken(err)
		}
	}
	b := all.join()
	return bytes.NewReader(b), int64(len(b)), nil
}

// npzOpen gives f an input of its own for one array.
func (in *input) npzOpen(file *zip.File, f func(sub *input) error) error {
	r, err := file.Open()
	if err != nil {
		return in.bad("%s: %v", file.Name, err)
	}
	defer r.Close()
	sub := &input{op: in.op, format: in.format, opt: in.opt, told: true, header: -1}
	sub.size = int64(file.UncompressedSize64)
	sub.opt.Name += "(" + file.Name + ")"
	sub.r = bufio.NewReaderSize(&capped{r: r, left: sub.size, max: sub.size}, 16<<10)
	return f(sub)
}

// npzRead reads an array to its end, where the archive's checksum is compared.
func (in *input) npzRead(e npzEntry, f func(sub *input, h npyHeader) error) error {
	return in.npzOpen(e.file, func(sub *input) error {
		h, err := sub.npyHead()
		if err == nil {
			err = f(sub, h)
		}
		if err != nil {
			return err
		}
		sub.tail()
		if _, err := io.Copy(io.Discard, sub.r); err != nil {
			return sub.bad("%v", err)
		}
		return nil
	})
}

// npzPoints chooses the array of the points.
func (in *input) npzPoints(entries []npzEntry) (npzEntry, error) {
	var names []string
	var rows []npzEntry
	ask := []string{"x", "points"}
	if in.opt.Array != "" {
		ask = []string{strings.TrimSuffix(in.opt.Array, ".npy")}
	}
	for _, e := range entries {
		names = append(names, e.name)
		if d := len(e.head.shape); d == 2 || d == 3 {
			rows = append(rows, e)
		}
	}
	for _, name := range ask {
		for _, e := range entries {
			if d := len(e.head.shape); e.name == name && d >= 1 && d <= 3 {
				return e, nil
			}
		}
	}
	if len(rows) == 1 && in.opt.Array == "" {
		return rows[0], nil
	}
	return npzEntry{}, in.fail(ErrFormat, "set Array to the name of the array of the points",
		"no array %s among %s", strings.Join(ask, " or "), quoted(names))
}

// Array is numbers with a shape, for files that hold more than a cloud: the
// product of Shape is the length of F32 or of F64, whichever is not nil.
type Array struct {
	Name  string // without .npy
	Shape []int
	F32   []float32
	F64   []float64
}

// SaveArrays writes arrays as an uncompressed NPZ archive, as numpy.savez does.
// The file appears whole or not at all.
func SaveArrays(path string, arrays ...Array) error {
	const op = "cloud.SaveArrays"
	return atomically(op, path, func(w io.Writer) error {
		buf := bufio.NewWriterSize(w, 64<<10)
		err := writeArrays(op, buf, arrays)
		if err == nil {
			err = buf.Flush()
		}
		if _, ours := err.(*Error); err != nil && !ours {
			err = &Error{Op: op, File: path, Format: "npz", Err: err, Advice: "check that there is room"}
		}
		return err
	})
}

func writeArrays(op string, w io.Writer, arrays []Array) error {
	z := zip.NewWriter(w)
	seen := map[string]bool{}
	for _, a := range arrays {
		n := 1
		for _, d := range a.Shape {
			if d < 0 || d > 0 && n > math.MaxInt/d {
				return shapeError(op, fmt.Sprintf("array %q: no array has shape %v", a.Name, a.Shape))
			}
			n *= d
		}
		if n != len(a.F32)+len(a.F64) || a.F32 != nil && a.F64 != nil {
			return shapeError(op, fmt.Sprintf("array %q: %d numbers for shape %v", a.Name, len(a.F32)+len(a.F64), a.Shape))
		}
		if a.Name == "" || seen[a.Name] || strings.ContainsAny(a.Name, "/\\\x00") {
			return optionError(op, "Name", fmt.Sprintf("%q", a.Name), "to each array, without slashes and each another")
		}
		seen[a.Name] = true
		f, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := a.write(f); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeNPZ writes the array x, for weights w, and an array for each attribute.
func writeNPZ(w *bufio.Writer, c Cloud, _ Options) error {
	arrays := []Array{{Name: "x", Shape: []int{c.N, c.D}, F32: c.X}}
	if c.W != nil {
		arrays = append(arrays, Array{Name: "w", Shape: []int{c.N}, F64: c.W})
	}
	for _, name := range c.names() {
		if name == "w" || name == "x" {
			return optionError("cloud.Write", "attribute", fmt.Sprintf("%q", name), "another name")
		}
		arrays = append(arrays, Array{Name: name, Shape: []int{c.N}, F32: c.Attr[name]})
	}
	return writeArrays("cloud.Write", w, arrays)
}
