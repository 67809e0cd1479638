package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// use is what a piece of code does with a local variable.
type use struct {
	home      ast.Node // the function whose variable it is
	captured  bool     // a literal inside home uses it
	assigned  bool     // changed after its declaration
	addressed bool     // &x, a pointer method, a slice of an array
}

// boxed reports whether the variable lives behind a pointer. A variable that a
// literal captures and somebody changes is shared: the literal gets the
// pointer. One that nobody changes is handed to the literal by value.
func (u *use) boxed() bool { return u.addressed || u.captured && u.assigned }

// usage walks the cell once and notes every local variable.
type usage struct {
	info *types.Info
	vars map[*types.Var]*use
	home []ast.Node // the functions around, outermost first
	free map[ast.Node]map[*types.Var]bool
}

// findUses notes what the functions of a file do with their local variables.
// A function that has a defer statement is two functions: its parameters and
// results belong to the outer, its body (a block) to the inner one.
func findUses(info *types.Info, roots []ast.Node) *usage {
	u := &usage{info: info, vars: map[*types.Var]*use{}, free: map[ast.Node]map[*types.Var]bool{}}
	for _, r := range roots {
		u.walk(r)
	}
	return u
}

func (u *usage) walk(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			u.function(n, n.Recv, n.Type, n.Body)
			return false
		case *ast.FuncLit:
			u.function(n, nil, n.Type, n.Body)
			return false
		case *ast.Ident:
			u.ident(n)
		case *ast.CaseClause:
			if v, ok := u.info.Implicits[n].(*types.Var); ok {
				u.at(v).home = u.here()
			}
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := lhs.(*ast.Ident); ok && n.Tok == token.DEFINE && u.info.Defs[id] != nil {
					continue
				}
				u.mark(lhs, func(v *use) { v.assigned = true })
			}
		case *ast.IncDecStmt:
			u.mark(n.X, func(v *use) { v.assigned = true })
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				for _, e := range []ast.Expr{n.Key, n.Value} {
					if e != nil {
						u.mark(e, func(v *use) { v.assigned = true })
					}
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				u.mark(n.X, func(v *use) { v.addressed = true })
			}
		case *ast.SliceExpr:
			if _, ok := under(u.info.TypeOf(n.X)).(*types.Array); ok {
				u.mark(n.X, func(v *use) { v.addressed = true })
			}
		case *ast.SelectorExpr:
			sel := u.info.Selections[n]
			if sel != nil && sel.Kind() == types.MethodVal && pointerMethod(sel) && !isPointer(sel.Recv()) {
				u.mark(n.X, func(v *use) { v.addressed = true })
			}
		}
		return true
	})
}

// pointerMethod reports whether the method of a selection has a pointer receiver.
func pointerMethod(sel *types.Selection) bool {
	sig := sel.Obj().Type().(*types.Signature)
	_, ok := types.Unalias(sig.Recv().Type()).(*types.Pointer)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func (u *usage) function(n ast.Node, recv *ast.FieldList, t *ast.FuncType, body *ast.BlockStmt) {
	u.home = append(u.home, n)
	for _, list := range []*ast.FieldList{recv, t.Params, t.Results} {
		if list != nil {
			u.walk(list)
		}
	}
	if body != nil && hasDefer(body) {
		u.share(t.Results)
		u.home = append(u.home, body)
		u.walk(body)
		u.home = u.home[:len(u.home)-1]
	} else if body != nil {
		u.walk(body)
	}
	u.home = u.home[:len(u.home)-1]
}

// share marks the named results of a function with deferred calls: return
// assigns them in the inner function, the outer one reads them.
func (u *usage) share(results *ast.FieldList) {
	if results == nil {
		return
	}
	for _, field := range results.List {
		for _, name := range field.Names {
			if v, ok := u.info.Defs[name].(*types.Var); ok {
				u.at(v).captured, u.at(v).assigned = true, true
			}
		}
	}
}

// ident notes a declaration or a use.
func (u *usage) ident(id *ast.Ident) {
	if v, ok := u.info.Defs[id].(*types.Var); ok && !v.IsField() && !atTop(v) {
		u.at(v).home = u.here()
	}
	v, ok := u.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || atTop(v) {
		return
	}
	o := u.at(v)
	if o.home == u.here() {
		return
	}
	o.captured = true
	for i := len(u.home) - 1; i >= 0 && u.home[i] != o.home; i-- {
		if u.free[u.home[i]] == nil {
			u.free[u.home[i]] = map[*types.Var]bool{}
		}
		u.free[u.home[i]][v] = true
	}
}

func (u *usage) here() ast.Node {
	if len(u.home) == 0 {
		return nil
	}
	return u.home[len(u.home)-1]
}

func (u *usage) at(v *types.Var) *use {
	if u.vars[v] == nil {
		u.vars[v] = &use{}
	}
	return u.vars[v]
}

// mark applies f to the variable whose memory e is part of, if it is a local.
func (u *usage) mark(e ast.Expr, f func(*use)) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		u.mark(e.X, f)
	case *ast.Ident:
		obj := u.info.Uses[e]
		if obj == nil {
			obj = u.info.Defs[e]
		}
		if v, ok := obj.(*types.Var); ok && !v.IsField() && !atTop(v) {
			f(u.at(v))
		}
	case *ast.SelectorExpr:
		if sel := u.info.Selections[e]; sel != nil && !isPointer(sel.Recv()) {
			u.mark(e.X, f) // an embedded pointer on the way only makes the mark too strong
		}
	case *ast.IndexExpr:
		if _, ok := under(u.info.TypeOf(e.X)).(*types.Array); ok {
			u.mark(e.X, f)
		}
	}
}

// atTop reports whether a variable is one of the session.
func atTop(v types.Object) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// hasDefer reports whether a body has a defer statement of its own, not one of
// a literal inside it.
func hasDefer(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.DeferStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// under returns the underlying type; nil for nil.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}
