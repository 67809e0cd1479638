package front

import (
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// Recheck checks declarations of earlier cells again, in one go and at their
// own places, because something that they use has changed. The scope is the new
// one; what it has under the names of fns is not seen. Those that do not
// compile any more, and those that use them, are in the map by name; the cell
// (number 0) holds the rest. It is nil if nothing is left.
func (k *Checker) Recheck(fns []Source, sc *Scope) (c *Cell, failed map[string]*Error) {
	failed = map[string]*Error{}
	sc = sc.Clone()
	for _, s := range fns {
		delete(sc.Names, s.Name)
		delete(sc.Imports, s.Name)
	}
	for len(fns) > 0 {
		c, l := k.recheck(fns, sc)
		if l == nil {
			return c, failed
		}
		var rest []Source
		for i, s := range fns {
			if l[i] == nil {
				rest = append(rest, s)
				continue
			}
			failed[s.Name] = sorted(l[i])
		}
		fns = rest
	}
	return nil, failed
}

// recheck checks all of fns together. The errors come by the index of the
// declaration that they are in; nil means that there are none.
func (k *Checker) recheck(fns []Source, sc *Scope) (c *Cell, failed [][]Diag) {
	j := k.newJob(0, sc)
	var e *Error
	func() {
		defer j.recover(&c, &e)
		for _, s := range fns {
			j.units = append(j.units, oldUnit(kindOf(s.Text), s))
		}
		c, e = j.run()
	}()
	if e == nil {
		return c, nil
	}
	failed = make([][]Diag, len(fns))
	placed := false
	for _, d := range e.List {
		for i, s := range fns {
			if inside(s, d) {
				failed[i] = append(failed[i], d)
				placed = true
				break
			}
		}
	}
	if !placed { // an error at no place of theirs is one of all
		for i := range fns {
			failed[i] = e.List
		}
	}
	return nil, failed
}

// inside tells whether an error lies in a declaration. On one line declarations
// are told apart by the column.
func inside(s Source, d Diag) bool {
	last := s.Line + strings.Count(s.Text, "\n")
	if d.Cell != s.Cell || d.Line < s.Line || d.Line > last {
		return false
	}
	if d.Line == s.Line && d.Col < s.Col {
		return false
	}
	if i := strings.LastIndexByte(s.Text, '\n'); i >= 0 {
		return d.Line < last || d.Col <= len(s.Text)-i
	}
	return d.Col <= s.Col+len(s.Text)
}

// kindOf is the kind of a declaration's text.
func kindOf(text string) cell.Kind {
	if ps := cell.Split(text); len(ps) > 0 {
		return ps[0].Kind
	}
	return cell.Stmts
}

// Same tells whether two objects of one name mean the same to the code that
// uses them: the same kind of object and identical types, and for constants the
// same value.
func Same(a, b types.Object) bool {
	switch x := a.(type) {
	case *types.Const:
		y, ok := b.(*types.Const)
		return ok && types.Identical(x.Type(), y.Type()) && x.Val().ExactString() == y.Val().ExactString()
	case *types.Var:
		y, ok := b.(*types.Var)
		return ok && types.Identical(x.Type(), y.Type())
	case *types.Func:
		y, ok := b.(*types.Func)
		return ok && types.Identical(x.Type(), y.Type())
	}
	return a == b
}
