package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CompareOptions tune [Compare]. The zero value is the recommended setting.
type CompareOptions struct {
	Options          // of Width and Height zero means as many points as the panels need.
	Names   []string // titles of the panels, such as the names of losses. Nil means their own titles.
	Columns int      // panels side by side, 1 to 6. Zero means 2 to 4, by how many there are.
	Apart   bool     // each panel has its own range of colours, which stands in its title.
}

// Panels of one picture, and points of the picture that each gets where nothing is said.
const (
	minPanels, maxPanels = 2, 12
	maxColumns           = 6
	panelWidth           = 165
	panelHeight          = 150
	panelGap             = 10
)

// nothing is what an empty panel says.
const nothing = "nothing to draw"

// Compare puts 2 to 12 pictures of one kind side by side: one range of x and of y, one
// scale of colours, one legend, letters (a), (b) before the titles. A nil picture, as
// one of an empty plan, is an empty panel that says so. The guides of Scaling are left
// out; what panels say below themselves stands in the text alone.
//
// All panels need the same names of axes and colours, or those of Options. Errors:
// ErrEmpty, ErrShape, ErrRange, ErrOption, ErrTooMany, ErrRoom.
func Compare(panels []*Figure, opt CompareOptions) (f *Figure, err error) {
	const op = "Compare"
	n := len(panels)
	if n < minPanels || n > maxPanels {
		return nil, fail(op, ErrTooMany, "give 2 to 12 pictures", "%d pictures", n)
	}
	g := &grouper{opt: opt, columns: opt.Columns, panels: make([]*composer, n)}
	if g.columns == 0 {
		g.columns = []int{2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4}[n-minPanels]
	}
	if g.columns < 1 || g.columns > maxColumns {
		return nil, fail(op, ErrOption, "give 1 to 6, or leave it out", "Columns is %d", opt.Columns)
	}
	g.columns = min(g.columns, n)
	g.rows = (n + g.columns - 1) / g.columns
	if opt.Width == 0 {
		opt.Width = float64(90 + panelWidth*g.columns)
	}
	if g.tall = opt.Height == 0; g.tall {
		opt.Height = float64(80 + panelHeight*g.rows)
	}
	if g.opt.Options, err = opt.Options.check(op); err != nil {
		return nil, err
	}
	defer guard(op, &err)
	if err := g.take(panels); err != nil {
		return nil, err
	}
	return g.compose()
}

// grouper makes one picture of several.
type grouper struct {
	opt           CompareOptions
	columns, rows int
	tall          bool        // the height may become less
	panels        []*composer // nil: nothing to draw
	first         *composer   // that is there
	texts         []string
	x, y          span
	ramp          ramp
	title         string
	xLabel        label
	yLabel        label
	captions      []string
	legend        []entry
}

// take looks whether the panels go together and joins their ranges.
func (g *grouper) take(panels []*Figure) error {
	const op = "Compare"
	if g.opt.Names != nil && len(g.opt.Names) != len(panels) {
		return fail(op, ErrShape, "give a name for each picture", "%d names for %d pictures", len(g.opt.Names), len(panels))
	}
	g.x, g.y = newSpan(), newSpan()
	g.texts = make([]string, len(panels))
	for k, f := range panels {
		if g.texts[k] = nothing; f == nil {
			continue
		}
		m := f.made
		if m == nil {
			return fail(op, ErrOption, "give pictures of one plot each", "panel %s is a picture of %s", letter(k), f.op)
		}
		g.panels[k], g.texts[k] = m, f.text
		if g.first == nil {
			g.first = m
			if m.bar != nil {
				g.ramp = m.bar.ramp
			}
		}
		if err := g.fits(k, m); err != nil {
			return err
		}
		for _, v := range []float64{m.own[0].lo, m.own[0].hi} {
			g.x.add(v)
		}
		for _, v := range []float64{m.own[1].lo, m.own[1].hi} {
			g.y.add(v)
		}
		if m.bar != nil {
			g.ramp = ramp{min(g.ramp.lo, m.bar.ramp.lo), max(g.ramp.hi, m.bar.ramp.hi)}
		}
	}
	if g.first == nil {
		return fail(op, ErrEmpty, "give at least one picture that is not nil", "all %d pictures are nil", len(panels))
	}
	for k, s := range []span{g.x, g.y} {
		if err := checkSpan(op, "XY"[k:k+1], s.lo, s.hi); err != nil {
			return err
		}
	}
	if g.ramp.hi > g.ramp.lo && !g.opt.Apart {
		if err := checkSpan(op, "the value", g.ramp.lo, g.ramp.hi); err != nil {
			return err
		}
	}
	return g.legends()
}

