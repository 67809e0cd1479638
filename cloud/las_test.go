package cloud

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// lasFile makes a LAS file of two points by the tables of the specification:
// version 1.minor, a point format, bytes before the points and extra bytes in
// each record.
func lasFile(minor, layout byte, before, extra int) []byte {
	le := binary.LittleEndian
	size := []int{227, 235, 375}[minor-2]
	record := []int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}[layout] + extra
	b := make([]byte, size+before)
	copy(b, "LASF")
	b[24], b[25], b[104] = 1, minor, layout
	le.PutUint16(b[94:], uint16(size))
	le.PutUint32(b[96:], uint32(size+before))
	le.PutUint16(b[105:], uint16(record))
	le.PutUint32(b[107:], 2)
	if minor == 4 {
		le.PutUint32(b[107:], 0)
		le.PutUint64(b[247:], 2)
	}
	for k, v := range []float64{.5, .25, .125, 10, 20, -30} { // scales, offsets
		le.PutUint64(b[131+8*k:], math.Float64bits(v))
	}
	for i := range 2 {
		p := make([]byte, record)
		for k, v := range []int32{4, -8, 16} {
			le.PutUint32(p[4*k:], uint32(v*int32(i+1)))
		}
		le.PutUint16(p[12:], uint16(65535-i))
		colour := 0
		if layout < 6 {
			p[14], p[15], p[16], p[17] = 2|3<<3|1<<6, 6|1<<7, 0xf6, 9 // return 2 of 3, class 6 withheld, −10°, user 9
			le.PutUint16(p[18:], 77)
			colour = map[byte]int{2: 20, 3: 28, 5: 28}[layout]
		} else {
			p[14], p[16], p[17] = 2|3<<4, 6, 9
			le.PutUint16(p[18:], uint16(0xffff&-1000)) // −6°
			le.PutUint16(p[20:], 77)
			colour = map[byte]int{7: 30, 8: 30, 10: 30}[layout]
		}
		for k := 0; colour > 0 && k < 3; k++ {
			le.PutUint16(p[colour+2*k:], uint16(100*k+i))
		}
		if layout == 8 || layout == 10 {
			le.PutUint16(p[36:], 500)
		}
		b = append(b, p...)
	}
	return b
}

func TestLAS(t *testing.T) {
	for minor := byte(2); minor <= 4; minor++ {
		for layout := byte(0); layout <= 10; layout++ {
			name := fmt.Sprintf("1.%d format %d", minor, layout)
			want := Cloud{N: 2, D: 3, X: []float32{12, 18, -28, 14, 16, -26}, Attr: map[string][]float32{
				"intensity": {65535, 65534}, "return_number": {2, 2}, "number_of_returns": {3, 3}, "classification": {6, 6},
				"scan_angle": {-10, -10}, "user_data": {9, 9}, "point_source_id": {77, 77}}}
			if layout >= 6 {
				want.Attr["scan_angle"] = []float32{-6, -6}
			}
			if strings.Contains(" 2 3 5 7 8 10 ", fmt.Sprintf(" %d ", layout)) {
				want.Attr["red"], want.Attr["green"], want.Attr["blue"] = []float32{0, 1}, []float32{100, 101}, []float32{200, 201}
			}
			if layout == 8 || layout == 10 {
				want.Attr["nir"] = []float32{500, 500}
			}
			got, notes := read(t, string(lasFile(minor, layout, int(layout)*10, int(layout)%3)), Options{})
			sameBits(t, name, got, want)
			if timeless := layout == 0 || layout == 2; timeless != (len(notes) == 0) || len(notes) > 1 {
				t.Errorf("%s: notes %q", name, notes)
			}
		}
	}
	far := lasFile(2, 0, 0, 0)
	binary.LittleEndian.PutUint64(far[155:], math.Float64bits(5e5)) // as in UTM
	binary.LittleEndian.PutUint64(far[131:], math.Float64bits(.001))
	if _, notes := read(t, string(far)+"7", Options{}); len(notes) != 2 || !strings.Contains(notes[0], "steps of up to 0.031") {
		t.Errorf("far from the origin: notes %q", notes)
	}
}

func TestLASRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(b []byte) []byte
		want error
		part string
	}{
		{"LAZ", func(b []byte) []byte { b[104] |= 0x80; return b }, ErrFormat, "LAZ"},
		{"version 1.1", func(b []byte) []byte { b[25] = 1; return b }, ErrFormat, "1.1"},
		{"version 2.2", func(b []byte) []byte { b[24] = 2; return b }, ErrFormat, "2.2"},
		{"format 11", func(b []byte) []byte { b[104] = 11; return b }, ErrFormat, "11"},
		{"short header", func(b []byte) []byte { b[94] = 100; return b }, ErrFormat, "header"},
		{"short record", func(b []byte) []byte { b[105] = 19; return b }, ErrFormat, "19"},
		{"points in the header", func(b []byte) []byte { b[96] = 99; return b }, ErrFormat, "inside"},
		{"points behind the end", func(b []byte) []byte { b[98] = 9; return b }, ErrTruncated, ""},
		{"scale 0", func(b []byte) []byte { clear(b[131:139]); return b }, ErrFormat, "scale 0"},
		{"offset NaN", func(b []byte) []byte { b[162], b[161] = 0x7f, 0xff; return b }, ErrFormat, "NaN"},
		{"scale 1e300", func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[131:], math.Float64bits(1e300))
			return b
		}, ErrNotFinite, "point 0"},
		{"10⁷ points", func(b []byte) []byte { b[109] = 0x98; return b }, ErrTruncated, ""},
		{"4·10⁹ points", func(b []byte) []byte { b[110] = 0xff; return b }, ErrLimit, ""},
		{"no points", func(b []byte) []byte { b[107] = 0; return b }, ErrEmpty, ""},
		{"one byte short", func(b []byte) []byte { return b[:len(b)-1] }, ErrTruncated, ""},
		{"half a header", func(b []byte) []byte { return b[:150] }, ErrTruncated, ""},
		{"magic alone", func(b []byte) []byte { return b[:4] }, ErrTruncated, ""},
		{"another magic", func(b []byte) []byte { b[0] = 'l'; return b }, ErrFormat, "no LAS"},
	} {
		_, err := Read(strings.NewReader(string(tt.edit(lasFile(2, 3, 10, 0)))), Options{Format: "las", Name: "evil"})
		if !errors.Is(err, tt.want) || hint(err) == "" || !strings.Contains(err.Error(), tt.part) ||
			!strings.Contains(err.Error(), "evil") {
			t.Errorf("%s: %v, want %v with %q and a hint", tt.name, err, tt.want, tt.part)
		}
	}
}

func FuzzLAS(f *testing.F) {
	fuzzFormat(f, Options{Format: "las"}, string(lasFile(2, 0, 0, 0)), string(lasFile(3, 5, 3, 1)), string(lasFile(4, 10, 0, 0)),
		string(lasFile(4, 7, 8, 0)))
}
