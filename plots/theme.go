package plots

import (
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the theme, in points.
const (
	titleSize   = 11
	labelSize   = 10
	tickSize    = 9
	captionSize = 8
	lineWidth   = 1.2
	axisWidth   = .6
	gridWidth   = .5
	glyphRadius = 3
	titleGap    = 6 // below the title
)

// dejavu is DejaVu Sans. The default face of gonum/plot lacks superscript minus
// and zero and drops them without a word: 10⁻¹ would read 10¹.
var dejavu = func() *opentype.Font {
	f, err := opentype.Parse(dejavusans.TTF)
	if err != nil {
		panic("plots: the embedded font does not parse: " + err.Error())
	}
	return f
}()

var sans = font.Font{Typeface: "DejaVu", Variant: "Sans"}

var handler = text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans, Face: dejavu}})}

func textStyle(size vg.Length, c color.Color) text.Style {
	f := sans
	f.Size = size
	return text.Style{Font: f, Color: c, Handler: handler}
}

func setStyle(s *text.Style, size vg.Length) {
	t := textStyle(size, s.Color)
	s.Font, s.Handler = t.Font, t.Handler
}

// newPlot returns a plot in our theme. It sets the styles of this plot and
// leaves the package variables of gonum/plot alone: a plot of the user's own in
// the same cell must not change.
func newPlot() *plot.Plot {
	p := barePlot()
	p.Add(newGrid())
	return p
}

// newGrid are the grey lines at the ticks.
func newGrid() *plotter.Grid {
	g := plotter.NewGrid()
	for _, l := range []*draw.LineStyle{&g.Horizontal, &g.Vertical} {
		*l = draw.LineStyle{Color: color.Gray{Y: 232}, Width: gridWidth}
	}
	return g
}

// barePlot is newPlot without the grid.
func barePlot() *plot.Plot {
	p := plot.New()
	p.TextHandler = handler
	setStyle(&p.Title.TextStyle, titleSize)
	p.Title.Padding = titleGap
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		setStyle(&a.Label.TextStyle, labelSize)
		setStyle(&a.Tick.Label, tickSize)
		a.Padding = 0
		a.Width, a.Tick.Width, a.Tick.Length = axisWidth, axisWidth, 4
		a.Tick.Marker = linearTicks{}
	}
	setStyle(&p.Legend.TextStyle, tickSize)
	p.X.Label.Padding, p.Y.Label.Padding = 2, 2
	p.BackgroundColor = color.White
	return p
}

const (
	box      = '□'      // stands for a rune that the font cannot draw
	maxTitle = 2        // lines of a title
	ellipsis = "…"      // ends what was shortened
	maxRunes = 500      // of any text that is measured
	missing  = '\uFFFD' // stands for bytes that are no UTF-8
)

// clean makes s fit to be drawn: control runes become spaces, bytes that are no
// UTF-8 U+FFFD, a rune without a glyph a box; markup stays text.
func clean(s string) string {
	var b strings.Builder
	var buf sfnt.Buffer
	n := 0
	for _, r := range strings.ToValidUTF8(s, string(missing)) {
		switch g, err := dejavu.GlyphIndex(&buf, r); {
		case unicode.IsControl(r) || unicode.IsSpace(r):
			r = ' '
		case err != nil || g == 0:
			r = box
		}
		if n++; n > maxRunes {
			b.WriteString(ellipsis)
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// shorten cuts s with an ellipsis so that it is at most w wide in style t.
func shorten(s string, t text.Style, w vg.Length) string {
	if t.Width(s) <= w {
		return s
	}
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
		if c := strings.TrimRight(s, " ,.;:") + ellipsis; t.Width(c) <= w {
			return c
		}
	}
	return ""
}

// wrap breaks s at spaces into at most n lines of width w; what is left then is
// cut with an ellipsis.
func wrap(s string, t text.Style, w vg.Length, n int) (lines []string) {
	for s != "" && len(lines) < n-1 {
		if t.Width(s) <= w {
			return append(lines, s)
		}
		cut := 0
		for i, r := range s {
			if r == ' ' {
				if t.Width(s[:i]) > w {
					break
				}
				cut = i
			}
		}
		if cut == 0 {
			break // one word is too long for a line
		}
		lines, s = append(lines, s[:cut]), strings.TrimLeft(s[cut:], " ")
	}
	if s != "" && n > 0 {
		lines = append(lines, shorten(s, t, w))
	}
	return lines
}

// label is the text of an axis: a name, and in brackets the unit or "no unit".
type label struct{ name, unit string }

// withUnit makes a label. A name that ends in a bracket says its unit itself.
func withUnit(name, unit string) label {
	name, unit = clean(name), clean(unit)
	if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, ")") && unit == "" {
		return label{name[:i], name[i:]}
	}
	if unit == "" {
		unit = "no unit"
	}
	return label{name, " (" + unit + ")"}
}

func (l label) String() string { return l.name + l.unit }

// fit shortens the name and, only when that is not enough, the unit.
func (l label) fit(t text.Style, w vg.Length) string {
	if name := shorten(l.name, t, w-t.Width(l.unit)); name != "" {
		return name + l.unit
	}
	return shorten(l.String(), t, w)
}
