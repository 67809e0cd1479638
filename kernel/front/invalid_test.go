package front

import (
	"strings"
	"testing"
)

// render is what a person reads, for one cell.
func render(e *Error, src string) string {
	return strings.Join(e.Render(map[int]string{1: src}), "\n")
}

// Cells that are no Go are refused in the compiler's words, at the place.
func TestInvalid(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"x := nope", "1:6: undefined: nope"},
		{"fmt.Nope()", "1:5: undefined: fmt.Nope"},
		{"user.Nope()", "1:1: undefined: user"}, // more likely a variable than os/user
		{"type T struct{ ABC int }\nT{}.ABD",
			"2:5: T{}.ABD undefined (type T has no field or method ABD)\n    T{}.ABD\n        ^\n    did you mean ABC?"},
		{"func f() { goto L }", "1:17: label L not defined"},
		{"func f() int {\n}", "2:1: missing return"},
		{"func f(a int) {}\nf(\"s\")", "2:3: cannot use \"s\" (untyped string constant) as int value in argument to f"},
		{"func f(a int) {}\nf(1, 2)", "2:6: too many arguments in call to f"},
		{"func f(a int) {}\nf()", "2:3: not enough arguments in call to f"},
		{"func f() int { return \"s\" }",
			"1:23: cannot use \"s\" (untyped string constant) as int value in return statement"},
		{"func f() int { return 1, 2 }", "too many return values"},
		{"a, b := 1", "1:9: assignment mismatch: 2 variables but 1 value"},
		{"type I interface{ M() }\ntype T struct{}\nvar i I = T{}",
			"3:11: cannot use T{} (value of struct type T) as I value in variable declaration: " +
				"T does not implement I (missing method M)"},
		{"type I interface{ M() }\ntype T struct{}\nfunc (t *T) M() {}\nt := T{}\nvar i I = t",
			"(method M has pointer receiver)\n    var i I = t\n              ^\n    give a pointer: &t"},
		{"break", "1:1: break is not in a loop, switch, or select"},
		{"continue", "1:1: continue is not in a loop"},
		{"if 1 {\n}", "1:4: non-boolean condition in if statement"},
		{"var b byte = 300", "1:14: cannot use 300 (untyped int constant) as byte value in variable declaration (overflows)"},
		{"const c = 1\nc = 2", "2:1: cannot assign to c"},
		{"1 = 2", "1:1: cannot assign to 1"},
		{"switch 1 {\ncase 1:\ncase 1:\n}",
			"3:6: duplicate case 1 (constant of type int) in expression switch\n\tcell [1]:2:6: previous case"},
		{"m := map[string]int{\"a\": 1, \"a\": 2}", "1:29: duplicate key \"a\" in map literal"},
		{"type D struct {\n\ta int\n\ta string\n}", "3:2: a redeclared"},
		{"x := 1\nx()", "2:1: invalid operation: cannot call x (variable of type int): int is not a function"},
		{"var a [2]int\na[5]", "2:3: invalid argument: index 5 out of bounds [0:2]"},
		{"for i := range 5.5 {\n}", "1:16: cannot range over 5.5 (untyped float constant)"},
		{"x, y := 1, \"s\"\nx + y", "2:1: invalid operation: x + y (mismatched types int and string)"},
		{"var c <-chan int\nc <- 1", "2:3: invalid operation: cannot send to receive-only channel"},
		{"type R struct{ R }", "1:6: invalid recursive type: R refers to itself"},
		{"func f()", "1:1: missing function body"},
		{"a:a", "1:3: undefined: a"},
		{"x := f(", "1:8: syntax error: unexpected end of cell, expected expression"},
		{"x = ;y := 2", "1:4: syntax error: unexpected semicolon, expected expression"},
		{"if x {", "syntax error"},
		{"}", "1:1: syntax error: unexpected }"},
		{"f(]", "1:3: syntax error: unexpected ]"},
		{"x = = 1\ny = = 2", "cell [1]:2:5: syntax error: unexpected =, expected expression"},
		// one broken piece does not hide the other
		{"x := 1 /* open", "1:8: comment not terminated"},
		{"/*/", "1:1: comment not terminated"},
		{"/**/ x := 1 /* shut */", ""},
		{"x := 1\nimport \"nope/x\"", "2:8: package nope/x is not built in"}, // an import may stand anywhere
		{"x := os.Args[nope]\nimport \"os\"\nvar y string = len(x)", "1:14: undefined: nope"},
		{"package main\npackage main", "2:1: syntax error: a package clause"},
		{"_g1 := 1", "1:1: _g1 is a name of gondola's own"},
		{"XG_x := 1", "1:1: XG_x is a name of gondola's own"},
		{"x := 1\n//go:linkname f g", "2:1: //go:linkname is not possible in a cell"},
		{"x := `\n//go:linkname f g\n`", ""}, // text is no comment
		{"var s string // s\n//go:embed f.txt\nvar b string", "2:1: //go:embed is not possible in a cell"},
		{"//go:linkname f runtime.f\nfunc f()", "1:1: //go:linkname is not possible in a cell"},
		{"\"é\" + 1 + \"\xff\"", "1:12: invalid UTF-8 encoding"},
		{"x := 1\n\x00", "2:1: invalid character NUL"},
		{"\"😀é\" + nope", "1:8: undefined: nope\n    \"😀é\" + nope\n           ^"}, // columns are code points
		{"//line other.go:90\nnope", "cell [1]:2:1: undefined: nope"},
		{"a, a := 1, 2", "1:4: a repeated on left side of :="},
		{"p.x := 1", "1:1: non-name p.x on left side of :="},
		{"x := 1\nx, y.z := 1, 2", "2:4: non-name y.z on left side of :="},
		{"fmt.Println(x)\nx := 5",
			"1:13: undefined: x\n    fmt.Println(x)\n                ^\n    x is defined below, in line 2 of this cell"},
		{"f()\nx := 5\nfunc f() int { return g() }\nfunc g() int { return x }", "1:1: f uses x, which is not defined yet"},
		{"x := x + 1", "initialization cycle"},
		{"rand.Seed(1)", "import \"math/rand\""},
		{"scanner.Scanner{}",
			"1:1: undefined: scanner\n    scanner.Scanner{}\n    ^\n    import \"go/scanner\" or \"text/scanner\""},
		{"scanner.ErrorList(nil)", ""}, // only go/scanner has it
		{"return 5", "1:8: too many return values"},
	} {
		_, e := New(index()).Check(1, tt.src, NewScope())
		switch {
		case tt.want == "" && e != nil:
			t.Errorf("%q: %v", tt.src, e)
		case tt.want == "":
		case e == nil:
			t.Errorf("%q: no error, want %s", tt.src, tt.want)
		case !strings.Contains(render(e, tt.src), tt.want):
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, render(e, tt.src), tt.want)
		}
	}
}

