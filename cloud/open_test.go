package cloud

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

// Every file of the data folder has the counts of its README: all points, and
// those that differ.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("GONDOLA_DATA")
	if dir == "" {
		t.Skip("GONDOLA_DATA is not set: no real files to read")
	}
	for _, tt := range []struct {
		file      string
		n, unique int
		extent    float64 // the longest side of the box
		opt       Options
	}{
		{"bunny_source.xyz", 453, 453, 0.15, Options{}},
		{"bunny_target.xyz", 453, 453, 0.15, Options{}},
		{"pcn_car.pcd", 1511, 1511, 0.98, Options{}},
		{"pcn_chair.pcd", 1193, 1193, 0.74, Options{}},
		{"cat_a.pcd", 3400, 3400, 192, Options{}},
		{"cat_b.pcd", 3400, 3400, 199, Options{}},
		{"kitti_000008.bin", 17238, 17238, 74, Options{Stride: 4}},
		{"moomoo.off", 1045, 1045, 49, Options{}},
		{"spot.obj", 2930, 2930, 1.7, Options{}},
		{"teapot.obj", 3644, 3241, 6.4, Options{}},
		{"bunny_duplicates.ply", 2895, 2885, 1.0, Options{}},
	} {
		opt := tt.opt
		opt.Note = func(s string) { t.Errorf("%s: note %q", tt.file, s) }
		c, err := OpenWith(filepath.Join(dir, tt.file), opt)
		if err != nil {
			t.Error(err)
			continue
		}
		d, _, err := c.Dedup()
		if err != nil || c.N != tt.n || d.N != tt.unique || c.D != 3 || c.Validate() != nil {
			t.Errorf("%s: %v, %d unique, %v; want %d points, %d unique", tt.file, c, d.N, err, tt.n, tt.unique)
		}
		side := 0.0
		for lo, hi := c.Bounds(); len(lo) > 0; lo, hi = lo[1:], hi[1:] {
			side = max(side, float64(hi[0]-lo[0]))
		}
		if !(math.Abs(side/tt.extent-1) < 0.05) {
			t.Errorf("%s: extent %.3g, want %g", tt.file, side, tt.extent)
		}
		if raw := tt.opt.Stride > 0; raw != (c.Attr["intensity"] != nil) {
			t.Errorf("%s: attributes %v", tt.file, c.names())
		}
	}
	if _, err := Open(filepath.Join(dir, "kitti_000008.bin")); !errors.Is(err, ErrFormat) || hint(err) == "" {
		t.Errorf("raw without Stride: %v", err)
	}
}

func hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint()
	}
	return ""
}

// sameBits fails unless both clouds are equal to the last bit of every number.
func sameBits(t *testing.T, what string, got, want Cloud) {
	t.Helper()
	equal := func(a, b []float32) bool {
		return slices.EqualFunc(a, b, func(a, b float32) bool {
			return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
		})
	}
	ok := got.N == want.N && got.D == want.D && equal(got.X, want.X) && slices.Equal(got.W, want.W) &&
		len(got.Attr) == len(want.Attr)
	for name := range want.Attr {
		ok = ok && equal(got.Attr[name], want.Attr[name])
	}
	if !ok {
		t.Errorf("%s: got %v %v, want %v %v", what, got, got.X[:min(9, len(got.X))], want, want.X[:min(9, len(want.X))])
	}
}

// hard is a cloud of numbers that a careless writer or reader changes.
func hard(d int) Cloud {
	x := []float32{0, float32(math.Copysign(0, -1)), 1e-45, -1.17549435e-38, 3.4028235e38, 0.1, 1. / 3, 16777217,
		-123456.789, 1e-7, 2e7, 1.00000012, 8.5e9, 7.038531e-26, 9.999999e-39, 1.9430016e30, 33554432, -0.00123456}
	x = x[:len(x)/d*d]
	return Cloud{N: len(x) / d, D: d, X: x}
}

// dress adds weights and attributes.
func dress(c Cloud) Cloud {
	for i := range c.N {
		c.W = append(c.W, float64(i)/3)
	}
	c.Attr = map[string][]float32{"intensity": make([]float32, c.N), "NX": make([]float32, c.N)}
	for i := range c.N {
		c.Attr["intensity"][i] = float32(i) / 7
		c.Attr["NX"][i] = float32(math.NaN())
	}
	return c
}

