package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// redo is what becomes of functions that must be checked again: the new
// entries of all of them, the broken ones too, the cell in which the others
// were checked, and the warnings.
type redo struct {
	cell     *front.Cell
	entries  []*entry
	warnings []string
}

func (r redo) has(name string) bool {
	return slices.ContainsFunc(r.entries, func(e *entry) bool { return e.name == name })
}

// working lists the entries that compile.
func (r redo) working() []*entry {
	return slices.DeleteFunc(slices.Clone(r.entries), func(e *entry) bool { return e.broken != "" })
}

// again checks functions from their source against the names of next. Those
// that do not pass, and those that use them, are broken, with a sentence.
func (s *Session) again(next *state, deps []dependent, sentence func(dependent) string) redo {
	if len(deps) == 0 {
		return redo{}
	}
	failed, sentences := map[string]string{}, map[string]string{}
	for _, d := range deps {
		sentences[d.name] = sentence(d)
		if d.broken != "" {
			sentences[d.name] = d.broken
		}
	}
	var c *front.Cell
	for {
		sc := next.scope(false)
		var sources []front.Source
		for _, d := range deps {
			delete(sc.Broken, d.name)
			if failed[d.name] == "" {
				src := front.Source{Name: d.name, Cell: d.cell, Line: d.line, Col: d.col, Text: d.source}
				sources = append(sources, src)
			} else {
				delete(sc.Names, d.name)
				sc.Broken[d.name] = sentences[d.name]
			}
		}
		before := len(failed)
		c = nil
		if len(sources) > 0 {
			var errs map[string]*front.Error
			c, errs = s.check.Recheck(sources, sc)
			for n, err := range errs {
				d := err.List[0]
				if other, ok := strings.CutPrefix(d.Msg, "undefined: "); ok && other != n && errs[other] != nil {
					d.Msg = sentences[other] // it failed first and was taken out
				}
				failed[n] = d.String()
			}
			maps.Copy(failed, refused(c))
		}
		spread(deps, failed, sentences)
		if len(failed) == before {
			break
		}
	}
	return redo{c, redone(c, deps, failed, sentences), warnings(deps, failed)}
}

// redone makes the new entries of functions that were checked again.
func redone(c *front.Cell, deps []dependent, failed, sentences map[string]string) []*entry {
	var out []*entry
	for _, d := range deps {
		e := *d.entry
		e.broken = ""
		if failed[d.name] != "" {
			e.broken = sentences[d.name]
		}
		if c != nil {
			for _, decl := range c.Decls {
				if decl.Name == d.name {
					e.obj, e.uses = fresh(decl.Obj), slices.Clone(decl.Uses)
				}
			}
		}
		out = append(out, &e)
	}
	return out
}

// warnings are the lines about functions that compiled until now.
func warnings(deps []dependent, failed map[string]string) []string {
	var out []string
	for _, d := range deps {
		if why := failed[d.name]; why != "" && d.broken == "" {
			out = append(out, fmt.Sprintf("warning: %s (cell [%d]) no longer compiles: %s", d.name, d.cell, why))
		}
	}
	return out
}
