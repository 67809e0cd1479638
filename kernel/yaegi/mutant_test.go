package yaegi

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// mutant is a rule that is broken: where the lowered text of a cell has old, the
// rule is undone by new, and the cell must print something else.
type mutant struct{ rule, cell, want, old, new string }

// mutants have at least one for each rule. In old and new a name like V1 is
// that of a symbol; they are regular expressions and templates.
var mutants = []mutant{
	{"assign", "a, b := 1, 2\na, b = b, a\nfmt.Println(a, b)", "2 1\n", // values are bound before places are set
		`(_g4 := \*s\.V1)\n\t(\*s\.V1 = _g3)`, "$2\n\t$1"},
	{"body", "var a = b + 1\nvar b = 2\nfmt.Println(a)", "3\n", // in the order that Go initialises
		`(\*s\.V1 = 2)\n\t(\*s\.V2 = .*)`, "$2\n\t$1"},
	{"branch",
		"L:\nfor i := range 3 {\n\tfor j := range 3 {\n\t\tif j == 1 {\n" +
			"\t\t\tcontinue L\n\t\t}\n\t\tfmt.Println(i, j)\n\t}\n}",
		"0 0\n1 0\n2 0\n", `continue L_\d`, "continue"},
	{"builtin", "m := map[string]int{\"a\": 1}\nm[\"b\"]++\nfmt.Println(len(m))", "2\n", `s\.Set\d\(_g1, "a", 1\)`, ""},
	{"builtin", "var x any = 3\nn, ok := x.(string)\nfmt.Printf(\"%q %v\\n\", n, ok)", "\"\" false\n",
		`(_g2, _g3) := s\.Is4\(\*s\.V2\)`, `$1 := "3", true`},
	{"call", "func f(xs ...int) { fmt.Println(xs == nil) }\nf()", "true\n", `\*s\.Zero\d\.\.\.`, "[]int{}..."},
	{"call", "p := image.Point{1, 2}\nf := p.Add\np.X = 10\nfmt.Println(f(image.Point{1, 1}))", "(2,3)\n", // copied now
		`_g2 := s\.Bound4`, "(*s.V2).X = 10\n\t_g2 := s.Bound4"},
	{"constant", "const (\n\ta, b = iota, iota * 10\n\tc, d\n)\nfmt.Println(a, b, c, d)", "0 0 1 10\n", `\(10\)`, "(0)"},
	{"control",
		"var fs []func() int\nfor i := 0; i < 3; i++ {\n\tfs = append(fs, func() int { i++; return i })\n" +
			"}\nfmt.Println(fs[0](), fs[2]())",
		"1 3\n", `i_3 := new\(int\)`, "i_3 := i_2"},
	{"expr", "x := 0.0\nfmt.Println(1 / -x)", "-Inf\n", `\(-\(`, "(0.0 - ("},
	{"funclit",
		"func count() func() int {\n\tn := 0\n\treturn func() int { n++; return n }\n" +
			"}\nf := count()\nf()\nfmt.Println(f())",
		"2\n", `\*n_2 = (\*n_2 \+ 1)\n\t\treturn \*n_2`, "return $1"},
	{"generic", "fmt.Println(slices.Max([]int{1, 3, 2}))", "3\n", `XG_Max_sint_int\(_g1\)`, "XG_Max_sint_int(_g1[:1])"},
	{"local",
		"func f() int {\n\tx := 1\n\tp := &x\n\t*p = 2\n\treturn x\n}\n" +
			"fmt.Println(f())", "2\n", `p_3 := x_2`, "p_3 := new(int)"},
	{"operator", "func t() bool { fmt.Println(\"called\"); return true }\nx := false\nfmt.Println(x && t())", "false\n",
		`if _g2 {`, "if true {"},
	{"place", "i, xs := 0, []int{1, 2}\ni, xs[i] = 1, 9\nfmt.Println(i, xs)", "1 [9 2]\n", `\[_g7\] = `, "[*s.V2] = "},
	{"range", "arr := [2]int{1, 2}\nfor i, v := range arr {\n\tarr[1] = 9\n\tfmt.Println(i, v)\n}", "0 1\n1 2\n",
		`_g5 := _g2\[_g4\]`, "_g5 := (*s.V2)[_g4]"},
	{"range",
		"n := 3\nfor range n {\n\tn = 1\n\tfmt.Println(\"x\")\n}", "x\nx\nx\n", `(for ; _g\d) < _g\d`, "$1 < *s.V0"},
	{"range",
		"for i, r := range \"éa\" {\n\tfmt.Println(i, r)\n}", "0 233\n2 97\n", `_g4 = _g4 \+ _g5`, "_g4 = _g4 + 1"},
	{"selectgo", "x := 1\nfunc f() {\n\tdefer fmt.Println(x)\n\tx = 2\n}\nf()", "1\n", // arguments now
		`(?s)Println\(_g\d+\)(.*?)(s\.Conv\d+\(\*s\.V\d+\))`, "Println($2)$1$2"},
	{"selectgo",
		"c := make(chan int, 1)\nselect {\ncase c <- 1:\n\tfmt.Println(\"sent\")\n" +
			"default:\n\tfmt.Println(\"default\")\n}",
		"sent\n", `case 1:`, "case 3:"},
	{"statement", "func f() (x, y int) {\n\tx, y = 1, 2\n\treturn y, x\n}\nfmt.Println(f())", "2 1\n",
		`return _g3, _g4`, "x_2 = _g3\n\ty_3 = x_2\n\treturn x_2, y_3"},
	{"switch",
		"switch x := 2; {\ncase x > 1:\n\tfmt.Println(\"one\")\n\tfallthrough\ncase x > 5:\n\tfmt.Println(\"two\")\n}",
		"one\ntwo\n", `(?s)(Println.*?)_g1 = 2`, "$1"},
	{"switch",
		"var e error = io.EOF\nswitch x := e.(type) {\ncase fmt.Stringer:\n" +
			"\tfmt.Println(\"stringer\")\ncase error:\n\tfmt.Println(x)\n}",
		"EOF\n", `s\.Case\d\(_g1\)`, "1"},
}

// TestMutants breaks each rule of the lowering and sees that a program tells.
func TestMutants(t *testing.T) {
	rules := map[string]bool{}
	for _, m := range mutants {
		rules[m.rule] = true
		if o := newBook().run(m.cell); o.String() != m.want {
			t.Errorf("%s: %q prints %q, want %q", m.rule, m.cell, o, m.want)
			continue
		}
		old := regexp.MustCompile(m.old)
		b, changed := newBook(), false
		o := b.compileWith(m.cell, func(p *lower.Program) {
			text := old.ReplaceAllString(p.Text, m.new)
			changed, p.Text = text != p.Text, text
		})
		if !changed {
			t.Errorf("%s: the rule left nothing to break in %q", m.rule, m.cell)
			continue
		}
		if o.unit != nil {
			o.stdout = captured(func() {
				defer cellapi.Enter(b.n)()
				o.fault = o.unit.Run()
			})
		}
		if o.String() == m.want {
			t.Errorf("%s: broken, and nothing tells: %q", m.rule, m.cell)
		}
	}
	text, err := os.ReadFile("../lower/subset.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\t\{"[^"]+", "(\w+)", proofs`).FindAllStringSubmatch(string(text), -1) {
		if !rules[row[1]] {
			t.Error(fmt.Sprintf("no mutant breaks %s.go", row[1]))
			rules[row[1]] = true
		}
	}
	if !strings.Contains(string(text), "proofs{") {
		t.Error("the list is not where it was")
	}
}