// fits refuses a panel that does not go with the first.
func (g *grouper) fits(k int, m *composer) error {
	const op = "Compare"
	o := g.first
	differ := func(what, a, b, advice string) error {
		return fail(op, ErrOption, advice, "%s of panel %s is %s, that of the first %s", what, letter(k), b, a)
	}
	switch {
	case m.op != o.op:
		return differ("the kind", o.op, m.op, "compare pictures of one kind")
	case m.xLabel != o.xLabel && g.opt.XLabel == "":
		return differ("the horizontal axis", o.xLabel.String(), m.xLabel.String(), "set XLabel, or give all the same")
	case m.yLabel != o.yLabel && g.opt.YLabel == "":
		return differ("the vertical axis", o.yLabel.String(), m.yLabel.String(), "set YLabel, or give all the same")
	case m.bar != nil && m.bar.label != o.bar.label && !g.opt.Apart:
		return differ("the unit of the colours", o.bar.label.String(), m.bar.label.String(), "set Apart, or give all the same")
	case ticker(m.plot.X) != ticker(o.plot.X) || ticker(m.plot.Y) != ticker(o.plot.Y) || m.bar != nil && m.bar.ticks != o.bar.ticks:
		return fail(op, ErrShape, "compare plans of one size, and axes of one kind", "panel %s has other axes than the first",
			letter(k))
	}
	return nil
}

// ticker is the ticker of an axis before it was fitted to a length.
func ticker(a plot.Axis) plot.Ticker {
	if f, ok := a.Tick.Marker.(fitted); ok {
		return f.atMost(0)
	}
	return a.Tick.Marker
}

func letter(k int) string { return "(" + string(rune('a'+k)) + ")" }

// legends joins the legends: entries of one name and look are one. What such entries say
// besides their name, where it differs, goes below the picture.
func (g *grouper) legends() error {
	tails := map[string][]string{}
	for k, m := range g.panels {
		if m == nil {
			continue
		}
		for _, e := range m.legend.entries {
			at := slices.IndexFunc(g.legend, func(o entry) bool { return o.name == e.name && alike(o, e) })
			other := slices.IndexFunc(g.legend, func(o entry) bool { return o.name != e.name && alike(o, e) })
			switch {
			case at < 0 && other >= 0:
				return fail("Compare", ErrOption, "give the same curves in the same order, or name their Loss",
					"%q of panel %s looks like %q", e.name, letter(k), g.legend[other].name)
			case at < 0:
				g.legend = append(g.legend, e)
			case g.legend[at].tail != e.tail:
				g.legend[at].tail = ""
			}
			if t := strings.TrimPrefix(e.tail, ": "); t != "" {
				tails[e.name] = append(tails[e.name], letter(k)+" "+t)
			}
		}
	}
	if c := clean(g.opt.Caption); c != "" {
		g.captions = append(g.captions, sentence(c))
	}
	for i, e := range g.legend {
		if all := tails[e.name]; e.tail == "" && len(all) > 0 {
			g.captions = append(g.captions, sentence(strings.ToUpper(e.name[:1])+e.name[1:]+": "+strings.Join(all, "; ")))
		}
		g.legend[i].shown = e.name + e.tail
	}
	return nil
}

// alike says that two marks cannot be told apart.
func alike(a, b entry) bool {
	if (a.line == nil) != (b.line == nil) || (a.glyph == nil) != (b.glyph == nil) {
		return false
	}
	if a.line != nil && (a.line.Color != b.line.Color || !slices.Equal(a.line.Dashes, b.line.Dashes)) {
		return false
	}
	return a.glyph == nil || a.glyph.Color == b.glyph.Color && a.glyph.Shape == b.glyph.Shape
}