func TestRoundTrip(t *testing.T) {
	colour := hard(3)
	colour.Attr = map[string][]float32{"red": colour.X[:6], "green": colour.X[1:7], "blue": colour.X[2:8]}
	normal := hard(3)
	normal.Attr = map[string][]float32{"nx": colour.X[:6], "ny": colour.X[1:7], "nz": colour.X[2:8]}
	veil := colour.Clone()
	veil.Attr["alpha"] = colour.X[3:9]
	organised := hard(3)
	organised.X[4] = float32(math.NaN())
	for _, tt := range []struct {
		name   string
		opt    Options
		clouds []Cloud
	}{
		{"a.ply", Options{}, []Cloud{hard(3), hard(2), hard(1), hard(6), dress(hard(3)), dress(hard(5))}},
		{"ascii.ply", Options{Encoding: "ascii"}, []Cloud{hard(3), hard(2), hard(1), hard(6), dress(hard(3))}},
		{"a.pcd", Options{}, []Cloud{hard(3), hard(2), hard(9), dress(hard(3)), organised}},
		{"ascii.pcd", Options{Encoding: "ascii"}, []Cloud{hard(3), hard(1), dress(hard(3)), organised}},
		{"a.xyz", Options{}, []Cloud{hard(3), hard(2), hard(1), hard(6), dress(hard(3)), dress(hard(1))}},
		{"a.csv", Options{}, []Cloud{hard(3), hard(2), hard(1), hard(6), dress(hard(3)), dress(hard(1))}},
		{"a.off", Options{}, []Cloud{hard(3), colour, normal, veil}},
		{"a.obj", Options{}, []Cloud{hard(3), colour}},
		{"a.npy", Options{}, []Cloud{hard(3), hard(2), hard(1), hard(6)}},
		{"a.npz", Options{}, []Cloud{hard(3), hard(1), dress(hard(3)), veil}},
		{"a.bin", Options{Stride: 3}, []Cloud{hard(3)}},
		{"b.bin", Options{Stride: 6, Columns: []string{"blue", "x", "y", "z", "red", "green"}}, []Cloud{colour}},
	} {
		for _, want := range tt.clouds {
			path := filepath.Join(t.TempDir(), tt.name)
			if err := SaveWith(path, want, tt.opt); err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			got, err := OpenWith(path, tt.opt)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			sameBits(t, tt.name, got, want)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			stream := tt.opt // of unknown length, byte by byte
			stream.Name = tt.name
			got, err = Read(iotest.OneByteReader(bytes.NewReader(text)), stream)
			if err != nil {
				t.Errorf("%s as a stream: %v", tt.name, err)
				continue
			}
			sameBits(t, tt.name+" as a stream", got, want)
		}
	}
}

// Large clouds pass the borders of blocks and buffers.
func TestRoundTripLarge(t *testing.T) {
	c := Gauss(nil, 150_001)
	c.Attr = map[string][]float32{"r": c.X[:c.N]}
	for _, opt := range []Options{{Format: "ply"}, {Format: "ply", Encoding: "ascii"}, {Format: "pcd"}, {Format: "npz"},
		{Format: "xyz"}} {
		var b bytes.Buffer
		if err := Write(&b, c, opt); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		for name, r := range map[string]io.Reader{"known size": bytes.NewReader(text),
			"stream": io.MultiReader(bytes.NewReader(text))} {
			got, err := Read(r, opt)
			if err != nil {
				t.Error(err)
				continue
			}
			sameBits(t, opt.Format+" "+name, got, c)
		}
	}
}

func TestSaveIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.obj")
	if err := Save(path, Grid(2, 0)); err != nil {
		t.Fatal(err)
	}
	bad := Grid(2, 0)
	bad.W = make([]float64, bad.N)
	bad.W[0] = 1
	err := Save(path, bad) // obj has no weights
	if !errors.Is(err, ErrFormat) || hint(err) == "" || !strings.Contains(err.Error(), "a.obj") {
		t.Errorf("weights in obj: %v", err)
	}
	if c, err := Open(path); err != nil || c.N != 8 {
		t.Errorf("the old file is gone: %v, %v", c, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left, want one", len(files))
	}
	for _, name := range []string{"none/a.ply", "a", "a.xyzzy"} {
		if err := Save(filepath.Join(dir, name), Grid(2, 0)); err == nil || hint(err) == "" {
			t.Errorf("Save to %s: %v", name, err)
		}
	}
}

