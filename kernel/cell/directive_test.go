package cell

import (
	"fmt"
	"strings"
	"testing"
)

func TestDirectives(t *testing.T) {
	for _, tt := range []struct{ src, code, list string }{
		{"x := 1", "x := 1", ""},
		{"%whos\nx", "     \nx", "whos||1:6"},
		{"%time  f(1)", "           ", "time|f(1)|1:8"},
		{"x := 1\n  %env A=b  \ny", "x := 1\n            \ny", "env|A=b|2:8"},
		{"!echo \"it's\n1", "           \n1", "!|echo \"it's|1:2"},
		{"//%cd /tmp\n1", "          \n1", "cd|/tmp|1:7"},
		{"a\n%b", "a\n  ", "b||2:3"},
		{"x := a +\n%b", "x := a +\n%b", ""}, // an expression goes on
		{"a := `\n%who\n`", "a := `\n%who\n`", ""},
		{"/*\n%who\n*/", "/*\n%who\n*/", ""},
		{"func f() {\n%who\n}", "func f() {\n%who\n}", ""},
		{"fmt.Println?", "            ", "doc|fmt.Println|1:1"},
		{"x??", "   ", "doc+|x|1:1"},
		{"%%time\nf()\n%who", "      \nf()\n    ", "%time||1:7 who||3:5"},
		{"\n%%bash -e\necho %x\n", "\n         \n       \n", "%bash|-e|2:8"},
		{"//%%native\nf()", "          \nf()", "%native||1:11"},
		{"%", " ", ""},
	} {
		code, ds := Directives(tt.src)
		var l []string
		for _, d := range ds {
			name := d.Name + strings.Repeat("+", d.Detail)
			if d.Whole {
				name = "%" + name
			}
			l = append(l, fmt.Sprintf("%s|%s|%d:%d", name, d.Args, d.Line, d.Col))
		}
		if got := strings.Join(l, " "); code != tt.code || got != tt.list {
			t.Errorf("%q:\ngot  %q %s\nwant %q %s", tt.src, code, got, tt.code, tt.list)
		}
	}
	if _, ds := Directives("%%bash\nls\n"); ds[0].Body != "ls\n" {
		t.Errorf("body of %%%%bash: %q", ds[0].Body)
	}
}

func TestReady(t *testing.T) {
	for _, tt := range []struct {
		src    string
		want   Status
		indent string
	}{
		{"", Complete, ""},
		{"x := 1", Complete, ""},
		{"x", Complete, ""},
		{"for i := range 3 {", Incomplete, "\t"},
		{"for i := range 3 {\n\tif i > 1 {\n", Incomplete, "\t\t"},
		{"switch x {", Incomplete, ""},
		{"switch x {\ncase 1:", Incomplete, "\t"},
		{"fmt.Println(", Incomplete, "\t"},
		{"x +", Incomplete, ""},
		{"x :=", Incomplete, ""},
		{"a := `raw", Incomplete, ""},
		{"/* open", Incomplete, ""},
		{"func f() int {\n\treturn 1\n}", Complete, ""},
		{"}", Invalid, ""},
		{"f(]", Invalid, ""},
		{"a:a b", Invalid, ""},
		{"x := 1 2", Invalid, ""},
		{"%time f(", Complete, ""},
		{"%%bash\nif [", Unknown, ""},
		{"%%native\nf(", Unknown, ""},
		{"//%%time\nf()", Unknown, ""},
		{"%time f()", Complete, ""},
		{"type T struct{ A int }", Complete, ""},
		{"var x", Invalid, ""},
		{"import", Incomplete, ""},
		{"package main\nfunc main() {}", Complete, ""},
	} {
		got, indent := Ready(tt.src)
		if got != tt.want || indent != tt.indent {
			t.Errorf("%q: %s %q, want %s %q", tt.src, got, indent, tt.want, tt.indent)
		}
	}
}
