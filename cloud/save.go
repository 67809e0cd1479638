package cloud

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Save writes c to the file path, in the format of its suffix. The file appears
// whole or not at all: it is written beside path and renamed; a pipe or a device
// is written to directly. Coordinates come back from Open bit for bit.
//
// What the format has no place for is refused by ErrFormat and not left out:
// attributes other than colours in obj and normals or colours in off, weights in
// obj, off, npy and raw.
func Save(path string, c Cloud) error { return SaveWith(path, c, Options{}) }

// SaveWith is Save with options.
func SaveWith(path string, c Cloud, opt Options) error {
	const op = "cloud.Save"
	opt.Name = or(opt.Name, path)
	return atomically(op, path, func(w io.Writer) error { return write(op, w, c, opt) })
}

// Write writes c to w in the format opt.Format, or of the suffix of opt.Name.
func Write(w io.Writer, c Cloud, opt Options) error { return write("cloud.Write", w, c, opt) }

func write(op string, w io.Writer, c Cloud, opt Options) error {
	f, ok := bySuffix(opt.Name)
	switch {
	case opt.Format != "":
		var err error
		if f, err = named(op, opt.Format); err != nil {
			return err
		}
	case !ok:
		return &Error{Op: op, File: opt.Name,
			Err:    fmt.Errorf("%w: no format has the suffix %q", ErrFormat, filepath.Ext(opt.Name)),
			Advice: "end the name in .ply, .pcd, .xyz, .csv, .off, .obj, .npy, .npz or .bin, or set Format"}
	}
	if f.write == nil {
		return &Error{Op: op, File: opt.Name, Format: f.name, Err: fmt.Errorf("%w: it is read and not written", ErrFormat),
			Advice: "save as PLY and convert that: pdal translate out.ply out.las"}
	}
	switch opt.Encoding {
	case "", "ascii", "binary":
	default:
		return optionError(op, "Encoding", opt.Encoding, "as ascii, binary or nothing")
	}
	if err := c.shape(op); err != nil {
		return err
	}
	if err := c.checkWeights(op); err != nil {
		return err
	}
	if i := c.FirstBad(); i >= 0 {
		at := i*c.D + c.firstBad(i)
		if f.name == "pcd" { // which has a place for NaN
			at = slices.IndexFunc(c.X, func(v float32) bool { return math.IsInf(float64(v), 0) })
		}
		if at >= 0 {
			return notFinite(op, at/c.D, at%c.D, float64(c.X[at]))
		}
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	err := f.write(buf, c, opt)
	if err == nil {
		err = buf.Flush()
	}
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		named := *e
		named.Op, named.File, named.Format = op, opt.Name, f.name
		return &named
	}
	return &Error{Op: op, File: opt.Name, Format: f.name, Err: err,
		Advice: "check that there is room and that the place can be written"}
}

// atomically writes a file beside path and renames it to path when f succeeds. A
// pipe or a device is written to as it is: to replace it would destroy it.
func atomically(op, path string, f func(io.Writer) error) error {
	wrong := func(err error) error {
		return &Error{Op: op, Err: err, Advice: "check the folder and its permissions"} // the error names the file
	}
	st, err := os.Stat(path)
	there := err == nil
	if there && !st.Mode().IsRegular() && !st.IsDir() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return wrong(err)
		}
		err = f(file)
		if closed := file.Close(); err == nil && closed != nil {
			err = wrong(closed)
		}
		return err
	}
	file, err := beside(path)
	if err != nil {
		return wrong(err)
	}
	if there {
		_ = file.Chmod(st.Mode().Perm()) // best effort: what was there keeps its mode
	}
	err = f(file)
	if closed := file.Close(); err == nil && closed != nil {
		err = wrong(closed)
	}
	if err == nil {
		if renamed := os.Rename(file.Name(), path); renamed != nil {
			err = wrong(renamed)
		}
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the first error is the one to report
	}
	return err
}

// beside makes a new file in the folder of path. It is os.CreateTemp with the
// permissions that a new file of the user has.
func beside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d", base, os.Getpid(), try))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, os.ErrExist) || try == 1000 {
			return file, err
		}
	}
}

// writeText writes rows in the order of columns, numbers as short as they can be
// read back from.
func (c Cloud) writeText(w io.Writer, sep byte) error {
	attr := c.attrs()
	var line []byte
	for i := range c.N {
		line = line[:0]
		for j := range c.D + len(attr) {
			if j > 0 {
				line = append(line, sep)
			}
			line = strconv.AppendFloat(line, float64(c.value(attr, i, j)), 'g', -1, 32)
		}
		if c.W != nil {
			line = append(line, sep)
			line = strconv.AppendFloat(line, c.W[i], 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeBinary writes rows in the order of columns: float32 and for the weight
// float64, little-endian.
func (c Cloud) writeBinary(w io.Writer) error {
	attr := c.attrs()
	var b []byte
	for i := range c.N {
		for _, v := range c.row(i) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		for _, a := range attr {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(a[i]))
		}
		if c.W != nil {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.W[i]))
		}
		if len(b) > 32<<10 || i == c.N-1 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return nil
}

// only refuses what a format has no place for: a dimension other than three if
// d3, weights, and attributes that are not in may.
func (c Cloud) only(d3 bool, may ...string) error {
	refuse := func(what string) error {
		return &Error{Err: fmt.Errorf("%w: there is no place for %s", ErrFormat, what),
			Advice: "save as PLY, or take it out of the cloud"}
	}
	if d3 && c.D != 3 {
		return refuse(strconv.Itoa(c.D) + " dimensions")
	}
	if c.W != nil {
		return refuse("weights")
	}
	for _, name := range c.names() {
		if !slices.Contains(may, name) {
			return refuse("the attribute " + strconv.Quote(name))
		}
	}
	if n := len(c.Attr); n > 0 && n != len(may) {
		return refuse("the attributes " + strings.Join(c.names(), ", ") + " without all of " + strings.Join(may, ", "))
	}
	return nil
}
