package lower

import (
	"go/ast"
	"go/types"
)

// The capacity of what append makes depends on where the compiler puts it: a
// slice that never leaves its function begins in 32 bytes of the stack, one
// that does on the heap, with room for what was asked. Memory here is of the
// second kind only. So cap of such a slice is in the subset where it is sure
// that the compiler's is too: a variable of the session, or one that the cell
// makes an interface value of.

// capacities is what a cell says about its slices.
type capacities struct {
	appended map[string]bool     // element types of the slices that append makes
	leaves   map[*types.Var]bool // variables of which an interface value is made
}

func findCapacities(info *types.Info, roots []ast.Node) *capacities {
	c := &capacities{map[string]bool{}, map[*types.Var]bool{}}
	for _, r := range roots {
		ast.Inspect(r, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				c.call(info, call)
			}
			return true
		})
	}
	return c
}

func (c *capacities) call(info *types.Info, e *ast.CallExpr) {
	if info.Types[e.Fun].IsBuiltin() {
		if s, ok := under(info.TypeOf(e)).(*types.Slice); ok && builtinName(e.Fun) == "append" {
			c.appended[elemKey(s)] = true
		}
		return
	}
	sig, ok := under(info.TypeOf(e.Fun)).(*types.Signature)
	if !ok {
		return
	}
	if s, ok := under(info.TypeOf(e)).(*types.Slice); ok && grows(info, e.Fun) {
		c.appended[elemKey(s)] = true
	}
	for i, a := range e.Args {
		id, ok := ast.Unparen(a).(*ast.Ident)
		if !ok {
			continue
		}
		v, ok := info.Uses[id].(*types.Var)
		if ok && sig.Params().Len() > 0 && types.IsInterface(paramType(sig, i, e.Ellipsis.IsValid())) {
			c.leaves[v] = true
		}
	}
}

// grows reports whether a call is one of a generic function of a package, as
// slices.Insert: the compiler may write its append where it is called.
func grows(info *types.Info, fun ast.Expr) bool {
	id := named(fun)
	if id == nil {
		return false
	}
	_, ok := info.Instances[id]
	return ok
}

// paramType is the type of the parameter that takes argument i of a call.
func paramType(sig *types.Signature, i int, spread bool) types.Type {
	last := sig.Params().Len() - 1
	if sig.Variadic() && i >= last && !spread {
		return sig.Params().At(last).Type().(*types.Slice).Elem()
	}
	return sig.Params().At(min(i, last)).Type()
}

func elemKey(s *types.Slice) string { return types.TypeString(s.Elem(), nil) }

// sure reports whether cap of a slice is what the compiler's program has.
func (c *capacities) sure(info *types.Info, e ast.Expr) bool {
	s, ok := under(info.TypeOf(e)).(*types.Slice)
	if !ok || !c.appended[elemKey(s)] {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.SliceExpr: // of an array: as long as that
		return c.sure(info, e.X)
	case *ast.CallExpr:
		return info.Types[e.Fun].IsBuiltin() && builtinName(e.Fun) == "make"
	case *ast.Ident:
		v, ok := info.Uses[e].(*types.Var)
		return ok && (atTop(v) || c.leaves[v])
	}
	return false
}
