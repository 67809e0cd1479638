package front

import (
	"maps"
	"sync"
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// index is the standard library, opened once.
var index = sync.OnceValue(func() *pack.Index {
	ix, err := pack.Merge(std.Set())
	if err != nil {
		panic(err)
	}
	return ix
})

// notebook checks cells one after another and commits those that are right, as
// the session does, but without dependents.
type notebook struct {
	t  *testing.T
	k  *Checker
	sc *Scope
	n  int
	// texts has what Render needs.
	texts map[int]string
}

func newNotebook(t *testing.T) *notebook {
	return &notebook{t: t, k: New(index()), sc: NewScope(), texts: map[int]string{}}
}

func (b *notebook) check(src string) (*Cell, *Error) {
	b.n++
	b.texts[b.n] = src
	c, e := b.k.Check(b.n, src, b.sc)
	if e == nil {
		b.commit(c)
	}
	return c, e
}

// ok checks cells that must be right and returns the last.
func (b *notebook) ok(cells ...string) (c *Cell) {
	b.t.Helper()
	for _, src := range cells {
		var e *Error
		if c, e = b.check(src); e != nil {
			b.t.Fatalf("%q: %v", src, e)
		}
	}
	return c
}

func (b *notebook) commit(c *Cell) {
	b.sc = b.sc.Clone()
	for _, d := range c.Decls {
		n := Name{Obj: d.Obj, Cell: d.Cell, Line: d.Line, Col: d.Col, Source: d.Source, Doc: d.Doc}
		if d.Kind == "method" {
			t, _ := methodName(d.Source)
			n = b.sc.Names[t]
			n.Methods = append(n.Methods, Source{d.Name, d.Cell, d.Line, d.Col, d.Source, d.Doc})
			b.sc.Names[t] = n
			continue
		}
		delete(b.sc.Imports, d.Name)
		delete(b.sc.Broken, d.Name)
		b.sc.Names[d.Name] = n
	}
	for n := range c.Imports {
		delete(b.sc.Names, n)
	}
	maps.Copy(b.sc.Imports, c.Imports)
	b.sc.Dots = append(b.sc.Dots, c.Dots...)
}
