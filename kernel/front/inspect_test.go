package front

import (
	"strings"
	"testing"
)

func TestInspect(t *testing.T) {
	b := newNotebook(t)
	b.ok("// half halves.\n//\n// It rounds down.\nfunc half(n int) int { return n / 2 }", "xs := []float64{1}",
		"type T struct{ F int }",
		"// M gives back.\nfunc (t T) M(a int) int { return a }", "func (t *T) hidden() {}", "v := T{}")
	for _, tt := range []struct {
		src    string
		detail int
		want   []string // all in the Markdown; "-" in front: not
	}{
		{"fmt.Pr‸intln(1)", 0, []string{"func Println(a ...any) (n int, err error)", "package `fmt`",
			"formats using the default formats", "Example:"}},
		{"fmt.Println‸", 0, []string{"func Println("}},
		{"f‸mt.Println(1)", 0, []string{"package fmt", "Package fmt implements"}},
		{"half‸(3)", 0, []string{"func half(n int) int", "half halves.", "-It rounds down.", "-return n / 2"}},
		{"half‸(3)", 1, []string{"func half(n int) int", "It rounds down.", "return n / 2"}},
		{"half(‸", 0, []string{"func half(n int) int", "half(**n int**)"}},
		{"strings.Replace(\"a\", ‸", 0, []string{"func Replace(", "Replace(s string, **old string**, new string, n int)"}},
		{"strings.Replace(\"a\", ‸, x)", 0, []string{"**old string**"}},
		{"fmt.Println(1, 2, ‸", 0, []string{"Println(**a ...any**)"}},
		{"fmt.Println(\"a, b‸\")", 0, []string{"Println(**a ...any**)"}}, // a comma in a string is none
		{"x‸s", 0, []string{"var xs []float64"}},
		{"v.M‸(1)", 1, []string{"func (T).M(a int) int", "M gives back.", "return a"}},
		{"v.F‸", 0, []string{"field F int"}},
		{"time.Now().Add‸(1)", 0, []string{"func (Time).Add(d Duration) Time", "Add returns the time t+d."}},
		{"math.P‸i", 0, []string{"const Pi untyped float = 3.14159"}},
		{"strings.Build‸er", 0, []string{"type Builder struct {\n\t// has unexported fields\n}", "-addr",
			"func (*Builder) WriteString(s string) (int, error)", "-copyCheck"}},
		{"strings.Build‸er", 1, []string{"using `Builder.Write` methods", "-[Builder.Write]"}},
		{"image.Poi‸nt", 0, []string{"type Point struct {\n\tX int\n\tY int\n}", "-unexported"}},
		{"http.Cook‸ie", 0, []string{"\tName        string\n", "\tExpires     time.Time\n"}},
		{"T‸{}", 0, []string{"type T struct {\n\tF int\n}", "func (T) M(a int) int\nfunc (*T) hidden()"}},
		{"js‸on.Marshal", 0, []string{"package json // import \"encoding/json\"", "-package `"}},
		{"len‸(xs)", 0, []string{"func len(v Type) int", "The len built-in function returns"}},
		{"x := len(‸", 0, []string{"func len(v Type) int"}},
		{"slices.Max[[]int](‸", 0, []string{"func Max[", "Max(**x "}},
		{"app‸end(xs, 1)", 0, []string{"func append(slice []Type, elems ...Type) []Type"}},
		{"var e err‸or", 0, []string{"type error interface{Error() string}", "conventional interface"}},
		{"x := ni‸l", 0, []string{"nil", "predeclared identifier representing the zero value"}},
		{"unsafe.Size‸of(1)", 0, []string{"builtin Sizeof"}},
		{"x := 1 +\nhalf‸(", 0, []string{"func half(n int) int"}},
		{"func g(abc int) int { return ab‸c }", 0, []string{"var abc int"}},
	} {
		src, n := at(t, tt.src)
		in := b.k.Inspect(src, n, tt.detail, b.sc)
		if !in.Found || in.Text == "" {
			t.Errorf("%q: nothing found", tt.src)
			continue
		}
		for _, want := range tt.want {
			not, found := strings.CutPrefix(want, "-")
			if strings.Contains(in.Markdown, not) == found {
				t.Errorf("%q: %q, in:\n%s", tt.src, want, in.Markdown)
			}
		}
	}
	for _, src := range []string{"‸", "1 + ‸", "// fmt.Println‸", "nosuch‸", "\"fmt.Println‸\"", "(‸1)"} {
		s, n := at(t, src)
		if in := b.k.Inspect(s, n, 0, b.sc); in.Found {
			t.Errorf("%q: found %s", src, in.Text)
		}
	}
}

// Names that a page of documentation would link stand between quotes; what is
// indexed, code and links to the web stay as they are.
func TestUnlinked(t *testing.T) {
	for _, tt := range [][2]string{
		{"see [Builder.Write], [*Reader] and [io.Reader].", "see `Builder.Write`, `*Reader` and `io.Reader`."},
		{"[A] [B] ([C])", "`A` `B` (`C`)"},
		{"package [net/http]\n[Open]", "package `net/http`\n`Open`"},
		{"x[i], [i], a[N] and [T]int", "x[i], [i], a[N] and [T]int"},
		{"\tf([A] )\n    [B]", "\tf([A] )\n    [B]"},
		{"[RFC 7159]\n\n[RFC]: https://x", "[RFC 7159]\n\n[RFC]: https://x"},
	} {
		if got := unlinked(tt[0], "`"); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}
