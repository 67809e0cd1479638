package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"log"
	"strings"
)

// call is a call with one result, in a hidden variable.
func (f *function) call(e *ast.CallExpr) string {
	l := f.l
	fun := ast.Unparen(e.Fun)
	switch tv := l.info.Types[fun]; {
	case tv.IsType():
		return f.conversion(e, tv.Type)
	case tv.IsBuiltin():
		return f.builtin(e)
	}
	if t, ok := l.info.TypeOf(e).(*types.Tuple); ok {
		return l.refuse(e, "a call with %d results as one value", t.Len())
	}
	text := f.callText(e)
	f.called = true
	return f.hoist(text)
}

// calls is a call with any number of results, each in a hidden variable.
func (f *function) calls(e *ast.CallExpr) []string {
	l := f.l
	t, ok := l.info.TypeOf(e).(*types.Tuple)
	if !ok {
		return []string{f.expr(e)}
	}
	if why := l.banned(t); why != "" {
		l.refuse(e, "%s", why)
		return make([]string, t.Len())
	}
	text := f.callText(e)
	f.called = true
	names := make([]string, t.Len())
	for i := range names {
		names[i] = l.fresh()
	}
	if len(names) == 0 {
		f.line("%s", text)
		return nil
	}
	f.line("%s := %s", strings.Join(names, ", "), text)
	return names
}

// callText is the text of a call of a function, a function value or a method.
func (f *function) callText(e *ast.CallExpr) string {
	l := f.l
	fun := ast.Unparen(e.Fun)
	sig, ok := l.info.TypeOf(fun).Underlying().(*types.Signature)
	inst, generic := l.instance(fun)
	switch {
	case generic && inst == nil:
		return l.refuse(e, "%s", l.noInstance(fun))
	case !ok || sig.TypeParams().Len() > 0:
		return l.refuse(e, "a generic function")
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := l.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			return f.methodCall(e, sel, s, sig)
		}
	}
	banned := l.banned
	if l.packaged(fun) {
		banned = func(types.Type) string { return l.bannedCall(sig) }
	}
	if why := first(banned(sig), l.closedCall(e)); why != "" {
		return l.refuse(e, "%s", why)
	}
	var name string
	var args []string
	// A plain name is read when all arguments are known, as the compiler does it.
	f.unbound(func() { name = f.callee(fun, inst) })
	if !l.packaged(fun) {
		name = f.bind(name, sig)
	}
	f.calling(e, !l.packaged(fun) || f.changes(e), func() { args = f.args(e, sig) })
	return group(name) + "(" + strings.Join(args, ", ") + ")"
}

// closedCall names what is wrong with a call of an open function: flags that
// would make package log print the place of its caller.
func (l *lowerer) closedCall(e *ast.CallExpr) string {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	fn, ok := l.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "log" || fn.Name() != "SetFlags" && fn.Name() != "New" {
		return ""
	}
	v := l.info.Types[e.Args[len(e.Args)-1]].Value
	if v == nil {
		return "log flags that are not constant"
	}
	if n, _ := constant.Int64Val(v); n&(log.Lshortfile|log.Llongfile) != 0 {
		return "a log with the place of its caller"
	}
	return ""
}

// packaged reports whether a call names a function of a package.
func (l *lowerer) packaged(fun ast.Expr) bool {
	id := named(fun)
	if id == nil {
		return false
	}
	fn, ok := l.info.Uses[id].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() != "main"
}

// args are the arguments of a call, converted to the types of the parameters.
func (f *function) args(e *ast.CallExpr, sig *types.Signature) []string {
	l := f.l
	params := sig.Params()
	n := params.Len()
	param := func(i int) types.Type {
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			return params.At(n - 1).Type().(*types.Slice).Elem()
		}
		return params.At(i).Type()
	}
	if len(e.Args) == 1 && f.binding == nil {
		if c, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok {
			if t, ok := l.info.TypeOf(c).(*types.Tuple); ok {
				names := f.calls(c)
				for i := range names {
					names[i] = f.convert(c, names[i], t.At(i).Type(), param(i))
				}
				return names
			}
		}
	}
	var out []string
	for i, a := range e.Args {
		f.unbound(func() { out = append(out, f.argument(a, param(i))) })
	}
	for i := range out {
		out[i] = f.bind(out[i], param(i))
	}
	switch {
	case e.Ellipsis.IsValid():
		out[len(out)-1] += "..."
	case sig.Variadic() && len(out) == n-1: // reflect's call would make an empty slice, not a nil one
		list := params.At(n - 1).Type()
		out = append(out, f.bind(l.zero(list), list)+"...")
	}
	return out
}

