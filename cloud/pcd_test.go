package cloud

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// One cloud in three encodings: fields out of order, one of three values,
// padding, all sizes, and a point with NaN.
func TestPCDEncodings(t *testing.T) {
	head := func(data string) string {
		return "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS _ z fpfh y _ x rgb\nSIZE 1 4 2 8 3 4 4\nTYPE U F I F U F U\n" +
			"COUNT 2 1 3 1 1 1 1\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA " + data + "\n"
	}
	le := binary.LittleEndian
	x, y, z := []float32{1, 2, nan32(), -4}, []float64{.5, .25, math.NaN(), 8}, []float32{7, 8, nan32(), 10}
	cols := make([][]byte, 7) // field after field
	for i := range 4 {
		cols[0] = append(cols[0], 'p', 'q')
		cols[1] = le.AppendUint32(cols[1], math.Float32bits(z[i]))
		for k := range 3 {
			cols[2] = le.AppendUint16(cols[2], uint16(int16(-10*i-k)))
		}
		cols[3] = le.AppendUint64(cols[3], math.Float64bits(y[i]))
		cols[4] = append(cols[4], "pad"...)
		cols[5] = le.AppendUint32(cols[5], math.Float32bits(x[i]))
		cols[6] = le.AppendUint32(cols[6], uint32(i)<<20)
	}
	var rows, packed []byte
	for i := range 4 {
		for _, c := range cols {
			n := len(c) / 4
			rows = append(rows, c[i*n:(i+1)*n]...)
		}
	}
	for _, c := range cols {
		packed = append(packed, c...)
	}
	lzf := packLZF(packed)
	sizes := le.AppendUint32(le.AppendUint32(nil, uint32(len(lzf))), uint32(len(packed)))
	text := strings.NewReplacer("SIZE 1 4 2 8 3", "SIZE 1 4 2 8 1").Replace(head("ascii")) +
		"0 0 7 0 -1 -2 .5 0 1 0\n0 0 8 -10 -11 -12 .25 0 2 1048576\n0 0 nan -20 -21 -22 nan 0 nan 2097152\n0 0 10 -30 -31 -32 8 0 -4 3145728\n"

	want := Cloud{N: 4, D: 3, X: []float32{1, .5, 7, 2, .25, 8, nan32(), nan32(), nan32(), -4, 8, 10},
		Attr: map[string][]float32{"fpfh_0": {0, -10, -20, -30}, "fpfh_1": {-1, -11, -21, -31}, "fpfh_2": {-2, -12, -22, -32},
			"rgb": {0, 1 << 20, 2 << 20, 3 << 20}}}
	dropped, err := want.Sub([]int{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"ascii": text, "binary": head("binary") + string(rows),
		"packed": head("binary_compressed") + string(sizes) + string(lzf),
	} {
		c, notes := read(t, file, Options{})
		sameBits(t, name, c, want)
		if len(notes) != 1 || !strings.Contains(notes[0], "1 points hold NaN") {
			t.Errorf("%s: notes %q", name, notes)
		}
		c, _ = read(t, file, Options{DropNaN: true})
		sameBits(t, name+" without NaN", c, dropped)
		if _, notes = read(t, file+"7", Options{}); len(notes) != 2 {
			t.Errorf("%s: notes %q, want one of the byte behind", name, notes)
		}
	}
}

func TestPCDHeader(t *testing.T) {
	for _, tt := range []struct{ name, change, to, part string }{
		{"version", "VERSION .7", "VERSION 2.0", "version"},
		{"points", "POINTS 2", "POINTS 3", "WIDTH times HEIGHT"},
		{"type", "TYPE F F", "TYPE F X", `"X"`},
		{"size", "SIZE 4 4", "SIZE 4 3", `"3"`},
		{"sizes", "SIZE 4 4", "SIZE 4", "1 SIZE"},
		{"count", "COUNT 1 1", "COUNT 1 0", "count"},
		{"data", "DATA ascii", "DATA zip", "zip"},
		{"fields", "FIELDS x y\n", "", "FIELDS"},
		{"twice", "FIELDS x y\n", "FIELDS x y\nFIELDS x y\n", "second"},
		{"word", "WIDTH 2", "WIDHT 2", "WIDHT"},
		{"height", "HEIGHT 1", "HEIGHT one", "HEIGHT"},
	} {
		good := "VERSION .7\nFIELDS x y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n1 2\n3 4\n"
		if c, _ := read(t, good, Options{}); c.N != 2 || c.D != 2 {
			t.Fatalf("the good file is %v", c)
		}
		_, err := Read(strings.NewReader(strings.Replace(good, tt.change, tt.to, 1)), Options{Format: "pcd"})
		if err == nil || !strings.Contains(err.Error(), tt.part) {
			t.Errorf("%s: %v, want an error with %q", tt.name, err, tt.part)
		}
	}
}

// The format by hand: a byte below 32 and that many bytes and one; else a length
// in three bits (7: more in the next byte) and a distance back.
func TestLZF(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		ok       bool
	}{
		{"\x02abc", "abc", true},
		{"\x02abc\x20\x02", "abcabc", true},                        // length 1+2, distance 2+1
		{"\x00a\xe0\x04\x00", "a" + strings.Repeat("a", 13), true}, // length 7+4+2 over itself
		{"\x02ab", "ab", false},                                    // one byte short
		{"\x00a\x20\x01", "aaaa", false},                           // from before the start
		{"\x00a\xe0", "a", false},                                  // no length
		{"\x00a\x20", "a", false},                                  // no distance
		{"\x02abc", "ab", false},                                   // more than asked for
		{"\x02abc", "abcd", false},                                 // less
	} {
		if got, err := unpackLZF([]byte(tt.in), len(tt.want)); (err == nil) != tt.ok || tt.ok && string(got) != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.in, got, err, tt.want)
		}
	}
	data := strings.Repeat("0123456789", 5000) + strings.Repeat("x", 9000)
	packed := packLZF([]byte(data))
	if got, err := unpackLZF(packed, len(data)); err != nil || string(got) != data || len(packed) > 2000 {
		t.Errorf("%d bytes in %d: %v", len(data), len(packed), err)
	}
}