// compose lays the panels out and makes the picture.
func (g *grouper) compose() (*Figure, error) {
	o, first := g.opt.Options, g.first
	g.title = orText(o.Title, fmt.Sprintf("%d panels of %s", len(g.panels), first.op))
	g.xLabel, g.yLabel = first.xLabel, first.yLabel
	if o.XLabel != "" {
		g.xLabel = withUnit(o.XLabel, "")
	}
	if o.YLabel != "" {
		g.yLabel = withUnit(o.YLabel, "")
	}
	f := &Figure{op: "Compare", opt: o, legend: &legend{scene: &scene{}}}
	f.sheet = &sheet{dpi: o.dots()}
	names := make([]string, len(g.panels))
	for k, m := range g.panels {
		p, name := g.part(m)
		if g.opt.Names != nil {
			name = orText(g.opt.Names[k], name)
		}
		if m != nil && m.bar != nil && g.opt.Apart {
			r := m.bar.ramp
			if math.Abs(r.lo) < 1e-4*r.hi { // nothing, beside it
				r.lo = 0
			}
			name += fmt.Sprintf(": %s to %s", number(roundTo(r.lo, 3)), number(roundTo(r.hi, 3)))
		}
		names[k] = letter(k) + " " + name
		f.sheet.parts = append(f.sheet.parts, p)
	}
	if first.bar != nil {
		b := bar{ramp: g.ramp, ticks: first.bar.ticks, label: first.bar.label, off: g.beside()}
		if g.opt.Apart {
			b.ramp, b.ticks, b.label = ramp{0, 1}, endTicks{}, label{"of each panel", g.units()}
		}
		f.sheet.bar = &b
	}
	l := &pageLayout{g: g, f: f, names: names}
	spare, err := l.place()
	if err == nil && spare > 1 && g.tall {
		g.opt.Height -= math.Floor(float64(spare))
		f.opt.Height = g.opt.Height
		_, err = l.place()
	}
	if err != nil {
		return nil, err
	}
	f.plot = f.sheet.parts[(g.rows-1)*g.columns].plot
	all := []string{sentence(g.title)}
	for k, t := range g.texts {
		all = append(all, names[k]+": "+sentence(t))
	}
	f.text = strings.Join(strings.Fields(strings.Join(all, " ")), " ")
	return f, nil
}

// part makes the plot of a panel, and says its own title.
func (g *grouper) part(m *composer) (p *part, title string) {
	if m == nil {
		p, title = newPart(nil), nothing
	} else {
		layers := slices.Clone(m.layers)
		for i, l := range layers {
			if r, ok := l.(interface{ over(ramp) plot.Plotter }); ok && !g.opt.Apart {
				layers[i] = r.over(g.ramp)
			}
		}
		p, title = newPart(layers), m.title
	}
	p.plot.X.Min, p.plot.X.Max, p.plot.Y.Min, p.plot.Y.Max = g.x.lo, g.x.hi, g.y.lo, g.y.hi
	return p, title
}

// beside and above are the room that panels need around their data.
func (g *grouper) beside() (w vg.Length) {
	if g.first.bar != nil {
		return g.first.bar.off
	}
	return 0
}

// units is the unit of all colours.
func (g *grouper) units() string {
	for _, m := range g.panels {
		if m != nil && m.bar.label.unit != g.first.bar.label.unit {
			return " (its own unit)"
		}
	}
	return g.first.bar.label.unit
}

func unitOf(l label) string {
	if l.unit == " (no unit)" {
		return ""
	}
	return " " + strings.Trim(l.unit, " ()")
}

// endTicks name the ends of a scale of shares.
type endTicks struct{}

func (t endTicks) atMost(int) fitted { return t }

// Ticks are at 0 and 1.
func (endTicks) Ticks(lo, hi float64) []plot.Tick {
	return []plot.Tick{{Value: lo, Label: "least"}, {Value: hi, Label: "most"}}
}

// titled writes the title of a panel over its data.
func titled(name string, area vg.Rectangle, above vg.Length) note {
	sty := textStyle(labelSize, black)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YBottom
	at := vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: area.Max.Y + above + 3}
	return note{sty, at, shorten(name, sty, area.Size().X+panelGap)}
}
