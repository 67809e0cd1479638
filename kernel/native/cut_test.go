package native

import (
	"fmt"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// cut makes cells of a program: its imports, one cell for each group of
// declarations that need each other, users behind what they use, and last what
// nobody names: init functions and blank names, then main.
func cut(src string) (cells []string, err error) {
	c, e := checker().Check(1, src, front.NewScope())
	if e != nil {
		return nil, e
	}
	g := newGraph(c)
	var imports, last []string
	for i, p := range c.Pieces {
		switch {
		case p.Kind == front.Import:
			imports = append(imports, p.Text)
		case !g.named[i]:
			last = append(last, withDoc(p))
		}
	}
	cells = append(cells, strings.Join(imports, "\n"))
	main := ""
	done := map[int]bool{}
	for len(done) < len(g.named) {
		for i := range c.Pieces {
			if !g.named[i] || done[i] || !g.ready(i, done) {
				continue
			}
			var group []string
			for k, p := range c.Pieces {
				if g.named[k] && g.together(i, k) {
					group = append(group, withDoc(p))
					done[k] = true
				}
			}
			if text := strings.Join(group, "\n"); g.main != i {
				cells = append(cells, text)
			} else {
				main = text
			}
		}
	}
	return append(cells, strings.Join(last, "\n"), main), nil
}

func withDoc(p front.Piece) string {
	if strings.HasPrefix(p.Doc, "//") {
		return p.Doc + "\n" + p.Text
	}
	return p.Text
}

// graph says which pieces of a cell need which.
type graph struct {
	named map[int]bool
	reach []map[int]bool
	main  int
}

func newGraph(c *front.Cell) *graph {
	g := &graph{named: map[int]bool{}, main: -1}
	at, of := map[string]int{}, map[string]int{}
	for i, p := range c.Pieces {
		at[fmt.Sprint(p.Line, ":", p.Col)] = i
		g.reach = append(g.reach, map[int]bool{})
	}
	for _, d := range c.Decls {
		i := at[fmt.Sprint(d.Line, ":", d.Col)]
		of[d.Name], g.named[i] = i, true
		if d.Name == "main" {
			g.main = i
		}
	}
	for _, d := range c.Decls {
		i := of[d.Name]
		for _, u := range d.Uses {
			if k, ok := of[u]; ok {
				g.reach[i][k] = true
			}
		}
		if t, _, ok := strings.Cut(d.Name, "."); ok {
			g.reach[i][of[t]], g.reach[of[t]][i] = true, true
		}
	}
	for k := range g.reach {
		for i := range g.reach {
			if g.reach[i][k] {
				for j := range g.reach[k] {
					g.reach[i][j] = true
				}
			}
		}
	}
	return g
}

func (g *graph) together(i, k int) bool { return i == k || g.reach[i][k] && g.reach[k][i] }

// ready reports whether all that a piece needs is done, but for its group.
func (g *graph) ready(i int, done map[int]bool) bool {
	for k := range g.reach[i] {
		if g.named[k] && !done[k] && !g.together(i, k) {
			return false
		}
	}
	return true
}