// methodCall is x.M(…) of a compiled type: a compiled function that takes the
// receiver first, so that Yaegi looks no method up.
func (f *function) methodCall(
	e *ast.CallExpr, fun *ast.SelectorExpr, sel *types.Selection, sig *types.Signature,
) string {
	l := f.l
	m := sel.Obj().(*types.Func)
	recv := sel.Recv()
	if why := first(l.closedMethod(m, recv), l.banned(sig)); why != "" {
		return l.refuse(e, "%s", why)
	}
	if f.binding != nil { // put off: a nil receiver panics now, a value is copied now
		var name string
		f.unbound(func() { name = f.methodValue(fun, sel) })
		name = f.bind(name, sig)
		return name + "(" + strings.Join(f.args(e, sig), ", ") + ")"
	}
	var x string
	f.unbound(func() { x, recv = f.receiver(fun, sel, recv) })
	var args []string
	f.calling(e, f.changes(e), func() {
		if types.IsInterface(recv) {
			f.reads(fun.X)
		}
		args = append([]string{x}, f.args(e, sig)...)
	})
	return fmt.Sprintf("%s(%s)", l.symbol(Method, m.Name(), recv), strings.Join(args, ", "))
}

// closedMethod names what keeps a method out of the subset, or "".
func (l *lowerer) closedMethod(m *types.Func, recv types.Type) string {
	if why := l.banned(recv); why != "" {
		return why
	}
	if m.Pkg() != nil && closedPackages[m.Pkg().Path()] != "" {
		return "package " + m.Pkg().Path() + " (" + closedPackages[m.Pkg().Path()] + ")"
	}
	if m.Pkg() != nil && closedNames[m.Pkg().Path()+".Logger."+m.Name()] {
		return "a call of Logger." + m.Name()
	}
	if !m.Exported() {
		return "the unexported method " + m.Name()
	}
	return ""
}

// methodValue is x.M without a call: the receiver is copied now.
func (f *function) methodValue(e *ast.SelectorExpr, sel *types.Selection) string {
	l := f.l
	m := sel.Obj().(*types.Func)
	if why := first(l.closedMethod(m, sel.Recv()), l.banned(sel.Type())); why != "" {
		return l.refuse(e, "%s", why)
	}
	x, recv := f.receiver(e, sel, sel.Recv())
	f.reads(e.X)
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(MethodValue, m.Name(), recv), x))
}

// methodExpr is T.M: the function that takes the receiver first.
func (f *function) methodExpr(e *ast.SelectorExpr, sel *types.Selection) string {
	l := f.l
	m := sel.Obj().(*types.Func)
	if why := first(l.closedMethod(m, sel.Recv()), l.banned(sel.Type())); why != "" {
		return l.refuse(e, "%s", why)
	}
	return l.symbol(Method, m.Name(), sel.Recv())
}

// receiver evaluates the receiver of a method call and gives its type.
func (f *function) receiver(fun *ast.SelectorExpr, sel *types.Selection, recv types.Type) (string, types.Type) {
	switch _, isPointer := types.Unalias(recv).Underlying().(*types.Pointer); {
	case !isPointer && !types.IsInterface(recv) && pointerMethod(sel) && !methodOf(recv, sel.Obj().Name()):
		return f.address(&ast.UnaryExpr{OpPos: fun.X.Pos(), Op: token.AND, X: fun.X}), types.NewPointer(recv)
	default:
		return f.expr(fun.X), recv
	}
}

// methodOf reports whether the method set of t itself has a method of the name.
func methodOf(t types.Type, name string) bool {
	set := types.NewMethodSet(t)
	for s := range set.Methods() {
		if s.Obj().Name() == name {
			return true
		}
	}
	return false
}

// conversion is T(x). Basic types convert in Yaegi, all others in compiled code.
func (f *function) conversion(e *ast.CallExpr, t types.Type) string {
	l := f.l
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	arg := e.Args[0]
	if l.info.Types[arg].IsNil() {
		return l.zero(t)
	}
	from := l.info.TypeOf(arg)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		from = types.Default(b)
		if types.IsInterface(t) || !types.ConvertibleTo(from, t) || l.info.Types[arg].Value == nil {
			return f.untyped(arg, t)
		}
	}
	x := f.to(arg, from)
	if types.Identical(from, t) {
		return x
	}
	_, a := types.Unalias(from).(*types.Basic)
	b, ok := types.Unalias(t).(*types.Basic)
	exact := !isFloat(from) && ok && b.Kind() != types.Float32 // else reflect's conversion is not the compiler's
	if a && ok && b.Info()&types.IsNumeric != 0 && exact {
		return l.typ(t) + "(" + x + ")"
	}
	if why := l.banned(from); why != "" {
		return l.refuse(e, "%s", why)
	}
	text := fmt.Sprintf("%s(%s)", l.symbol(Convert, "", from, t), x)
	if _, ok := t.Underlying().(*types.Slice); ok { // the compiler copies a string at once
		f.reads(arg)
		return f.hoist(text)
	}
	if types.IsInterface(t) {
		f.small(arg, from)
	}
	return text
}
