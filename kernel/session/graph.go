package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The graph says which declarations must be checked again when a name gets
// another meaning. A new body of a function of the same type, and a new value
// of a variable of the same type, move nothing: everybody reaches them through
// the same pointer.

// dependent is a declaration that must be checked again, and the name that is
// the reason.
type dependent struct {
	*entry
	cause string
}

// parts are the entry and its methods: a type stands for all of them.
func (e *entry) parts() []*entry { return append([]*entry{e}, e.methods...) }

// touches tells whether e, or a method of it, depends on one of some names.
// hidden tells of a name that had a meaning without an entry: a builtin, a
// package, an import.
func (e *entry) touches(names map[string]bool, hidden func(string) bool) bool {
	return e.touched(slices.Sorted(maps.Keys(names)), hidden) != ""
}

// touched is the first of some names that e depends on.
func (e *entry) touched(names []string, hidden func(string) bool) string {
	for _, n := range names {
		for _, x := range e.parts() {
			if n != e.name && slices.Contains(x.uses, n) || x.mentions(n) && n != e.name && (x.broken != "" || hidden(n)) {
				return n
			}
		}
	}
	return ""
}

// dependents lists the functions, types and constants of st that depend on a name of
// changed, those that depend on them, and types declared in one group with
// them, by place. Names that the cell itself declares again (own) are left out.
func (st *state) dependents(changed, own map[string]bool, hidden func(string) bool) []dependent {
	if len(changed) == 0 {
		return nil
	}
	cause := map[string]string{}
	names := slices.Sorted(maps.Keys(changed))
	var all []*entry
	for _, e := range st.sorted() {
		if (e.kind == "func" || e.kind == "type" || e.kind == "const") && !own[e.name] {
			all = append(all, e)
		}
	}
	for _, e := range all {
		if n := e.touched(names, hidden); n != "" {
			cause[e.name] = n
		}
	}
	for again := len(cause) > 0; again; { // and those that use them
		again = false
		for _, e := range all {
			if cause[e.name] != "" {
				continue
			}
			n := e.touched(slices.Sorted(maps.Keys(cause)), hidden)
			if n == "" {
				n = sibling(e, all, cause)
			}
			if n != "" {
				cause[e.name], again = cause[n], true
			}
		}
	}
	var out []dependent
	for _, e := range all {
		if c := cause[e.name]; c != "" {
			out = append(out, dependent{e, c})
		}
	}
	return out
}

// sibling is a dependent type or constant that stands in one declaration with e.
func sibling(e *entry, all []*entry, cause map[string]string) string {
	for _, x := range all {
		if (e.kind == "type" || e.kind == "const") && x.kind == e.kind && cause[x.name] != "" && x.cell == e.cell && x.line == e.line && x.col == e.col {
			return x.name
		}
	}
	return ""
}

// place is where a declaration that begins at line and col of a cell mentions
// a name, as "cell [1]:2:24"; its beginning when it does not.
func place(cell, line, col int, source, name string) string {
	at := 0
	eachWord(source, func(off int, word string) bool {
		if word == name {
			at = off
		}
		return word != name
	})
	for _, r := range source[:at] {
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
	}
	return fmt.Sprintf("cell [%d]:%d:%d", cell, line, col)
}

// brokenSince is the sentence by which a name that no longer compiles is
// refused.
func brokenSince(e *entry, cause string, cell int) string {
	return fmt.Sprintf("%s (cell [%d]) no longer compiles since %s changed in cell [%d]", e.name, e.cell, cause, cell)
}

// usesBroken is the sentence by which a function of a cell is refused that uses
// a name which the cell itself broke.
func usesBroken(name string, cell int, broken, why string) string {
	return fmt.Sprintf("%s (cell [%d]) uses %s: %s", name, cell, broken, why)
}

// warnings are the lines about declarations that compiled until now.
func (p *planner) warnings(c change) []string {
	type line struct {
		e   *entry
		why string
	}
	var lines []line
	for n, why := range p.failed {
		if e := p.st.find(n); e.broken == "" || p.anew {
			lines = append(lines, line{e, why})
		}
	}
	for _, d := range c.own {
		if why := p.drop[d.Name]; why != "" {
			lines = append(lines, line{newEntry(d), why})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return byPlace(a.e, b.e) })
	var out []string
	for _, l := range lines {
		out = append(out, fmt.Sprintf("warning: %s (cell [%d]) no longer compiles: %s", l.e.name, l.e.cell, firstLine(l.why)))
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
