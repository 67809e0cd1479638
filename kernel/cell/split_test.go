package cell

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"x := 1\ny++", "7:1:1 x := 1|0:2:1 y++"},
		{"type T struct{ n int }; t := T{4}; func (t T) Twice() int { return 2 * t.n }; t.Twice()",
			"2:1:1 type T struct{ n int };|7:1:25 t := T{4};|6:1:36 func (t T) Twice() int { return 2 * t.n };|0:1:79 t.Twice()"},
		{"import (\n\t\"os\"\n)\nos.Args", "1:1:1 import (\n\t\"os\"\n)|0:4:1 os.Args"},
		{"func f() {}\nfunc() {}()\nfunc(x int) int { return x }(1)",
			"5:1:1 func f() {}|0:2:1 func() {}()|0:3:1 func(x int) int { return x }(1)"},
		{"func (x int) int { return x }(1)", "0:1:1 func (x int) int { return x }(1)"},
		{"func (x int) (int) { return x }(1)", "0:1:1 func (x int) (int) { return x }(1)"},
		{"func (s *Stack[T]) Push(v T) {}", "6:1:1 func (s *Stack[T]) Push(v T) {}"},
		{"const a, b = 1, \"x\"\nvar u = 2", "3:1:1 const a, b = 1, \"x\"|4:2:1 var u = 2"},
		{"x // first\n// second\n\n// third\nfunc g() {}", "0:1:1 x|5:5:1 func g() {} doc=// third"},
		{"for i := range 3 {\n}\nif y := 7; y > 3 {\n}", "0:1:1 for i := range 3 {\n}|0:3:1 if y := 7; y > 3 {\n}"},
		{"for i := 0; i < 3; i++ {\n}; x", "0:1:1 for i := 0; i < 3; i++ {\n};|0:2:4 x"},
		{"if x := []int{1}; len(x) > 0 {\n} else if y := 1; y > 0 {\n}; z",
			"0:1:1 if x := []int{1}; len(x) > 0 {\n} else if y := 1; y > 0 {\n};|0:3:4 z"},
		{"M: switch x := f(); x {\n}; y", "0:1:1 M: switch x := f(); x {\n};|0:2:4 y"},
		{"select {\n}; x; func() {\n}()", "0:1:1 select {\n};|0:2:4 x;|0:2:7 func() {\n}()"},
		{"L: for {\n}\nM: x := 1", "0:1:1 L: for {\n}|0:3:1 M:;|7:3:4 x := 1"},
		{"package main\nfunc main() {}", "8:1:1 package main|5:2:1 func main() {}"},
		{"}\nx := 2", "0:1:1 }|7:2:1 x := 2"},
		{"a, err := f(func() { b := 1 })", "7:1:1 a, err := f(func() { b := 1 })"},
		{"// only a comment", ""},
		{";;", ""},
		{"x;", "0:1:1 x;"},
		{"é := `\n`; z", "7:1:1 é := `\n`;|0:2:4 z"},
	} {
		var l []string
		for _, p := range Split(tt.src) {
			s := fmt.Sprintf("%d:%d:%d %s", p.Kind, p.Line, p.Col, p.Text)
			if p.Semicolon {
				s += ";"
			}
			if p.Doc != "" {
				s += " doc=" + p.Doc
			}
			if p.Kind == Define && p.Text[p.Assign:p.Assign+2] != ":=" {
				t.Errorf("%q: := is not at %d of %q", tt.src, p.Assign, p.Text)
			}
			l = append(l, s)
		}
		if got := strings.Join(l, "|"); got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

// Pieces lie in order, each is its own text of the cell, and its line and
// column are those of its offset.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"x := 1\ny++", "func f() {", "}{", "L: x := 1; L: M: y := 2", "a:a", "`", "/*",
		"import \"a\"; package x",
		"\xff\x00", "func (x T) m", ":=", "x, := 1", "\ufeffx", "//\r\n//\n//line a:1\nx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		end := 0
		for _, p := range Split(src) {
			if p.Offset < end || p.End() > len(src) || src[p.Offset:p.End()] != p.Text || p.Text == "" {
				t.Fatalf("%q: piece %+v after %d", src, p, end)
			}
			end = p.End()
			if line := 1 + strings.Count(src[:p.Offset], "\n"); p.Line != line {
				t.Fatalf("%q: line of %+v, want %d", src, p, line)
			}
			if col := p.Offset - strings.LastIndexByte(src[:p.Offset], '\n'); p.Col != col {
				t.Fatalf("%q: column of %+v, want %d", src, p, col)
			}
			if p.Kind == Define && !strings.HasPrefix(p.Text[p.Assign:], ":=") {
				t.Fatalf("%q: := of %+v", src, p)
			}
		}
		code, _ := Directives(src)
		if len(code) != len(src) || strings.Count(code, "\n") != strings.Count(src, "\n") {
			t.Fatalf("%q: directives taken off: %q", src, code)
		}
		Ready(src)
	})
}

func TestPosition(t *testing.T) {
	const s = "a😀é\u0301z" // 1, 4, 2, 2, 1 bytes
	for _, tt := range []struct{ runes, bytes int }{{0, 0}, {1, 1}, {2, 5}, {3, 7}, {4, 9}, {5, 10}} {
		if got := ByteOffset(s, tt.runes); got != tt.bytes {
			t.Errorf("ByteOffset(%d) = %d, want %d", tt.runes, got, tt.bytes)
		}
		if got := RuneOffset(s, tt.bytes); got != tt.runes {
			t.Errorf("RuneOffset(%d) = %d, want %d", tt.bytes, got, tt.runes)
		}
	}
	if got := RuneOffset(s, 3); got != 1 { // inside the emoji
		t.Errorf("RuneOffset(3) = %d, want 1", got)
	}
	if ByteOffset(s, 99) != len(s) || ByteOffset(s, -1) != 0 || RuneOffset(s, 99) != 5 || RuneOffset(s, -1) != 0 {
		t.Error("positions outside of the text do not become its ends")
	}
	if got := Column("é := x", 7); got != 6 { // byte 7 is code point 6
		t.Errorf("Column = %d, want 6", got)
	}
}

// Code points to bytes and back is the same position, for any text.
func FuzzPosition(f *testing.F) {
	f.Add("a😀é", 2)
	f.Add("\xff\xf0\x9f\x98", 1)
	f.Fuzz(func(t *testing.T, s string, n int) {
		at := ByteOffset(s, n)
		want := max(0, min(n, utf8.RuneCountInString(s)))
		if got := RuneOffset(s, at); got != want {
			t.Fatalf("%q: %d runes are byte %d, and that is %d runes", s, n, at, got)
		}
	})
}
