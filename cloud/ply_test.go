package cloud

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// read reads text and returns the notes too.
func read(t *testing.T, text string, opt Options) (Cloud, []string) {
	t.Helper()
	var notes []string
	opt.Note = func(s string) { notes = append(notes, s) }
	c, err := Read(strings.NewReader(text), opt)
	if err != nil {
		t.Errorf("%.60q: %v", text, err)
	}
	return c, notes
}

// The same vertices in three encodings, between two other elements with lists,
// with a column of each type and coordinates in odd order.
func TestPLYEncodings(t *testing.T) {
	header := func(encoding, end string) string {
		return strings.ReplaceAll("ply\nformat "+encoding+" 1.0\ncomment made by hand\nobj_info x\n"+
			"element face 2\nproperty list uchar int vertex_indices\nproperty uchar flag\n"+
			"element vertex 2\nproperty double z\nproperty char c\nproperty float32 x\nproperty ushort s\nproperty list uint8 float l\n"+
			"property float y\nproperty uint u\n"+
			"element edge 1\nproperty short a\nend_header\n", "\n", end)
	}
	text := "3 0 1 1 7\n0 8\n" + "2.5 -3 1 65535 2 9 9 1.5 7\n" + "-1 127 4 0 0 1e-3 4294967295\n" + "9\n"
	body := func(o binary.AppendByteOrder) string {
		f4 := func(b []byte, v float32) []byte { return o.AppendUint32(b, math.Float32bits(v)) }
		f8 := func(b []byte, v float64) []byte { return o.AppendUint64(b, math.Float64bits(v)) }
		b := []byte{3}
		for _, v := range []uint32{0, 1, 1} {
			b = o.AppendUint32(b, v)
		}
		b = append(b, 7, 0, 8)
		b = o.AppendUint16(f4(append(f8(b, 2.5), 0xfd), 1), 65535)
		b = o.AppendUint32(f4(f4(f4(append(b, 2), 9), 9), 1.5), 7)
		b = o.AppendUint16(f4(append(f8(b, -1), 127), 4), 0)
		b = o.AppendUint32(f4(append(b, 0), 1e-3), math.MaxUint32)
		return string(o.AppendUint16(b, 9))
	}
	want := Cloud{N: 2, D: 3, X: []float32{1, 1.5, 2.5, 4, 1e-3, -1},
		Attr: map[string][]float32{"c": {-3, 127}, "s": {65535, 0}, "u": {7, 4294967296}}}
	for name, file := range map[string]string{
		"ascii":         header("ascii", "\n") + text,
		"ascii, CRLF":   strings.ReplaceAll(header("ascii", "\n")+text, "\n", "\r\n"),
		"ascii, CR":     strings.ReplaceAll(header("ascii", "\n")+text, "\n", "\r"),
		"ascii, BOM":    "\xef\xbb\xbf" + header("ascii", "\n") + text,
		"little-endian": header("binary_little_endian", "\n") + body(binary.LittleEndian),
		"big-endian":    header("binary_big_endian", "\n") + body(binary.BigEndian),
		"CRLF header":   header("binary_little_endian", "\r\n") + body(binary.LittleEndian),
		"CR header":     header("binary_big_endian", "\r") + body(binary.BigEndian),
	} {
		c, notes := read(t, file, Options{})
		sameBits(t, name, c, want)
		if rounded := strings.Contains(strings.Join(notes, ""), "1 whole number"); rounded == strings.HasPrefix(name,
			"ascii") {
			t.Errorf("%s: notes %q", name, notes)
		}
		if _, notes = read(t, file+"7", Options{}); len(notes) == 0 {
			t.Errorf("%s: no note of the byte behind", name)
		}
		if !strings.HasPrefix(name, "ascii") {
			if _, err := Read(strings.NewReader(file[:len(file)-1]), Options{}); err == nil {
				t.Errorf("%s: a file one byte short is read", name)
			}
		}
	}
}

