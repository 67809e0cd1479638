package front

import (
	"go/ast"
	"go/types"
	"strings"
)

// parameter is what the value at the cursor is for: the parameter of a call, or
// nil. The name of the function is for the hint.
func (j *job) parameter(id *ast.Ident, path []ast.Node) (v *types.Var, function string) {
	call, ok := path[len(path)-1].(*ast.CallExpr)
	if !ok {
		return nil, ""
	}
	sig, ok := underlying(j.info.TypeOf(call.Fun)).(*types.Signature)
	if !ok || sig.Params().Len() == 0 {
		return nil, ""
	}
	last := sig.Params().Len() - 1
	for n, a := range call.Args {
		if a == ast.Expr(id) && (n <= last || sig.Variadic()) {
			return sig.Params().At(min(n, last)), spelled(call.Fun)
		}
	}
	return nil, ""
}

// spelled is a function as a call names it: f, x.f or p.f.
func spelled(fun ast.Expr) string {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x := spelled(f.X); x != "" {
			return x + "." + f.Sel.Name
		}
		return f.Sel.Name
	case *ast.IndexExpr:
		return spelled(f.X)
	case *ast.IndexListExpr:
		return spelled(f.X)
	}
	return ""
}

// hint is the offer that says what an argument is for. Its text is the name of
// the parameter, as most variables that are passed on are named.
func (j *job) hint(v *types.Var, function string) (Item, bool) {
	if v == nil || v.Name() == "" || v.Name() == "_" {
		return Item{}, false
	}
	return Item{v.Name(), "instance", strings.TrimSpace("parameter of " + function + ": " + j.typeString(v.Type()))}, true
}

// fits tells whether an object may stand where a value of a type is wanted.
func fits(o types.Object, want *types.Var) bool {
	if want == nil {
		return false
	}
	switch o.(type) {
	case *types.Var, *types.Const, *types.Func:
	default:
		return false
	}
	t := want.Type()
	if s, ok := t.(*types.Slice); ok && types.AssignableTo(o.Type(), s.Elem()) {
		return !types.IsInterface(s.Elem()) // of a variadic parameter
	}
	return !types.IsInterface(t) && types.AssignableTo(o.Type(), t)
}
