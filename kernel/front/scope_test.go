package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The value of a cell is decided from the tree and the type.
func TestValue(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"1 + 2", "untyped int"},
		{"1 << 70", "untyped int"},
		{"x := 2.5", ""},
		{"x := 1\nx // a comment", "int"},
		{"x := 1\nx;", "unused"},
		{"x := 1\nx; // a comment", "unused"},
		{"func f() {}\nf()", ""},
		{"func f() {}\nf", "func()"},
		{"strconv.Atoi(\"1\")", "(int, error)"},
		{"fmt.Println(1)", "unused"},
		{"(fmt.Fprintf(os.Stdout, \"\"))", "unused"},
		{"fmt.Sprint(1)", "string"},
		{"var b strings.Builder\nb.WriteString(\"x\")", "(int, error) on error"},
		{"os.Stdout.Write(nil)", "(n int, err error) on error"},
		{"os.WriteFile(\"x\", nil, 0)", "error"}, // a function, and its error counts
		{"c := make(chan int, 1)\nc <- 1", ""},
		{"c := make(chan int, 1)\n<-c", "int"},
		{"x := 1\nx++", ""},
		{"x := 1\nimport \"os\"\nfunc f() int { return x }\nimport (\n\ts \"strings\"\n)\ns.ToUpper(os.Args[f()])",
			"string"},
		{"1\nfunc f() {}", "refused"}, // the last piece is a declaration,
		{"if true {\n\t1 + 1\n}", "refused"},
		{"func() { 1 + 1 }", "refused"},
		{"func() { fmt.Println() }()", ""},
		{"func f() {}\nfunc() { f }()", "refused"},
		{"// nothing", ""},
		{"int", "refused"},
		{"nil", "untyped nil"},
		{"len([]int{1})", "int"},
		{"1\n2", "refused"}, // only the last may stand alone
	} {
		c, e := New(index()).Check(1, tt.src, NewScope())
		got := ""
		switch {
		case e != nil:
			got = "refused"
		case c.Value != nil:
			got = c.Info.Types[c.Value].Type.String()
			if c.ErrorOnly {
				got += " on error"
			}
		case c.Unused:
			got = "unused"
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q (%v)", tt.src, got, tt.want, e)
		}
	}
}

