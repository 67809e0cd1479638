package lower

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/gondola-lab/gondola/kernel/front"
)

// Generic functions. A pack holds common instances of the functions of slices,
// maps and cmp as ordinary compiled functions, so a use of one of those is a
// use of that function; all others are refused. So with instances of types. An
// iterator of other types may only go from the call that makes it into the call
// that takes it, as in slices.Sorted(maps.Keys(m)), and both are compiled.

// InstanceType is the type that a pack holds for an instance of a generic type;
// ok is false where no pack has it.
func InstanceType(t *types.Named) (name *types.TypeName, ok bool) { return front.InstanceType(t) }

// named is the name that a function is used by: f, p.F, p.F[T]. It is nil for
// other functions.
func named(fun ast.Expr) *ast.Ident {
	switch e := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return named(e.X)
	case *ast.IndexListExpr:
		return named(e.X)
	}
	return nil
}

// instance returns the compiled function that a use of a generic function is;
// generic is false for another function, inst nil if no pack has the instance.
func (l *lowerer) instance(fun ast.Expr) (inst *types.Func, generic bool) {
	id := named(fun)
	if id == nil {
		return nil, false
	}
	in, ok := l.info.Instances[id]
	if !ok {
		return nil, false
	}
	fn, ok := l.info.Uses[id].(*types.Func)
	if !ok {
		return nil, true
	}
	inst, _ = front.Instance(fn, slices.Collect(in.TypeArgs.Types()))
	return inst, true
}

// callee is the function of a call; inst is the instance if it is generic.
func (f *function) callee(fun ast.Expr, inst *types.Func) string {
	if inst != nil {
		return f.fromPackage(inst)
	}
	return f.expr(fun)
}

// generic is a generic function as a value.
func (f *function) generic(e ast.Expr, inst *types.Func) string {
	l := f.l
	if inst == nil {
		return l.refuse(e, "%s", l.noInstance(e))
	}
	return f.imported(e, inst)
}

// noInstance names a generic function that no pack has for its types.
func (l *lowerer) noInstance(fun ast.Expr) string {
	id := named(fun)
	fn, ok := l.info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() == "main" {
		return "a generic function"
	}
	text := "the generic function " + fn.Pkg().Name() + "." + fn.Name()
	for i, t := range slices.Collect(l.info.Instances[id].TypeArgs.Types()) {
		if i == 0 {
			text += " for " + l.typeString(t)
			continue
		}
		text += ", " + l.typeString(t)
	}
	return text
}

// bannedCall is banned for the parameters and results of a compiled function
// that is called: iterators may be among them.
func (l *lowerer) bannedCall(sig *types.Signature) string {
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if s := l.banned(v.Type()); s != "" && !l.iterator(v.Type()) {
				return s
			}
		}
	}
	return ""
}

// iterator reports whether t is an iter.Seq or iter.Seq2 of allowed types.
func (l *lowerer) iterator(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "iter" {
		return false
	}
	for a := range n.TypeArgs().Types() {
		if !l.allowed(a) {
			return false
		}
	}
	return true
}

// argument is an argument of a call for a parameter of type t.
func (f *function) argument(e ast.Expr, t types.Type) string {
	l := f.l
	if !l.iterator(t) || l.allowed(t) {
		return f.to(e, t)
	}
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !l.packaged(c.Fun) || !types.Identical(l.info.TypeOf(c), t) {
		return l.refuse(e, "an iterator that no call makes here")
	}
	text := f.callText(c)
	f.called = true
	return f.hoist(text)
}
