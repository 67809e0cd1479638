package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// risky reports whether running a node may panic or call something, so that
// its line is worth to be known. A line costs as much as an addition.
func (l *lowerer) risky(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if tv := l.info.Types[e]; tv.Value != nil || tv.IsType() {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr,
			*ast.SendStmt, *ast.RangeStmt, *ast.CompositeLit, *ast.GoStmt, *ast.DeferStmt:
			found = true
		case *ast.CallExpr:
			found = found || !l.harmless(n)
		case *ast.SelectorExpr:
			sel := l.info.Selections[n]
			found = found || sel != nil && (sel.Kind() != types.FieldVal || sel.Indirect())
			_, ofPackage := l.info.Uses[n.Sel].(*types.Var)
			return sel != nil || !ofPackage
		case *ast.BinaryExpr:
			found = found || l.riskyOperator(n.Op, n.X, n.Y)
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				found = found || l.riskyOperator(opOf(n.Tok), n.Lhs[0], n.Rhs[0])
			}
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// riskyOperator reports whether an operator may panic: a division by what may
// be zero, a shift by what may be negative, a comparison of interfaces.
func (l *lowerer) riskyOperator(op token.Token, x, y ast.Expr) bool {
	t, constant := under(l.info.TypeOf(y)), l.info.Types[y].Value != nil
	b, basic := t.(*types.Basic)
	switch op {
	case token.QUO, token.REM:
		return !constant && !(basic && b.Info()&types.IsFloat != 0)
	case token.SHL, token.SHR:
		return !constant && !(basic && b.Info()&types.IsUnsigned != 0)
	case token.EQL, token.NEQ:
		a, plain := under(l.info.TypeOf(x)).(*types.Basic)
		return !(basic && plain) || a.Kind() == types.UntypedNil || b.Kind() == types.UntypedNil
	}
	return false
}

// harmless reports whether a call is a conversion between basic types, or len
// or cap.
func (l *lowerer) harmless(c *ast.CallExpr) bool {
	fun := l.info.Types[c.Fun]
	if fun.IsBuiltin() {
		id, ok := ast.Unparen(c.Fun).(*ast.Ident)
		return ok && (id.Name == "len" || id.Name == "cap")
	}
	if !fun.IsType() || len(c.Args) != 1 {
		return false
	}
	_, to := under(fun.Type).(*types.Basic)
	_, from := under(l.info.TypeOf(c.Args[0])).(*types.Basic)
	return to && from
}
