package session

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"

	"github.com/gondola-lab/gondola/kernel/front"
)

// What recover sees of a run-time error of interpreted code is not Go's. So all
// that a function which calls recover may see is compiled: the cell that names
// such a function, also by others, and the interpreted functions that the cell
// names, which are promoted.

// graph is the session with the declarations of a cell: who uses whom.
type graph struct {
	uses  map[string][]string
	words map[string]bool // names whose text mentions recover
}

func newGraph(st *state, decls []front.Decl) graph {
	g := graph{map[string][]string{}, map[string]bool{}}
	for n, e := range st.names {
		for _, x := range e.parts() {
			g.uses[n] = append(g.uses[n], x.uses...)
			g.words[n] = g.words[n] || x.words["recover"]
		}
	}
	fresh := map[string]bool{}
	for _, d := range decls {
		n := d.Name
		if typ, _, ok := methodName(n); ok && d.Kind == "method" {
			n = typ
		} else if !fresh[n] {
			fresh[n] = true
			g.uses[n], g.words[n] = nil, false
		}
		g.uses[n] = append(g.uses[n], d.Uses...)
		g.words[n] = g.words[n] || (d.Kind == "func" || d.Kind == "method") && words(d.Source)["recover"]
	}
	return g
}

// reach is the set of names that some names lead to, themselves too.
func (g graph) reach(from ...string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		n := from[0]
		from = from[1:]
		if !seen[n] {
			seen[n] = true
			from = append(from, g.uses[n]...)
		}
	}
	return seen
}

// recovers is a name among some whose code calls recover, or "".
func (g graph) recovers(names map[string]bool) string {
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if g.words[n] {
			return n
		}
	}
	return ""
}

// promote notes why the cell must be compiled whole, and the interpreted
// functions that are compiled with it. It tells whether there are any that were
// not known.
func (p *planner) promote(res front.Checked) bool {
	if p.s.policy != Auto || res.Cell == nil {
		return false
	}
	g := newGraph(p.st, res.Decls)
	if len(g.words) == 0 || !slices.Contains(slices.Collect(maps.Values(g.words)), true) && !mentionsRecover(res.Cell) {
		return false
	}
	var named []string
	for id, o := range res.Cell.Info.Uses {
		if o.Pkg() != nil && o.Pkg().Path() == homePath && o.Parent() == o.Pkg().Scope() {
			named = append(named, id.Name)
		}
	}
	for _, d := range res.Decls {
		named = append(named, d.Name)
	}
	all := g.reach(named...)
	who := g.recovers(all)
	before := len(p.promoted)
	if who != "" || mentionsRecover(res.Cell) {
		p.tainted = "a cell that calls recover"
		if who != "" {
			p.tainted = fmt.Sprintf("a cell that reaches %s, which calls recover,", who)
		}
		p.seen = slices.Sorted(maps.Keys(all))
		for n := range all {
			e := p.st.names[n]
			if e != nil && e.kind == "func" && !e.native && e.broken == "" && !isGenericFunc(e.obj) && !declares(res.Decls, n) {
				p.promoted[n] = true
			}
		}
	}
	for n := range p.st.names { // a function that recovers may reach a new body of the cell
		if !g.words[n] {
			continue
		}
		for m := range g.reach(n) {
			if m != n && declares(res.Decls, m) {
				p.tainted = fmt.Sprintf("%s, which %s reaches, that calls recover,", m, n)
			}
		}
	}
	return len(p.promoted) > before
}

func declares(decls []front.Decl, name string) bool {
	return slices.ContainsFunc(decls, func(d front.Decl) bool { return d.Name == name && d.Kind == "func" })
}

// mentionsRecover tells whether the statements of a cell call recover.
func mentionsRecover(c *front.Cell) bool {
	for id, o := range c.Info.Uses {
		if _, ok := o.(*types.Builtin); ok && id.Name == "recover" {
			return true
		}
	}
	return false
}

// interpretedPC is the code of every function value that interpreted code made.
var interpretedPC = reflect.MakeFunc(reflect.TypeFor[func()](), func([]reflect.Value) []reflect.Value { return nil }).Pointer()

// interpretedValues names the variables that a cell which calls recover can
// reach, and that hold functions made by interpreted cells: those cannot be
// compiled any more.
func (p *plan) interpretedValues() []string {
	var out []string
	for _, n := range p.seen {
		e := p.next.names[n]
		if e == nil || e.kind != "var" || !e.store.IsValid() || !interpretedIn(e.store.Elem(), 3) {
			continue
		}
		out = append(out, fmt.Sprintf("warning: %s (cell [%d]) holds an interpreted function: recover does not see the words of Go "+
			"for its run-time errors; begin cell [%d] with %%%%native and run it again", n, e.cell, e.cell))
	}
	return out
}

// interpretedIn looks for such a function in a value, some levels deep.
func interpretedIn(v reflect.Value, depth int) bool {
	switch {
	case depth == 0:
		return false
	case v.Kind() == reflect.Func:
		return v.Pointer() == interpretedPC
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		for i := range min(v.Len(), 100) {
			if interpretedIn(v.Index(i), depth-1) {
				return true
			}
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if interpretedIn(v.Field(i), depth-1) {
				return true
			}
		}
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return !v.IsNil() && interpretedIn(v.Elem(), depth-1)
	}
	return false
}
