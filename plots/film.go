package plots

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// metricShare is the part of the height below the title that the metric has.
const metricShare = .24

// frame makes the picture of cloud k, which is frame j of n.
func (m *film) frame(k, j, n int) (f *Figure, err error) {
	const op = "Flow"
	defer guard(op, &err)
	o := m.opt.Options
	w, h := vg.Length(o.Width), vg.Length(o.Height)
	layers, marks := m.layers(k)
	upper, lower := newPart(layers), newPart(m.curve(k))
	f = &Figure{op: op, opt: o, legend: &legend{scene: &scene{}}, plot: upper.plot,
		sheet: &sheet{parts: []*part{upper, lower}, dpi: o.dots()}}
	s := f.sheet
	below := m.foot(f, w, h)
	top := m.head(s, k, j, n, w, h)
	labels := textStyle(labelSize, black)
	line := labels.FontExtents().Height
	upper.plot.X.Min, upper.plot.X.Max, upper.plot.Y.Min, upper.plot.Y.Max = m.x.lo, m.x.hi, m.y.lo, m.y.hi
	lower.plot.X.Min, lower.plot.X.Max, lower.plot.Y.Min, lower.plot.Y.Max = m.at.lo, m.at.hi, m.of.lo, m.of.hi
	metric := plot.Ticker(linearTicks{})
	if m.opt.LogY {
		metric = logTicks{}
	}
	right := w - marginRight
	bottom, left := below+line+2, vg.Length(marginLeft)+line+4
	high := h - top - bottom
	part := high * metricShare
	for range 3 { // labels take room, and room decides how many there are
		size := upper.area.Size()
		widen(upper, m.x, m.y, size)
		upper.ticked(linearTicks{}, linearTicks{}, size, true, true)
		lower.ticked(linearTicks{}, metric, lower.area.Size(), true, true)
		a, b := upper.insets()
		c, d := lower.insets()
		x := left + max(a, c)
		lower.area = vg.Rectangle{Min: vg.Point{X: x, Y: bottom + d}, Max: vg.Point{X: right, Y: bottom + d + part}}
		upper.area = vg.Rectangle{Min: vg.Point{X: x, Y: lower.area.Max.Y + panelGap + line + b}, Max: vg.Point{X: right, Y: h - top}}
		if s := upper.area.Size(); s.X < minArea || s.Y < minArea || part < minArea/2 {
			return nil, fail(op, ErrRoom, "make Width or Height larger", "%g × %g points leave %.0f × %.0f for the clouds",
				o.Width, o.Height, float64(s.X), float64(s.Y))
		}
	}
	at := shift(marks, w, below-legendRow/2-1)
	s.marks = at
	axes := [2]string{"x", "y"}
	for e, a := range m.opt.Axes {
		axes[e] = "xyz"[a : a+1]
	}
	s.named(upper, withUnit(orText(o.XLabel, axes[0]), o.Unit), withUnit(orText(o.YLabel, axes[1]), o.Unit), left)
	s.named(lower, withUnit("step (count)", ""), withUnit(orText(m.opt.Metric, "value"), ""), left)
	f.text = fmt.Sprintf("%s Step %s: %s is %s.", sentence(m.title()), number(m.metric.curve.X[k]), m.name(),
		number(m.metric.curve.Y[k]))
	return f, nil
}

// foot places the caption and the row of marks, and says how high both are.
func (m *film) foot(f *Figure, w, h vg.Length) vg.Length {
	caption := sentence(clean(m.opt.Caption))
	if m.note != "" {
		caption += " " + sentence(m.note)
	}
	lines := wrap(caption, textStyle(captionSize, dark), w-marginLeft-marginRight, min(max(int(h/70), 1), 5))
	below := vg.Length(marginBottom)
	if n := len(lines); n > 0 {
		below += captionGap + captionLine*vg.Length(n)
	}
	f.layout.caption, f.layout.bottom = lines, below
	return below + legendRow + 3
}

// head places the title and the line that counts, and says how high both are.
func (m *film) head(s *sheet, k, j, n int, w, h vg.Length) vg.Length {
	title := textStyle(titleSize, black)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	top := vg.Length(marginTop)
	for _, text := range wrap(m.title(), title, w-marginLeft-marginRight, maxTitle) {
		s.notes = append(s.notes, note{title, vg.Point{X: w / 2, Y: h - top}, text})
		top += titleSize * 1.25
	}
	count := textStyle(tickSize, dark)
	count.XAlign, count.YAlign = draw.XCenter, draw.YTop
	metric := withUnit(orText(m.opt.Metric, "value"), "")
	text := fmt.Sprintf("step %s, %s %s%s, frame %d of %d", number(m.metric.curve.X[k]), metric.name,
		number(roundTo(m.metric.curve.Y[k], 3)), unitOf(metric), j+1, n)
	s.notes = append(s.notes, note{count, vg.Point{X: w / 2, Y: h - top - 2}, shorten(text, count, w-marginLeft-marginRight)})
	return top + 2 + tickSize*1.25 + titleGap
}

// widen gives both axes one scale.
func widen(p *part, x, y span, size vg.Point) {
	if size.X <= 0 || size.Y <= 0 {
		return
	}
	unit := math.Max((x.hi-x.lo)/float64(size.X), (y.hi-y.lo)/float64(size.Y))
	dx, dy := (unit*float64(size.X)-(x.hi-x.lo))/2, (unit*float64(size.Y)-(y.hi-y.lo))/2
	p.plot.X.Min, p.plot.X.Max, p.plot.Y.Min, p.plot.Y.Max = x.lo-dx, x.hi+dx, y.lo-dy, y.hi+dy
}

// shift sets marks side by side in the middle of a row.
func shift(marks []entry, w, y vg.Length) (out []sheetMark) {
	sty := legendStyle()
	at := vg.Length(0)
	for _, e := range marks {
		out = append(out, sheetMark{e, vg.Point{X: at, Y: y}})
		at += legendMark + legendPad + sty.Width(e.shown) + markGap
	}
	for i := range out {
		out[i].at.X += (w - at + markGap) / 2
	}
	return out
}

// named writes the names of the axes of a part, those of the vertical ones at one place.
func (s *sheet) named(p *part, x, y label, left vg.Length) {
	_, bottom := p.insets()
	sty := textStyle(labelSize, black)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	size := p.area.Size()
	s.notes = append(s.notes, note{sty, vg.Point{X: (p.area.Min.X + p.area.Max.X) / 2, Y: p.area.Min.Y - bottom - 2},
		x.fit(sty, size.X)})
	sty.Rotation, sty.YAlign = math.Pi/2, draw.YBottom
	s.notes = append(s.notes, note{sty, vg.Point{X: left - 4, Y: (p.area.Min.Y + p.area.Max.Y) / 2}, y.fit(sty, size.Y+20)})
}
