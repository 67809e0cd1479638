package plots

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

// lab is CIE L*a*b* of linear sRGB under D65.
func lab(r, g, b float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f((.4124564*r + .3575761*g + .1804375*b) / .95047)
	y := f(.2126729*r + .7151522*g + .0721750*b)
	z := f((.0193339*r + .1191920*g + .9503041*b) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// sees is how a reader without one kind of cone sees linear sRGB: Machado,
// Oliveira and Fernandes 2009, severity 1.
var sees = map[string][9]float64{
	"all":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protan": {.152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998},
	"deutan": {.367322, .860646, -.227968, .280085, .672501, .047413, -.011820, .042940, .968881},
	"tritan": {1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .303900},
}

func seen(c color.NRGBA, m [9]float64) [3]float64 {
	lin := func(v uint8) float64 {
		if u := float64(v) / 255; u > .04045 {
			return math.Pow((u+.055)/1.055, 2.4)
		} else {
			return u / 12.92
		}
	}
	r, g, b := lin(c.R), lin(c.G), lin(c.B)
	at := func(i int) float64 { return min(max(m[i]*r+m[i+1]*g+m[i+2]*b, 0), 1) }
	return lab(at(0), at(3), at(6))
}

// The nearest pair of colours, as every kind of reader sees it, by CIE76. The
// numbers are those of the theme's design.
func TestColoursDiffer(t *testing.T) {
	want := map[string]float64{"all": 26.4, "protan": 20.7, "deutan": 17.9, "tritan": 16.1}
	all := []color.NRGBA{black, orange, sky, green, blue, vermilion, purple}
	for who, m := range sees {
		least := math.Inf(1)
		for i, a := range all {
			for _, b := range all[i+1:] {
				p, q := seen(a, m), seen(b, m)
				least = min(least, math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]))
			}
		}
		if !(least >= 15) || !(math.Abs(least-want[who]) < .2) {
			t.Errorf("%s: nearest pair %.1f apart, want %.1f and at least 15", who, least, want[who])
		}
	}
}

// No two losses share glyph and dash, in the theme and when one comes twice.
func TestLooksDiffer(t *testing.T) {
	var ss []series
	for _, l := range losses {
		ss = append(ss, series{curve: Curve{Loss: strings.ToUpper(l.name)}})
	}
	check := func(ss []series) {
		t.Helper()
		if err := looks("Line", ss); err != nil {
			t.Fatal(err)
		}
		for i, a := range ss {
			for j, b := range ss[:i] {
				if a.look.glyph == b.look.glyph && equalDash(a.look, b.look) {
					t.Errorf("curves %d and %d look alike", i, j)
				}
			}
		}
	}
	check(ss)
	check(make([]series, maxSeries))
	twelve := make([]series, maxSeries)
	for i := range twelve {
		twelve[i].curve.Loss = "apml"
	}
	check(twelve)
	mixed := make([]series, 3)
	mixed[1].curve.Loss = "sinkhorn"
	check(mixed)
	if mixed[0].look.colour == blue {
		t.Error("a free look is one that is in use")
	}
	if got := losses[4].look; losses[4].name != "apml" || got.colour != (color.NRGBA{0, 0x9E, 0x73, 255}) ||
		got.glyph != ring || got.dash != nil {
		t.Errorf("apml looks like %v", got)
	}
}

func equalDash(a, b look) bool {
	if len(a.dash) != len(b.dash) {
		return false
	}
	for i := range a.dash {
		if a.dash[i] != b.dash[i] {
			return false
		}
	}
	return true
}
