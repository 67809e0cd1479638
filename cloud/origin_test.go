package cloud

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// Coordinates far from the origin keep their digits if Origin is near them,
// in every format that holds more of them than float32.
func TestOrigin(t *testing.T) {
	const east, north = 500_000.125, 5_400_000.0625 // as in UTM; float32 has steps of 0.03 and 0.5 there
	want := Cloud{N: 2, D: 2, X: []float32{.125, .0625, 1.125, 2.0625}}
	x := []float64{east, north, east + 1, north + 2}
	le := func(b []byte, v ...float64) string {
		for _, f := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		}
		return string(b)
	}
	ply := "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty double x\nproperty double y\nend_header\n"
	pcd := "VERSION .7\nFIELDS x y\nSIZE 8 8\nTYPE F F\nWIDTH 2\nDATA "
	columns := packLZF([]byte(le(nil, x[0], x[2], x[1], x[3])))
	sizes := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(columns))), 32)
	for name, file := range map[string]string{
		"text":     "500000.125 5400000.0625\n500001.125 5400002.0625\n",
		"CSV":      "y,x\n5400000.0625,500000.125\n5400002.0625,500001.125\n",
		"ply":      le([]byte(ply), x...),
		"pcd":      le([]byte(pcd+"binary\n"), x...),
		"pcd text": pcd + "ascii\n500000.125 5400000.0625\n500001.125 5400002.0625\n",
		"packed":   pcd + "binary_compressed\n" + string(sizes) + string(columns),
		"npy":      numpyFile(1, "<f8", "False", "(2, 2)", x...),
		"Fortran":  numpyFile(1, ">f8", "True", "(1, 2, 2)", x[0], x[2], x[1], x[3]),
	} {
		got, _ := read(t, file, Options{Origin: []float64{5e5, 5.4e6}})
		sameBits(t, name, got, want)
		for _, bad := range [][]float64{{1}, {1, 2, 3}, {1, math.NaN()}, {math.Inf(1), 0}} {
			if _, err := Read(strings.NewReader(file), Options{Origin: bad}); !errors.Is(err, ErrOption) || hint(err) == "" {
				t.Errorf("%s: Origin %v: %v", name, bad, err)
			}
		}
		if _, err := Read(strings.NewReader(file), Options{Origin: []float64{1e39, 0}}); !errors.Is(err, ErrNotFinite) {
			t.Errorf("%s: a difference beyond float32: %v", name, err)
		}
	}
	las := lasFile(2, 2, 0, 0)
	binary.LittleEndian.PutUint64(las[155:], math.Float64bits(5e5))
	binary.LittleEndian.PutUint64(las[131:], math.Float64bits(1./1024))
	got, notes := read(t, string(las), Options{Origin: []float64{5e5, 0, 0}})
	if got.X[0] != 4./1024 || got.X[1] != 18 || got.Attr["red"][1] != 1 || len(notes) > 0 {
		t.Errorf("las: %v %v, notes %q", got, got.X, notes)
	}
	coloured := "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty uchar red\nproperty double weight\n" +
		"end_header\n7 9 .5\n"
	got, _ = read(t, coloured, Options{Origin: []float64{5}})
	sameBits(t, "attributes and weights stay", got, Cloud{N: 1, D: 1, X: []float32{2}, W: []float64{.5},
		Attr: map[string][]float32{"red": {9}}})
}
