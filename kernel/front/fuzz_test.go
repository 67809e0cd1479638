package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Any text is answered by a cell or by errors at places of the text, twice the
// same, and no question about it fails.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		"x := 1\nx", "func (p P) M() {}", "type T T", "type T struct{ T }", "var a = b; var b = a", "a:a",
		"import . \"fmt\"; Println()",
		"x, err := f(); y, err := g()", "L: x := 1; goto L", "for {", "p.x = 1; P{1, 2}", "_", "_ + 1",
		"package main\nfunc main() {}",
		"//line foo:9\nx", "func f[T any](x T) T { return f[T](x) }; f(1)", "switch x := any(1).(type) {\ncase int:\n}",
		"return 1",
		"const c = 1 << 600", "var x = <-", "if x := 7; x > 3 {\n}", "import \"C\"", "\xff", "x\x00", "a, a := 1, 2",
		"var _g0cell = 1", "XG_a := 1",
	} {
		f.Add(s)
	}
	k := New(index())
	sc := NewScope()
	for i, s := range []string{"type P struct{ x, y int }\nfunc (p *P) N() int { return p.x }", "p, xs := P{}, []int{1}",
		"func f() (int, error) { return 1, nil }"} {
		c, e := k.Check(i+1, s, sc)
		if e != nil {
			f.Fatal(e)
		}
		b := notebook{sc: sc}
		b.commit(c)
		sc = b.sc
	}
	f.Fuzz(func(t *testing.T, src string) {
		c, e := k.Check(9, src, sc)
		_, again := k.Check(9, src, sc)
		if (e == nil) != (again == nil) || e != nil && e.Error() != again.Error() {
			t.Fatalf("%q: first %v, then %v", src, e, again)
		}
		if e == nil {
			if c == nil || c.File == nil {
				t.Fatalf("%q: neither a cell nor an error", src)
			}
			for _, p := range c.Pieces {
				if p.Node == nil && len(p.Stmts) == 0 {
					t.Fatalf("%q: a piece without a tree: %+v", src, p)
				}
			}
			return
		}
		lines := strings.Split(src, "\n")
		for _, d := range e.List {
			if strings.Contains(d.Msg, "the checker failed") || strings.Contains(d.Msg, "do not fit together") {
				t.Fatalf("%q: %v", src, d)
			}
			if d.Cell != 9 {
				continue // of a type that is checked again
			}
			if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.Col > utf8.RuneCountInString(lines[d.Line-1])+1 {
				t.Fatalf("%q: no such place: %v", src, d)
			}
		}
		e.Render(map[int]string{9: src})
		at := len(src) / 2
		k.Complete(src, at, sc)
		k.Inspect(src, at, 1, sc)
	})
}

// The programs of the case folder are right cells.
func TestPrograms(t *testing.T) {
	dir := os.Getenv("GONDOLA_CASES")
	if dir == "" {
		t.Skip("GONDOLA_CASES is not set: no folder of programs")
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(dir)), "golang*", "*.go"))
	if len(files) == 0 {
		t.Skipf("no programs beside %s", dir)
	}
	k := New(index())
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, strict := range []bool{false, true} {
			sc := NewScope()
			sc.Strict = strict
			if _, e := k.Check(1, string(b), sc); e != nil {
				t.Errorf("%s: %v", filepath.Base(f), e)
			}
		}
	}
}
