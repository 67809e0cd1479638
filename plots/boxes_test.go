package plots

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// boxes is a canvas that draws nothing and notes where each text stands, under
// the transform of the moment. It makes "nothing overlaps, nothing is cut off"
// a test.
type boxes struct {
	w, h  vg.Length
	now   affine
	stack []affine
	texts []textBox
	bare  []rune // runes that the face of their text cannot draw
}

// affine maps (x, y) to (a x + c y + e, b x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) at(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

func (m affine) then(n affine) affine { // n first
	return affine{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d,
		m.a*n.e + m.c*n.f + m.e, m.b*n.e + m.d*n.f + m.f}
}

type textBox struct {
	text           string
	x0, y0, x1, y1 float64
}

func newBoxes(w, h vg.Length) *boxes { return &boxes{w: w, h: h, now: affine{a: 1, d: 1}} }

func (b *boxes) Size() (w, h vg.Length)              { return b.w, b.h }
func (b *boxes) SetLineWidth(vg.Length)              {}
func (b *boxes) SetLineDash([]vg.Length, vg.Length)  {}
func (b *boxes) SetColor(color.Color)                {}
func (b *boxes) Stroke(vg.Path)                      {}
func (b *boxes) Fill(vg.Path)                        {}
func (b *boxes) DrawImage(vg.Rectangle, image.Image) {}
func (b *boxes) Push()                               { b.stack = append(b.stack, b.now) }
func (b *boxes) Scale(x, y float64)                  { b.now = b.now.then(affine{a: x, d: y}) }

func (b *boxes) Pop() { b.now, b.stack = b.stack[len(b.stack)-1], b.stack[:len(b.stack)-1] }

func (b *boxes) Translate(p vg.Point) {
	b.now = b.now.then(affine{a: 1, d: 1, e: float64(p.X), f: float64(p.Y)})
}

func (b *boxes) Rotate(r float64) {
	sin, cos := math.Sincos(r)
	b.now = b.now.then(affine{cos, sin, -sin, cos, 0, 0})
}

func (b *boxes) FillString(f font.Face, pt vg.Point, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	var buf sfnt.Buffer
	for _, r := range s {
		if g, err := f.Face.GlyphIndex(&buf, r); err != nil || g == 0 {
			b.bare = append(b.bare, r)
		}
	}
	t := textBox{s, math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, x := range []vg.Length{0, f.Width(s)} {
		for _, y := range []vg.Length{-f.Font.Size * .22, f.Font.Size * .76} { // below a p, above a capital
			u, v := b.now.at(float64(pt.X+x), float64(pt.Y+y))
			t.x0, t.y0, t.x1, t.y1 = min(t.x0, u), min(t.y0, v), max(t.x1, u), max(t.y1, v)
		}
	}
	b.texts = append(b.texts, t)
}

const margin = 4 // points that every text keeps from the edge

// faults lists texts that overlap each other or leave the canvas.
func (b *boxes) faults() (out []string) {
	const slack = .25
	for i, t := range b.texts {
		if t.x0 < margin-slack || t.y0 < margin-slack || t.x1 > float64(b.w)-margin+slack ||
			t.y1 > float64(b.h)-margin+slack {
			out = append(out, fmt.Sprintf("%q leaves the canvas: %.1f %.1f %.1f %.1f", t.text, t.x0, t.y0, t.x1, t.y1))
		}
		for _, u := range b.texts[i+1:] {
			if min(t.x1, u.x1)-max(t.x0, u.x0) > slack && min(t.y1, u.y1)-max(t.y0, u.y0) > slack {
				out = append(out, fmt.Sprintf("%q overlaps %q", t.text, u.text))
			}
		}
	}
	return out
}

func (b *boxes) all() string {
	var s []string
	for _, t := range b.texts {
		s = append(s, t.text)
	}
	return strings.Join(s, "\n")
}

func record(f *Figure) *boxes {
	b := newBoxes(f.size())
	f.draw(b)
	return b
}

// Every picture: no text overlaps text, none is cut off, all that a reader
// needs stands in it.
func TestLayout(t *testing.T) {
	for _, d := range pictures() {
		t.Run(d.name, func(t *testing.T) {
			f, err := d.make()
			if err != nil {
				t.Fatal(err)
			}
			b := record(f)
			for _, fault := range b.faults() {
				t.Error(fault)
			}
			if len(b.bare) > 0 {
				t.Errorf("no glyph for %q", b.bare)
			}
			all := b.all()
			for _, want := range d.texts {
				if !strings.Contains(strings.ReplaceAll(all, "\n", " "), want) {
					t.Errorf("no %q in\n%s", want, all)
				}
			}
			for axis, a := range map[string]interface{ has(string) bool }{"x": ticksOf{f, true}, "y": ticksOf{f, false}} {
				n := 0
				for _, x := range b.texts {
					if a.has(x.text) {
						n++
					}
				}
				if n < 2 {
					t.Errorf("%d tick labels on the %s axis, want at least 2", n, axis)
				}
			}
		})
	}
}

// ticksOf knows the labels of one axis.
type ticksOf struct {
	f *Figure
	x bool
}

func (k ticksOf) has(text string) bool {
	a := k.f.plot.Y
	if k.x {
		a = k.f.plot.X
	}
	for _, m := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		if m.Label == text {
			return true
		}
	}
	return false
}

// The canvas must find what is wrong: a title that runs out, a label on a
// label, a text on the edge.
func TestLayoutFindsFaults(t *testing.T) {
	for name, spoil := range map[string]func(f *Figure){
		"long title":      func(f *Figure) { f.Plot().Title.Text = strings.Repeat("far too long ", 12) },
		"crowded ticks":   func(f *Figure) { f.Plot().X.Tick.Marker = linearTicks{60} },
		"no margin":       func(f *Figure) { f.layout.top = 0 },
		"caption on axis": func(f *Figure) { f.layout.bottom -= 14 },
	} {
		x, y, p := rings(20)
		f, err := Matching(x, y, p, MatchingOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if faults := record(f).faults(); len(faults) > 0 {
			t.Fatalf("before: %q", faults)
		}
		if spoil(f); len(record(f).faults()) == 0 {
			t.Errorf("%s: no fault found", name)
		}
	}
}