// Rows of a fixed size with big-endian numbers and with NaN to leave out.
func TestPLYRows(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("ply\nformat binary_big_endian 1.0\nelement vertex 1000\nproperty uchar r\nproperty float x\nproperty float y\nend_header\n")
	for i := range 1000 {
		v := float32(i)
		if i%10 == 3 {
			v = nan32()
		}
		b.WriteByte(byte(i))
		b.Write(binary.BigEndian.AppendUint32(nil, math.Float32bits(v)))
		b.Write(binary.BigEndian.AppendUint32(nil, math.Float32bits(float32(-i))))
	}
	c, notes := read(t, b.String(), Options{DropNaN: true})
	if c.N != 900 || c.D != 2 || c.X[2*3] != 4 || c.X[2*3+1] != -4 || c.Attr["r"][899] != 999%256 || len(notes) != 1 {
		t.Errorf("%v, notes %q", c, notes)
	}
	plain, err := c.Shift(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	plain.Attr = nil
	plain.X[500*2] = nan32()
	var file bytes.Buffer // the fast way meets NaN in the middle of a block
	file.WriteString("ply\nformat binary_little_endian 1.0\nelement vertex 900\nproperty float x\nproperty float y\nend_header\n")
	if err := plain.writeBinary(&file); err != nil {
		t.Fatal(err)
	}
	d, _ := read(t, file.String(), Options{DropNaN: true})
	if d.N != 899 || d.X[2*500] != plain.X[2*501] {
		t.Errorf("%v", d)
	}
}

func TestPLYHeader(t *testing.T) {
	good := "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty list uchar int l\nend_header\n1 2 7 7\n"
	if c, _ := read(t, good, Options{}); c.N != 1 || c.D != 1 {
		t.Fatalf("the good file is %v", c)
	}
	for _, tt := range []struct{ name, from, to, part string }{
		{"encoding", "ascii", "utf8", "utf8"},
		{"version", "1.0", "2.0", "format line"},
		{"no format", "format ascii 1.0\n", "", "no format"},
		{"two formats", "format ascii 1.0\n", "format ascii 1.0\nformat ascii 1.0\n", "line 3"},
		{"element", "vertex 1", "vertex", "element NAME COUNT"},
		{"count", "vertex 1", "vertex one", `"one"`},
		{"same element", "end_header", "element vertex 1\nend_header", "second"},
		{"no vertex", "vertex", "point", "no element vertex"},
		{"type", "property float", "property half", `"half"`},
		{"property", "float x", "x", "property TYPE NAME"},
		{"property first", "element vertex 1\nproperty float x\n", "property float x\nelement vertex 1\n",
			"before the first"},
		{"list of float length", "list uchar", "list float", `"float"`},
		{"word", "end_header", "endheader", `"endheader"`},
		{"list too short", "1 2 7 7", "1 2 7", "ends before"},
		{"list of length −2", "1 2 7 7", "1 -2", `"-2"`},
		{"no list", "1 2 7 7", "1      ", "1 properties"},
		{"more", "1 2 7 7", "1 2 7 7 7", "more than"},
	} {
		_, err := Read(strings.NewReader(strings.Replace(good, tt.from, tt.to, 1)), Options{})
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.part) {
			t.Errorf("%s: %v, want ErrFormat with %q", tt.name, err, tt.part)
		}
	}
}

func TestKinds(t *testing.T) {
	b := []byte{0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0x40}
	for k, want := range map[kind]float64{
		int8s: -1, uint8s: 255, int16s: -257, uint16s: 0xfeff, int32s: -0x3020101, uint32s: 0xfcfdfeff,
		int64s: 0x40f9fafbfcfdfeff, uint64s: 0x40f9fafbfcfdfeff, float64s: math.Float64frombits(0x40f9fafbfcfdfeff),
		float32s: float64(math.Float32frombits(0xfcfdfeff)),
	} {
		if got := k.number(b); got != want {
			t.Errorf("kind %#x: %g, want %g", k, got, want)
		}
	}
}
