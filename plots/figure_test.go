package plots

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// files are all kinds of file of one picture.
func files(t *testing.T, f *Figure) (out [][]byte) {
	t.Helper()
	for _, file := range []func() ([]byte, error){f.PNG, f.SVG, f.PDF} {
		data, err := file()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// The same input gives the same bytes: drawn twice, made anew, on one
// processor, and from several goroutines at once.
func TestSameBytes(t *testing.T) {
	for _, d := range pictures() {
		first, err := d.make()
		if err != nil {
			t.Fatal(err)
		}
		first.opt.DPI = 60 // small, for time
		want := files(t, first)
		check := func(how string, got [][]byte) {
			for i, kind := range []string{"PNG", "SVG", "PDF"} {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("%s %s: other bytes %s", d.name, kind, how)
				}
			}
		}
		if d.name == "scaling-memory" || d.name == "matching-many" {
			check("the second time", files(t, first))
		}
		again, err := d.make()
		if err != nil || again.Text() != first.Text() {
			t.Fatal(err)
		}
		again.opt.DPI = 60
		before := runtime.GOMAXPROCS(1)
		one := files(t, again)
		runtime.GOMAXPROCS(before)
		check("made anew on one processor", one)
	}
	f, err := pictures()[0].make()
	if err != nil {
		t.Fatal(err)
	}
	want, _ := f.PNG()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := f.PNG(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("at once: other bytes, %v", err)
			}
		})
		wg.Go(func() {
			if g, err := pictures()[5].make(); err != nil || g.WriteFile(filepath.Join(t.TempDir(), "a.png")) != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A figure in a notebook: PNG in one line of base64, text, and the size shown.
func TestBundle(t *testing.T) {
	for _, o := range []Options{{}, {Retina: true}, {SVG: true}, {Width: 200, Height: 150, DPI: 72}} {
		f, err := Line([]Curve{ys(1, 4, 9)}, LineOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.MIMEBundle()
		if err != nil {
			t.Fatal(err)
		}
		s := b["image/png"].(string)
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil || strings.ContainsAny(s, "\n\r ") {
			t.Fatalf("base64: %v", err)
		}
		c, err := png.DecodeConfig(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		w, h, scale := 672, 489, 1
		if o.Width == 200 {
			w, h = 200, 150
		}
		if o.Retina {
			scale = 2
		}
		size := f.MIMEMetadata()["image/png"].(map[string]any)
		if size["width"] != w || size["height"] != h || c.Width < scale*w-1 || c.Width > scale*w+1 || c.Height < scale*h-1 ||
			c.Height > scale*h+1 {
			t.Errorf("%+v: PNG of %d × %d pixels, shown as %v", o, c.Width, c.Height, size)
		}
		_, svg := b["image/svg+xml"]
		if b["text/plain"] != f.Text() || f.Text() == "" || svg != o.SVG || len(b) != 2+map[bool]int{true: 1}[o.SVG] {
			t.Errorf("%+v: %d formats, text %q", o, len(b), b["text/plain"])
		}
	}
}

// No output asks a network: the only addresses are the names of XML.
func TestNoAddresses(t *testing.T) {
	names := regexp.MustCompile(`xmlns(:xlink)?="http://www\.w3\.org/[a-z0-9/]*"`)
	for _, d := range pictures() {
		f, err := d.make()
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		b := map[string]any{"text/plain": f.Text(), "image/svg+xml": names.ReplaceAllString(string(svg), "")}
		for mime, v := range b {
			if strings.Contains(v.(string), "http") {
				t.Errorf("%s: %s holds an address", d.name, mime)
			}
		}
	}
}

// Markup in a title is text.
func TestMarkupIsText(t *testing.T) {
	f, err := Line([]Curve{{Name: "<img src=x>", X: []float64{1, 2}, Y: []float64{1, 2}}},
		LineOptions{Options: Options{Title: "<script>alert(1)</script>"}})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil || bytes.Contains(svg, []byte("<script")) || bytes.Contains(svg, []byte("<img")) ||
		!bytes.Contains(svg, []byte("&lt;script&gt;alert(1)&lt;/script&gt;")) {
		t.Errorf("%v in %.400s", err, svg)
	}
}

var decimal = regexp.MustCompile(`-?\d+\.\d+`)

// rounded is an SVG with its numbers rounded to 0.1 point.
func rounded(svg []byte) string {
	return decimal.ReplaceAllStringFunc(string(svg), func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strings.Replace(fmt.Sprintf("%.1f", v), "-0.0", "0.0", 1)
	})
}

// The SVG is the golden one, as text: a second witness beside the pixels.
func TestGoldenSVG(t *testing.T) {
	for _, d := range pictures() {
		if d.name != "scaling-memory" && d.name != "line-jumps" && d.name != "matching-rings" {
			continue
		}
		f, err := d.make()
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		got, name := rounded(svg), filepath.Join("testdata", "golden", d.name+".svg")
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil || got != string(want) {
			t.Errorf("%s is not the golden one (%v); -update writes it", name, err)
		}
	}
}

// A plot of the user's own looks the same before and after one of ours.
func TestLeavesGonumAlone(t *testing.T) {
	own := func() []byte {
		p := plot.New()
		p.Title.Text, p.X.Max, p.Y.Max = "own 10", 1, 1
		c := vgimg.New(200, 150)
		var b bytes.Buffer
		p.Draw(draw.New(c))
		if err := png.Encode(&b, c.Image()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	font, handler := plot.DefaultFont, plot.DefaultTextHandler
	before := own()
	f, err := pictures()[0].make()
	if err != nil {
		t.Fatal(err)
	}
	files(t, f)
	if !bytes.Equal(own(), before) || plot.DefaultFont != font ||
		fmt.Sprint(plot.DefaultTextHandler) != fmt.Sprint(handler) {
		t.Error("drawing a picture changed plots of gonum's own theme")
	}
}

// What is changed by Plot is drawn; what panics there is an error.
func TestPlotIsTheWayOut(t *testing.T) {
	f, err := Line([]Curve{ys(1, 2)}, LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.Plot().Title.Text = "another title"
	if !strings.Contains(record(f).all(), "another title") {
		t.Error("a changed title is not drawn")
	}
	f.Plot().X.Scale = plot.LogScale{}
	f.Plot().X.Min = -1
	for _, do := range []func() ([]byte, error){f.PNG, f.SVG, f.PDF} {
		if _, err := do(); err == nil || !strings.Contains(err.Error(),
			"plots.Line: outside what can be drawn: the drawing panicked") {
			t.Errorf("%v", err)
		}
	}
	if _, err := f.MIMEBundle(); err == nil {
		t.Error("a bundle of what cannot be drawn")
	}
}

// T and w of "Two" must not lie on each other: x/image kerns a face as if it
// had 2,048 pixels, at every size. Outlines take the distance that Width counts.
func TestKerning(t *testing.T) {
	c := vgimg.NewWith(vgimg.UseWH(100, 40), vgimg.UseDPI(72))
	face := handler.Fonts.Lookup(sans, 20)
	c.SetColor(color.Black)
	outlines{c}.FillString(face, vg.Point{X: 10, Y: 10}, "Tw")
	last := 0
	for x := range 100 {
		for y := range 40 {
			if r, _, _, _ := c.Image().At(x, y).RGBA(); r < 0x8000 {
				last = x
			}
		}
	}
	if end := 10 + float64(face.Width("Tw")); !(float64(last) > end-3 && float64(last) < end+1) {
		t.Errorf("the ink of Tw ends at %d, its width at %.1f", last, end)
	}
}

// An SVG of more than 1 MiB is left out of a notebook, with a word.
func TestLargeSVG(t *testing.T) {
	c := overRange("with errors", "", 0, 1, 15_000, math.Sqrt)
	c.Err = make([]float64, len(c.X)) // each point is marked
	f, err := Line([]Curve{c}, LineOptions{Options: Options{SVG: true, DPI: 50}})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := f.SVG()
	if err != nil || len(svg) <= maxSVG {
		t.Fatalf("the SVG has %d bytes, %v: too small for this test", len(svg), err)
	}
	b, err := f.MIMEBundle()
	if err != nil || len(b) != 2 || !strings.HasSuffix(b["text/plain"].(string),
		fmt.Sprintf(" The SVG of %d bytes is left out.", len(svg))) {
		t.Errorf("%v, %v", b["text/plain"], err)
	}
}
