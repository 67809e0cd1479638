package session

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// methodName parts "T.M".
func methodName(name string) (typ, method string, ok bool) { return strings.Cut(name, ".") }

// typeOf is the T of "T.M".
func typeOf(name string) string {
	typ, _, _ := methodName(name)
	return typ
}

// find is the entry of a name, also of a method "T.M".
func (st *state) find(name string) *entry {
	if typ, _, ok := methodName(name); ok {
		if e := st.names[typ]; e != nil {
			return e.method(name)
		}
		return nil
	}
	return st.names[name]
}

func (e *entry) method(name string) *entry {
	for _, m := range e.methods {
		if m.name == name {
			return m
		}
	}
	return nil
}

// text is the declaration of an entry at its place.
func (e *entry) text() front.Source {
	return front.Source{Name: e.name, Cell: e.cell, Line: e.line, Col: e.col, Text: e.source}
}

// newEntry is a declared name as the session keeps it, still without storage.
func newEntry(d front.Decl) *entry {
	e := &entry{
		name: d.Name, kind: d.Kind, cell: d.Cell, line: d.Line, col: d.Col,
		source: d.Source, doc: d.Doc, uses: slices.Clone(d.Uses),
	}
	if d.Kind != "method" { // the object of a method is its type's
		e.obj = fresh(d.Obj)
	}
	if d.Kind == "func" || d.Kind == "type" || d.Kind == "method" || d.Kind == "const" {
		e.words = words(d.Source)
	}
	return e
}

// hidden tells of names that a function may mean without using an entry or an
// import: builtins, and what dot imports bring.
func hidden(st *state) func(string) bool {
	return func(n string) bool { return types.Universe.Lookup(n) != nil || len(st.dots) > 0 }
}

// made is the plan of a cell that compiles with all that depends on it.
func (p *planner) made(c change, res front.Checked) *plan {
	out := &plan{cell: res.Cell, tainted: p.tainted, seen: p.seen, next: p.st.clone(), versions: map[*types.TypeName]version{}}
	for n, path := range res.Imports {
		out.next.bind(n, path)
	}
	for _, path := range res.Cell.Dots {
		out.next.dot(path)
	}
	m := maker{p: p, c: c, decls: map[string]front.Decl{}, with: c.with(p)}
	for _, d := range res.Decls {
		m.decls[d.Name] = d
	}
	for _, d := range c.own {
		if d.Kind != "method" {
			out.names = append(out.names, m.own(d))
		}
	}
	out.redone = m.redone()
	for _, n := range slices.Sorted(maps.Keys(res.Vars)) {
		e := *p.st.names[n]
		e.obj = fresh(types.NewVar(token.NoPos, res.Cell.Pkg, n, res.Vars[n]))
		out.follow = append(out.follow, &e)
	}
	for _, e := range out.entries() {
		out.next.put(e)
	}
	for now, old := range c.pairs {
		if c.same[now] == nil {
			if d, ok := m.decls[now.Name()].Obj.(*types.TypeName); ok {
				out.versions[old] = version{now: d, same: c.like[now] != nil, methods: c.shared(old, now)}
			}
		}
	}
	out.warnings = append(p.warnings(c), m.stale(out)...)
	return out
}

// maker makes the entries of a plan.
type maker struct {
	p     *planner
	c     change
	with  front.With
	decls map[string]front.Decl // of the last check
}

// own is the entry of a name that the cell declares.
func (m maker) own(d front.Decl) *entry {
	old := m.p.st.names[d.Name]
	var e *entry
	switch {
	case m.with.Keep[d.Name]:
		kept := newEntry(d)
		kept.obj = old.obj
		e = kept
	case m.p.drop[d.Name] != "":
		e = newEntry(d)
		e.broken = m.p.said[d.Name]
	default:
		e = newEntry(m.decls[d.Name])
	}
	if d.Kind == "type" {
		e.methods = m.methods(e, old)
	}
	return e
}

// methods are those of a type: declared in the check, else those that stay.
func (m maker) methods(e, old *entry) []*entry {
	var out []*entry
	byName := map[string]bool{}
	add := func(x *entry) {
		if !byName[x.name] {
			byName[x.name] = true
			out = append(out, x)
		}
	}
	for _, d := range m.decls {
		if d.Kind == "method" && typeOf(d.Name) == e.name {
			add(newEntry(d))
		}
	}
	for _, d := range m.c.own {
		if d.Kind == "method" && typeOf(d.Name) == e.name && m.with.Keep[e.name] { // of a generic type that stays
			add(newEntry(d))
		}
	}
	if old != nil && old.kind == "type" {
		for _, x := range old.methods {
			if m.p.failed[x.name] != "" {
				b := *x
				b.broken = m.p.said[x.name]
				add(&b)
			} else if m.with.Keep[e.name] && (x.cell != old.cell || e.cell == old.cell) {
				add(x)
			} else if x.broken != "" && x.cell != old.cell {
				add(x)
			}
		}
	}
	slices.SortFunc(out, byPlace)
	return out
}

// redone are the new entries of what depends on the cell.
func (m maker) redone() []*entry {
	st := m.p.st
	touched := map[string]bool{}
	for _, s := range m.with.Again {
		touched[s.Name] = true
	}
	for n := range m.p.failed {
		touched[n] = true
	}
	for n := range m.c.again {
		touched[n] = touched[n] || m.decls[n].Name != ""
	}
	own := map[string]bool{}
	for _, d := range m.c.own {
		own[d.Name] = true
	}
	var out []*entry
	seen := map[string]bool{}
	for _, n := range slices.Sorted(maps.Keys(touched)) {
		if typ, _, ok := methodName(n); ok {
			n = typ
		}
		if !touched[n] && st.names[n] == nil || seen[n] || own[n] {
			continue
		}
		seen[n] = true
		old := st.names[n]
		e := *old
		if why := m.p.failed[n]; why != "" {
			e.broken = m.p.said[n]
		} else if d, ok := m.decls[n]; ok {
			e = *newEntry(d)
			e.doc, e.store = old.doc, old.store
		}
		if e.kind == "type" && e.broken == "" {
			e.methods = m.methods(&e, old)
		}
		out = append(out, &e)
	}
	slices.SortFunc(out, byPlace)
	return out
}
