package cloud

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npy"
)

// numpyFile is what numpy writes: header of a version, then numbers.
func numpyFile(version byte, descr, fortran, shape string, v ...float64) string {
	text := "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }"
	b := []byte(npyMagic + string([]byte{version, 0}))
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)+1))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)+1))
	}
	b = append(b, text+"\n"...)
	var order binary.AppendByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	for _, f := range v {
		if strings.HasSuffix(descr, "4") {
			b = order.AppendUint32(b, math.Float32bits(float32(f)))
		} else {
			b = order.AppendUint64(b, math.Float64bits(f))
		}
	}
	return string(b)
}

func TestNPY(t *testing.T) {
	want := Cloud{N: 2, D: 3, X: []float32{1, 2, 3, 4, 5, 6}}
	for name, file := range map[string]string{
		"float32":      numpyFile(1, "<f4", "False", "(2, 3)", 1, 2, 3, 4, 5, 6),
		"big-endian":   numpyFile(2, ">f4", "False", "(2, 3)", 1, 2, 3, 4, 5, 6),
		"float64":      numpyFile(3, "<f8", "False", "(2L, 3L)", 1, 2, 3, 4, 5, 6),
		"big float64":  numpyFile(1, ">f8", "False", "(2,3,)", 1, 2, 3, 4, 5, 6),
		"Fortran":      numpyFile(1, "<f4", "True", "(2, 3)", 1, 4, 2, 5, 3, 6),
		"one of a row": numpyFile(1, "<f8", "False", "(1, 2, 3)", 1, 2, 3, 4, 5, 6),
		"keys in order": strings.Replace(numpyFile(1, "<f4", "False", "(2, 3)", 1, 2, 3, 4, 5, 6),
			"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
			"{'shape':(2,3), \"fortran_order\":False,'descr': '<f4'      }", 1),
	} {
		got, notes := read(t, file, Options{})
		sameBits(t, name, got, want)
		if len(notes) > 0 {
			t.Errorf("%s: notes %q", name, notes)
		}
		if _, notes = read(t, file+"!", Options{}); len(notes) != 1 {
			t.Errorf("%s: notes %q, want one of the byte behind", name, notes)
		}
	}
	one, _ := read(t, numpyFile(1, "<f4", "False", "(3,)", 1, 2, 3), Options{})
	sameBits(t, "one axis", one, Cloud{N: 3, D: 1, X: []float32{1, 2, 3}})
	nan := math.NaN()
	left, notes := read(t, numpyFile(1, "<f4", "False", "(3, 2)", 1, 2, nan, 3, 4, 5), Options{DropNaN: true})
	sameBits(t, "NaN left out", left, Cloud{N: 2, D: 2, X: []float32{1, 2, 4, 5}})
	if len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
	for _, v := range []float64{nan, math.Inf(1), 1e39} {
		_, err := Read(strings.NewReader(numpyFile(1, "<f8", "False", "(1, 1)", v)), Options{})
		if !errors.Is(err, ErrNotFinite) || hint(err) == "" {
			t.Errorf("%g: %v", v, err)
		}
	}
}

func TestNPYBatch(t *testing.T) {
	nan := math.NaN()
	for name, file := range map[string]string{
		"C":       numpyFile(1, "<f4", "False", "(2, 2, 2)", 1, 2, nan, nan, 5, 6, 7, 8),
		"Fortran": numpyFile(1, "<f8", "True", "(2, 2, 2)", 1, 5, nan, 7, 2, 6, nan, 8),
	} {
		b, err := ReadBatch(strings.NewReader(file), Options{DropNaN: true})
		if err != nil || b.Len() != 2 || b.Validate() != nil {
			t.Errorf("%s: %v, %v", name, b, err)
			continue
		}
		sameBits(t, name, b.At(0), Cloud{N: 1, D: 2, X: []float32{1, 2}})
		sameBits(t, name, b.At(1), Cloud{N: 2, D: 2, X: []float32{5, 6, 7, 8}})
	}
	path := filepath.Join(t.TempDir(), "a.ply")
	if err := Save(path, dress(hard(3))); err != nil {
		t.Fatal(err)
	}
	if b, err := OpenBatch(path, Options{}); err != nil || b.Len() != 1 || b.W == nil {
		t.Errorf("a batch of one: %v, %v", b, err)
	}
}

