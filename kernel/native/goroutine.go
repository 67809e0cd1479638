package native

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// goStmt starts a goroutine that belongs to the cell and whose panics do not
// end the process. Function and arguments are evaluated before, as Go does:
//
//	go f(x, g())   ⇒   { XG_f, XG_1, XG_2 := f, x, g(); XG_api.Go(func() { XG_f(XG_1, XG_2) }) }
//
// What has no type of its own gets that of its parameter.
func (e *emitter) goStmt(s *ast.GoStmt) {
	c := s.Call
	fun := ast.Unparen(c.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok && len(c.Args) == 0 && lit.Type.Results == nil {
		e.replace(s.Go, c.Fun.Pos(), e.api()+".Go(")
		e.atExit(func() { e.replace(c.Fun.End(), c.End(), ")") })
		return
	}
	var names []string
	fixed := e.fixed(c.Fun)
	if !fixed {
		names = append(names, hidden+"f")
	}
	first := len(names)
	for range e.values(c) {
		names = append(names, fmt.Sprintf("%s%d", hidden, len(names)-first+1))
	}
	for i, a := range c.Args {
		if t := e.conversion(c, i); t != "" {
			e.before(a, t+"(")
		}
	}
	e.atExit(func() { e.endGo(s, names, fixed) })
}

func (e *emitter) endGo(s *ast.GoStmt, names []string, fixed bool) {
	c := s.Call
	args, call := names, ""
	if fixed {
		call = e.node(c.Fun)
	} else {
		args, call = names[1:], names[0]
	}
	for i, a := range c.Args {
		if e.conversion(c, i) != "" {
			e.after(a, ")")
		}
	}
	inner := call + "(" + strings.Join(args, ", ")
	if c.Ellipsis.IsValid() {
		inner += "..."
	}
	start := e.api() + ".Go(func() { " + inner + ") })"
	head := "{ " + strings.Join(names, ", ") + " := "
	switch {
	case len(names) == 0: // nothing is evaluated before
		e.replace(s.Go, s.End(), start)
	case fixed:
		e.replace(s.Go, c.Lparen+1, head)
		e.tailGo(c, start)
	case len(args) == 0:
		e.replace(s.Go, c.Fun.Pos(), head)
		e.replace(c.Lparen, c.End(), "; "+start+" }")
	case len(args) > len(c.Args): // of one call that gives several values
		e.replace(s.Go, c.Fun.Pos(), "{ "+names[0]+" := ")
		e.replace(c.Lparen, c.Lparen+1, "; "+strings.Join(args, ", ")+" := ")
		e.tailGo(c, start)
	default:
		e.replace(s.Go, c.Fun.Pos(), head)
		e.replace(c.Lparen, c.Lparen+1, ", ")
		e.tailGo(c, start)
	}
}

// tailGo puts the start in the place of what follows the last argument.
func (e *emitter) tailGo(c *ast.CallExpr, start string) {
	last := c.Args[len(c.Args)-1].End()
	lines := strings.Repeat("\n", strings.Count(e.source(last, c.End()), "\n"))
	e.replace(last, c.End(), "; "+lines+start+" }")
}

// fixed tells the functions that are always the same: they need no evaluation,
// and some of them, builtin and generic ones, have no value.
func (e *emitter) fixed(fun ast.Expr) bool {
	if tv := e.info.Types[fun]; tv.IsBuiltin() {
		return true
	}
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return e.fixed(x.X) && !e.info.Types[x.Index].IsValue()
	case *ast.IndexListExpr:
		return e.fixed(x.X)
	case *ast.Ident:
		f, ok := e.info.Uses[x].(*types.Func)
		return ok && (f.Pkg() != nil && f.Pkg().Path() != homePath || e.r.Program || f.Signature().TypeParams().Len() > 0)
	case *ast.SelectorExpr:
		_, ok := e.info.Uses[x.Sel].(*types.Func)
		return ok && e.info.Selections[x] == nil
	}
	return false
}

// values are the types of what the arguments of a call give: of one call that
// gives several, all of them.
func (e *emitter) values(c *ast.CallExpr) []types.Type {
	var l []types.Type
	for _, a := range c.Args {
		if t, ok := e.info.TypeOf(a).(*types.Tuple); ok {
			for v := range t.Variables() {
				l = append(l, v.Type())
			}
			continue
		}
		l = append(l, e.info.TypeOf(a))
	}
	return l
}

// conversion is the type that argument i has to be given to be a variable, or
// "" where it has one.
func (e *emitter) conversion(c *ast.CallExpr, i int) string {
	a := ast.Unparen(c.Args[i])
	tv := e.info.Types[c.Args[i]]
	switch a.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
	default:
		if tv.Value == nil && !tv.IsNil() {
			return ""
		}
	}
	t := tv.Type
	if _, ok := t.(*types.Tuple); ok {
		return ""
	}
	if tv.IsNil() {
		t = e.param(c, i)
	}
	text, ok := e.spell(t)
	if !ok {
		return ""
	}
	if strings.HasPrefix(text, "*") || strings.HasPrefix(text, "<-") || strings.HasPrefix(text, "func") {
		return "(" + text + ")"
	}
	return text
}

// param is the type of parameter i of a call.
func (e *emitter) param(c *ast.CallExpr, i int) types.Type {
	sig, ok := e.info.TypeOf(c.Fun).(*types.Signature)
	if !ok {
		return types.Universe.Lookup("any").Type()
	}
	p := sig.Params()
	if sig.Variadic() && i >= p.Len()-1 && !c.Ellipsis.IsValid() {
		return p.At(p.Len() - 1).Type().(*types.Slice).Elem()
	}
	if i >= p.Len() {
		return types.Universe.Lookup("any").Type()
	}
	return p.At(i).Type()
}
