package cloud

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Options tunes reading and writing. The zero value is the recommended setting.
type Options struct {
	Format   string       // ply, pcd, off, obj, xyz, csv, npy, npz, las or raw. Empty: by content, then by the suffix of Name.
	Name     string       // name of the file, for its suffix and for errors. Open and Save set it.
	Encoding string       // writing: ascii or binary. Empty means binary where the format has it.
	Stride   int          // raw: float32 numbers a point, 4 for KITTI, 5 for nuScenes. Never guessed.
	Columns  []string     // xyz, csv: names or numbers (from 1) of the coordinate columns. raw: names of all columns.
	Array    string       // npz: the array of the points. Empty: x, points, or the only one with rows.
	Origin   []float64    // reading: a point that is subtracted in float64, before coordinates become float32. Nil: none.
	DropNaN  bool         // leave points out that hold NaN. Else they are kept in pcd, an error elsewhere.
	Root     string       // Open: a folder that path is relative to and that no link leads out of. Empty: none.
	Limits   Limits       // what a reader accepts.
	Note     func(string) // told sentences that are no errors, as "7 bytes behind …". Nil: nobody.
}

// format is what a file format brings.
type format struct {
	name     string
	suffixes string                                            // with blanks around each
	is       func(head []byte) bool                            // content decides; nil: only the suffix does
	read     func(in *input) (Cloud, error)                    //
	write    func(w *bufio.Writer, c Cloud, opt Options) error // nil: only read
	batch    func(in *input) (Batch, error)                    // nil: a file is one cloud
}

// formats in the order in which their content is looked for.
func formats() []format {
	return []format{
		{"npy", " .npy ", isNPY, readNPY, writeNPY, batchNPY},
		{"npz", " .npz ", isZip, readNPZ, writeNPZ, batchNPZ},
		{"ply", " .ply ", isPLY, readPLY, writePLY, nil},
		{"pcd", " .pcd ", isPCD, readPCD, writePCD, nil},
		{"las", " .las .laz ", isLAS, readLAS, nil, nil},
		{"raw", " .bin .raw .f32 ", nil, readRaw, writeRaw, nil},
		{"off", " .off .coff .noff ", isOFF, readOFF, writeOFF, nil},
		{"obj", " .obj ", isOBJ, readOBJ, writeOBJ, nil},
		{"xyz", " .xyz .pts .txt .asc .xyzn .xyzrgb ", isText, readXYZ, writeXYZ, nil},
		{"csv", " .csv .tsv ", isText, readXYZ, writeCSV, nil},
	}
}

