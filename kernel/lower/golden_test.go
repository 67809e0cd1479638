package lower

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/pack"
)

var update = flag.Bool("update", false, "write the lowered text of the cases anew")

// checker checks cells over the standard library; it is made once.
var checker = sync.OnceValue(func() *front.Checker {
	ix, err := pack.Merge(std.Set())
	if err != nil {
		panic(err)
	}
	return front.New(ix)
})

// check checks one cell of a session that has the names of the cells before.
func check(t *testing.T, cells ...string) *front.Cell {
	t.Helper()
	sc := front.NewScope()
	var last *front.Cell
	for i, src := range cells {
		c, e := checker().Check(i+1, src, sc)
		if e != nil {
			t.Fatalf("%q: %v", src, e)
		}
		sc = sc.Clone()
		for _, d := range c.Decls {
			sc.Names[d.Name] = front.Name{Obj: d.Obj, Cell: i + 1, Source: d.Source}
		}
		last = c
	}
	return last
}

// TestGolden lowers each case of testdata/*.txt, one file a rule, and compares
// the text. A case is "# title", the cell, "=>", and either what becomes of it
// or "refused" and the constructs. The text is checked by go/types again.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules := []string{"body", "capacity", "order", "place", "recursion"} // those that have no row in the list
	for _, r := range subset {
		rules = append(rules, r.rule)
	}
	for _, r := range rules {
		if !slices.Contains(files, filepath.Join("testdata", r+".txt")) {
			t.Errorf("%s.go has no cases", r)
		}
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for _, c := range strings.Split("\n"+string(text), "\n# ")[1:] {
				title, rest, _ := strings.Cut(c, "\n")
				cell, want, ok := strings.Cut(rest, "\n=>\n")
				if !ok {
					cell = strings.TrimSuffix(rest, "\n=>")
				}
				got := lowered(t, title, cell)
				fmt.Fprintf(&out, "# %s\n%s\n=>\n%s\n", title, cell, got)
				if !*update && strings.TrimSpace(got) != strings.TrimSpace(want) {
					t.Errorf("%s: got\n%s\nwant\n%s", title, got, want)
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// lowered is the text of a cell between its imports and main, or its refusals.
func lowered(t *testing.T, title, cell string) string {
	t.Helper()
	c := check(t, cell)
	p, refusals := Lower(c)
	if len(refusals) > 0 {
		var b strings.Builder
		for _, r := range refusals {
			fmt.Fprintf(&b, "refused %d:%d %s\n", r.Pos.Line, r.Pos.Column, r.Construct)
		}
		return b.String()
	}
	if err := recheck(c, p); err != nil {
		t.Errorf("%s: the lowered text does not check: %v\n%s", title, err, p.Text)
	}
	_, body, _ := strings.Cut(p.Text, ")\n\n")
	body, _, _ = strings.Cut(body, "func main() {")
	return body
}
