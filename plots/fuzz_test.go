package plots

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"math"
	"strings"
	"testing"
)

// numbers reads up to n float32 values from b: a few bytes make wild ones.
func numbers(b []byte, n int) (out []float64) {
	for len(b) >= 4 && len(out) < n {
		out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		b = b[4:]
	}
	return out
}

// FuzzFigure feeds short curves and plans with any names: there is an error of
// our own, or a picture that decodes and in which no text overlaps another or
// is cut off.
func FuzzFigure(f *testing.F) {
	pack := func(v ...float32) []byte {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	f.Add(uint8(0), "a", "title", pack(1, 2, 3, 4, 5, 6), uint16(340), uint16(220))
	f.Add(uint8(1), "</script>", "", pack(1, 10, 100, 1e-30, 1, 1e30), uint16(100), uint16(800))
	f.Add(uint8(2), "\xff\n🚀", strings.Repeat("w", 300), pack(0, 0, 1, 1, .5, -1), uint16(0), uint16(0))
	f.Add(uint8(7), "x", "y", pack(0, float32(math.NaN()), 1e38, -1e38), uint16(400), uint16(20))
	f.Add(uint8(0), "n", "t", pack(1.0000001, 1.0000002, 3, 1e9, 1e9, 1e9), uint16(200), uint16(200))
	f.Fuzz(func(t *testing.T, kind uint8, name, title string, data []byte, w, h uint16) {
		v := numbers(data, 60)
		half := len(v) / 2
		c := []Curve{{Name: name, X: v[:half], Y: v[half : 2*half]}, {Name: title, X: v[:half/2], Y: v[half : half+half/2]}}
		o := Options{Title: title, XLabel: name, YLabel: title, Unit: name, Caption: title + name,
			Width: 100 + float64(w%700), Height: 100 + float64(h%700), DPI: 72, SkipNotFinite: kind&8 != 0}
		var p *Figure
		var err error
		switch kind % 4 {
		case 0:
			p, err = Line(c, LineOptions{Options: o})
		case 1:
			p, err = Scaling(c, ScalingOptions{Options: o,
				Published: []Published{{Name: name, Source: title, X: v[:half], Y: v[half : 2*half]}}})
		case 2:
			p, err = Line(c, LineOptions{Options: o, Relative: true, Joined: true})
		case 3:
			x := flat(half/2, 2, 0)
			for i := range x.X {
				x.X[i] = float32(v[i])
			}
			p, err = Matching(x, x, diagonal(x.N), MatchingOptions{Options: o})
		}
		if err != nil {
			if e, ok := err.(*Error); !ok || p != nil || strings.Contains(e.Error(), "panicked") {
				t.Fatalf("%v", err)
			}
			return
		}
		if faults := record(p).faults(); len(faults) > 0 {
			t.Fatalf("%q", faults)
		}
		out, err := p.PNG()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(bytes.NewReader(out)); err != nil || p.Text() == "" {
			t.Fatalf("%v, text %q", err, p.Text())
		}
	})
}
