package session

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/front"
)

// plan is a cell that go/types has accepted, and what the session is when it
// ends well. Nothing has been changed yet.
type plan struct {
	cell  *front.Cell
	text  string   // of the cell
	names []*entry // new meanings of names, in the order of the text
	redo  redo     // functions of earlier cells that depend on them
	next  *state   // names, imports and functions built again; the cell's variables too
}

// scope is what front checks a cell against. With hopeful set a broken name
// stands there with its last type: the cell may be the one that mends it.
func (st *state) scope(hopeful bool) *front.Scope {
	sc := &front.Scope{
		Names:   make(map[string]front.Name, len(st.names)),
		Imports: st.imports, Dots: st.dots, Lost: st.lost, NoAuto: st.noAuto,
		Broken: map[string]string{},
	}
	for n, e := range st.names {
		if e.broken != "" && !hopeful {
			sc.Broken[n] = e.broken
			continue
		}
		sc.Names[n] = front.Name{Obj: e.obj, Cell: e.cell, Line: e.line, Col: e.col, Source: e.source, Doc: e.doc}
	}
	return sc
}

func (st *state) hasBroken() bool {
	for _, e := range st.names {
		if e.broken != "" {
			return true
		}
	}
	return false
}

// plan checks a cell against st and follows what it declares to the functions
// that depend on it. Broken names stand in the first check with their last
// type, for the cell may be the one that mends them; it is checked again where
// it uses one that stays broken, or a function whose type has moved.
func (s *Session) plan(number int, src string, st *state, strict bool) (*plan, *front.Error) {
	check := func(st *state, hopeful bool) (*front.Cell, *front.Error) {
		sc := st.scope(hopeful)
		sc.Strict = strict
		return s.check.Check(number, src, sc)
	}
	c, err := check(st, true)
	if err != nil && st.hasBroken() {
		c, err = check(st, false)
	}
	if err != nil {
		return nil, err
	}
	p := s.follow(c, st)
	after, again := st.clone(), false
	for name := range p.used() {
		old, now := st.names[name], p.next.names[name]
		if old == nil || now == nil || old == now && now.broken == "" {
			continue
		}
		stays := old.broken != "" && now.broken != ""
		retyped := now.broken == "" && !types.Identical(old.obj.Type(), now.obj.Type())
		if stays || retyped {
			after.put(now)
			again = true
		} else {
			after.put(hopeful(old))
		}
	}
	if again {
		if c, err = check(after, false); err != nil {
			return nil, err
		}
		p = s.follow(c, st)
	}
	p.text = src
	return p, p.spread()
}

// hopeful is an entry as if it compiled.
func hopeful(e *entry) *entry {
	if e.broken == "" {
		return e
	}
	c := *e
	c.broken = ""
	return &c
}

// follow makes the plan of a checked cell.
func (s *Session) follow(c *front.Cell, st *state) *plan {
	p := &plan{cell: c, next: st.clone()}
	changed, own := map[string]bool{}, map[string]bool{}
	for n, path := range c.Imports {
		if st.imports[n] != path || st.names[n] != nil {
			changed[n] = true
		}
		p.next.bind(n, path)
	}
	for _, path := range c.Dots {
		p.next.dot(path)
	}
	for _, d := range c.Decls {
		e := newEntry(d, c.Number)
		if moved(st.names[d.Name], e) {
			changed[d.Name] = true
		}
		own[d.Name] = true
		p.names = append(p.names, e)
		p.next.put(e)
	}
	p.redo = s.again(p.next, st.dependents(changed, own, hidden(st)), func(d dependent) string {
		return brokenSince(d.entry, d.cause, c.Number)
	})
	for _, e := range p.redo.entries {
		p.next.put(e)
	}
	return p
}

// newEntry is a declared name as the session keeps it, still without storage.
func newEntry(d front.Decl, cell int) *entry {
	e := &entry{
		name: d.Name, kind: d.Kind, obj: fresh(d.Obj), cell: cell, line: d.Line, col: d.Col,
		source: d.Source, doc: d.Doc, uses: slices.Clone(d.Uses),
	}
	if d.Kind == "func" {
		e.words = words(d.Source)
	}
	return e
}

// hidden tells of names that a function may mean without using an entry or an
// import: builtins, and what dot imports bring.
func hidden(st *state) func(string) bool {
	return func(n string) bool { return types.Universe.Lookup(n) != nil || len(st.dots) > 0 }
}

// used is the set of session names that the cell refers to and does not
// declare itself.
func (p *plan) used() map[string]bool {
	out := map[string]bool{}
	for id, obj := range p.cell.Info.Uses {
		if obj.Pkg() != nil && obj.Pkg().Path() == homePath && obj.Parent() == obj.Pkg().Scope() {
			out[id.Name] = true
		}
	}
	for _, e := range p.names {
		for _, n := range e.uses {
			out[n] = true
		}
	}
	for _, e := range p.names {
		delete(out, e.name)
	}
	return out
}

// spread breaks the functions of the cell that use a function which the cell
// itself breaks. Statements that do so are an error: they would run a body that
// the notebook no longer shows.
func (p *plan) spread() *front.Error {
	broken := map[string]string{}
	for _, e := range p.redo.entries {
		if e.broken != "" {
			broken[e.name] = e.broken
		}
	}
	if len(broken) == 0 {
		return nil
	}
	var own []dependent
	for _, e := range p.names {
		if e.kind == "func" {
			own = append(own, dependent{e, e.name})
		}
	}
	failed, sentences := maps.Clone(broken), maps.Clone(broken)
	for _, d := range own {
		for _, n := range d.uses {
			if broken[n] != "" {
				sentences[d.name] = fmt.Sprintf("%s (cell [%d]) uses %s: %s", d.name, d.cell, n, broken[n])
			}
		}
		if sentences[d.name] == "" {
			sentences[d.name] = fmt.Sprintf("%s (cell [%d]) uses a function that no longer compiles", d.name, d.cell)
		}
	}
	spread(own, failed, sentences)
	p.redo.warnings = append(p.redo.warnings, warnings(own, failed)...)
	for _, d := range own {
		if failed[d.name] != "" {
			d.broken = sentences[d.name]
		}
	}
	return p.refuse(sentences, failed)
}

// refuse is the error of statements that use a name which the cell broke.
func (p *plan) refuse(sentences, failed map[string]string) *front.Error {
	inFunc := func(pos token.Pos) bool {
		return slices.ContainsFunc(p.cell.Pieces, func(x front.Piece) bool {
			return x.Kind == front.Func && x.Node != nil && x.Node.Pos() <= pos && pos < x.Node.End()
		})
	}
	err := &front.Error{}
	for id, obj := range p.cell.Info.Uses {
		if failed[id.Name] == "" || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() || inFunc(id.Pos()) {
			continue
		}
		at := p.cell.Fset.Position(id.Pos())
		d := front.Diag{Cell: p.cell.Number, Line: at.Line, Col: at.Column, Msg: sentences[id.Name]}
		if lines := strings.Split(p.text, "\n"); d.Line <= len(lines) {
			d.Col = cell.Column(lines[d.Line-1], d.Col)
		}
		err.List = append(err.List, d)
	}
	if len(err.List) == 0 {
		return nil
	}
	slices.SortFunc(err.List, func(a, b front.Diag) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return err
}
