package cloud

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"
)

// fuzzFormat feeds a reader. What it accepts must be a well-formed cloud, within
// the limits, and must come back to the last bit from what the writer of the
// same format makes of it. Only names of attributes may be too odd to write.
func fuzzFormat(f *testing.F, opt Options, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	opt.Limits = Limits{MaxPoints: 5000, MaxProps: 32}
	f.Fuzz(func(t *testing.T, text []byte) {
		if opt.Format == "npz" && !isZip(text) { // an array: put it into an archive, or checksums hide the reader
			text = archive(t, zip.Store, "x.npy", string(text), "w.npy",
				npyText("<f8", []int{1})+"\x00\x00\x00\x00\x00\x00\xf0\x3f")
		}
		c, err := Read(bytes.NewReader(text), opt)
		if d, other := Read(io.MultiReader(bytes.NewReader(text)), opt); (err == nil) != (other == nil) {
			t.Fatalf("of known size: %v; as a stream: %v", err, other)
		} else if err == nil {
			sameBits(t, "as a stream", d, c)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Hint() == "" || e.Error() == "" {
				t.Fatalf("error without a hint: %v", err)
			}
			return
		}
		if err := c.shape("fuzz"); err != nil || c.N > 5000 || len(c.Attr) > 32 {
			t.Fatalf("%v, %v", c, err)
		}
		if c.FirstBad() >= 0 && opt.Format != "pcd" && opt.Format != "" {
			t.Fatalf("point %d is not finite", c.FirstBad())
		}
		if err := c.checkWeights("fuzz"); err != nil {
			t.Fatal(err)
		}
		for _, encoding := range []string{"", "ascii"} {
			var b bytes.Buffer
			back := opt
			back.Encoding, back.Columns = encoding, nil
			switch opt.Format {
			case "las": // which has no writer
				back.Format = "ply"
			case "": // which may hold NaN
				back.Format = "pcd"
			}
			if opt.Format == "raw" {
				back.Columns = opt.Columns
			}
			if err := Write(&b, c, back); err != nil {
				if len(c.Attr) > 0 && (errors.Is(err, ErrFormat) || errors.Is(err, ErrOption)) {
					return
				}
				t.Fatal(err)
			}
			again, err := Read(bytes.NewReader(b.Bytes()), back)
			if err != nil {
				t.Fatalf("what was written is not read: %v\n%.200q", err, b.Bytes())
			}
			sameBits(t, opt.Format, again, c)
		}
	})
}

func FuzzPLY(f *testing.F) {
	fuzzFormat(f, Options{Format: "ply"},
		"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty uchar red\nend_header\n1 2 3\n4 5 6\n",
		"ply\rformat binary_big_endian 1.0\relement face 1\r"+
			"property list uchar int v\relement vertex 1\rproperty double x\rproperty list uchar uchar l\rend_header\r"+
			"\x01\x00\x00\x00\x01\x3f\xf0\x00\x00\x00\x00\x00\x00\x02ab",
		"ply\r\nformat binary_little_endian 1.0\r\nelement vertex 1\r\nproperty float x\r\nproperty double weight\r\n"+
			"end_header\r\n\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\xf0\x3f")
}

func FuzzPCD(f *testing.F) {
	fuzzFormat(f, Options{Format: "pcd"},
		"VERSION .7\nFIELDS z y x\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 2\nDATA ascii\n1 2 3\nnan nan nan\n",
		"VERSION 0.7\nFIELDS x _ h\nSIZE 4 1 2\nTYPE F U U\nCOUNT 1 4 2\nPOINTS 1\nDATA binary\n\x00\x00\x80\x3f....\x01\x00\x02\x00",
		"VERSION 0.7\nFIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 2\nDATA binary_compressed\n\x06\x00\x00\x00\x10\x00\x00\x00\x00\x00\xe0\x05\x00\x00")
}

func FuzzOFF(f *testing.F) {
	fuzzFormat(f, Options{Format: "off"}, "OFF\n2 1 0\n1 2 3\n# c\n4 5 6 # d\n3 0 1 1\n",
		"COFF 1 0 0\n1 2 3 255 0 0 255\n",
		"NOFF\n1 0 0\n1 2 3 0 0 1\n", "1 0\n1 2 3\n")
}

func FuzzOBJ(f *testing.F) {
	fuzzFormat(f, Options{Format: "obj"}, "# c\nv 1 2 3\nvt 0 1\nf 1/1 -1/-1 1\n", "v 1 2 3 1\n", "v 1 2 3 .5 .5 .5\\\n")
}