// foreign are contents that are known and not read, with the way out.
var foreign = []struct{ magic, name, advice string }{
	{"ASTM-E57", "E57", "convert it to PLY with CloudCompare or pdal"},
	{"\x89HDF", "HDF5", "save the array by numpy.save as NPY"},
	{"\x1f\x8b", "gzip", "unpack it: gunzip"},
	{"BZh", "bzip2", "unpack it: bunzip2"},
	{"\x28\xb5\x2f\xfd", "zstd", "unpack it: zstd -d"},
	{"glTF", "glTF", "convert it to PLY with MeshLab"},
	{"solid ", "STL", "convert it to PLY with MeshLab"},
	{"\xff\xfe", "UTF-16 text", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16 text", "save it as UTF-8"},
}

// Open reads the point cloud in the file path. The content decides the format,
// then the suffix. Coordinates become float32, in the file's own unit; columns
// that are no coordinates are kept in Attr, and one named weight in W.
//
// Errors are of type *Error and say file, format, and line or byte: ErrFormat,
// ErrTruncated, ErrLimit, ErrEmpty, ErrNotFinite, ErrWeights, or that of the
// operating system.
func Open(path string) (Cloud, error) { return OpenWith(path, Options{}) }

// OpenWith is Open with options.
func OpenWith(path string, opt Options) (c Cloud, err error) {
	err = withFile("cloud.Open", path, opt, func(in *input, f format) error {
		c, err = f.read(in)
		return err
	})
	return c, err
}

// OpenBatch reads a file of several clouds: an NPY array of B×N×D, or an NPZ
// archive of one with weights w of B×N. Any other file is a batch of one.
func OpenBatch(path string, opt Options) (b Batch, err error) {
	err = withFile("cloud.OpenBatch", path, opt, func(in *input, f format) error {
		b, err = readBatch(in, f)
		return err
	})
	return b, err
}

func readBatch(in *input, f format) (Batch, error) {
	if f.batch != nil {
		return f.batch(in)
	}
	c, err := f.read(in)
	if err != nil {
		return Batch{}, err
	}
	return Join(c)
}

// withFile opens path, finds its format and calls f.
func withFile(op, path string, opt Options, f func(*input, format) error) error {
	opt.Name = or(opt.Name, path)
	open := os.Open
	if opt.Root != "" {
		open = func(path string) (*os.File, error) { return os.OpenInRoot(opt.Root, path) }
	}
	file, err := open(path)
	if err != nil {
		return &Error{Op: op, Err: err, Advice: "check the path"} // the error names it
	}
	defer file.Close()
	return withReader(op, file, opt, f)
}

func withReader(op string, r io.Reader, opt Options, f func(*input, format) error) error {
	in, err := newInput(op, r, opt)
	if err != nil {
		return err
	}
	form, err := in.find()
	if err != nil {
		return err
	}
	in.format = form.name
	return f(in, form)
}

// Read reads a point cloud from r, which it may read further than the cloud
// goes. It is Open for what is no file: set opt.Name or opt.Format where the
// content does not tell the format.
func Read(r io.Reader, opt Options) (c Cloud, err error) {
	err = withReader("cloud.Read", r, opt, func(in *input, f format) error {
		c, err = f.read(in)
		return err
	})
	return c, err
}

// ReadBatch is OpenBatch for what is no file, as Read is Open.
func ReadBatch(r io.Reader, opt Options) (b Batch, err error) {
	err = withReader("cloud.ReadBatch", r, opt, func(in *input, f format) error {
		b, err = readBatch(in, f)
		return err
	})
	return b, err
}

// named returns the format of that name.
func named(op, name string) (format, error) {
	var all []string
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
		all = append(all, f.name)
	}
	return format{}, optionError(op, "Format", name, "as one of "+strings.Join(all, " "))
}

// bySuffix returns the format of the suffix of name.
func bySuffix(name string) (format, bool) {
	suffix := strings.ToLower(filepath.Ext(name))
	for _, f := range formats() {
		if suffix != "" && strings.Contains(f.suffixes, " "+suffix+" ") {
			return f, true
		}
	}
	return format{}, false
}

// find chooses the format: what the caller says, else the content, else the
// suffix.
func (in *input) find() (format, error) {
	head, err := in.r.Peek(4096)
	if err != nil && err != io.EOF {
		return format{}, in.broken(err)
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) && in.opt.Format != "raw" {
		if err := in.skip(3); err != nil {
			return format{}, err
		}
		head = head[3:]
	}
	if in.opt.Format != "" {
		return named(in.op, in.opt.Format)
	}
	if len(head) == 0 {
		return format{}, in.fail(ErrEmpty, "give a file with at least one point", "the file is empty")
	}
	mark, known := bySuffix(in.opt.Name)
	for _, f := range formats() {
		switch {
		case f.is == nil && known && mark.name == f.name: // raw: any bytes may look like text
			return f, nil
		case f.is != nil && f.is(head):
			if text := f.name == "csv" || f.name == "xyz"; text && known && mark.is != nil {
				return mark, nil // text of numbers: the suffix knows better, as for OFF without its magic
			}
			return f, nil
		}
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return format{}, in.fail(ErrFormat, f.advice, "%s is not read", f.name)
		}
	}
	if known {
		return mark, nil
	}
	return format{}, in.fail(ErrFormat, "set Format; for raw float32 set it to raw and Stride to the numbers a point",
		"neither content nor suffix tells the format: %.16q", head)
}

// isText reports whether head is text that begins with a number, a comment or
// the name of a column.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte{'\n'})
	for _, b := range line {
		if b < ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	if len(line) > 0 && (line[0] == '#' || bytes.HasPrefix(line, []byte("//"))) {
		return true
	}
	word, _ := firstWord(line)
	if _, err := parse(word, 64); err == nil {
		return true
	}
	_, err := arrange(split(line, separator(line)).all())
	return err == nil
}

// firstWord cuts the first word off a line of any separator.
func firstWord(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, " \t,;"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, nil
}
