//go:build linux

package session

import (
	"fmt"
	"strings"
	"testing"
)

// row is a row of the redefinition table. A value v of type t is held in five
// ways, and for each holder two functions read it by the expression use, one in
// a plain cell and one compiled on demand.
type row struct {
	name   string
	decl   string // the first cell
	t, v   string // what is held
	use    string // of the held value, as $
	before string // what use gives
	redef  string // the cell that gives a name another meaning
	after  string // what use gives then; broken: the functions no longer compile
	stale  bool   // the variables hold old values, and the redefining cell says so
	boxed  bool   // not so, or so, for the one in an interface
	now    string // an expression after it, and its value
	value  string
}

const broken = "broken"

// holders are the ways in which a value is held, and how it is read: $ in make
// is the value, T its type, N the variable.
var holders = []struct{ name, make, read string }{
	{"val", "N := $", "N"},
	{"ptr", "N0 := $\nN := &N0", "(*N)"},
	{"list", "N := []T{$}", "N[0]"},
	{"dict", `N := map[string]T{"k": $}`, `N["k"]`},
	{"box", "var N any = $", "N.(T)"},
}

var rows = []row{
	{name: "function, same type", decl: "func f() int { return 1 }", t: "func() int", v: "f", use: "$() * 10 + f()",
		before: "11", redef: "func f() int { return 2 }", after: "12", now: "f()", value: "2"},
	{name: "function, other type", decl: "func f() int { return 1 }", t: "func() int", v: "f", use: "$() + f()", before: "2",
		redef: `func f() string { return "two" }`, after: broken, now: "f()", value: "two"},
	{name: "recursive function", decl: "func f(n int) int {\n\tif n == 0 {\n\t\treturn 1\n\t}\n\treturn f(n-1) + 1\n}",
		t: "func(int) int", v: "f", use: "$(3)", before: "4",
		redef: "func f(n int) int { return 100 }", after: "101", now: "f(3)", value: "100"},
	{name: "method body", decl: "type P struct{ k int }\nfunc (p P) M() int { return p.k }", t: "P", v: "P{3}", use: "$.M()",
		before: "3", redef: "func (p P) M() int { return p.k * 100 }", after: "300", now: "P{1}.M()", value: "100"},
	{name: "pointer method body", decl: "type P struct{ k int }\nfunc (p *P) M() int { return p.k }", t: "*P", v: "&P{3}",
		use: "$.M()", before: "3", redef: "func (p *P) M() int { p.k++; return p.k * 100 }", after: "", now: "(&P{1}).M()", value: "200"},
	{name: "method value", decl: "type P struct{ k int }\nfunc (p P) M() int { return p.k }", t: "func() int", v: "P{3}.M",
		use: "$()", before: "3", redef: "func (p P) M() int { return p.k * 100 }", after: "300", now: "P.M(P{2})", value: "200"},
	{name: "type run again", decl: "type P struct{ k int }\nfunc (p P) M() int { return p.k }", t: "P", v: "P{3}", use: "$.M()",
		before: "3", redef: "type P struct{ k int }\nfunc (p P) M() int { return p.k + 1 }", after: "4", now: "P{1}.M()", value: "2"},
	{name: "method added", decl: "type P struct{ K int }", t: "P", v: "P{3}", use: "$.K", before: "3",
		redef: "func (p P) M() int { return p.K }", after: "3", now: "P{1}.M()", value: "1"},
	{name: "method gone", decl: "type P struct{ K int }\nfunc (p P) M() int { return p.K }", t: "P", v: "P{3}", use: "$.K",
		before: "3", redef: "type P struct{ K int }", after: "3", now: "fmt.Sprint(P{1})", value: "{1}"},
	{name: "method retyped", decl: "type P struct{ K int }\nfunc (p P) M() int { return p.K }", t: "P", v: "P{3}",
		use: "fmt.Sprint($.M())", before: "3", redef: "func (p P) M() string { return \"m\" }", after: "m", now: "P{1}.M()", value: "m"},
	{name: "other layout", decl: "type P struct{ K int }", t: "P", v: "P{3}", use: "$.K", before: "3",
		redef: "type P struct{ K, L int }", after: "", stale: true, now: "P{1, 2}.L", value: "2"},
	{name: "embedded type", decl: "type B struct{ K int }\ntype P struct{ B }", t: "P", v: "P{B{3}}", use: "$.K", before: "3",
		redef: "func (b B) M() int { return b.K }", after: "3", now: "P{B{5}}.M()", value: "5"},
	{name: "constant", decl: "const n = 2", t: "int", v: "n", use: "$ + n", before: "4", redef: "const n = 10", after: "12",
		now: "n", value: "10"},
	{name: "variable, same type", decl: "x := 1", t: "*int", v: "&x", use: "*$ + x", before: "2", redef: "x := 5", after: "10",
		now: "x", value: "5"},
	{name: "variable, other type", decl: "x := 1", t: "*int", v: "&x", use: "*$ + x", before: "2", redef: `x := "s"`,
		after: broken, now: "x", value: "s"},
	{name: "import", decl: `import m "math"`, t: "float64", v: "4.0", use: "m.Sqrt($)", before: "2", redef: `import m "strings"`,
		after: broken, now: `m.ToUpper("a")`, value: "A"},
	{name: "another kind", decl: "func f() int { return 1 }", t: "func() int", v: "f", use: "$() + f()", before: "2",
		redef: "f := func() int { return 5 }", after: "6", now: "f()", value: "5"},
	{name: "generic function", decl: "func f[T any](x T) []T { return []T{x} }", t: "[]int", v: "f(1)", use: "len($) + len(f(2))",
		before: "2", redef: "func f[T any](x T) []T { return []T{x, x} }", after: "3", now: "f(1)", value: "[1 1]"},
	{name: "generic type", decl: "type P[T any] struct{ K T }", t: "P[int]", v: "P[int]{3}", use: "$.K", before: "3",
		redef: "func (p P[T]) M() T { return p.K }", after: "", boxed: true, now: "P[int]{7}.M()", value: "7"},
	{name: "interface type", decl: "type I interface{ M() int }\ntype P int\nfunc (p P) M() int { return int(p) }", t: "I", v: "I(P(3))",
		use: "$.M()", before: "3", redef: "type I interface{ M() int; comparable2() }\nfunc (p P) comparable2() {}", after: "",
		stale: true, boxed: true, now: "I(P(1)).M()", value: "1"},
}