// An archive of several clouds and their weights is a batch, and says what it
// leaves out.
func TestNPZBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	save := func(w []float64, shape ...int) {
		t.Helper()
		err := SaveArrays(path, Array{Name: "x", Shape: []int{2, 2, 1}, F32: []float32{1, 2, 3, 4}},
			Array{Name: "w", Shape: shape, F64: w}, Array{Name: "label", Shape: []int{2}, F32: []float32{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
	}
	save([]float64{1, 2, 3, 4}, 2, 2)
	var notes []string
	b, err := OpenBatch(path, Options{Note: func(s string) { notes = append(notes, s) }})
	if err != nil || b.Len() != 2 || len(notes) != 1 || !strings.Contains(notes[0], "label") {
		t.Fatalf("%v, %v, notes %q", b, err, notes)
	}
	sameBits(t, "cloud 1", b.At(1), Cloud{N: 2, D: 1, X: []float32{3, 4}, W: []float64{3, 4}})
	if _, err := Open(path); !errors.Is(err, ErrShape) || !strings.Contains(hint(err), "OpenBatch") {
		t.Errorf("two clouds as one: %v", err)
	}
	save([]float64{1, 2, 0, 0}, 2, 2)
	if _, err := OpenBatch(path, Options{}); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), "cloud 1") {
		t.Errorf("no weight in cloud 1: %v", err)
	}
	save([]float64{1, 2, 3, 4}, 4)
	if b, err := OpenBatch(path, Options{}); !errors.Is(err, ErrShape) || hint(err) == "" {
		t.Errorf("weights of another shape: %v, %v", b, err)
	}
	for _, w := range []Array{{Name: "w", Shape: []int{3}, F64: []float64{1, 2, 3}},
		{Name: "w", Shape: []int{1, 2}, F32: []float32{1, 2}}} {
		err := SaveArrays(path, Array{Name: "x", Shape: []int{2, 1}, F32: []float32{1, 2}}, w)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := Open(path); !errors.Is(err, ErrShape) || hint(err) == "" {
			t.Errorf("weights of shape %v: %v, %v", w.Shape, c, err)
		}
	}
}

// Points with NaN leave every array of an archive.
func TestNPZDropNaN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	err := SaveArrays(path, Array{Name: "x", Shape: []int{2, 2, 1}, F32: []float32{1, nan32(), 3, 4}},
		Array{Name: "w", Shape: []int{2, 2}, F64: []float64{1, 2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBatch(path, Options{DropNaN: true})
	if err != nil || b.Len() != 2 {
		t.Fatalf("%v, %v", b, err)
	}
	sameBits(t, "cloud 0", b.At(0), Cloud{N: 1, D: 1, X: []float32{1}, W: []float64{1}})
	sameBits(t, "cloud 1", b.At(1), Cloud{N: 2, D: 1, X: []float32{3, 4}, W: []float64{3, 4}})
	if _, err := OpenBatch(path, Options{}); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "cloud 0") {
		t.Errorf("NaN is kept: %v", err)
	}
	if err := SaveArrays(path, Array{Name: "x", Shape: []int{3, 1}, F32: []float32{1, nan32(), 3}},
		Array{Name: "w", Shape: []int{3}, F64: []float64{1, 2, 3}}, Array{Name: "r", Shape: []int{3}, F32: []float32{7, 8, 9}},
	); err != nil {
		t.Fatal(err)
	}
	c, err := OpenWith(path, Options{DropNaN: true})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "one cloud", c, Cloud{N: 2, D: 1, X: []float32{1, 3}, W: []float64{1, 3},
		Attr: map[string][]float32{"r": {7, 9}}})
	if _, err := Open(path); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "point 1") {
		t.Errorf("NaN is kept: %v", err)
	}
	if err := SaveArrays(path, Array{Name: "x", Shape: []int{1, 1}, F32: []float32{nan32()}}); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWith(path, Options{DropNaN: true}); !errors.Is(err, ErrEmpty) || hint(err) == "" {
		t.Errorf("nothing is left: %v", err)
	}
}