// A definition becomes a variable; names that the cell has are assigned.
func TestDefine(t *testing.T) {
	b := newNotebook(t)
	c := b.ok("a, err := strconv.Atoi(\"1\"); b, err := strconv.Atoi(\"2\")\n" +
		"/* c */ d, /* n */ err := 3, nil\ne, _ := 4, 5")
	want := []string{"a err", "b _g0r1", "d", "e _"}
	for i, p := range c.Pieces {
		var names []string
		for _, n := range p.Node.(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Names {
			names = append(names, n.Name)
		}
		if got := strings.Join(names, " "); got != want[i] {
			t.Errorf("piece %d declares %s, want %s", i, got, want[i])
		}
	}
	if r := c.Pieces[1].Reused; !maps.Equal(r, map[string]string{"_g0r1": "err"}) ||
		!slices.Equal(c.Pieces[1].HiddenOrder, []string{"_g0r1"}) {
		t.Errorf("reused %v", r)
	}
	if len(c.Pieces[1].Stmts) != 0 || len(c.Pieces[2].Stmts) != 1 {
		t.Errorf("%d and %d assignments beside the definitions, want 0 and 1", len(c.Pieces[1].Stmts), len(c.Pieces[2].Stmts))
	}
	var names []string
	for _, d := range c.Decls {
		names = append(names, fmt.Sprintf("%s:%s:%d:%d:%v", d.Name, d.Kind, d.Line, d.Col, d.Uses))
	}
	if got := strings.Join(names,
		" "); got != "a:var:1:1:[strconv] err:var:1:1:[strconv] b:var:1:30:[strconv] d:var:2:9:[] e:var:3:1:[]" {
		t.Error(got)
	}
	// a second definition of another type is an error at the name, not at ours
	_, e := b.check("p, err := 1, fmt.Errorf(\"\"); q, err := 2, fmt.Sprint(1)")
	if e == nil || strings.Contains(e.Error(), "_g0") || e.List[0].Line != 1 || e.List[0].Col != 33 {
		t.Error(e)
	}
}

func TestUses(t *testing.T) {
	b := newNotebook(t)
	b.ok("const N = 3", "func f() int { return N }", "type T struct{}", "import str \"strings\"")
	c := b.ok("func g(t T) int { N := f(); return N + len(str.ToUpper(fmt.Sprint(v))) }\n" +
		"var v = 1\nconst (\n\tA = N * iota\n\tB\n)\nfunc (t T) M() { g(t) }\nfunc (t T) f() { f() }")
	want := map[string]string{"g": "T f fmt str v", "v": "", "A": "N", "B": "A N", "T.M": "T g", "T.f": "T f"}
	for _, d := range c.Decls {
		if d.Name == "B" || d.Name == "A" {
			d.Uses = slices.DeleteFunc(d.Uses, func(s string) bool { return s == "A" || s == "B" })
			want["B"] = "N"
		}
		if got := strings.Join(d.Uses, " "); d.Name != "T" && got != want[d.Name] {
			t.Errorf("%s uses %q, want %q", d.Name, got, want[d.Name])
		}
	}
}

// Imports: explicit ones stay, a name of the user wins, dots do not hide.
func TestImports(t *testing.T) {
	b := newNotebook(t)
	b.ok("import (\n\t\"math\"\n\tstr \"strings\"\n)", "import \"math\"\nmath.Sqrt(2)", "str.ToUpper(\"a\")")
	if c := b.ok("import . \"sort\"\nSearchInts(nil, 3)"); !slices.Equal(c.Dots, []string{"sort"}) {
		t.Errorf("dots %v", c.Dots)
	}
	b.ok("SearchInts(nil, 1)", "Ints := 3", "Ints + 1", "Strings(nil)")
	b.ok("math := 1", "math + 1", "strings := []string{}", "len(strings)", "import \"math\"", "math.Pi")
	if c := b.ok("x := func(sort []int) int { return len(sort) }\ntime.Now()"); !maps.Equal(c.Auto,
		map[string]string{"time": "time"}) {
		t.Errorf("auto %v", c.Auto)
	}
	b.sc.NoAuto = true
	if _, e := b.check("fmt.Println()"); e == nil || e.List[0].Advice != `import "fmt"` {
		t.Errorf("without auto-import: %v", e)
	}
}

// "_" is the last value; lost and broken names say why they are not there.
func TestHidden(t *testing.T) {
	b := newNotebook(t)
	if _, e := b.check("_ + 1"); e == nil {
		t.Error("_ without a last value is no error")
	}
	b.sc.Names["_"] = Name{Obj: types.NewVar(token.NoPos, types.NewPackage("main", "main"), Last, types.Typ[types.Int])}
	c := b.ok("_, y := 1, _ + 1\ny + _")
	if tv := c.Info.Types[c.Value]; tv.Type != types.Typ[types.Int] {
		t.Errorf("y + _ is %v", tv.Type)
	}
	b.sc.Lost["xs"] = "lost with the worker in [7]; made in [3]: %replay 3"
	b.sc.Broken["g"] = "g (cell [1]) no longer compiles since f changed in cell [3]"
	for src, want := range map[string]string{
		"len(xs)":   "undefined: xs (lost with the worker in [7]; made in [3]: %replay 3)",
		"xs.Name":   "undefined: xs (lost with the worker in [7]; made in [3]: %replay 3)",
		"h := g":    "g (cell [1]) no longer compiles since f changed in cell [3]",
		"1 + g(2)":  "g (cell [1]) no longer compiles since f changed in cell [3]",
		"g := 1\ng": "",
	} {
		_, e := b.k.Check(9, src, b.sc)
		if (e == nil) != (want == "") || e != nil && e.List[0].Msg != want {
			t.Errorf("%q: %v, want %q", src, e, want)
		}
	}
}

// Two versions of a type are told apart by their cells.
func TestVersions(t *testing.T) {
	b := newNotebook(t)
	b.ok("type P struct{ X int }", "p := P{1}\nps := []*P{&p}", "type P struct{ X, Y int }",
		"func area(p P) int { return p.X }", "p.X + ps[0].X")
	_, e := b.check("area(p)")
	const want = "cannot use p (variable of struct type P of cell [1]) as P of cell [3] value in argument to area"
	if e == nil || e.List[0].Msg != want ||
		e.List[0].Advice != "p holds a value of the old P: run cell [2] again" {
		t.Errorf("%+v", e)
	}
	if _, e := b.check("area(*ps[0])"); e == nil ||
		e.List[0].Advice != "ps holds a value of the old P: run cell [2] again" {
		t.Errorf("%+v", e)
	}
}

// A method on a type of an earlier cell brings the type and its other methods
// in again, and may be wrong in its own words.
func TestLateMethod(t *testing.T) {
	b := newNotebook(t)
	b.ok("x := 1; type C struct{ N int }", "func (c *C) Inc() { c.N++ }")
	c := b.ok("func (c C) Double() int { c.Inc(); return 2 * c.N }")
	var l []string
	for _, d := range c.Decls {
		l = append(l, fmt.Sprintf("%s %d:%d:%d", d.Name, d.Cell, d.Line, d.Col))
	}
	if got := strings.Join(l, ", "); got != "C 1:1:9, C.Inc 2:1:1, C.Double 3:1:1" {
		t.Error(got)
	}
	if _, e := b.check("func (c C) Bad() int { return c.M }"); e == nil ||
		e.List[0].String() != "cell [4]:1:33: c.M undefined (type C has no field or method M)" {
		t.Error(e)
	}
	b.ok("func (c *C) Inc() { c.N += 2 }", "c := C{}\nc.Inc()\nc.Double()")
	for _, src := range []string{"func (i int) M() {}", "func (p *nosuch) M() {}", "func (x x) M() {}",
		"func (t time.Time) M() {}", "func (c C) N() {}"} {
		if _, e := b.check(src); e == nil {
			t.Errorf("%q: no error", src)
		}
	}
}

// A group of types comes in whole, and an alias brings the type behind it.
func TestLateMethodOfGroup(t *testing.T) {
	b := newNotebook(t)
	b.ok("type (\n\tA struct{ n int }\n\tB struct{ a A }\n)", "func (b B) M() int { return b.a.n }", "type C = A",
		"type I = int")
	c := b.ok("func (a A) N() int { return B{a}.M() }")
	var l []string
	for _, d := range c.Decls {
		l = append(l, d.Name)
	}
	if got := strings.Join(l, " "); got != "A B B.M A.N" {
		t.Error(got)
	}
	b.ok("func (c C) O() int { return c.n }", "A{1}.O() + C{2}.N() + B{A{3}}.M()")
	if _, e := b.check("func (i I) M() {}"); e == nil || e.List[0].Msg != "cannot define new methods on non-local type I" {
		t.Error(e)
	}
	b.ok("func Map[T, U any](xs []T, f func(T) U) []U { return nil }")
	if _, e := b.check("Map[int]([]int{1}, nil)"); e == nil || e.List[0].Msg != "in call to Map[int], cannot infer U" {
		t.Error(e)
	}
	if _, e := b.check("func F[T any]() {}\nF()"); e == nil ||
		e.List[0].Msg != "in call to F, cannot infer T (declared at cell [11]:1:8)" {
		t.Error(e)
	}
}

// What is not used in a cell is no error, the variable of a type switch neither;
// a label is.
func TestUnused(t *testing.T) {
	b := newNotebook(t)
	b.ok("func f(x any) { y := 1; switch z := x.(type) { case int: } }\nimport \"os\"")
	if _, e := b.check("func g() {\nL:\n}"); e == nil || e.List[0].Line != 2 {
		t.Error(e)
	}
}

// A type may be made of one of an earlier cell, of a dot-import or by an alias.
func TestTypeOfType(t *testing.T) {
	b := newNotebook(t)
	b.ok("type P struct{ X int }\ntype A = P", "type Q P", "type R = Q", "type (\n\tS R\n\tT S\n\tU = A\n)",
		"import . \"time\"\ntype D Duration", "U{1}.X + int(T{2}.X) + int(D(3))")
	if _, e := b.check("type V W\ntype W V"); e == nil ||
		e.List[0].Msg != "invalid recursive type V\n\tcell [7]:1:6: V refers to W\n\tcell [7]:2:6: W refers to V" {
		t.Error(e)
	}
}

// A program is a file: its order and its unused names are errors.
func TestProgram(t *testing.T) {
	sc := NewScope()
	sc.Strict = true
	for src, want := range map[string]string{
		"package main\n\nimport \"fmt\"\n\nvar a = b\n\nfunc f() {}\n\nvar b = 1\n\n" +
			"func main() { fmt.Println(a) }": "",
		"package main\nimport \"fmt\"\nfunc main() {}": "2:8: \"fmt\" imported and not used",
		"package main\nfunc main() { x := 1 }":         "2:15: declared and not used: x",
		"package main\nfunc main() { fmt.Println() }":  "2:15: undefined: fmt",
		"package main\nx := 1\nfunc main() {}":         "2:1: syntax error: non-declaration statement outside function body",
		"package main\nfunc main() {}\nimport \"fmt\"": "3:1: syntax error: imports must appear",
		"func main() {}":            "1:1: syntax error: package statement must be first",
		"package main\nfunc f() {}": "1:1: function main is undeclared in the main package",
	} {
		_, e := New(index()).Check(1, src, sc)
		if (e == nil) != (want == "") || e != nil && !strings.Contains(e.Error(), "cell [1]:"+want) {
			t.Errorf("%q: %v, want %q", src, e, want)
		}
	}
}

// Checks and questions may run beside each other.
func TestConcurrent(t *testing.T) {
	b := newNotebook(t)
	b.ok("xs := []int{1}", "type T struct{ A int }", "v := T{}")
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 10 {
				if _, e := b.k.Check(10+i, fmt.Sprintf("y%d := strings.Repeat(\"a\", %d)\nv.A + len(xs)", n, n), b.sc); e != nil {
					t.Error(e)
				}
				if c := b.k.Complete("http.Ge", 7, b.sc); len(c.Items) == 0 {
					t.Error("http.Ge: no names")
				}
				b.k.Inspect("json.Marshal(v)", 8, 1, b.sc)
			}
		})
	}
	wg.Wait()
}
