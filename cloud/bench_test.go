package cloud

import (
	"bytes"
	"io"
	"testing"
)

// The rate is of the bytes of the file; ply of known size is the case that must
// come near to the plain reading of its bytes.
func BenchmarkRead(b *testing.B) {
	c := Gauss(nil, 200_000)
	for _, opt := range []Options{{Format: "ply"}, {Format: "ply", Encoding: "ascii"}, {Format: "pcd"}, {Format: "xyz"},
		{Format: "npy"}} {
		name := "op=read/format=" + opt.Format + opt.Encoding
		var file bytes.Buffer
		if err := Write(&file, c, opt); err != nil {
			b.Fatal(err)
		}
		text := file.Bytes()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(text), opt); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("op=bytes/format="+opt.Format+opt.Encoding, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := io.Copy(io.Discard, struct{ io.Reader }{bytes.NewReader(text)}); err != nil {
					b.Fatal(err)
				}
				dst := make([]float32, 3*c.N) // what any reader must fill
				copy(dst, c.X)
			}
		})
	}
}
