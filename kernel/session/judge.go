package session

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/gondola-lab/gondola/kernel/front"
)

// change is what a check says about names of the session.
type change struct {
	own   []front.Decl // of the cell's own text, and of types that it gives methods to
	pairs pairs        // types declared anew → as they were
	same  pairs        // of those, the ones that stay the same type
	like  pairs        // of those, the ones with the memory of the old ones

	names  map[string]bool // names that mean something else to those who use them
	keep   map[string]bool // generic functions and types that are declared as they were
	follow map[string]types.Type
	again  map[string]bool   // declarations of earlier cells that depend on names: "f", "T", "T.M"
	cause  map[string]string // of those: the name that is the reason
}

// plain tells whether the check in which all types are new says all.
func (c change) plain() bool { return len(c.same) == 0 && len(c.keep) == 0 && len(c.follow) == 0 }

// judge reads a check in which all types are new ones.
func (p *planner) judge(res front.Checked) change {
	c := change{pairs: pairs{}, names: maps.Clone(p.changed), keep: map[string]bool{}, follow: map[string]types.Type{}}
	if c.names == nil {
		c.names = map[string]bool{}
	}
	declared := map[string]front.Decl{}
	for _, d := range res.Decls {
		declared[d.Name] = d
		if now, ok := d.Obj.(*types.TypeName); ok && d.Kind == "type" {
			if old := p.st.names[d.Name]; old != nil && old.kind == "type" {
				c.pairs[now] = old.obj.(*types.TypeName)
			}
		}
	}
	own := own(res.Decls)
	for _, d := range res.Decls {
		if own[d.Name] {
			c.own = append(c.own, d)
		}
	}
	c.like = maps.Clone(c.pairs)
	c.like.settle(func(old, now *types.TypeName) bool { return c.like.layout(old, now) })
	p.rename(&c, res)
	c.same = maps.Clone(c.like)
	c.same.settle(func(old, now *types.TypeName) bool {
		return c.same.layout(old, now) && c.same.methods(old, now) && !p.fixed(old, declared, c) &&
			(!isGeneric(now) || p.asBefore(now.Name(), declared, c))
	})
	for _, d := range res.Decls {
		if f, ok := d.Obj.(*types.Func); ok && d.Kind == "func" && f.Signature().TypeParams().Len() > 0 &&
			own[d.Name] && p.asBefore(d.Name, declared, c) {
			c.keep[d.Name] = true
		}
	}
	for _, d := range res.Decls {
		if d.Kind != "method" && c.moved(p.st.names[d.Name], d) {
			c.names[d.Name] = true
		}
	}
	for n := range p.failed {
		if typ, _, ok := methodName(n); ok {
			n = typ
		}
		c.names[n] = true
	}
	p.variables(&c, own)
	p.dependents(&c, own, declared)
	return c
}

// rename notes imports that give a name another meaning.
func (p *planner) rename(c *change, res front.Checked) {
	for n, path := range res.Imports {
		if p.st.imports[n] != path || p.st.names[n] != nil {
			c.names[n] = true
		}
	}
}

// own are the names that the cell's own text declares, methods too, and the
// types that come with its methods.
func own(decls []front.Decl) map[string]bool {
	out := map[string]bool{}
	for _, d := range decls {
		if !d.Again {
			out[d.Name] = true
		}
	}
	return out
}

// shared are the methods, "T.M", that two versions of a type have in common.
func (c change) shared(old, now *types.TypeName) (out []string) {
	o, ok := old.Type().(*types.Named)
	n, is := now.Type().(*types.Named)
	if !ok || !is || c.like[now] == nil || isGeneric(now) {
		return nil
	}
	for m := range n.Methods() {
		for b := range o.Methods() {
			if b.Name() == m.Name() && onPointer(b) == onPointer(m) && c.like.signature(b.Signature(), m.Signature()) {
				out = append(out, now.Name()+"."+m.Name())
			}
		}
	}
	return out
}

func isGeneric(o *types.TypeName) bool {
	switch t := o.Type().(type) {
	case *types.Named:
		return t.TypeParams().Len() > 0
	case *types.Alias:
		return t.TypeParams().Len() > 0
	}
	return false
}

// asBefore tells whether a generic declaration, with its methods, has the text
// that it had, and uses nothing that changed: its code is that of its first
// build.
func (p *planner) asBefore(name string, declared map[string]front.Decl, c change) bool {
	e, d := p.st.names[name], declared[name]
	if e == nil || e.source != d.Source || e.broken != "" || e.kind != d.Kind || usesAny(d.Uses, c.names) {
		return false
	}
	count := 0
	for _, m := range declared {
		typ, _, ok := methodName(m.Name)
		if m.Kind != "method" || !ok || typ != name {
			continue
		}
		count++
		old := e.method(m.Name)
		if old == nil || old.source != m.Source || usesAny(m.Uses, c.names) {
			return false
		}
	}
	return count == len(e.methods)
}