// What we write, npyio reads, and SaveArrays holds any shape.
func TestArrays(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, hard(3), Options{Format: "npy"}); err != nil {
		t.Fatal(err)
	}
	var x []float32
	if err := npy.Read(&b, &x); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "npyio", Cloud{N: 6, D: 3, X: x}, hard(3))

	path := filepath.Join(t.TempDir(), "grad.npz")
	err := SaveArrays(path, Array{Name: "gradx", Shape: []int{2, 3}, F32: []float32{1, 2, 3, 4, 5, 6}},
		Array{Name: "value", Shape: []int{}, F64: []float64{7}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenWith(path, Options{Array: "gradx"})
	if err != nil || c.N != 2 || c.X[5] != 6 {
		t.Errorf("%v, %v", c, err)
	}
	for name, a := range map[string][]Array{
		"shape":  {{Name: "a", Shape: []int{2}, F32: []float32{1}}},
		"minus":  {{Name: "a", Shape: []int{-1, -1}, F32: []float32{1}}},
		"large":  {{Name: "a", Shape: []int{1 << 32, 1 << 32}, F32: []float32{}}},
		"both":   {{Name: "a", Shape: []int{2}, F32: []float32{1}, F64: []float64{1}}},
		"name":   {{Name: "", Shape: []int{1}, F32: []float32{1}}},
		"path":   {{Name: "../a", Shape: []int{1}, F32: []float32{1}}},
		"double": {{Name: "a", Shape: []int{1}, F32: []float32{1}}, {Name: "a", Shape: []int{1}, F32: []float32{1}}},
	} {
		if err := SaveArrays(filepath.Join(t.TempDir(), "bad.npz"), a...); err == nil || hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRaw(t *testing.T) {
	var b []byte
	for i := range 10 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)))
	}
	kitti, _ := read(t, string(b[:32]), Options{Format: "raw", Stride: 4})
	want := Cloud{N: 2, D: 3, X: []float32{0, 1, 2, 4, 5, 6}, Attr: map[string][]float32{"intensity": {3, 7}}}
	sameBits(t, "KITTI", kitti, want)
	scenes, _ := read(t, string(b), Options{Name: "a.bin", Stride: 5})
	if scenes.Attr["ring"][1] != 9 {
		t.Errorf("nuScenes: %v", scenes.Attr)
	}
	plain, _ := read(t, string(b), Options{Format: "raw", Stride: 5, Columns: []string{"_", "x", "y", "z", "_"}})
	sameBits(t, "columns left out", plain, Cloud{N: 2, D: 3, X: []float32{1, 2, 3, 6, 7, 8}})
	two, _ := read(t, string(b), Options{Format: "raw", Stride: 2})
	if two.D != 2 || two.N != 5 || two.Attr != nil {
		t.Errorf("stride 2: %v", two)
	}
	text, _ := read(t, "1 2 3\n4 5 6\n", Options{Format: "raw", Stride: 3}) // 12 bytes: what Format says, holds
	if text.N != 1 {
		t.Errorf("text as raw: %v", text)
	}
	for _, opt := range []Options{{Stride: -1}, {Stride: 1000}, {Stride: 4, Columns: []string{"x"}}} {
		opt.Format = "raw"
		if _, err := Read(bytes.NewReader(b), opt); !errors.Is(err, ErrOption) || hint(err) == "" {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}