func FuzzXYZ(f *testing.F) {
	fuzzFormat(f, Options{Format: "xyz"}, "1 2 3\n4 5 6\n", "2\n1 2 3 4\n5 6 7 8\n", "# x y weight\n1\t2\t.5\r\n", "7\n",
		"//X Y Z i\n1,2,3,4\n")
}

func FuzzColumns(f *testing.F) {
	fuzzFormat(f, Options{Format: "csv", Columns: []string{"3", "b"}}, "a,b,c\n1,2,3\n", "# a b c\n1 2 3\nx y z\n", "x;b;1\n",
		"h b 1\n4 5 6\n")
}

func FuzzCSV(f *testing.F) {
	fuzzFormat(f, Options{Format: "csv"}, "x,y,z,r\n1,2,3,4\n", "\"z\";\"y\";\"x\"\n1;2;3\n", "\xef\xbb\xbf1,2\n",
		"x0,x1,x2,x3\n1,2,3,4\n")
}

func FuzzNPY(f *testing.F) {
	fuzzFormat(f, Options{Format: "npy"},
		npyText("<f4", []int{1, 3})+"\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f",
		npyText(">f8", []int{1})+"\x3f\xf0\x00\x00\x00\x00\x00\x00",
		"\x93NUMPY\x03\x00\x3d\x00\x00\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2L, 1), }\n\x00\x00\x80\x3f\x00\x00\x80\x3f")
}

func FuzzNPZ(f *testing.F) {
	for _, c := range []Cloud{hard(3), dress(hard(2))} {
		var b bytes.Buffer
		if err := Write(&b, c, Options{Format: "npz"}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	fuzzFormat(f, Options{Format: "npz"}, npyText("<f4", []int{1, 1})+"\x00\x00\x80\x3f")
}

func FuzzRaw(f *testing.F) {
	fuzzFormat(f, Options{Format: "raw", Stride: 4, Columns: []string{"i", "z", "y", "x"}}, "0123456789abcdef", "0123")
}

// The content alone chooses the reader.
func FuzzRead(f *testing.F) {
	fuzzFormat(f, Options{Stride: 3}, "1 2 3\n", "x,y\n1,2\n", "OFF 1 0 0\n1 2 3\n", "# c\nv 1 2 3\n",
		"# .PCD\nFIELDS x\nSIZE 4\nTYPE F\nWIDTH 1\nDATA ascii\nnan\n", "\xef\xbb\xbfply\nformat ascii 1.0\n"+
			"element vertex 1\nproperty float x\nend_header\n7\n", npyText("<f4", []int{1, 1})+"\x00\x00\x80\x3f",
		string(archive(f, zip.Store, "x.npy", npyText("<f4", []int{1, 1})+"\x00\x00\x80\x3f")), string(lasFile(2, 0, 0, 0)))
}

// Unpacking what was packed gives it back, and no bytes may unpack to more than
// was asked for.
func FuzzLZF(f *testing.F) {
	f.Add([]byte("abcabcabcabcabcabcabc"))
	f.Add(bytes.Repeat([]byte{0}, 1000))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := unpackLZF(packLZF(data), len(data)); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q becomes %q, %v", data, got, err)
		}
		if out, err := unpackLZF(data, 100); err == nil && len(out) != 100 {
			t.Fatalf("%d bytes, want 100", len(out))
		}
	})
}

// packLZF is the compressor that the package has no use for.
func packLZF(in []byte) (out []byte) {
	last := map[[3]byte]int{}
	lit := 0 // start of the bytes that are not yet written
	flush := func(to int) {
		for lit < to {
			n := min(32, to-lit)
			out = append(append(out, byte(n-1)), in[lit:lit+n]...)
			lit += n
		}
	}
	for i := 0; i+3 <= len(in); {
		key := [3]byte(in[i : i+3])
		from, ok := last[key]
		last[key] = i
		if !ok || i-from > 1<<13 {
			i++
			continue
		}
		n := 3
		for n < 264 && i+n < len(in) && in[from+n] == in[i+n] {
			n++
		}
		flush(i)
		back := i - from - 1
		if n-2 < 7 {
			out = append(out, byte(n-2)<<5|byte(back>>8), byte(back))
		} else {
			out = append(out, 7<<5|byte(back>>8), byte(n-9), byte(back))
		}
		i += n
		lit = i
	}
	flush(len(in))
	return out
}