// fixed tells whether a method of a type has another body, or is to be built
// again, that cannot be replaced: it calls recover, which sees nothing through
// another function.
func (p *planner) fixed(old *types.TypeName, declared map[string]front.Decl, c change) bool {
	for _, m := range p.st.names[old.Name()].methods {
		d, ok := declared[m.name]
		if !ok || d.Source == m.source && !usesAny(d.Uses, c.names) {
			continue
		}
		if h := p.s.homes[old]; m.words["recover"] || words(d.Source)["recover"] || h != nil && h.fixed[m.name] {
			return true
		}
	}
	return false
}

func usesAny(uses []string, names map[string]bool) bool {
	return slices.ContainsFunc(uses, func(n string) bool { return names[n] })
}

// moved tells whether the new meaning of a name differs so much from the old
// one that those who use it must be checked again.
func (c change) moved(old *entry, d front.Decl) bool {
	if old == nil || old.kind != d.Kind || old.broken != "" {
		return true
	}
	switch now := d.Obj.(type) {
	case *types.TypeName:
		return c.same[now] != old.obj
	case *types.Const:
		was := old.obj.(*types.Const)
		return !c.same.alike(was.Type(), now.Type()) || was.Val().Kind() != now.Val().Kind() ||
			now.Val().Kind() != constant.Unknown && !constant.Compare(was.Val(), token.EQL, now.Val())
	case *types.Func:
		if now.Signature().TypeParams().Len() > 0 {
			return !c.keep[d.Name]
		}
	}
	return !c.same.alike(old.obj.Type(), d.Obj.Type())
}

// variables finds those that follow a type of the cell: the new version has the
// memory of the old one.
func (p *planner) variables(c *change, own map[string]bool) {
	for _, e := range p.st.names {
		if e.kind != "var" || own[e.name] || !e.store.IsValid() {
			continue
		}
		if c.holds(e.obj.Type()) == followed {
			c.follow[e.name] = e.obj.Type()
			c.names[e.name] = true
		}
	}
}

// holding says what a type has to do with types that are declared anew.
type holding int

const (
	untouched holding = iota
	followed          // it mentions old ones whose memory is that of the new ones
	stale             // it mentions an old one with another memory
)

// holds looks for old versions in a type.
func (c change) holds(t types.Type) holding {
	like, old := map[*types.TypeName]bool{}, map[*types.TypeName]bool{}
	for now, was := range c.pairs {
		switch {
		case c.same[now] != nil:
		case c.like[now] != nil:
			like[was] = true
		default:
			old[was] = true
		}
	}
	switch {
	case front.Mentions(t, func(o *types.TypeName) bool { return old[o] }):
		return stale
	case front.Mentions(t, func(o *types.TypeName) bool { return like[o] }):
		return followed
	}
	return untouched
}

// dependents finds the declarations of earlier cells that depend on what has
// changed, and the methods of other cells of types that the cell declares.
func (p *planner) dependents(c *change, own map[string]bool, declared map[string]front.Decl) {
	c.again, c.cause = map[string]bool{}, map[string]string{}
	for _, d := range p.st.dependents(c.names, own, hidden(p.st)) {
		if root := p.cause[d.cause]; root != "" { // it failed for a reason of its own
			d.cause = root
		}
		c.again[d.name], c.cause[d.name] = true, d.cause
	}
	for n := range own {
		old := p.st.names[n]
		if old == nil || old.kind != "type" || declared[n].Kind != "type" {
			continue
		}
		for _, m := range old.methods {
			if m.cell != old.cell && !own[m.name] {
				c.again[m.name], c.cause[m.name] = true, n
			}
		}
	}
	for n := range p.promoted {
		c.again[n] = true
	}
	for n := range p.failed {
		delete(c.again, n)
	}
}

// with is what the cell is checked with at last: dependents that are concerned,
// types that stay, variables that follow theirs.
func (c change) with(p *planner) front.With {
	w := front.With{Keep: maps.Clone(c.keep), Vars: c.follow, Renew: map[*types.TypeName]bool{}}
	for now, old := range c.pairs {
		switch {
		case c.same[now] != nil:
			w.Keep[now.Name()] = true
		case c.like[now] != nil:
			w.Renew[old] = true
		}
	}
	again := map[string]bool{}
	for n := range c.again {
		e := p.st.find(n)
		switch {
		case e.kind == "type" && w.Keep[n]:
			for _, m := range e.methods {
				again[m.name] = usesAny(m.uses, c.names) || m.broken != ""
			}
		case e.kind == "func" && e.broken == "" && !p.promoted[n] && !e.touches(c.names, hidden(p.st)):
		case e.kind == "method" && e.broken == "" && w.Keep[typeOf(n)] && !usesAny(e.uses, c.names):
		default:
			again[n] = true
		}
	}
	maps.DeleteFunc(again, func(n string, ok bool) bool { return !ok || p.failed[n] != "" })
	w.Again = p.sources(again)
	return w
}

// sources are the declarations of some entries: types with their methods, each
// group once.
func (p *planner) sources(names map[string]bool) []front.Source {
	var out []front.Source
	seen := map[front.Source]bool{}
	add := func(e *entry) {
		key := e.text()
		key.Name = ""
		if !seen[key] && p.failed[e.name] == "" {
			seen[key] = true
			out = append(out, e.text())
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		e := p.st.find(n)
		add(e)
		for _, m := range e.methods {
			add(m)
		}
	}
	return out
}
