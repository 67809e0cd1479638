package plots

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gondola-lab/gondola/cloud"
)

// areaOf is the data area of a finished picture.
func areaOf(f *Figure) draw.Canvas {
	w, h := f.size()
	l := f.layout
	return f.plot.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Min: vg.Point{X: l.left, Y: l.bottom},
		Max: vg.Point{X: w - l.right, Y: h - l.top}}})
}

func imageOf(t *testing.T, f *Figure) image.Image {
	t.Helper()
	data, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pixel is the colour at a place of the canvas, in points from the lower left.
func pixel(m image.Image, f *Figure, x, y vg.Length) color.NRGBA {
	s := vg.Length(f.opt.DPI) / 72
	return color.NRGBAModel.Convert(m.At(int(x*s), m.Bounds().Dy()-1-int(y*s))).(color.NRGBA)
}

func near(a, b color.NRGBA) bool {
	d := func(p, q uint8) bool { return max(p, q)-min(p, q) < 40 }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B)
}

// A point stands where the axes say: the pixel there has the colour of its
// curve, and a tick 10^k stands at the value 10^k.
func TestDataInPicture(t *testing.T) {
	f, err := Scaling([]Curve{{Name: "d", Loss: "apml-dense", X: []float64{100, 1000, 3000}, Y: []float64{.1, 10, 70}}},
		ScalingOptions{NoFit: true})
	if err != nil {
		t.Fatal(err)
	}
	m, c := imageOf(t, f), areaOf(f)
	tx, ty := f.plot.Transforms(&c)
	for _, q := range [][2]float64{{2, -1}, {3, 1}, {math.Log10(3000), math.Log10(70)}} {
		if got := pixel(m, f, tx(q[0]), ty(q[1])); !near(got, vermilion) {
			t.Errorf("the pixel of point %v is %v", q, got)
		}
	}
	for _, v := range record(f).texts {
		if v.text == "10³" {
			if mid := (v.x0 + v.x1) / 2; !(math.Abs(mid-float64(tx(3))) < 1) {
				t.Errorf("10³ stands at %.1f, the value at %.1f", mid, float64(tx(3)))
			}
		}
	}
	if got := pixel(m, f, 1, 1); got != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("the ground is %v, want opaque white", got)
	}
}

// A circle is a circle: its picture is as wide as it is high, to a pixel.
func TestEqualAspect(t *testing.T) {
	for _, size := range [][2]float64{{440, 320}, {300, 600}, {800, 200}} {
		x := cloud.Cloud{N: 360, D: 2}
		for i := range x.N {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 360)
			x.X = append(x.X, float32(5+cos), float32(sin))
		}
		f, err := Matching(x, x, entriesOf{360, 360, []link{{0, 0, 1}}},
			MatchingOptions{Options: Options{Width: size[0], Height: size[1], DPI: 60}})
		if err != nil {
			t.Fatal(err)
		}
		c := areaOf(f)
		tx, ty := f.plot.Transforms(&c)
		w, h := tx(6)-tx(4), ty(1)-ty(-1)
		legend, _ := f.legend.place(c, f.plot)
		px := float64(w-h) / 72 * float64(f.opt.DPI)
		if !(math.Abs(px) <= 1) {
			t.Errorf("%v: the circle is %.1f × %.1f points", size, float64(w), float64(h))
		}
		m := imageOf(t, f)
		box := image.Rectangle{}
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				at := vg.Point{X: vg.Length(x) * 72 / 60, Y: vg.Length(m.Bounds().Dy()-y) * 72 / 60}
				if r, g, b, _ := m.At(x, y).RGBA(); r>>8 == 213 && g>>8 == 94 && b == 0 && !contains(grow(legend, 1), at) {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if d := box.Dx() - box.Dy(); d < -3 || d > 3 { // glyphs are triangles: not as high as wide
			t.Errorf("%v: the painted circle is %v", size, box)
		}
	}
}

