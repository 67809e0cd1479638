package front

import (
	"slices"
	"strings"
	"testing"
)

// at splits a text at its cursor, written ‸.
func at(t *testing.T, s string) (src string, offset int) {
	t.Helper()
	i := strings.Index(s, "‸")
	if i < 0 {
		t.Fatalf("no cursor in %q", s)
	}
	return s[:i] + s[i+len("‸"):], i
}

func texts(c Completion) (l []string) {
	for _, i := range c.Items {
		l = append(l, i.Text)
	}
	return l
}

func TestComplete(t *testing.T) {
	b := newNotebook(t)
	b.ok("type point struct{ x, y float64; Name string }",
		"func (p *point) Norm() float64 { return p.x }",
		"type circle struct {\n\tpoint\n\tR float64\n}",
		"p, xs, eps := point{}, []int{1}, 0.1", "c := &circle{}", "import str \"strings\"")
	for _, tt := range []struct{ src, first, has, not string }{
		{"fmt.Pri‸", "Print Printf Println", "", "Sprint"},
		{"fmt.‸", "", "Println Errorf Stringer", "newPrinter"},
		{"str.ToUp‸", "ToUpper ToUpperSpecial", "", ""},
		{"p.‸", "Name Norm x y", "", ""},
		{"c.‸", "", "R Norm Name point x", ""},
		{"for _, v := range xs {\n\tfmt.Println(p.‸", "", "Norm", ""},
		{"if p.‸", "", "Norm", ""},
		{"go func() {\n\tp.‸", "", "Norm", ""},
		{"for {\n\tdefer func(q point) { if true { q.‸", "", "Norm", ""},
		{"switch v := p.‸", "", "Norm", ""},
		{"switch {\ncase p.‸", "", "Norm", ""},
		{"func f(q point) {\n\tq.‸\n}\nz := 1", "", "Norm x", ""},
		{"ep‸", "eps", "", ""},
		{"PRINT‸", "", "print println", ""},
		{"x := strin‸", "string strings", "", ""},
		{"import \"math/r‸", "math/rand math/rand/v2", "", "fmt"},
		{"import \"math/r‸\"", "math/rand math/rand/v2", "", "fmt"},
		{"s := \"fmt.‸", "", "", ""},
		{"s := \"fmt.‸\"", "", "", ""},
		{"// fmt.‸", "", "", ""},
		{"/* fmt.‸ */", "", "", ""},
		{"1.‸", "", "", ""},
		{"point{‸", "Name x y", "", ""},
		{"point{x: 1, ‸}", "Name y", "", ""},
		{"[]point{{Na‸", "Name", "", ""},
		{"func g(abc int) {\n\tvar abd int\n\tab‸\n\tabe := 1\n}", "abc abd", "", "abe"},
		{"x := 1 +\n}\np.No‸", "Norm", "", ""}, // a broken piece above
		{"😀 := 1; p.No‸", "", "", ""},
		{"rand.Int‸", "", "IntN", "Intn"}, // math/rand/v2
		{"time.Now().Ad‸", "Add AddDate", "", ""},
		{"fmt.Println(\"é😀\", p.No‸)", "Norm", "", ""},
		{"re‸", "real recover", "return regexp", ""},
		{"nosuch.‸", "", "", ""},
		{"go p.N‸", "", "Norm", ""},
		{"defer p.N‸", "", "Norm", ""},
		{"type T struct {\n\ta time.Dur‸\n}", "Duration", "", ""},
		{"var d time.Dur‸", "Duration", "", ""},
		{"unsafe.Si‸", "Sizeof", "", ""},
		{"strings.Repeat(‸", "s", "eps xs", ""},
		{"math.Sqrt(‸", "x eps", "xs", ""}, // the hint, then what fits
		{"math.Sqrt(1 + ‸", "", "eps", "x"},
		{"c.Norm(‸", "", "c eps", ""},
		{"func h(d time.Dur‸", "Duration", "", ""},
	} {
		src, n := at(t, tt.src)
		c := b.k.Complete(src, n, b.sc)
		got := texts(c)
		if first := strings.Fields(tt.first); !slices.Equal(got[:min(len(got), len(first))], first) ||
			first == nil && tt.has == "" && len(got) > 0 {
			t.Errorf("%q: first %q, want %q", tt.src, got[:min(len(got), 5)], first)
		}
		for _, want := range strings.Fields(tt.has) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: no %s in %d names", tt.src, want, len(got))
			}
		}
		for _, not := range strings.Fields(tt.not) {
			if slices.Contains(got, not) {
				t.Errorf("%q: offers %s", tt.src, not)
			}
		}
		if c.End != n || c.Start > n || len(got) > 0 &&
			!strings.HasPrefix(strings.ToLower(got[0]), strings.ToLower(src[c.Start:n])) {
			t.Errorf("%q: replaces %d to %d", tt.src, c.Start, c.End)
		}
	}
}

// An offer says what it is and shows its type.
func TestItems(t *testing.T) {
	b := newNotebook(t)
	b.ok("type T struct{ F int }", "func (t T) M(a int) string { return \"\" }", "v := T{}", "const k = 3")
	for src, want := range map[string]Item{
		"v.F‸":         {"F", "field", "int"},
		"v.M‸":         {"M", "method", "func(a int) string"},
		"v.M(‸":        {"a", "instance", "parameter of v.M: int"},
		"k‸":           {"k", "constant", "untyped int = 3"},
		"strings.Cut‸": {"Cut", "function", "func(s string, sep string) (before string, after string, found bool)"},
		"T‸":           {"T", "class", "struct{F int}"},
		"io.Reader‸":   {"Reader", "interface", "interface{Read(p []byte) (n int, err error)}"},
		"selec‸":       {"select", "keyword", ""},
	} {
		s, n := at(t, src)
		if c := b.k.Complete(s, n, b.sc); len(c.Items) == 0 || c.Items[0] != want {
			t.Errorf("%q: %+v, want %+v", src, c.Items[:min(1, len(c.Items))], want)
		}
	}
}
