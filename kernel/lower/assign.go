package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// values writes the right side of an assignment to n places of the types want
// (nil: of its own type) and returns a text for each.
func (f *function) values(rhs []ast.Expr, n int, want func(i int) types.Type) []string {
	out := make([]string, n)
	if len(rhs) == n {
		var parts []later
		for i, e := range rhs {
			if t := want(i); t != nil {
				parts = append(parts, f.put(e, t))
			} else {
				parts = append(parts, later{text: f.value(e, nil)})
			}
		}
		for i, p := range parts {
			out[i] = f.finish(p)
			if n > 1 {
				out[i] = f.hoist(out[i])
			}
		}
		return out
	}
	e := ast.Unparen(rhs[0])
	if c, ok := e.(*ast.CallExpr); ok {
		t, ok := f.l.info.TypeOf(c).(*types.Tuple)
		if !ok {
			f.l.refuse(c, "an assignment of this call")
			return out
		}
		for i, s := range f.calls(c) {
			out[i] = f.as(c, s, t.At(i).Type(), want(i))
		}
		return out
	}
	names, of, ok := f.pair(e)
	if !ok {
		f.l.refuse(e, "an assignment of %s to two places", describe(e))
		return out
	}
	out[0] = f.as(e, names[0], of, want(0))
	out[1] = f.as(e, names[1], types.Typ[types.Bool], want(1))
	return out
}

func (f *function) as(e ast.Expr, text string, from, to types.Type) string {
	if to == nil {
		return text
	}
	if b, ok := to.Underlying().(*types.Basic); ok && b.Kind() == types.Bool && !types.Identical(from, to) {
		return f.hoist(f.l.typ(to) + "(" + text + ")")
	}
	return f.convert(e, text, from, to)
}

// value is an expression as a value of type t, or of its own type if t is nil.
func (f *function) value(e ast.Expr, t types.Type) string {
	if t != nil {
		return f.to(e, t)
	}
	s := f.expr(e)
	if s == "" {
		return f.l.refuse(e, "a value of a call that has none")
	}
	return s
}

// place is the left side of an assignment: a variable, an element, a field, a
// memory. A map element is none: it is set by compiled code.
func (f *function) place(e ast.Expr) string {
	l := f.l
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.expr(e)
	case *ast.StarExpr:
		return "*" + f.operand(e.X)
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil {
			return f.expr(e) // a variable of a package
		}
		return f.fieldPlace(e, sel)
	case *ast.IndexExpr:
		return f.elementPlace(e)
	}
	return l.refuse(e, "an assignment to %s", describe(e))
}

// fieldPlace is the place of x.F: x is a pointer, or a place itself.
func (f *function) fieldPlace(e *ast.SelectorExpr, sel *types.Selection) string {
	l := f.l
	if _, ok := l.info.TypeOf(e.X).Underlying().(*types.Pointer); ok {
		return f.field(e, sel)
	}
	names, why := path(sel)
	if why == "" {
		why = l.banned(l.info.TypeOf(e.X))
	}
	if why != "" {
		return l.refuse(e, "%s", why)
	}
	x := group(f.place(e.X))
	for _, n := range names {
		x += "." + n
	}
	return x
}

func (f *function) elementPlace(e *ast.IndexExpr) string {
	l := f.l
	t := l.info.TypeOf(e.X)
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	switch t.Underlying().(type) {
	case *types.Array:
		x := group(f.place(e.X))
		l.site(e)
		return x + "[" + f.count(e.Index) + "]"
	case *types.Slice, *types.Pointer:
		return f.index(e)
	}
	return l.refuse(e, "an assignment to an element of %s", l.typeString(t))
}

// assign writes an assignment that is not a definition.
func (f *function) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		f.change(s, s.Lhs[0], opOf(s.Tok), s.Rhs[0])
		return
	}
	if s.Tok == token.DEFINE {
		f.defineAll(s)
		return
	}
	l := f.l
	want := func(i int) types.Type {
		if isBlank(s.Lhs[i]) {
			return nil
		}
		return l.info.TypeOf(s.Lhs[i])
	}
	if len(s.Lhs) == 1 {
		if isBlank(s.Lhs[0]) {
			f.discard(s.Rhs[0])
			return
		}
		set := f.setter(s.Lhs[0], false)
		set(f.to(s.Rhs[0], want(0)))
		return
	}
	var setters []func(string)
	for _, lhs := range s.Lhs {
		setters = append(setters, f.setter(lhs, true))
	}
	for i, v := range f.values(s.Rhs, len(s.Lhs), want) {
		if setters[i] != nil {
			setters[i](v)
		}
	}
}

// discard evaluates an expression for what it does.
func (f *function) discard(e ast.Expr) {
	if f.l.info.Types[e].IsNil() {
		return
	}
	if s := f.expr(e); s != "" {
		f.line("_ = %s", s)
	}
}