// The redefinition matrix: every row by plain and compiled caller and holder.
func TestRedefinitionMatrix(t *testing.T) {
	needsCompiler(t)
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) { x.run(t) })
	}
}

func (x row) run(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, x.decl)
	var held, plain, compiled []string
	for _, h := range holders {
		name := func(text string) string {
			return strings.NewReplacer("N0", h.name+"0", "N", h.name, "T", x.t, "$", x.v).Replace(text)
		}
		held = append(held, name(h.make))
		use := strings.ReplaceAll(x.use, "$", strings.NewReplacer("N", h.name, "T", x.t).Replace(h.read))
		plain = append(plain, fmt.Sprintf("func plain_%s() string { return fmt.Sprint(%s) }", h.name, use))
		compiled = append(compiled, fmt.Sprintf("func compiled_%s() string { return fmt.Sprint(%s) }", h.name, use))
	}
	mustRun(t, s, 2, strings.Join(held, "\n"), strings.Join(plain, "\n"), "%%native\n"+strings.Join(compiled, "\n"))
	x.callers(t, s, 5, x.before)
	a := mustRun(t, s, 6, x.redef)
	for _, h := range holders {
		told := strings.Contains(a.stderr, fmt.Sprintf("warning: %s (cell [2]) holds a value of the old", h.name))
		if want := x.stale != (x.boxed && h.name == "box"); told != want {
			t.Errorf("%s: told of an old value: %v; stderr:\n%s", h.name, told, a.stderr)
		}
	}
	if x.after != "" {
		x.callers(t, s, 7, x.after)
	}
	if got := mustRun(t, s, 8, x.now); got.result != x.value {
		t.Errorf("%s is %q after it, want %q", x.now, got.result, x.value)
	}
	if x.stale {
		x.oldValues(t, s)
	}
}

// callers calls the functions of all holders in one cell, or each alone when
// they should be broken.
func (x row) callers(t *testing.T, s *Session, cell int, want string) {
	t.Helper()
	var calls []string
	for _, kind := range []string{"plain", "compiled"} {
		for _, h := range holders {
			calls = append(calls, fmt.Sprintf("%s_%s()", kind, h.name))
		}
	}
	if want == broken {
		for _, c := range calls {
			a := runCell(t, s, cell, c)
			if a.out.Err == nil || !strings.Contains(a.failure(), strings.TrimSuffix(c, "()")+" (cell [") ||
				!strings.Contains(a.failure(), "no longer compiles since") {
				t.Errorf("%s: %q %s, want a refusal of a broken function", c, a.result, a.failure())
			}
		}
		return
	}
	a := mustRun(t, s, cell, "[]string{"+strings.Join(calls, ", ")+"}")
	got := strings.Fields(strings.Trim(a.result, "[]"))
	for i, c := range calls {
		if len(got) != len(calls) || got[i] != want {
			t.Errorf("%s in cell %d: %v, want each %s", c, cell, got, want)
			return
		}
	}
}

// oldValues are still there and can be read at the top.
func (x row) oldValues(t *testing.T, s *Session) {
	t.Helper()
	for _, h := range holders[:4] {
		use := strings.ReplaceAll(x.use, "$", strings.NewReplacer("N", h.name, "T", x.t).Replace(h.read))
		if a := mustRun(t, s, 9, use); a.result != x.before {
			t.Errorf("%s: the old value gives %q, want %q", h.name, a.result, x.before)
		}
	}
}
