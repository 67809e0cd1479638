package lower

import (
	"go/ast"
	"go/types"

	"github.com/gondola-lab/gondola/kernel/front"
)

// Recursion. The interpreter passes a panic on in each call that it goes
// through, on top of the stack of the one before, so that a panic below n calls
// costs n² steps. Functions that may call themselves are therefore run under a
// guard of compiled code, which lets a panic go on from a stack of its own.

// recursive are the functions of a cell that may come back to themselves: in
// the cell, or by way of functions of other cells, which may know them.
func (l *lowerer) recursive(c *front.Cell) map[*types.Func]bool {
	uses := map[*types.Func][]*types.Func{}
	back := map[*types.Func]bool{}
	for _, p := range c.Pieces {
		d, ok := p.Node.(*ast.FuncDecl)
		if !ok || d.Recv != nil || d.Body == nil {
			continue
		}
		if fn, ok := l.info.Defs[d.Name].(*types.Func); ok {
			uses[fn] = l.functionsIn(d.Body)
			back[fn] = l.callsAlike(d.Body, fn.Type())
		}
	}
	for fn := range uses {
		seen := map[*types.Func]bool{}
		var walk func(at *types.Func) bool
		walk = func(at *types.Func) bool {
			if seen[at] {
				return false
			}
			seen[at] = true
			next, here := uses[at]
			if !here {
				return true
			}
			for _, to := range next {
				if to == fn || walk(to) {
					return true
				}
			}
			return false
		}
		back[fn] = back[fn] || walk(fn)
	}
	return back
}

// functionsIn are the functions of the session that a body names.
func (l *lowerer) functionsIn(body ast.Node) (fns []*types.Func) {
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if fn, ok := l.info.Uses[id].(*types.Func); ok && atTop(fn) && fn.Pkg().Path() == "main" {
				fns = append(fns, fn)
			}
		}
		return true
	})
	return fns
}

// callsAlike reports whether a body calls a variable that may hold its own
// function: one of the same type.
func (l *lowerer) callsAlike(body *ast.BlockStmt, t types.Type) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
				v, ok := l.info.Uses[id].(*types.Var)
				found = found || ok && types.Identical(v.Type().Underlying(), t.Underlying())
			}
		}
		return !found
	})
	return found
}
