package session

import (
	"errors"
	"fmt"
	"testing"
)

type advised struct{ advice string }

func (a *advised) Error() string { return "no way" }
func (a *advised) Hint() string  { return a.advice }

type spiteful struct{}

func (spiteful) Error() string { panic("in Error") }
func (spiteful) Hint() string  { panic("in Hint") }

type point struct{ X, Y int }

func TestPanicTextIsWhatTheRuntimePrints(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{"boom", "boom"}, {42, "42"}, {errors.New("bad"), "bad"}, {true, "true"}, {2.5, "2.5"},
		{point{1, 2}, "session.point({X:1 Y:2})"}, {spiteful{}, "(session.spiteful)"},
	} {
		if got := panicText(tt.v); got != tt.want {
			t.Errorf("panicText(%#v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestHintIsFoundThroughWrappedErrors(t *testing.T) {
	a := &advised{"look elsewhere"}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{a, "look elsewhere"}, {fmt.Errorf("outer: %w", a), "look elsewhere"}, {errors.Join(errors.New("x"), a), "look elsewhere"},
		{errors.New("plain"), ""}, {"text", ""}, {nil, ""}, {spiteful{}, ""},
	} {
		if got := hint(tt.v); got != tt.want {
			t.Errorf("hint(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestGroupedSetsThousandsApart(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1 000", 224000: "224 000", 1234567: "1 234 567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestFoldJoinsRecursion(t *testing.T) {
	in := []frame{{fn: "f", cell: 1, line: 3}, {fn: "f", cell: 1, line: 4}, {fn: "g", cell: 1, line: 7}, {cell: 2, line: 1}}
	var got []string
	for _, f := range fold(in) {
		got = append(got, f.String())
	}
	want := []string{"cell [1]:3 in f (2 times)", "cell [1]:7 in g", "cell [2]:1"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("fold gives %q, want %q", got, want)
	}
}
