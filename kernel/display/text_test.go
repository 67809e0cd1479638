package display

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// Where nothing is left out, the short form is what fmt writes.
func TestBriefIsPlusV(t *testing.T) {
	n := 3
	for _, v := range []any{
		1, 2.5, "s", 'a', true, 1i, []int{}, []int(nil), map[string]int{"b": 1, "a": 2}, [2]bool{true, false},
		pair{1, 2}, &pair{1, 2}, small{1, 2}, struct{}{}, []any{nil, 1, "x", []any{pair{}}},
		map[pair][]small{{1, 2}: {{3, 4}}},
		struct {
			E error
			T time.Duration
			s fmt.Stringer
			P *int
			M map[int]any
		}{errors.New("e"), time.Second, nil, nil, nil},
		&[]int{1}, &map[string]int{"a": 1}, []time.Duration{1, 2}, [][]byte{{1}, nil}, errors.New("top"), &n == nil,
	} {
		var b strings.Builder
		if brief(&b, reflect.ValueOf(v), 0); b.String() != fmt.Sprintf("%+v", v) {
			t.Errorf("%T: %q, want %q", v, b.String(), fmt.Sprintf("%+v", v))
		}
	}
}

func TestSmallWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 1234: "1,234", 1234567: "1,234,567", -1000: "-1,000",
		-100: "-100"} {
		if got := count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for s, want := range map[string]string{"ééééé": "ééé…", "éé": "éé"} {
		if got := oneLine(s, 3); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got := oneLine("a\tb\x00", 9); got != "a b " {
		t.Errorf("%q", got)
	}
}
