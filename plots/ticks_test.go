package plots

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font/liberation"
)

func labelsOf(ticks []plot.Tick) string {
	var s []string
	for _, k := range ticks {
		if k.Label != "" {
			s = append(s, k.Label)
		}
	}
	return strings.Join(s, " ")
}

func TestLogTicks(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   string
		all    int // ticks with the small ones
	}{
		{-2, 3, "10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³", 46},
		{0, 1, "10⁰ 2·10⁰ 5·10⁰ 10¹", 10},
		{-.1, 1.1, "10⁰ 2·10⁰ 5·10⁰ 10¹", 12},
		{0, 1.4, "10⁰ 10¹", 11},
		{-300, 30, "10⁻²⁹⁶ 10⁻²⁵⁹ 10⁻²²² 10⁻¹⁸⁵ 10⁻¹⁴⁸ 10⁻¹¹¹ 10⁻⁷⁴ 10⁻³⁷ 10⁰", 331},
		{3.01, 3.02, "", 0},
		{1, 1, "", 0},
		{0, math.Inf(1), "", 0},
	} {
		got := logTicks{}.Ticks(tt.lo, tt.hi)
		if labelsOf(got) != tt.want || len(got) != tt.all {
			t.Errorf("[%g, %g]: %q and %d ticks, want %q and %d", tt.lo, tt.hi, labelsOf(got), len(got), tt.want, tt.all)
		}
	}
	for _, k := range (logTicks{}).Ticks(-2, 3) { // 10^k stands at k
		if k.Label == "10⁻¹" && k.Value != -1 {
			t.Errorf("10⁻¹ stands at %g", k.Value)
		}
	}
}

// A range without two labels grows to the nearest ones.
func TestTwoLabels(t *testing.T) {
	for _, tt := range []struct{ lo, hi, wantLo, wantHi float64 }{
		{3.01, 3.02, 3, math.Log10(2000)},
		{math.Log10(4.9), math.Log10(5.1), math.Log10(4.9), 1}, // 5 is in: 10 is nearer than 2
		{1.3, 2.95, 1.3, 3},
		{0, 3, 0, 3},
	} {
		lo, hi := twoLabels(tt.lo, tt.hi)
		if !(math.Abs(lo-tt.wantLo) < 1e-9) || !(math.Abs(hi-tt.wantHi) < 1e-9) {
			t.Errorf("[%g, %g] grows to [%g, %g], want [%g, %g]", tt.lo, tt.hi, lo, hi, tt.wantLo, tt.wantHi)
		}
	}
}

func TestLinearTicks(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   string
	}{
		{-1, 1, "−1.0 −0.5 0 0.5 1.0"},
		{0, 7, "0 1 2 3 4 5 6 7"},
		{0, 8.5, "0 2 4 6 8"},
		{12.3, 12.41, "12.30 12.32 12.34 12.36 12.38 12.40"},
		{-2.5e7, 1e6, "−2.5·10⁷ −2.0·10⁷ −1.5·10⁷ −1.0·10⁷ −0.5·10⁷ 0"},
		{0, 3e-7, "0 0.5·10⁻⁷ 1.0·10⁻⁷ 1.5·10⁻⁷ 2.0·10⁻⁷ 2.5·10⁻⁷ 3.0·10⁻⁷"},
		{1000000, 1000000.4, "1.0000000·10⁶ 1.0000001·10⁶ 1.0000002·10⁶ 1.0000003·10⁶ 1.0000004·10⁶"},
		{2, 2, ""},
		{0, math.Inf(1), ""},
	} {
		if got := labelsOf(linearTicks{}.Ticks(tt.lo, tt.hi)); got != tt.want {
			t.Errorf("[%g, %g]: %q, want %q", tt.lo, tt.hi, got, tt.want)
		}
	}
	for lo := -3.; lo < 3; lo += .37 { // always 3 to 8 labels
		for span := 1e-3; span < 1e5; span *= 1.7 {
			if n := len(linearTicks{}.Ticks(lo, lo+span)); n < 3 || n > 8 {
				t.Errorf("[%g, %g]: %d labels", lo, lo+span, n)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{1234567: "1,234,567", -1000: "−1,000", 12: "12", 2.5: "2.5"} {
		if wholeNumber(v) != want {
			t.Errorf("%g: %q, want %q", v, wholeNumber(v), want)
		}
	}
	for v, want := range map[float64]string{1.23456: "1.235", -2e-7: "−2·10⁻⁷", 123456: "1.235·10⁵", 0: "0",
		1e30: "1·10³⁰"} {
		if number(v) != want {
			t.Errorf("%g: %q, want %q", v, number(v), want)
		}
	}
	for v, want := range map[float64]string{1: "100 %", .9999: "99.9 %", .5: "50.0 %", 0: "0.0 %"} {
		if percent(v) != want {
			t.Errorf("%g: %q, want %q", v, percent(v), want)
		}
	}
}

// Every rune that we write must be in the font: the default face of gonum/plot
// lacks superscript minus and zero and draws 10⁻¹ as 10¹.
func TestFontHasEveryRune(t *testing.T) {
	const ours = "0123456789.,−·⁻⁰¹²³⁴⁵⁶⁷⁸⁹±<>≥≤×ε…□%()/:;ΔσλΣ‖√κ\uFFFD"
	for _, r := range ours {
		if g, err := dejavu.GlyphIndex(nil, r); err != nil || g == 0 {
			t.Errorf("no glyph for %q", r)
		}
	}
	other := liberation.Collection()[0].Face
	if g, _ := other.GlyphIndex(nil, '⁻'); g != 0 {
		t.Error("the default face has ⁻ now: the reason for DejaVu is gone")
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"a\nb\tc\x00": "a b c", "bad \xff": "bad \uFFFD", "🚀": "□", "<b>": "<b>", "  x ": "x",
		strings.Repeat("x", 600): strings.Repeat("x", 500) + "…",
	} {
		if got := clean(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	sty := textStyle(10, black)
	for _, s := range []string{"", "one", "one two three four five six", strings.Repeat("w", 80)} {
		for n := range 4 {
			lines := wrap(s, sty, 60, n)
			if len(lines) > n {
				t.Errorf("%q: %d lines, want at most %d", s, len(lines), n)
			}
			for _, l := range lines {
				if sty.Width(l) > 60 {
					t.Errorf("%q is wider than 60 points", l)
				}
			}
		}
	}
	if l := wrap("one two three four", sty, 60, 2); len(l) != 2 || l[0] != "one two" || l[1] != "three four" {
		t.Errorf("%q", l)
	}
	if got := withUnit("an axis with a long name", "MiB").fit(sty, 90); got != "an axis wi… (MiB)" {
		t.Errorf("%q", got)
	}
}
