package lower

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// loop is a statement that break or continue may mean.
type loop struct {
	label    string // as written
	name     string // in the lowered file, "" without
	isSwitch bool   // break only
	once     bool   // a switch that stands in a loop of one turn
	at       int    // the line that a name goes before
	done     func() // of looping; nil of a switch
}

// enter begins a loop or switch that break may mean.
func (f *function) enter(label string, isSwitch bool) {
	t := loop{label: label, isSwitch: isSwitch}
	if !isSwitch {
		t.done = f.looping()
	}
	t.at = len(f.lines)
	if label != "" && !isSwitch {
		t.name = f.l.loopName(label)
	}
	f.loops = append(f.loops, t)
}

func (l *lowerer) loopName(label string) string {
	l.local++
	return label + "_" + strconv.Itoa(l.local)
}

// leave ends it and writes its name in front of it, if it has one.
func (f *function) leave() {
	t := f.loops[len(f.loops)-1]
	f.loops = f.loops[:len(f.loops)-1]
	if t.name != "" {
		f.lines = slices.Insert(f.lines, t.at, strings.Repeat("\t", f.indent)+t.name+":")
	}
	if t.done != nil {
		t.done()
	}
}

// enterOnce begins a switch in a loop of one turn, which break leaves.
func (f *function) enterOnce(label string) {
	f.enter(label, true)
	t := &f.loops[len(f.loops)-1]
	t.once = true
	if label != "" {
		t.name = f.l.loopName(label)
	}
	f.open("for")
}

func (f *function) leaveOnce() {
	f.line("break")
	f.close()
	f.leave()
}

// breaksTo reports whether a break to the label of a switch stands in it where
// a plain break would mean something else.
func breaksTo(body *ast.BlockStmt, label string) bool {
	return label != "" && holdsBranch(body, func(b *ast.BranchStmt) bool {
		return b.Tok == token.BREAK && b.Label != nil && b.Label.Name == label
	})
}

func holdsBranch(n ast.Node, is func(*ast.BranchStmt) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BranchStmt:
			found = found || is(n)
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// fallsThrough reports whether a clause of a switch ends in fallthrough.
func fallsThrough(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		if n := len(c.(*ast.CaseClause).Body); n > 0 {
			if b, ok := c.(*ast.CaseClause).Body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				return true
			}
		}
	}
	return false
}

// labeled is a label in front of a loop, switch or select.
func (f *function) labeled(s *ast.LabeledStmt) {
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		f.stmt(s.Stmt, s.Label.Name)
		return
	}
	f.l.refuse(s, "a label in front of %s", describe(s.Stmt))
}

// branch is break or continue of a loop or switch around it. A fallthrough is
// written by its switch.
//
// A continue out of a switch in a loop of one turn means the loop around that,
// by name.
func (f *function) branch(s *ast.BranchStmt) {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		f.l.refuse(s, "%s", s.Tok)
		return
	}
	inOnce := false
	for i := len(f.loops) - 1; i >= 0; i-- {
		t := &f.loops[i]
		other := s.Label != nil && t.label != s.Label.Name || s.Tok == token.CONTINUE && t.isSwitch
		switch {
		case other:
			inOnce = inOnce || t.once
		case s.Label == nil && (s.Tok == token.BREAK || !inOnce):
			f.line("%s", s.Tok)
			return
		default:
			if t.name == "" {
				t.name = f.l.loopName("loop")
			}
			f.line("%s %s", s.Tok, t.name)
			return
		}
	}
	f.l.refuse(s, "a %s out of this place", s.Tok)
}
