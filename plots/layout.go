package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Spaces of the layout, in points. The right margin holds the last tick label,
// which gonum/plot would let run out.
const (
	marginLeft   = 6
	marginRight  = 12
	marginBottom = 6
	marginTop    = 8
	captionGap   = 6                 // between the axis and the caption
	captionLine  = captionSize * 1.3 // of the caption, from line to line
	sideGap      = 10                // between the data area and a legend beside it
	tickGap      = 6                 // between two tick labels
	minArea      = 40                // of the data area, both ways
)

// layout is where the parts of a picture stand: margins around the plot with
// its axes, and the lines of the caption below it.
type layout struct {
	left, right, bottom, top vg.Length
	caption                  []string
}

// scene is what labels must keep clear of, in data coordinates.
type scene struct {
	points plotter.XYs
	lines  []plotter.XYs
}

// composer puts a picture together: what is wanted, and what becomes of it.
type composer struct {
	op             string
	opt            Options
	plot           *plot.Plot
	title          string
	xLabel, yLabel label
	captions       []string
	x, y           span      // of the data, padded
	own            [2]span   // those, before room was made for a legend
	equal          bool      // one scale for both axes, by wider ranges
	crop           bool      // one scale for both axes, by a smaller data area: the ranges stay
	right, above   vg.Length // room that plotters take at the right of the data and above them
	layers         []plot.Plotter
	bar            *bar // of colours; nil: none
	legend         *legend
	guides         *guides // nil: none
	log            logAxes // axes that hold logarithms, of Line
}

// finish fits titles, ticks, aspect, legend and guides to the size, and returns
// the picture. The text is its sentence, made last: the caption may have grown.
func (m *composer) finish(text func() string) (f *Figure, err error) {
	defer guard(m.op, &err)
	m.own = [2]span{m.x, m.y}
	f = &Figure{op: m.op, opt: m.opt, plot: m.plot, legend: m.legend, guides: m.guides, made: m}
	for {
		area, err := m.settle(&f.layout)
		if err != nil {
			return nil, err
		}
		slope, ok := m.guides.drop(area, m.plot)
		if !ok {
			break
		}
		m.captions = append(m.captions, "No room for the guide of slope "+number(slope)+".")
	}
	f.text = strings.Join(strings.Fields(text()), " ")
	return f, nil
}

func (m *composer) area(l layout) draw.Canvas {
	return draw.Canvas{Rectangle: vg.Rectangle{
		Min: vg.Point{X: l.left, Y: l.bottom},
		Max: vg.Point{X: vg.Length(m.opt.Width) - l.right, Y: vg.Length(m.opt.Height) - l.top}}}
}

// arrange sets margins, texts, ranges and ticks and returns the canvas of the
// plot. It runs twice over what depends on itself: tick labels move the data
// area, and the data area decides how many there are.
func (m *composer) arrange(l *layout) (draw.Canvas, error) {
	p := m.plot
	w, h := vg.Length(m.opt.Width), vg.Length(m.opt.Height)
	*l = layout{left: marginLeft, right: marginRight, bottom: marginBottom, top: marginTop}
	caption := textStyle(captionSize, dark)
	l.caption = wrap(strings.Join(m.captions, " "), caption, w-l.left-l.right, min(max(int(h/70), 1), 5))
	if n := len(l.caption); n > 0 {
		l.bottom += captionGap + captionLine*vg.Length(n)
	}
	p.Title.Text = strings.Join(wrap(m.title, p.Title.TextStyle, w-l.left-l.right, maxTitle), "\n")
	p.Title.Padding = titleGap + m.above
	p.X.Label.Text, p.Y.Label.Text = "x", "y" // as high as the real ones
	l.right += m.right
	m.legend.off = m.right
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = m.x.lo, m.x.hi, m.y.lo, m.y.hi
	if m.legend.side {
		l.right += sideGap + m.legend.fit(w*.45)
	}
	area := m.area(*l)
	for range 3 {
		if m.crop {
			area = m.cropped(l, area)
		}
		d := p.DataCanvas(area)
		size := d.Size()
		if size.X < minArea || size.Y < minArea {
			return area, fail(m.op, ErrRoom, "make Width or Height larger", "%g × %g points leave %.0f × %.0f for the data",
				m.opt.Width, m.opt.Height, float64(size.X), float64(size.Y))
		}
		if m.equal {
			m.evenAspect(size)
		}
		p.X.Tick.Marker = fitAxis(&p.X, size.X, func(t string) vg.Length { return p.X.Tick.Label.Width(t) + tickGap })
		p.Y.Tick.Marker = fitAxis(&p.Y, size.Y, tickHeight)
		p.X.Label.Text = m.xLabel.fit(p.X.Label.TextStyle, size.X+2*min(marginRight, d.Min.X-area.Min.X))
		p.Y.Label.Text = m.yLabel.fit(p.Y.Label.TextStyle, size.Y+min(20, 2*(d.Min.Y-area.Min.Y)))
	}
	if d := p.DataCanvas(area); m.legend.side && m.legend.size().Y > d.Size().Y {
		return area, fail(m.op, ErrRoom, "make Height larger", "a legend of %d rows needs %.0f points of height",
			len(m.legend.entries), float64(m.legend.size().Y))
	}
	return area, nil
}

// cropped takes from the margins what the data area has too much of for one scale
// of both axes, half on each side.
func (m *composer) cropped(l *layout, area draw.Canvas) draw.Canvas {
	size := m.plot.DataCanvas(area).Size()
	x, y := (m.x.hi-m.x.lo)/float64(size.X), (m.y.hi-m.y.lo)/float64(size.Y)
	if x < y {
		d := size.X * vg.Length(1-x/y) / 2
		l.left, l.right = l.left+d, l.right+d
	} else {
		d := size.Y * vg.Length(1-y/x) / 2
		l.bottom, l.top = l.bottom+d, l.top+d
	}
	return m.area(*l)
}