// A pipe is written to and stays a pipe.
func TestSaveToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.ply")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no pipe can be made here: %v", err)
	}
	saved := make(chan error)
	go func() { saved <- Save(path, Grid(2, 0)) }()
	c, err := Open(path)
	if err := <-saved; err != nil {
		t.Error(err)
	}
	sameBits(t, "through a pipe", c, Grid(2, 0))
	if st, statErr := os.Stat(path); err != nil || statErr != nil || st.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v: the pipe is %v", err, statErr, st)
	}
}

func TestWriteRefuses(t *testing.T) {
	nan, inf, zero, named := Grid(2, 0), Grid(2, 0), Grid(2, 0), Grid(2, 0)
	nan.X[3] = nan32()
	inf.X[3] = float32(math.Inf(1))
	zero.W = make([]float64, 8)
	named.Attr = map[string][]float32{"a b": make([]float32, 8)}
	twice := Grid(2, 0)
	twice.Attr = map[string][]float32{"X": make([]float32, 8)}
	for _, tt := range []struct {
		name string
		c    Cloud
		opt  Options
		want error
	}{
		{"NaN in ply", nan, Options{Format: "ply"}, ErrNotFinite},
		{"Inf in pcd", inf, Options{Format: "pcd"}, ErrNotFinite},
		{"no points", Cloud{D: 3}, Options{Format: "ply"}, ErrEmpty},
		{"lengths", Cloud{N: 2, D: 3, X: make([]float32, 5)}, Options{Format: "npy"}, ErrShape},
		{"zero weights", zero, Options{Format: "ply"}, ErrWeights},
		{"a name with a blank", named, Options{Format: "ply"}, ErrFormat},
		{"attribute X", twice, Options{Format: "csv"}, ErrFormat},
		{"attributes in npy", named, Options{Format: "npy"}, ErrFormat},
		{"two dimensions in off", FromRows([][]float32{{1, 2}}), Options{Format: "off"}, ErrFormat},
		{"unknown format", Grid(2, 0), Options{Format: "stl"}, ErrOption},
		{"a format that is only read", Grid(2, 0), Options{Format: "las"}, ErrFormat},
		{"unknown encoding", Grid(2, 0), Options{Format: "ply", Encoding: "big"}, ErrOption},
		{"columns of raw", Grid(2, 0), Options{Format: "raw", Columns: []string{"x", "x", "y"}}, ErrOption},
	} {
		var b bytes.Buffer
		if err := Write(&b, tt.c, tt.opt); !errors.Is(err, tt.want) || hint(err) == "" {
			t.Errorf("%s: %v, want %v with a hint", tt.name, err, tt.want)
		}
	}
}

func TestFormatByContent(t *testing.T) {
	for name, text := range map[string]string{
		"a.xyz": "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n7\n",
		"a.txt": "OFF 1 0 0\n7 8 9\n",
		"a.ply": "# Blender\nv 7 8 9\n",
		"none":  "7 8 9\n",
		"b":     "x,y,z\n7,8,9\n",
		"a.bin": "# .PCD v0.7\nVERSION .7\nFIELDS x\nSIZE 4\nTYPE F\nWIDTH 1\nDATA ascii\n7\n",
	} {
		if c, err := Read(strings.NewReader(text), Options{Name: name}); err != nil || c.X[0] != 7 {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	for text, part := range map[string]string{
		"\x89HDF\r\n\x1a\n": "numpy", "\x1f\x8b\x08\x00": "gunzip", "ASTM-E57": "pdal",
		"\xff\xfe1\x00": "UTF-8", "\x00\x01\x02": "Stride",
	} {
		err := func() error { _, err := Read(strings.NewReader(text), Options{Name: "scan"}); return err }()
		if !errors.Is(err, ErrFormat) || !strings.Contains(hint(err), part) {
			t.Errorf("%q: %v, hint %q", text, err, hint(err))
		}
	}
}

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(root, "a.xyz"), filepath.Join(dir, "out.xyz")} {
		if err := Save(path, Grid(2, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out.xyz", filepath.Join(root, "link.xyz")); err != nil {
		t.Fatal(err)
	}
	if c, err := OpenWith("a.xyz", Options{Root: root}); err != nil || c.N != 8 {
		t.Errorf("inside: %v, %v", c, err)
	}
	for _, path := range []string{"link.xyz", "../out.xyz"} {
		if _, err := OpenWith(path, Options{Root: root}); err == nil || hint(err) == "" {
			t.Errorf("%s leads out of the root: %v", path, err)
		}
	}
	if _, err := Open(dir); err == nil || hint(err) == "" {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none.ply")); !errors.Is(err, os.ErrNotExist) || hint(err) == "" {
		t.Errorf("no file: %v", err)
	}
}
