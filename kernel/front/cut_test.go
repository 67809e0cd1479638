package front

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/cell"
)

var all = flag.Bool("gotests", false, "check all of the toolchain's tests, not every tenth")

// cut makes cells of a program: its imports, then one cell for each group of
// pieces that need each other (Tarjan's components), users behind what they use.
func cut(c *Cell, src string) (cells []string) {
	var imports []string
	for _, p := range cell.Split(src) {
		if p.Kind == cell.Import {
			imports = append(imports, p.Text)
		}
	}
	of := map[string]int{} // name to piece
	uses := make([]map[string]bool, len(c.Pieces))
	at := map[string]int{}
	for i, p := range c.Pieces {
		at[fmt.Sprint(p.Line, ":", p.Col)] = i
		uses[i] = map[string]bool{}
	}
	for _, d := range c.Decls {
		of[d.Name] = at[fmt.Sprint(d.Line, ":", d.Col)]
	}
	for _, d := range c.Decls {
		i := at[fmt.Sprint(d.Line, ":", d.Col)]
		for _, u := range d.Uses {
			uses[i][u] = true
		}
		if t, m, ok := strings.Cut(d.Name, "."); ok {
			uses[of[t]][t+"."+m] = true
			uses[i][t] = true
		}
	}
	last := []string{} // init functions and blank names: nobody uses them
	named := map[int]bool{}
	for _, i := range of {
		named[i] = true
	}
	index, low, on := map[int]int{}, map[int]int{}, map[int]bool{}
	var stack []int
	var visit func(i int)
	visit = func(i int) {
		index[i] = len(index) + 1
		low[i] = index[i]
		stack, on[i] = append(stack, i), true
		for u := range uses[i] {
			k, ok := of[u]
			if !ok {
				continue
			}
			if index[k] == 0 {
				visit(k)
				low[i] = min(low[i], low[k])
			} else if on[k] {
				low[i] = min(low[i], index[k])
			}
		}
		if low[i] == index[i] {
			in := map[int]bool{}
			for {
				k := stack[len(stack)-1]
				stack, on[k] = stack[:len(stack)-1], false
				in[k] = true
				if k == i {
					break
				}
			}
			var l []string
			for k, p := range c.Pieces {
				if in[k] && p.Kind != Import && !named[k] {
					last = append(last, p.Text)
				} else if in[k] && p.Kind != Import {
					l = append(l, p.Text)
				}
			}
			if l != nil {
				cells = append(cells, strings.Join(l, "\n"))
			}
		}
	}
	for i := range c.Pieces {
		if index[i] == 0 {
			visit(i)
		}
	}
	return slices.Concat([]string{strings.Join(imports, "\n")}, cells, []string{strings.Join(last, "\n")})
}

// foreign are the reasons for which a program of Go's own tests is no cell.
var foreign = []string{"is not built in", "import \"C\"", "//go:linkname", "missing function body",
	"function main is undeclared",
	"are allowed", "undefined: tests"} // the last one is of a program of two files

// Go's own programs, those that come with the toolchain and run alone, are
// right cells, right programs, and right when they are cut into one cell a
// declaration.
func TestGoPrograms(t *testing.T) {
	k := New(index())
	checked, refused, cells := 0, 0, 0
	goTests(t, "run", func(path, _, src string) {
		if checked++; !*all && checked%10 != 0 || !strings.Contains(src, "\npackage main") {
			return
		}
		program := NewScope()
		program.Strict = true
		for _, sc := range []*Scope{program, NewScope()} {
			c, e := k.Check(1, src, sc)
			if e != nil {
				if !slices.ContainsFunc(foreign, func(s string) bool { return strings.Contains(e.Error(), s) }) {
					t.Errorf("%s: %v", path, e)
				}
				refused++
				return
			}
			if sc.Strict {
				continue
			}
			nb := newNotebook(t)
			nb.k = k
			for _, s := range cut(c, src) {
				cells++
				if _, e := nb.check(s); e != nil {
					t.Errorf("%s, cut: %v", path, e)
					break
				}
			}
		}
	})
	t.Logf("%d programs, %d refused as no cell, %d cells", checked, refused, cells)
}