// The legend stands in the corner that hides the fewest points, and no text
// lies on more points than it need.
func TestLegendCorner(t *testing.T) {
	for _, d := range pictures() {
		f, err := d.make()
		if err != nil {
			t.Fatal(err)
		}
		l := f.legend
		if len(l.entries) == 0 {
			continue
		}
		c := areaOf(f)
		r, _ := l.place(c, f.plot)
		got := l.scene.inside(r, c, f.plot)
		if l.side {
			if r.Min.X < c.Max.X || len(l.entries) <= maxCorner {
				t.Errorf("%s: the legend of %d rows beside the data begins at %.0f, the data end at %.0f", d.name, len(l.entries),
					r.Min.X, c.Max.X)
			}
			continue
		}
		for i, other := range l.corners(c) {
			if n := l.scene.inside(other, c, f.plot); n < got {
				t.Errorf("%s: the legend hides %d points, in corner %d it would hide %d", d.name, got, i, n)
			}
		}
		if got > 0 || r.Min.X < c.Min.X || r.Max.X > c.Max.X || r.Min.Y < c.Min.Y || r.Max.Y > c.Max.Y {
			t.Errorf("%s: the legend hides %d points, or leaves the data area", d.name, got)
		}
		for _, b := range record(f).texts {
			box := vg.Rectangle{Min: vg.Point{X: vg.Length(b.x0), Y: vg.Length(b.y0)},
				Max: vg.Point{X: vg.Length(b.x1), Y: vg.Length(b.y1)}}
			if n := l.scene.inside(box, c, f.plot); n > 0 {
				t.Errorf("%s: %q lies on %d points", d.name, b.text, n)
			}
		}
	}
}

// The choice must follow the data: points in three corners leave the fourth.
func TestLegendGoesWhereThereIsRoom(t *testing.T) {
	at := [4]plotter.XY{{X: .05, Y: .95}, {X: .95, Y: .95}, {X: .95, Y: .05}, {X: .05, Y: .05}}
	p := plot.New()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	c := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: 300, Y: 200}}}
	for open := range at {
		l := &legend{scene: &scene{}}
		l.add("a name", "", nil, nil)
		l.fit(200)
		for i, q := range at {
			if i != open {
				l.scene.points = append(l.scene.points, q)
			}
		}
		if r, hidden := l.place(c, p); r != l.corners(c)[open] || hidden != 0 {
			t.Errorf("corner %d is free, the legend is at %v and hides %d", open, r, hidden)
		}
		l.scene.points = append(l.scene.points, at[open], at[open])
		if r, hidden := l.place(c, p); r == l.corners(c)[open] || hidden != 1 {
			t.Errorf("corner %d has two points, the legend is at %v and hides %d", open, r, hidden)
		}
	}
}

// Guides have their slope, and their labels lie clear of data and legend.
func TestGuides(t *testing.T) {
	f, err := pictures()[0].make()
	if err != nil {
		t.Fatal(err)
	}
	c := areaOf(f)
	g := f.guides
	for i, l := range g.lines(c, f.plot) {
		dx := float64((l[1].X-l[0].X)/c.Size().X) * (f.plot.X.Max - f.plot.X.Min)
		dy := float64((l[1].Y-l[0].Y)/c.Size().Y) * (f.plot.Y.Max - f.plot.Y.Min)
		if !(math.Abs(dy/dx-g.slopes[i]) < 1e-9) {
			t.Errorf("the guide of slope %g has slope %g", g.slopes[i], dy/dx)
		}
		if !contains(grow(c.Rectangle, 1e-6), l[0]) || !contains(grow(c.Rectangle, 1e-6), l[1]) {
			t.Errorf("the guide of slope %g leaves the data area", g.slopes[i])
		}
	}
	boxes, none := g.labels(c, f.plot)
	legend, _ := g.legend.place(c, f.plot)
	for i, b := range boxes {
		for _, q := range g.scene.trace(c, f.plot, 1) {
			if contains(b, q) {
				t.Errorf("label %d lies on a line", i)
				break
			}
		}
		if overlap(b, legend) || g.scene.inside(b, c, f.plot) > 0 {
			t.Errorf("label %d lies on the legend or on a point", i)
		}
	}
	if none >= 0 || len(boxes) != 2 {
		t.Errorf("%d labels, want 2", len(boxes))
	}
}

// A guide whose label finds no place is left out, and the caption says so.
func TestGuideWithoutRoom(t *testing.T) {
	var cs []Curve
	for k := range 6 {
		cs = append(cs, power("c", "", 4, 30, math.Pow(4, float64(k)), .9, .5))
	}
	f, err := Scaling(cs, ScalingOptions{Guides: []float64{.9, 1, 1.1}, Options: Options{Width: 240, Height: 200}})
	if err != nil {
		t.Fatal(err)
	}
	all := record(f).all()
	for _, g := range []string{"0.9", "1", "1.1"} {
		drawn := bytes.Contains([]byte("\n"+all+"\n"), []byte("\nslope "+g+"\n"))
		said := bytes.Contains([]byte(f.Text()), []byte("No room for the guide of slope "+g+"."))
		if drawn == said {
			t.Errorf("slope %s: drawn %v, said to be left out %v in %q", g, drawn, said, f.Text())
		}
	}
}