// evenAspect widens the range of one axis so that a circle is a circle.
func (m *composer) evenAspect(size vg.Point) {
	p := m.plot
	x, y := m.x, m.y
	unit := max((x.hi-x.lo)/float64(size.X), (y.hi-y.lo)/float64(size.Y)) // of data a point of the picture
	widen := func(s span, length vg.Length) (lo, hi float64) {
		d := (unit*float64(length) - (s.hi - s.lo)) / 2
		return s.lo - d, s.hi + d
	}
	p.X.Min, p.X.Max = widen(x, size.X)
	p.Y.Min, p.Y.Max = widen(y, size.Y)
}

// tickHeight is what a label of a vertical axis needs.
func tickHeight(string) vg.Length { return tickSize + tickGap/2 }

// fitAxis returns the ticker of an axis with as many labels as have room.
func fitAxis(a *plot.Axis, length vg.Length, need func(label string) vg.Length) plot.Ticker {
	t, ok := a.Tick.Marker.(fitted)
	if !ok {
		return a.Tick.Marker
	}
	return fitTicks(t, a.Min, a.Max, length, need)
}

// fitTicks returns the ticker with as many labels as have room side by side.
func fitTicks(t fitted, lo, hi float64, length vg.Length, need func(label string) vg.Length) fitted {
	for n := 8; n > 1; n-- {
		last, fits := vg.Length(math.Inf(-1)), true
		t = t.atMost(n)
		for _, k := range t.Ticks(lo, hi) {
			if k.Label == "" {
				continue
			}
			at, half := length*vg.Length((k.Value-lo)/(hi-lo)), need(k.Label)/2
			fits = fits && at-half >= last
			last = at + half
		}
		if fits {
			break
		}
	}
	return t
}

// settle arranges the picture with its legend: in a corner where it hides no
// point; where there is none, beside the data; and where that leaves too little
// of the data area, in the corner that hides the fewest.
func (m *composer) settle(l *layout) (draw.Canvas, error) {
	m.legend.side = len(m.legend.entries) > maxCorner
	area, err := m.arrange(l)
	if err != nil || m.legend.side || len(m.legend.entries) == 0 {
		return area, err
	}
	before := m.y
	if area, ok := m.clearLegend(area, l); ok {
		return area, nil
	}
	m.y, m.legend.side = before, true
	if area, err := m.arrange(l); err == nil && m.plot.DataCanvas(area).Size().X > vg.Length(m.opt.Width)*.4 {
		return area, nil
	}
	m.legend.side = false
	if area, err = m.arrange(l); err != nil {
		return area, err
	}
	if d := m.plot.DataCanvas(area).Size(); m.legend.fit(d.X-2*legendInset) > d.X || m.legend.size().Y > d.Y {
		return area, fail(m.op, ErrRoom, "make Width or Height larger",
			"the legend needs %.0f × %.0f points, the data have %.0f × %.0f",
			float64(m.legend.size().X), float64(m.legend.size().Y), float64(d.X), float64(d.Y))
	}
	return area, nil
}

// clearLegend looks for a corner in which the legend hides no point, and makes
// room above the data when there is none. It reports whether it found one.
func (m *composer) clearLegend(area draw.Canvas, l *layout) (draw.Canvas, bool) {
	step := (m.y.hi - m.y.lo) * .08
	for range 8 {
		d := m.plot.DataCanvas(area)
		if m.legend.fit(d.Size().X*.8) > d.Size().X*.8 || m.legend.size().Y > d.Size().Y*.6 {
			break
		}
		if _, hidden := m.legend.place(d, m.plot); hidden == 0 {
			return area, true
		}
		m.y.hi += step
		var err error
		if area, err = m.arrange(l); err != nil {
			break
		}
	}
	return area, false
}

// inside counts the points of the scene in a rectangle of the canvas.
func (s *scene) inside(r vg.Rectangle, c draw.Canvas, p *plot.Plot) (n int) {
	tx, ty := p.Transforms(&c)
	for _, q := range s.points {
		if contains(r, vg.Point{X: tx(q.X), Y: ty(q.Y)}) {
			n++
		}
	}
	return n
}

// trace returns points along the lines of the scene, about step apart.
func (s *scene) trace(c draw.Canvas, p *plot.Plot, step vg.Length) (out []vg.Point) {
	tx, ty := p.Transforms(&c)
	for _, line := range s.lines {
		skip := 1 + len(line)/2000
		for i := skip; i < len(line); i += skip {
			a := vg.Point{X: tx(line[i-skip].X), Y: ty(line[i-skip].Y)}
			b := vg.Point{X: tx(line[i].X), Y: ty(line[i].Y)}
			out = append(out, between(a, b, step)...)
		}
	}
	return out
}

// between returns points from a to b, about step apart.
func between(a, b vg.Point, step vg.Length) (out []vg.Point) {
	n := 1 + int(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))/float64(step))
	for k := range n + 1 {
		f := vg.Length(k) / vg.Length(n)
		out = append(out, vg.Point{X: a.X + f*(b.X-a.X), Y: a.Y + f*(b.Y-a.Y)})
	}
	return out
}

func contains(r vg.Rectangle, q vg.Point) bool {
	return q.X > r.Min.X && q.X < r.Max.X && q.Y > r.Min.Y && q.Y < r.Max.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func grow(r vg.Rectangle, d vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: r.Min.X - d, Y: r.Min.Y - d}, Max: vg.Point{X: r.Max.X + d, Y: r.Max.Y + d}}
}
