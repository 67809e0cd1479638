package front

import (
	"strings"
	"testing"
)

// All errors of a cell come at once, in the compiler's words, at the places of
// the cell, with advice.
func TestErrors(t *testing.T) {
	b := newNotebook(t)
	b.ok("eps := 0.1")
	for _, tt := range []struct{ src, want string }{
		{"var a int = \"s\"\nb := undefinedThing + 1\nfmt.Printn(\"x\")",
			"1:13: cannot use \"s\" (untyped string constant) as int value in variable declaration\n" +
				"2:6: undefined: undefinedThing\n3:5: undefined: fmt.Printn | did you mean Print, Printf or Println?"},
		{"ep * 2", "1:1: undefined: ep | did you mean eps?"},
		{"x := 1; x := 2", "1:11: no new variables on left side of :="},
		{"y, x", "1:1: syntax error: expected 1 expression"},
		{"nosuch.Thing()", "1:1: undefined: nosuch"},
		{`import "no/such/package"`, "1:8: package no/such/package is not built in"},
		{`import "string"`, `1:8: package string is not built in | did you mean strings?`},
		{`import "C"`, `1:8: import "C" is not possible in a cell | call C from a package that is compiled with gondola`},
		{"package foo", "1:1: package foo: a cell is part of package main"},
	} {
		_, e := b.check(tt.src)
		if e == nil {
			t.Errorf("%q: no error", tt.src)
			continue
		}
		var l []string
		for _, d := range e.List {
			_, s, _ := strings.Cut(d.String(), "]:")
			if d.Advice != "" {
				s += " | " + d.Advice
			}
			l = append(l, s)
		}
		if got := strings.Join(l, "\n"); got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}
