package plots

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden pictures anew; look at each and sign it in seen.tsv")

const (
	goldenShare = .001 // of the pixels may differ
	goldenDelta = 16   // of 255, in any channel, counts as different
)

// Every picture is the golden one. On a failure got, want and difference lie
// in one folder, which the message names.
func TestGolden(t *testing.T) {
	for _, d := range pictures() {
		t.Run(d.name, func(t *testing.T) {
			f, err := d.make()
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.PNG()
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join("testdata", "golden", d.name+".png")
			want, err := os.ReadFile(name)
			if *update && !bytes.Equal(got, want) {
				if same(got, want) == nil {
					return
				}
				if err := os.WriteFile(name, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v: make it by go test ./plots -run Golden -update, then look at it", err)
			}
			if err := same(got, want); err != nil {
				t.Errorf("%v; see %s", err, keep(t, d.name, got, want))
			}
		})
	}
}

// same compares two PNGs by the share of pixels that differ.
func same(got, want []byte) error {
	a, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		return err
	}
	b, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return err
	}
	if a.Bounds() != b.Bounds() {
		return fmt.Errorf("size %v, want %v", a.Bounds(), b.Bounds())
	}
	_, n := difference(a, b)
	if total := a.Bounds().Dx() * a.Bounds().Dy(); float64(n) > goldenShare*float64(total) {
		return fmt.Errorf("%d of %d pixels differ", n, total)
	}
	return nil
}

// difference paints the pixels that differ black.
func difference(a, b image.Image) (*image.Gray, int) {
	out, n := image.NewGray(a.Bounds()), 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			out.SetGray(x, y, color.Gray{Y: 255})
			p, q := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			for _, c := range [][2]uint8{{p.R, q.R}, {p.G, q.G}, {p.B, q.B}, {p.A, q.A}} {
				if max(c[0], c[1])-min(c[0], c[1]) > goldenDelta {
					out.SetGray(x, y, color.Gray{})
					n++
					break
				}
			}
		}
	}
	return out, n
}

func keep(t *testing.T, name string, got, want []byte) string {
	dir, err := os.MkdirTemp("", "golden-"+name+"-")
	if err != nil {
		t.Fatal(err)
	}
	var diff bytes.Buffer
	a, err1 := png.Decode(bytes.NewReader(got))
	b, err2 := png.Decode(bytes.NewReader(want))
	if err1 == nil && err2 == nil && a.Bounds() == b.Bounds() {
		m, _ := difference(a, b)
		if err := png.Encode(&diff, m); err != nil {
			t.Fatal(err)
		}
	}
	for file, data := range map[string][]byte{"got.png": got, "want.png": want, "difference.png": diff.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The comparison must see a change of more than a thousandth of the pixels.
func TestGoldenSeesAChange(t *testing.T) {
	m := image.NewGray(image.Rect(0, 0, 100, 100))
	enc := func() []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain := enc()
	for i := range 11 {
		m.SetGray(i, 0, color.Gray{Y: 17})
		if err := same(enc(), plain); (err != nil) != (i == 10) {
			t.Errorf("%d pixels changed: %v", i+1, err)
		}
	}
}

// A golden that nobody has looked at fails: seen.tsv has the hash of each, when
// and who looked, and a remark.
func TestSeen(t *testing.T) {
	file, err := os.Open(filepath.Join("testdata", "seen.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := map[string]string{}
	for in := bufio.NewScanner(file); in.Scan(); {
		f := strings.Split(in.Text(), "\t")
		if len(f) != 5 || f[2] == "" || f[3] == "" || f[4] == "" {
			t.Fatalf("want name, SHA-256, date, who, remark: %q", in.Text())
		}
		seen[f[0]] = f[1]
	}
	all, err := filepath.Glob(filepath.Join("testdata", "golden", "*.png"))
	if err != nil || len(all) != len(pictures()) || len(seen) != len(all) {
		t.Errorf("%d goldens, %d pictures, %d lines in seen.tsv, %v", len(all), len(pictures()), len(seen), err)
	}
	for _, name := range all {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if h := fmt.Sprintf("%x", sha256.Sum256(data)); seen[filepath.Base(name)] != h {
			t.Errorf("%s was not looked at: look, then sign\n%s\t%s", name, filepath.Base(name), h)
		}
	}
}
