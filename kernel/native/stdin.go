package native

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A read of os.Stdin asks the person for a line. The file keeps its type; where
// the cell makes a reader of a file, or calls its method Read, os.Stdin becomes
// one that asks: in arguments, conversions, assignments and declarations. What
// is made of it elsewhere reads descriptor 0.

// reader makes a reader of x where x is a file and t the interface type that it
// becomes.
func (e *emitter) reader(x ast.Expr, t types.Type) {
	if open := e.readerOf(x, t); open != "" {
		e.before(x, open)
		e.atExit(func() { e.after(x, ")") })
	}
}

// readerOf is the text before x that makes a reader of it, or "".
func (e *emitter) readerOf(x ast.Expr, t types.Type) string {
	if e.r.Program || t == nil || !methodic(t) || !isFile(e.info.TypeOf(x)) || !readable(t) {
		return ""
	}
	text, ok := e.spell(t)
	if !ok {
		return ""
	}
	return e.api() + ".In[" + text + "]("
}

// reads looks at the arguments of a call, the operand of a conversion, and at
// the receiver of Read.
func (e *emitter) reads(c *ast.CallExpr) {
	fun := ast.Unparen(c.Fun)
	if e.info.Types[fun].IsType() {
		if len(c.Args) == 1 {
			e.reader(c.Args[0], e.info.TypeOf(fun))
		}
		return
	}
	if s, ok := fun.(*ast.SelectorExpr); ok && !e.r.Program && s.Sel.Name == "Read" && isFile(e.info.TypeOf(s.X)) &&
		e.info.Selections[s] != nil && len(c.Args) == 1 {
		e.before(s.X, e.api()+".ReadFile(")
		e.atExit(func() { e.replace(s.X.End(), c.Lparen+1, ", ") })
		return
	}
	sig, ok := e.info.TypeOf(fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	n := sig.Params().Len()
	for i, a := range c.Args {
		switch {
		case sig.Variadic() && i >= n-1:
			if !c.Ellipsis.IsValid() {
				e.reader(a, sig.Params().At(n-1).Type().(*types.Slice).Elem())
			}
		case i < n:
			e.reader(a, sig.Params().At(i).Type())
		}
	}
}

// readers looks at x = f.
func (e *emitter) readers(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i, x := range s.Rhs {
		e.reader(x, e.info.TypeOf(s.Lhs[i]))
	}
}

// isFile tells *os.File.
func isFile(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "File" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "os"
}

// readable tells interfaces that can be read from.
func readable(t types.Type) bool {
	i := t.Underlying().(*types.Interface)
	for m := range i.Methods() {
		if m.Name() == "Read" {
			return true
		}
	}
	return false
}
