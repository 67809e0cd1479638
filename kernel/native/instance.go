package native

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// instances registers the instances of generic functions that were asked for.
func (e *emitter) instances() {
	for _, in := range e.r.Instances {
		text := e.generic(in.Func)
		var args []string
		for _, a := range in.Args {
			args = append(args, e.typ(a))
		}
		if text == "" {
			e.unspelled = true
			continue
		}
		e.funcs[in.Key] = text + "[" + strings.Join(args, ", ") + "]"
	}
}

// generic is the name of a generic function of the session or of a package.
func (e *emitter) generic(f *types.Func) string {
	switch {
	case f.Pkg() == nil:
		return ""
	case f.Pkg().Path() != homePath:
		return e.pkg(f.Pkg().Path()) + "." + f.Name()
	}
	if home, ok := e.home(f); ok {
		return e.unit(home) + "." + exported(f.Name())
	}
	if f.Pkg() == e.cell.Pkg {
		return exported(f.Name())
	}
	return ""
}

// witnessOf is an expression of the type of a pointer to o, whose own type no
// text can say: it is inferred from what the variable begins with. "" makes the
// emission fail.
func (e *emitter) witnessOf(o types.Object) string {
	if o.Pkg() != e.cell.Pkg {
		if home, ok := e.home(o); ok {
			return e.api() + ".Nil(" + e.unit(home) + "." + pointerName(o.Name()) + ")"
		}
		e.unspelled = true
		return ""
	}
	for _, in := range e.info.InitOrder {
		for i, v := range in.Lhs {
			if v == o {
				return e.inferred(ast.Unparen(in.Rhs), i, len(in.Lhs))
			}
		}
	}
	e.unspelled = true
	return ""
}

// inferred is a nil pointer to the type of result i of an expression, which is
// not evaluated unless that does nothing.
func (e *emitter) inferred(x ast.Expr, i, n int) string {
	switch x := x.(type) {
	case *ast.CallExpr:
		return e.inferredCall(x, i)
	case *ast.Ident, *ast.SelectorExpr:
		var o types.Object
		if s, ok := x.(*ast.SelectorExpr); ok && e.info.Selections[s] == nil {
			o = e.info.Uses[s.Sel]
		} else if id, ok := x.(*ast.Ident); ok {
			o = e.info.Uses[id]
		}
		if v, ok := o.(*types.Var); ok && v.Pkg().Path() != homePath && n == 1 {
			return e.api() + ".NilOf(" + e.pkg(v.Pkg().Path()) + "." + v.Name() + ")"
		}
		if v, ok := o.(*types.Var); ok && sessionLevel(v) && !e.r.Program {
			return e.api() + ".Nil(" + e.pointer(v) + ")"
		}
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(x.X).(*ast.Ident); ok && n == 1 {
			if v, ok := e.info.Uses[lit].(*types.Var); ok && sessionLevel(v) && !e.r.Program {
				return e.api() + ".NilOf(" + e.pointer(v) + ")"
			}
		}
	}
	e.unspelled = true
	return ""
}

// inferredCall infers the type of a result from the function that is called:
//
//	func XG_w1[T any](func(int) T) (p *T) { return }
func (e *emitter) inferredCall(c *ast.CallExpr, i int) string {
	s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	var fn *types.Func
	if ok {
		fn, _ = e.info.Uses[s.Sel].(*types.Func)
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() == homePath || fn.Signature().TypeParams().Len() > 0 {
		e.unspelled = true
		return ""
	}
	sig := fn.Signature()
	target := e.pkg(fn.Pkg().Path()) + "." + fn.Name()
	var in, out []string
	if recv := sig.Recv(); recv != nil {
		in = append(in, e.typ(recv.Type()))
		target = "(" + in[0] + ")." + fn.Name()
	}
	text := e.signature(types.NewSignatureType(nil, nil, nil, sig.Params(), nil, sig.Variadic()), nil)
	if text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"); text != "" {
		in = append(in, text)
	}
	var params []string
	for k := range sig.Results().Len() {
		name := hidden + "T" + string(rune('a'+k))
		params, out = append(params, name), append(out, name)
	}
	e.witnesses++
	helper := hidden + "w" + strconv.Itoa(e.witnesses)
	e.tail.WriteString("func " + helper + "[" + strings.Join(params, ", ") + " " + e.universe("any") + "](func(" +
		strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ")) (p *" + out[i] + ") { return }\n")
	return helper + "(" + target + ")"
}
