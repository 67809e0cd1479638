package plots

import (
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pageLayout places the panels of a [Compare], their labels, colour bar and legend.
type pageLayout struct {
	g     *grouper
	f     *Figure
	names []string

	left, right, bottom, top vg.Length // around all data
	gapX, gapY               vg.Length // between data of neighbours
	size                     vg.Point  // of the data of a panel
}

const (
	panelTitle = labelSize * 1.5 // room for the title of a panel
	markGap    = 12              // between two entries of the legend
)

// place fits everything to the size of the picture, and says how much of its height is
// left over.
func (l *pageLayout) place() (spare vg.Length, err error) {
	g, s := l.g, l.f.sheet
	s.notes, s.marks, l.size = nil, nil, vg.Point{}
	w, h := vg.Length(g.opt.Width), vg.Length(g.opt.Height)
	caption := textStyle(captionSize, dark)
	lines := wrap(strings.Join(g.captions, " "), caption, w-marginLeft-marginRight, min(max(int(h/70), 1), 5))
	l.f.layout.caption = lines
	below := vg.Length(marginBottom)
	if n := len(lines); n > 0 {
		below += captionGap + captionLine*vg.Length(n)
	}
	l.f.layout.bottom = below
	rows := l.legendRows(w - marginLeft - marginRight)
	for k := range rows { // from below upwards
		y := below + legendRow*(vg.Length(len(rows)-1-k)+.5)
		for i := range rows[k] {
			rows[k][i].at.Y = y
		}
		s.marks = append(s.marks, rows[k]...)
	}
	if len(rows) > 0 {
		below += legendRow*vg.Length(len(rows)) + 3
	}
	title := textStyle(titleSize, black)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	heads := wrap(g.title, title, w-marginLeft-marginRight, maxTitle)
	l.top = marginTop + titleGap
	for k, text := range heads {
		s.notes = append(s.notes, note{title, vg.Point{X: w / 2, Y: h - marginTop - titleSize*1.25*vg.Length(k)}, text})
		l.top += titleSize * 1.25
	}
	l.top += g.first.above + panelTitle
	l.right = marginRight + g.beside()
	if s.bar != nil {
		l.right = marginRight + s.bar.off + s.bar.width()
	}
	l.gapX, l.gapY = panelGap+g.beside(), panelGap+panelTitle+g.first.above
	labels := textStyle(labelSize, black)
	line := labels.FontExtents().Height
	for range 3 { // labels take room, and room decides how many there are
		if err := l.measure(w, h, below+line+2, marginLeft+line+4); err != nil {
			return 0, err
		}
	}
	spare = l.set(w, h)
	l.axes()
	return spare, nil
}

// measure finds the size of the data areas between labels, and the labels for it.
func (l *pageLayout) measure(w, h, below, left vg.Length) error {
	g, s := l.g, l.f.sheet
	n := vg.Point{X: vg.Length(g.columns), Y: vg.Length(g.rows)}
	l.left, l.bottom = left, below
	var inset vg.Point
	var out, in vg.Length
	for k, p := range s.parts {
		if l.size.X > 0 {
			p.ticked(ticker(g.first.plot.X), ticker(g.first.plot.Y), l.size, l.lowest(k), k%g.columns == 0)
			x, y := p.insets()
			a, b := p.overhang(l.size.X)
			inset.X, inset.Y, in, out = max(inset.X, x), max(inset.Y, y), max(in, a), max(out, b)
		}
	}
	l.left, l.bottom = left+max(inset.X, in), below+inset.Y
	l.gapX = max(panelGap+g.beside(), in+out+tickGap)
	right := max(l.right, out+marginLeft)
	l.size = vg.Point{X: (w - l.left - right - l.gapX*(n.X-1)) / n.X, Y: (h - l.bottom - l.top - l.gapY*(n.Y-1)) / n.Y}
	if g.first.crop || g.first.equal {
		x, y := (g.x.hi-g.x.lo)/float64(l.size.X), (g.y.hi-g.y.lo)/float64(l.size.Y)
		if x < y {
			l.size.X *= vg.Length(x / y)
		} else {
			l.size.Y *= vg.Length(y / x)
		}
	}
	if l.size.X < minArea || l.size.Y < minArea || math.IsNaN(float64(l.size.X+l.size.Y)) {
		return fail("Compare", ErrRoom, "make Width or Height larger, or give fewer pictures",
			"%g × %g points leave %.0f × %.0f for a panel", g.opt.Width, g.opt.Height, float64(l.size.X), float64(l.size.Y))
	}
	return nil
}

// lowest says that nothing stands below panel k.
func (l *pageLayout) lowest(k int) bool { return k+l.g.columns >= len(l.f.sheet.parts) }

// set puts the data areas in their places, in the middle of the room that there is.
func (l *pageLayout) set(w, h vg.Length) (spare vg.Length) {
	g, s := l.g, l.f.sheet
	nx, ny := vg.Length(g.columns), vg.Length(g.rows)
	room := vg.Point{X: w - l.left - l.right - nx*l.size.X - (nx-1)*l.gapX,
		Y: h - l.bottom - l.top - ny*l.size.Y - (ny-1)*l.gapY}
	l.left, l.top = l.left+max(0, room.X/2), l.top+max(0, room.Y/2)
	for k, p := range s.parts {
		x := l.left + vg.Length(k%g.columns)*(l.size.X+l.gapX)
		y := h - l.top - l.size.Y - vg.Length(k/g.columns)*(l.size.Y+l.gapY)
		p.area = vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + l.size.X, Y: y + l.size.Y}}
		s.notes = append(s.notes, titled(l.names[k], p.area, g.first.above))
		if g.panels[k] == nil {
			sty := textStyle(tickSize, dark)
			sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
			s.notes = append(s.notes, note{sty, vg.Point{X: x + l.size.X/2, Y: y + l.size.Y/2}, nothing})
		}
	}
	return room.Y
}

// axes writes the names of both axes, once for all panels.
func (l *pageLayout) axes() {
	s, all := l.f.sheet, l.f.sheet.area()
	_, bottom := s.parts[(l.g.rows-1)*l.g.columns].insets()
	left, _ := s.parts[0].insets()
	sty := textStyle(labelSize, black)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	x := note{sty, vg.Point{X: (all.Min.X + all.Max.X) / 2, Y: all.Min.Y - bottom - 2}, l.g.xLabel.fit(sty, all.Size().X)}
	sty.Rotation, sty.YAlign = math.Pi/2, draw.YBottom
	y := note{sty, vg.Point{X: all.Min.X - left - 4, Y: (all.Min.Y + all.Max.Y) / 2}, l.g.yLabel.fit(sty, all.Size().Y)}
	s.notes = append(s.notes, x, y)
}

// legendRows sets the entries of the legend side by side, in the middle of as many lines
// as they need.
func (l *pageLayout) legendRows(w vg.Length) (rows [][]sheetMark) {
	sty := legendStyle()
	var at vg.Length
	for _, e := range l.g.legend {
		e.shown = shorten(e.shown, sty, w-legendMark-legendPad)
		wide := legendMark + legendPad + sty.Width(e.shown)
		if len(rows) == 0 || at+wide > w {
			rows, at = append(rows, nil), 0
		}
		k := len(rows) - 1
		rows[k] = append(rows[k], sheetMark{e, vg.Point{X: at}})
		at += wide + markGap
	}
	for _, row := range rows {
		last := row[len(row)-1]
		shift := marginLeft + (w-last.at.X-legendMark-legendPad-sty.Width(last.shown))/2
		for i := range row {
			row[i].at.X += shift
		}
	}
	return rows
}