// setter evaluates the operands of the left side of an assignment, once, and
// returns what writes the assignment. With early, the index and the pointer
// are bound before the right side is evaluated, as Go has it for more places
// than one. It returns nil for the blank name.
func (f *function) setter(e ast.Expr, early bool) func(value string) {
	l := f.l
	e = ast.Unparen(e)
	if isBlank(e) {
		return nil
	}
	if x, ok := e.(*ast.IndexExpr); ok {
		t := l.info.TypeOf(x.X)
		if m, ok := t.Underlying().(*types.Map); ok {
			if why := l.banned(t); why != "" {
				l.refuse(e, "%s", why)
			}
			f.reads(x.X, x.Index)
			mm := f.hoist(f.expr(x.X))
			k := f.hoist(f.to(x.Index, m.Key()))
			return func(v string) { f.line("%s(%s, %s, %s)", l.symbol(MapSet, "", t), mm, k, v) }
		}
	}
	if _, ok := e.(*ast.Ident); !ok && early {
		if why := l.banned(l.info.TypeOf(e)); why != "" {
			l.refuse(e, "%s", why)
		}
		return f.earlyPlace(e)
	}
	at := f.place(e)
	return func(v string) { f.line("%s = %s", at, v) }
}

// earlyPlace binds what a place depends on, so that an assignment before it
// in the same statement does not move it.
func (f *function) earlyPlace(e ast.Expr) func(string) {
	l := f.l
	switch e := e.(type) {
	case *ast.IndexExpr:
		f.reads(e.X, e.Index)
		if _, ok := l.info.TypeOf(e.X).Underlying().(*types.Slice); ok {
			x, i := f.hoist(f.expr(e.X)), f.hoist(f.count(e.Index))
			l.site(e)
			return func(v string) { f.line("%s[%s] = %s", x, i, v) }
		}
		if _, ok := l.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
				i := f.hoist(f.count(e.Index))
				x := group(f.place(id))
				l.site(e)
				return func(v string) { f.line("%s[%s] = %s", x, i, v) }
			}
		}
	case *ast.StarExpr:
		f.reads(e.X)
		p := f.hoist(f.expr(e.X))
		return func(v string) { f.line("*%s = %s", p, v) }
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil {
			break
		}
		_, pointer := l.info.TypeOf(e.X).Underlying().(*types.Pointer)
		names, why := path(sel)
		if why != "" {
			l.refuse(e, "%s", why)
			return func(string) {}
		}
		if _, ok := ast.Unparen(e.X).(*ast.Ident); pointer || ok {
			x := group(f.expr(e.X))
			if pointer {
				f.reads(e.X)
				x = f.hoist(x)
			}
			for _, n := range names {
				x += "." + n
			}
			return func(v string) { f.line("%s = %s", x, v) }
		}
	}
	l.refuse(e, "%s among several places of an assignment", describe(e))
	return func(string) {}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// change is x op= y and x++: the operands of x are evaluated once.
func (f *function) change(at ast.Node, x ast.Expr, op token.Token, y ast.Expr) {
	l := f.l
	t := l.info.TypeOf(x)
	get, set := f.access(x)
	if get == "" {
		return
	}
	switch {
	case y == nil && isFloat(t):
		set(f.arithmetic(at, op, t, get, "1.0"))
	case y == nil:
		set(f.arithmetic(at, op, t, get, "1"))
	case op == token.SHL || op == token.SHR:
		set(f.shifted(op, get, y))
	default:
		set(f.arithmetic(at, op, t, get, f.to(y, t)))
	}
}

func isFloat(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// access gives the text that reads a place and what writes it, the operands
// of the place evaluated once.
func (f *function) access(e ast.Expr) (get string, set func(string)) {
	l := f.l
	e = ast.Unparen(e)
	if why := l.banned(l.info.TypeOf(e)); why != "" {
		l.refuse(e, "%s", why)
		return "", nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		at := f.place(e)
		return at, func(v string) { f.line("%s = %s", at, v) }
	case *ast.IndexExpr:
		t := l.info.TypeOf(e.X)
		if m, ok := t.Underlying().(*types.Map); ok {
			f.reads(e.X, e.Index)
			x := f.hoist(f.expr(e.X))
			k := f.hoist(f.to(e.Index, m.Key()))
			get = f.hoist(fmt.Sprintf("%s(%s, %s)", l.symbol(MapGet, "", t), x, k))
			return get, func(v string) { f.line("%s(%s, %s, %s)", l.symbol(MapSet, "", t), x, k, v) }
		}
		var x string
		if _, ok := t.Underlying().(*types.Array); ok {
			x = group(f.place(e.X))
		} else {
			x = f.hoist(f.expr(e.X))
			if _, ok := t.Underlying().(*types.Pointer); ok {
				x = "(*" + x + ")"
			}
		}
		i := f.hoist(f.count(e.Index))
		f.reads(e.X, e.Index)
		l.site(e)
		at := x + "[" + i + "]"
		return at, func(v string) { f.line("%s = %s", at, v) }
	case *ast.StarExpr:
		f.reads(e.X)
		p := f.hoist(f.expr(e.X))
		return "(*" + p + ")", func(v string) { f.line("*%s = %s", p, v) }
	case *ast.SelectorExpr:
		at := f.place(e)
		return at, func(v string) { f.line("%s = %s", at, v) }
	}
	l.refuse(e, "a change of %s", describe(e))
	return "", nil
}

// opOf is the operator of an assignment x op= y.
func opOf(t token.Token) token.Token { return t - token.ADD_ASSIGN + token.ADD }
