package plots

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Okabe-Ito colours; yellow is left out, it is too light for a line on white.
var (
	black     = color.NRGBA{0, 0, 0, 255}
	orange    = color.NRGBA{230, 159, 0, 255}
	sky       = color.NRGBA{86, 180, 233, 255}
	green     = color.NRGBA{0, 158, 115, 255}
	blue      = color.NRGBA{0, 114, 178, 255}
	vermilion = color.NRGBA{213, 94, 0, 255}
	purple    = color.NRGBA{204, 121, 167, 255}
	grey      = color.NRGBA{120, 120, 120, 255}
	dark      = color.NRGBA{70, 70, 70, 255}
)

// look is how one curve looks: colour, glyph and dash, so that colour is never
// the only mark.
type look struct {
	colour color.NRGBA
	glyph  glyph
	dash   []vg.Length
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.colour, Width: lineWidth, Dashes: l.dash}
}

// losses fixes the look of each loss in every picture, by its name in lower
// case. Pairs of colours that a colour-blind reader may mix up differ in glyph.
var losses = []struct {
	name string
	look look
}{
	{"emd", look{black, square, nil}},
	{"sinkhorn", look{blue, triangle, nil}},
	{"sinkhorn-biased", look{blue, triangle, []vg.Length{2, 2}}},
	{"apml-dense", look{vermilion, disc, nil}},
	{"apml", look{green, ring, nil}},
	{"apml-reference", look{green, ring, []vg.Length{2, 2}}},
	{"chamfer", look{purple, cross, []vg.Length{6, 3}}},
	{"chamfer-l1", look{purple, cross, []vg.Length{6, 3, 1, 3}}},
	{"dcd", look{sky, pyramid, []vg.Length{2, 2}}},
	{"hypercd", look{orange, plus, []vg.Length{6, 2, 2, 2}}},
	{"infocd", look{orange, star, []vg.Length{6, 2, 2, 2}}},
}

// free is the order in which curves that name no loss get their looks.
var free = []string{"sinkhorn", "apml-dense", "apml", "chamfer", "dcd", "hypercd", "emd", "infocd", "sinkhorn-biased",
	"apml-reference", "chamfer-l1"}

// again are the dashes of a second, third … curve of one loss.
var again = [][]vg.Length{{8, 3}, {1, 2}, {4, 4}, {8, 2, 1, 2}, {3, 1}, {10, 4}, {1, 4}, {5, 1, 1, 1}, {12, 3}, {2, 5},
	{7, 7}}

// looks gives each curve its look. A curve that names its loss has that loss's;
// one that names none takes the first look that is not in use.
func looks(op string, ss []series) error {
	byName := map[string]look{}
	var names []string
	for _, l := range losses {
		byName[l.name] = l.look
		names = append(names, l.name)
	}
	used := map[string]int{}
	for i := range ss {
		name := strings.ToLower(ss[i].curve.Loss)
		if name == "" {
			continue
		}
		l, ok := byName[name]
		if !ok {
			return fail(op, ErrOption, "leave Loss empty, or give one of "+list(names), "curve %q names the loss %q", ss[i].name,
				clean(name))
		}
		if k := used[name]; k > 0 {
			l.dash = again[k-1]
		}
		used[name]++
		ss[i].look = l
	}
	for i := range ss {
		if ss[i].curve.Loss != "" {
			continue
		}
		name := free[0]
		for _, f := range free {
			if used[f] < used[name] {
				name = f
			}
		}
		ss[i].look = byName[name]
		if k := used[name]; k > 0 {
			ss[i].look.dash = again[k-1]
		}
		used[name]++
	}
	return nil
}
