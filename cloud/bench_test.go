package cloud

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// The rate is of the bytes of the file, x-bytes how often the file could be read
// into memory in the time that its cloud takes.
func BenchmarkOpen(b *testing.B) {
	plain := Gauss(nil, 1_000_000)
	colour := plain.Clone()
	colour.Attr = map[string][]float32{"red": plain.X[:plain.N], "green": plain.X[:plain.N], "blue": plain.X[:plain.N]}
	for _, file := range []struct {
		name string
		c    Cloud
		opt  Options
	}{
		{"a.ply", plain, Options{}},
		{"colour.ply", colour, Options{}},
		{"ascii.ply", plain, Options{Encoding: "ascii"}},
		{"a.pcd", plain, Options{}},
		{"colour.pcd", colour, Options{}},
		{"a.xyz", plain, Options{}},
		{"colour.csv", colour, Options{}},
		{"a.off", plain, Options{}},
		{"a.obj", plain, Options{}},
		{"a.npy", plain, Options{}},
		{"a.npz", colour, Options{}},
		{"a.bin", plain, Options{Stride: 3}},
	} {
		b.Run("op=open/n=1000000/file="+file.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), file.name)
			if err := SaveWith(path, file.c, file.opt); err != nil {
				b.Fatal(err)
			}
			st, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			open := func() {
				if _, err := OpenWith(path, file.opt); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(st.Size())
			b.ReportAllocs()
			for b.Loop() {
				open()
			}
			b.ReportMetric(1/ratio.Of(5, func() {
				if _, err := os.ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}, open), "x-bytes")
		})
	}
}

func BenchmarkSave(b *testing.B) {
	c := Gauss(nil, 1_000_000)
	for _, name := range []string{"a.ply", "a.pcd", "a.xyz", "a.off", "a.npy", "a.npz", "a.bin"} {
		b.Run("op=save/n=1000000/file="+name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), name)
			for b.Loop() {
				if err := Save(path, c); err != nil {
					b.Fatal(err)
				}
			}
			st, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(st.Size())*float64(b.N)/b.Elapsed().Seconds()/1e6, "MB/s")
		})
	}
}
