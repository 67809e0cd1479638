package session

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// The graph says which functions must be checked again when a name gets
// another meaning. A new body of a function of the same type, and a new value
// of a variable of the same type, move nothing: everybody reaches them through
// the same pointer.

// moved tells whether the new meaning of a name differs so much from the old
// one that those who use it must be checked again.
func moved(old, new *entry) bool {
	if old == nil || old.kind != new.kind || old.broken != "" {
		return true
	}
	if !types.Identical(old.obj.Type(), new.obj.Type()) {
		return true
	}
	if a, ok := old.obj.(*types.Const); ok {
		b := new.obj.(*types.Const)
		return a.Val().Kind() != b.Val().Kind() || !constant.Compare(a.Val(), token.EQL, b.Val())
	}
	return old.kind == "type" && old.obj != new.obj
}

// dependent is a function that must be checked again, and the name that is
// the reason.
type dependent struct {
	*entry
	cause string
}

// dependents lists the functions of st that depend on a name of changed, and
// those that depend on them, by place. Names that the cell itself declares
// again (own) are left out. hidden tells of a name that had a meaning without
// an entry: a builtin, a package, an import.
func (st *state) dependents(changed, own map[string]bool, hidden func(string) bool) []dependent {
	if len(changed) == 0 {
		return nil
	}
	cause := map[string]string{}
	touches := func(e *entry, name string) bool {
		return slices.Contains(e.uses, name) || e.mentions(name) && (e.broken != "" || hidden(name))
	}
	names := slices.Sorted(maps.Keys(changed))
	all := st.sorted()
	for _, e := range all {
		if e.kind != "func" || own[e.name] {
			continue
		}
		for _, n := range names {
			if touches(e, n) {
				cause[e.name] = n
				break
			}
		}
	}
	for again := len(cause) > 0; again; { // and those that use them
		again = false
		for _, e := range all {
			if e.kind != "func" || own[e.name] || cause[e.name] != "" {
				continue
			}
			for _, n := range slices.Sorted(maps.Keys(cause)) {
				if n != e.name && touches(e, n) {
					cause[e.name], again = cause[n], true
					break
				}
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

// spread adds to failed every dependent that uses a failed one, with the place
// of the use: its text is right, but it would run a body that the notebook no
// longer shows. The messages are "cell [1]:2:24: why".
func spread(deps []dependent, failed, sentence map[string]string) {
	for again := true; again; {
		again = false
		for _, d := range deps {
			if failed[d.name] != "" {
				continue
			}
			for _, n := range slices.Sorted(maps.Keys(failed)) {
				if n != d.name && slices.Contains(d.uses, n) {
					failed[d.name] = place(d.cell, d.line, d.col, d.source, n) + ": " + sentence[n]
					again = true
					break
				}
			}
		}
	}
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
