package front

import (
	"strings"
	"testing"
)

// What go/types accepts and the compiler does not is refused in the compiler's
// words, and what the compiler accepts just below its limits is not.
func TestCompiler(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"type I interface{ M() interface{ I } }", "1:8: invalid recursive type: anonymous interface refers to itself"},
		{"type I interface{ M() I }", ""},
		{"var v [1 << 50]byte", "1:7: type [1125899906842624]byte larger than address space"},
		{"type V struct {\n\ta, b [1 << 49]byte\n}", "1:6: type V too large"},
		{"var v *[1 << 40]byte", ""},
		{"c := make(chan [1 << 16]byte)", "1:11: channel element type too large (>64kB)"},
		{"c := make(chan [1<<16 - 1]byte)", ""},
		{"func f(x [1500000000]byte) {}", "1:6: stack frame too large (>1GB): 0 MB locals + 1430 MB args"},
		{"func f(x *[1 << 31]byte) {\n\tfor _, b := range *x {\n\t\t_ = b\n\t}\n}",
			"1:6: stack frame too large (>1GB): 2048 MB locals"},
		{"func f(x *[1 << 31]byte) {\n\tfor range *x {\n\t}\n}", ""},
		{"var x *[1 << 31]byte\nfor _, b := range *x {\n\t_ = b\n}", "2:1: stack frame too large (>1GB)"},
		{"f := func() (x [1 << 31]byte) { return }", "1:6: stack frame too large (>1GB)"},
		{"func f() {\n\tvar a [1 << 32]byte\n\t_ = a\n}", ""}, // on the heap
		{"//go:noinline\nvar x int", "1:1: misplaced compiler directive"},
		{"//go:noinline\nfunc f() {}", ""},
		{"type T int\n\n//go:noinline\n// what it is for\nfunc (T) m() {}", ""},
		{"func f() {\n\t//go:noinline\n\tx := 1\n\t_ = x\n}", "2:2: misplaced compiler directive"},
		{"func f() {} //go:noinline", "1:13: misplaced compiler directive"},
		{"//go:noinline\nf := func() {}", "1:1: misplaced compiler directive"},
		{"//go:build linux\n\npackage main\nfunc main() {}", ""},
		{"func f() {}\n//go:build linux", "2:1: misplaced compiler directive"},
		{"//go:systemstack\nfunc f() {}", "1:1: //go:systemstack only allowed in runtime"},
		{"//go:uintptrkeepalive\nfunc f() {}", "1:1: //go:uintptrkeepalive is only allowed in the standard library"},
		{"//go:noescape\nfunc f() {}", "can only use //go:noescape with external func implementations"},
		{"//go:generate stringer\nvar x int", ""},
		{"x := \"//go:noinline\"", ""},
	} {
		_, e := New(index()).Check(1, tt.src, NewScope())
		got := ""
		if e != nil {
			got = render(e, tt.src)
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && e != nil {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

// Syntax errors have the compiler's words.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"x := f(1", "1:9: syntax error: unexpected end of cell in argument list; possibly missing comma or )"},
		{"x := f(1\n)", "1:9: syntax error: unexpected newline in argument list; possibly missing comma or )"},
		{"x := f(1 2)", "1:10: syntax error: unexpected literal 2 in argument list; possibly missing comma or )"},
		{"x := []int{1, 2\n}", "1:16: syntax error: unexpected newline in composite literal; possibly missing comma or }"},
		{"x := 1 y", "1:8: syntax error: unexpected name y at end of statement"},
		{"func f() {} }", "1:13: syntax error: unexpected }"},
		{"func f() {\n} x", "2:3: syntax error: unexpected name x after top level declaration"},
		{"for i := 0; i < 3; i++\n{\n}", "1:23: syntax error: unexpected newline, expected { after for clause"},
		{"switch x := 1 y {\n}", "1:15: syntax error: missing { after switch clause"},
		{"if x := 1 {\n}", "1:4: syntax error: cannot use x := 1 as value"},
		{"if true {\n} else return", "2:8: syntax error: else must be followed by if or statement block"},
		{"x := 'ab'", "1:6: more than one character in rune literal"},
		{"x := ''", "1:6: empty rune literal or unescaped '"},
		{"x := 'a\n", "1:6: rune literal not terminated"},
		{"x := \"a\ny := 1", "1:6: newline in string"},
		{"x := \"a", "1:6: string not terminated"},
		{"x := `a", "1:6: string not terminated"},
		{"x := 1 ? 2 : 3", "1:8: invalid character U+003F '?'"},
		{"x⊛ := 1", "1:2: invalid character U+229B '⊛' in identifier"},
		{"x := 0x", "1:8: hexadecimal literal has no digits"},
		{"x := \"\\z\"", "1:8: unknown escape"},
		{"for i, j, k := range x {\n}", "1:11: syntax error: range clause permits at most two iteration variables"},
		{"switch 1 {\ncase 1:\n\tL:\ncase 2:\n}", "3:2: syntax error: missing statement after label"},
		{"x := a.1", "syntax error: unexpected literal .1 at end of statement"},
		{"x := a.(", "syntax error: unexpected end of cell, expected type"},
		{"var c chan", "1:11: syntax error: unexpected end of cell, expected type"},
		{"x[1:2:]", "1:6: syntax error: final index required in 3-index slice"},
		{"func f() { L: for {} }", "label L defined and not used"},
		{"func f() { goto L; L: ; L: }", "label L already defined"},
		{"L: for { break M }", "invalid break label M"},
	} {
		_, e := New(index()).Check(1, tt.src, NewScope())
		if e == nil {
			t.Errorf("%q: no error", tt.src)
		} else if got := render(e, tt.src); !strings.Contains(got, tt.want) {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
}

// Methods on names that no cell declares are refused, and not a fault.
func TestForeignMethods(t *testing.T) {
	for _, cells := range [][]string{
		{"import . \"time\"\nfunc (d Duration) X() {}"},
		{"import . \"time\"\ntype A = Duration\nfunc (d A) X() {}"},
		{"import . \"time\"\ntype A = *Duration\nfunc (d A) X() {}"},
		{"import . \"time\"\n_ = Now()", "func (d *Duration) X() {}"},
		{"type D = time.Duration", "func (d D) X() {}"},
		{"func (d int) X() {}"},
		{"type A = int\nfunc (d A) X() {}"},
		{"x := 1", "func (x) X() {}"},
		{"func (nope) X() {}"},
		{"type A = B\ntype B = A\nfunc (A) X() {}"},
	} {
		b := newNotebook(t)
		b.ok(cells[:len(cells)-1]...)
		_, e := b.check(cells[len(cells)-1])
		if e == nil {
			t.Errorf("%q: accepted", cells)
		} else if strings.Contains(e.Error(), "the checker failed") {
			t.Errorf("%q: %v", cells, e)
		}
	}
	_, e := New(index()).Check(1, "import . \"bytes\"\nvar Index byte\n_ = NewReader", NewScope())
	if e == nil || !strings.Contains(e.Error(), "2:5: Index already declared through dot-import") {
		t.Errorf("a name that is dot-imported too: %v", e)
	}
	newNotebook(t).ok("import . \"bytes\"\n_ = NewReader", "Index := 1") // of an earlier cell it may be
}
