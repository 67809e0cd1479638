package plots

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Options are what every picture can be told. The zero value is good.
type Options struct {
	Title   string  // what is shown and on what: loss, N, batch, variant. Empty: made from the data.
	XLabel  string  // name of the horizontal axis, with its unit in brackets if it has one of its own. Empty: the picture's own.
	YLabel  string  // name of the vertical axis, likewise.
	Unit    string  // unit of the values, or of the coordinates in a picture of clouds. Empty: "no unit" stands there.
	Caption string  // a sentence of the caller's own, before ours: threshold, variant, source.
	Width   float64 // in points, 100 to 2000. Zero means 440.
	Height  float64 // in points, 100 to 2000. Zero means 320.
	DPI     int     // dots per inch of the PNG, 50 to 400. Zero means 110: 672 × 489 pixels.
	Retina  bool    // draw the PNG at double density, shown at the same size.
	SVG     bool    // put image/svg+xml beside the PNG in a notebook.

	SkipNotFinite bool // leave points out that are NaN or infinite, with a note, instead of an error.
}

// Figure is one picture. It shows itself in a notebook by [Figure.MIMEBundle];
// it may be drawn from several goroutines, always to the same bytes.
type Figure struct {
	mu     sync.Mutex // the fields of plot are read while it draws
	op     string
	opt    Options
	plot   *plot.Plot
	layout layout
	legend *legend
	guides *guides   // nil: none
	made   *composer // what Compare makes a panel of; nil: it cannot
	sheet  *sheet    // of pictures of several plots; nil: one
	text   string
}

// Sizes of a bundle, in bytes: above the first the SVG is left out, above the
// second nothing is shown.
const (
	maxSVG    = 1 << 20
	maxBundle = 8 << 20
)

// MIMEBundle returns the picture as image/png (base64, one line) and its
// sentence as text/plain; with Options.SVG also image/svg+xml when that takes
// at most 1 MiB.
func (f *Figure) MIMEBundle() (map[string]any, error) {
	data, err := f.PNG()
	if err != nil {
		return nil, err
	}
	s := base64.StdEncoding.EncodeToString(data)
	if len(s) > maxBundle {
		return nil, fail(f.op, ErrRange, "make Width, Height or DPI smaller", "the picture takes %d bytes, at most %d",
			len(s), maxBundle)
	}
	b := map[string]any{"image/png": s, "text/plain": f.text}
	if f.opt.SVG {
		svg, err := f.SVG()
		if err != nil {
			return nil, err
		}
		if len(svg) <= maxSVG {
			b["image/svg+xml"] = string(svg)
		} else {
			b["text/plain"] = f.text + fmt.Sprintf(" The SVG of %d bytes is left out.", len(svg))
		}
	}
	return b, nil
}

// MIMEMetadata returns the size at which the PNG is shown, in pixels.
func (f *Figure) MIMEMetadata() map[string]any {
	px := func(points float64) int { return int(points/72*float64(f.opt.DPI) + .5) }
	return map[string]any{"image/png": map[string]any{"width": px(f.opt.Width), "height": px(f.opt.Height)}}
}

// PNG returns the picture as a PNG file with an opaque white ground.
func (f *Figure) PNG() ([]byte, error) {
	dpi := f.opt.DPI
	if f.opt.Retina {
		dpi *= 2
	}
	var out bytes.Buffer
	var c *vgimg.Canvas
	err := f.render(func() vg.CanvasSizer {
		c = vgimg.NewWith(vgimg.UseWH(f.size()), vgimg.UseDPI(dpi))
		return outlines{c}
	}, func() error { return png.Encode(&out, c.Image()) })
	return out.Bytes(), err
}

