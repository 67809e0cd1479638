package cloud

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// checksum is the first 8 bytes of SHA-256 over the little-endian float32
// coordinates, −0 written as 0.
func checksum(c Cloud) string {
	h := sha256.New()
	for _, v := range c.X {
		h.Write(binary.LittleEndian.AppendUint32(nil, bits(v)))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// The case file holds checksums of clouds made, and of files read, by two other
// programs.
func TestGeneratorChecksums(t *testing.T) {
	path := os.Getenv("GONDOLA_CASES")
	if path == "" {
		t.Skip("GONDOLA_CASES is not set: no case file to compare with")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Clouds map[string]struct {
			Gen  string           `json:"gen"`
			File string           `json:"file"`
			N    int              `json:"n"`
			Size int              `json:"m"`
			Off  float64          `json:"off"`
			Phi  float64          `json:"phi"`
			Sum  string           `json:"sha256_f32le_first8"`
			Then []map[string]any `json:"then"`
		} `json:"clouds"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	turned := map[string]int{"fib256r": 256, "fib200r": 200}
	seen := map[string]int{}
	for name, c := range file.Clouds {
		var got Cloud
		switch n, ok := turned[name]; {
		case ok:
			got = Turned(n)
		case c.File != "" && os.Getenv("GONDOLA_DATA") != "":
			if got, err = Open(filepath.Join(os.Getenv("GONDOLA_DATA"), filepath.Base(c.File))); err != nil {
				t.Error(err)
			}
		case len(c.Then) > 0:
			continue
		case c.Gen == "fib":
			got = Fibonacci(c.N)
		case c.Gen == "ngon":
			got = NGon(c.N, c.Phi)
		case c.Gen == "grid":
			got = Grid(c.Size, c.Off)
		default:
			continue
		}
		seen[c.Gen]++
		if sum := checksum(got); sum != c.Sum || got.N != c.N {
			t.Errorf("%s: %d points, checksum %s, want %d and %s", name, got.N, sum, c.N, c.Sum)
		}
	}
	for _, gen := range []string{"fib", "ngon", "grid"} {
		if seen[gen] == 0 {
			t.Errorf("the case file has no cloud of generator %q", gen)
		}
	}
}

func TestGenerators(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Cloud
		n    int
		want []float32 // the first point
	}{
		{"fib of one: the equator", Fibonacci(1), 1, []float32{1, 0, 0}},
		{"fib", Fibonacci(100), 100, []float32{float32(math.Sqrt(1 - .99*.99)), 0, 0.99}},
		{"cap: z = 0.9 + 0.1·0.99", Cap(100), 100, []float32{float32(math.Sqrt(1 - .999*.999)), 0, 0.999}},
		{"turned of one: 0.9(cos 0.3, sin 0.3, 0) + 0.05", Turned(1), 1,
			[]float32{float32(.9*math.Cos(.3) + .05), float32(.9 * math.Sin(.3)), 0}},
		{"near: point 0 moves by sin 0", Near(Fibonacci(2), 7), 2, Fibonacci(2).X[:3]},
		{"ngon", NGon(6, math.Pi/2), 6, []float32{0, 1, 0}},
		{"grid", Grid(3, .5), 27, []float32{.5, .5, .5}},
		{"none", Fibonacci(-1), 0, nil},
		{"no grid", Grid(-2, 0), 0, nil},
		{"no cube", Cube(nil, -2), 0, nil},
	} {
		if tt.c.N != tt.n || len(tt.c.X) != 3*tt.n {
			t.Errorf("%s: %d points, %d numbers, want %d", tt.name, tt.c.N, len(tt.c.X), tt.n)
			continue
		}
		for k, want := range tt.want {
			if got := tt.c.X[k]; !(math.Abs(float64(got-want)) <= 1e-7) {
				t.Errorf("%s: coordinate %d is %g, want %g", tt.name, k, got, want)
			}
		}
	}
	if got, want := Grid(2, 0).X[3:6], []float32{0, 0, 1}; got[2] != want[2] || got[0] != 0 {
		t.Errorf("second point of the grid is %v, want %v", got, want)
	}
	y := Near(Fibonacci(2), 0.5) // point 1 moves by (sin 12.9898, sin 78.233, sin 37.719)/2
	if got, want := float64(y.X[4]-Fibonacci(2).X[4]), math.Sin(78.233)/2; !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("near moves by %g, want %g", got, want)
	}
}

// Random clouds follow their law and nothing but the source decides them.
func TestRandomClouds(t *testing.T) {
	const n = 20000
	for name, make := range map[string]func(*rand.Rand, int) Cloud{"cube": Cube, "gauss": Gauss, "sphere": Sphere} {
		a, b := make(nil, n), make(rand.New(rand.NewPCG(1, n)), n)
		if !a.Equal(b) {
			t.Errorf("%s: nil is not the seeds (1, n)", name)
		}
		if a.Equal(make(rand.New(rand.NewPCG(2, n)), n)) {
			t.Errorf("%s: two seeds give one cloud", name)
		}
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
		want := map[string][2]float64{"cube": {.5, 1. / 12}, "gauss": {0, 1}, "sphere": {0, 1. / 3}}[name]
		for k := range 3 {
			mean, square := 0.0, 0.0
			for i := range n {
				v := float64(a.X[3*i+k])
				mean, square = mean+v/n, square+v*v/n
			}
			if variance := square - mean*mean; !(math.Abs(mean-want[0]) < 0.04 && math.Abs(variance-want[1]) < 0.05) {
				t.Errorf("%s: coordinate %d has mean %g and variance %g, want %v", name, k, mean, variance, want)
			}
		}
	}
}
