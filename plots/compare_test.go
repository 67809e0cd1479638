package plots

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

// Panels share ranges, and the colour of a value is the same in all: the pixel in the
// middle of panel (a) has the colour that its value has in the common scale.
func TestCompareSharesColours(t *testing.T) {
	fs, err := wells(4, LandscapeOptions{NoLevels: true})
	if err != nil {
		t.Fatal(err)
	}
	fs = []*Figure{fs[0], fs[3]}
	before, err := fs[0].PNG()
	if err != nil {
		t.Fatal(err)
	}
	for _, apart := range []bool{false, true} {
		f, err := Compare(fs, CompareOptions{Apart: apart, Options: Options{XLabel: "x", YLabel: "y"}})
		if err != nil {
			t.Fatal(err)
		}
		m := imageOf(t, f)
		for k, p := range f.sheet.parts {
			d := p.area.Size().Add(f.sheet.parts[0].area.Size().Scale(-1))
			if p.plot.X.Min != f.sheet.parts[0].plot.X.Min || !(math.Abs(float64(d.X))+math.Abs(float64(d.Y)) < 1e-9) {
				t.Errorf("panel %d has another range or size", k)
			}
		}
		p := f.sheet.parts[0]
		c := pixel(m, f, (p.area.Min.X+p.area.Max.X)/2, (p.area.Min.Y+p.area.Max.Y)/2)
		value := 1.2 + twoWells(0, 0)
		all := ramp{fs[0].made.bar.ramp.lo, fs[1].made.bar.ramp.hi}
		want := all.at(value)
		if apart {
			want = fs[0].made.bar.ramp.at(value)
		}
		if !near(c, want) {
			t.Errorf("apart %v: the middle of panel (a) is %v, want %v", apart, c, want)
		}
		if other := fs[0].made.bar.ramp.at(value); near(other, all.at(value)) {
			t.Error("the colours of the two scales cannot be told apart")
		}
	}
	after, err := fs[0].PNG()
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("Compare has changed the picture of a panel, %v", err)
	}
}

// What does not go together is refused, with the panel.
func TestCompareRefuses(t *testing.T) {
	line := func(o LineOptions, loss string) *Figure {
		f, err := Line([]Curve{overRange(loss, loss, 0, 1, 5, math.Exp)}, o)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a := line(LineOptions{}, "emd")
	fs, err := wells(2, LandscapeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := Compare([]*Figure{a, a}, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan := func(n int) *Figure {
		f, err := PlanMap(diagonal(n), PlanMapOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for name, c := range map[string]struct {
		fs   []*Figure
		opt  CompareOptions
		want error
		text string
	}{
		"one":           {[]*Figure{a}, CompareOptions{}, ErrTooMany, "1 pictures"},
		"thirteen":      {make([]*Figure, 13), CompareOptions{}, ErrTooMany, "13"},
		"all nil":       {make([]*Figure, 3), CompareOptions{}, ErrEmpty, "nothing to draw"},
		"two kinds":     {[]*Figure{a, fs[0]}, CompareOptions{}, ErrOption, "the kind of panel (b)"},
		"other axis":    {[]*Figure{a, line(LineOptions{Options: Options{XLabel: "time (s)"}}, "emd")}, CompareOptions{}, ErrOption, "time (s)"},
		"other unit":    {[]*Figure{a, line(LineOptions{Options: Options{Unit: "m"}}, "emd")}, CompareOptions{}, ErrOption, "value (m)"},
		"log and plain": {[]*Figure{a, line(LineOptions{LogY: true}, "emd")}, CompareOptions{}, ErrShape, "panel (b)"},
		"plans":         {[]*Figure{plan(4), plan(5)}, CompareOptions{}, ErrShape, "panel (b)"},
		"one look":      {[]*Figure{a, line(LineOptions{}, "")}, CompareOptions{}, nil, ""},
		"names":         {[]*Figure{a, a}, CompareOptions{Names: []string{"a"}}, ErrShape, "1 names"},
		"columns":       {[]*Figure{a, a}, CompareOptions{Columns: 7}, ErrOption, "Columns"},
		"no room":       {[]*Figure{a, a}, CompareOptions{Options: Options{Width: 120}}, ErrRoom, "for a panel"},
		"of groups":     {[]*Figure{both, both}, CompareOptions{}, ErrOption, "panel (a)"},
		"size":          {[]*Figure{a, a}, CompareOptions{Options: Options{DPI: 7}}, ErrOption, "DPI"},
	} {
		_, err := Compare(c.fs, c.opt)
		if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.want, c.text)
		}
	}
	same := func(name string) *Figure {
		f, err := Line([]Curve{overRange(name, "", 0, 1, 5, math.Exp)}, LineOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if _, err := Compare([]*Figure{same("first"), same("second")}, CompareOptions{}); !errors.Is(err, ErrOption) {
		t.Errorf("two curves of one look: %v", err)
	}
}