// SVG returns the picture as an SVG file. Its text is text in DejaVu Sans.
func (f *Figure) SVG() ([]byte, error) {
	var out bytes.Buffer
	var c *vgsvg.Canvas
	err := f.render(func() vg.CanvasSizer {
		c = vgsvg.New(f.size())
		return c
	}, func() error {
		_, err := c.WriteTo(&out)
		return err
	})
	return bytes.ReplaceAll(out.Bytes(), []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

var pdfDate = regexp.MustCompile(`\((D:)?\d{14}\)`)

// PDF returns the picture as a PDF file. Its text is drawn as outlines; its date
// is fixed, so that the same picture is the same file.
func (f *Figure) PDF() ([]byte, error) {
	var out bytes.Buffer
	var c *vgpdf.Canvas
	err := f.render(func() vg.CanvasSizer {
		c = vgpdf.New(f.size())
		return outlines{upright{c}}
	}, func() error {
		_, err := c.WriteTo(&out)
		return err
	})
	return pdfDate.ReplaceAllFunc(out.Bytes(), func(d []byte) []byte {
		return []byte(strings.Replace("(D:20000101000000)", "D:", strings.Repeat("D:", bytes.Count(d, []byte("D:"))), 1))
	}), err
}

// WriteFile writes the picture to a file; the ending .png, .svg or .pdf says
// how. The file is written beside and renamed, so that no half file is left.
func (f *Figure) WriteFile(name string) error {
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".png":
		data, err = f.PNG()
	case ".svg":
		data, err = f.SVG()
	case ".pdf":
		data, err = f.PDF()
	default:
		return fail("WriteFile", ErrFormat, "end the name in .png, .svg or .pdf", "%q", name)
	}
	if err != nil {
		return err
	}
	if err := writeFile(name, data); err != nil {
		return &Error{"plots.WriteFile", err, "choose a folder that exists and can be written to"}
	}
	return nil
}

func writeFile(name string, data []byte) error {
	t, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = t.Write(data)
	if err == nil {
		err = t.Chmod(0o644)
	}
	if e := t.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(t.Name(), name)
	}
	if err != nil {
		os.Remove(t.Name())
	}
	return err
}

// Text is the picture in one sentence with its main numbers, for a reader who
// cannot see it.
func (f *Figure) Text() string { return f.text }

// Plot returns the plot behind the picture, for those who want more of
// gonum/plot. What is changed in it is drawn as it is; the layout is not made
// anew. Of several plots it is the one at the lower left.
func (f *Figure) Plot() *plot.Plot { return f.plot }

func (f *Figure) size() (w, h vg.Length) { return vg.Length(f.opt.Width), vg.Length(f.opt.Height) }

// render is the one door to the canvases. gonum/plot panics in many places: a
// panic that the checks have left becomes an error here.
func (f *Figure) render(open func() vg.CanvasSizer, write func() error) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer guard(f.op, &err)
	f.draw(open())
	return write()
}

func guard(op string, err *error) {
	if r := recover(); r != nil {
		*err = fail(op, ErrRange, "check the input, and what was changed by Plot", "the drawing panicked: %v", r)
	}
}

// draw paints the ground, the plot and the caption.
func (f *Figure) draw(canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	c.FillPolygon(white, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	l := f.layout
	if f.sheet != nil {
		f.sheet.draw(c)
	} else {
		f.plot.Draw(draw.Crop(c, l.left, -l.right, l.bottom, -l.top))
	}
	sty := textStyle(captionSize, dark)
	sty.YAlign = draw.YTop
	for i, line := range l.caption {
		y := l.bottom - captionGap - captionLine*vg.Length(i)
		c.FillText(sty, vg.Point{X: marginLeft, Y: y}, line)
	}
}

// span is the range of one axis.
type span struct{ lo, hi float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(v float64) { s.lo, s.hi = min(s.lo, v), max(s.hi, v) }

// pad widens the span by a share of itself at both ends, and a single value by
// 1 % of it, or by 1.
func (s *span) pad(share float64) {
	if s.lo == s.hi {
		d := math.Abs(s.lo) / 100
		if d == 0 {
			d = 1
		}
		s.lo, s.hi = s.lo-d, s.hi+d
		return
	}
	d := (s.hi - s.lo) * share
	s.lo, s.hi = s.lo-d, s.hi+d
}

// padFor does that, or padLog.
func (s *span) padFor(log bool, share float64) {
	if log {
		s.padLog(share)
	} else {
		s.pad(share)
	}
}

// padLog does the same for a span of logarithms; a single value by a decade.
func (s *span) padLog(share float64) {
	if s.lo == s.hi {
		s.lo, s.hi = s.lo-1, s.hi+1
	} else {
		s.pad(share)
	}
	s.lo, s.hi = twoLabels(s.lo, s.hi)
}