// Text beyond the limits is refused with its place, and quickly.
func TestLimits(t *testing.T) {
	for name, src := range map[string]string{
		"brackets":  strings.Repeat("(", 1_000_000),
		"unary":     "x := " + strings.Repeat("!", 5000) + "true",
		"chain":     "x := 1" + strings.Repeat("+1", 5000),
		"selectors": "x" + strings.Repeat(".x", 5000),
		"types":     "var x " + strings.Repeat("*", 5000) + "int",
		"big":       strings.Repeat("x := 1\n", 1_500_000),
	} {
		_, e := New(index()).Check(1, src, NewScope())
		if e == nil {
			t.Errorf("%s: no error", name)
		} else if m := e.List[0]; !strings.Contains(m.Msg, "nested deeper than 1000") &&
			!strings.Contains(m.Msg, "at most 1048576 are allowed") {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// At most ten errors are shown, then how many more there are.
func TestMany(t *testing.T) {
	src := strings.Repeat("nope()\n", 14)
	_, e := New(index()).Check(1, src, NewScope())
	if len(e.List) != 14 {
		t.Fatalf("%d errors, want 14", len(e.List))
	}
	if l := strings.Split(e.Error(), "\n"); len(l) != 11 || l[10] != "and 4 more" {
		t.Errorf("%q", l)
	}
	if l := e.Render(map[int]string{1: src}); l[len(l)-1] != "and 4 more" {
		t.Errorf("rendered: %q", l)
	}
}
