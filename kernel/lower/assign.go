package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// values writes the right side of an assignment to n places of the types want
// (nil: of its own type) and returns a text for each.
func (f *function) values(rhs []ast.Expr, n int, want func(i int) types.Type) []string {
	out := make([]string, n)
	if len(rhs) == n {
		for i, e := range rhs {
			out[i] = f.value(e, want(i))
		}
		for i := range out {
			if n > 1 {
				out[i] = f.hoist(out[i])
			} else {
				out[i] = f.settled(out[i])
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
			out[i] = f.settled(f.as(c, s, t.At(i).Type(), want(i)))
		}
		return out
	}
	names, of, ok := f.pair(e)
	if !ok {
		f.l.refuse(e, "an assignment of %s to two places", describe(e))
		return out
	}
	out[0] = f.settled(f.as(e, names[0], of, want(0)))
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
		to := f.place(s.Lhs[0])
		to.set(f.settled(f.to(s.Rhs[0], want(0))))
		return
	}
	places := make([]place, len(s.Lhs))
	for i, lhs := range s.Lhs {
		if !isBlank(lhs) {
			places[i] = f.place(lhs)
		}
	}
	values := f.values(s.Rhs, len(s.Lhs), want)
	for i := range places { // when all calls are made, and before anything is assigned
		if places[i].bind != nil {
			places[i].bind()
		}
	}
	for i, v := range values {
		if places[i].set != nil {
			places[i].set(v)
		}
	}
}

// discard evaluates an expression for what it does.
func (f *function) discard(e ast.Expr) {
	if f.l.info.Types[e].IsNil() {
		return
	}
	if s := f.expr(e); s != "" {
		f.line("_ = %s", f.hoist(s)) // bound, so that a nil pointer in it is read
	}
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// change is x op= y and x++: the operands of x are evaluated once.
func (f *function) change(at ast.Node, x ast.Expr, op token.Token, y ast.Expr) {
	l := f.l
	t := l.info.TypeOf(x)
	if name, ok := f.counter(x, op); ok {
		if y == nil {
			f.line("%s%s", name, op.String()+op.String())
			return
		}
		f.line("%s %s= %s", name, op, bare(f.settled(f.to(y, t))))
		return
	}
	to := f.place(x)
	var v string
	switch {
	case y == nil && isFloat(t):
		v = f.arithmetic(at, op, t, within(x, to.get(), op, false), "1.0")
	case y == nil:
		v = f.arithmetic(at, op, t, within(x, to.get(), op, false), "1")
	case op == token.SHL || op == token.SHR:
		v = f.shifted(op, within(x, to.get(), op, false), y)
	default:
		v = f.to(y, t)
		v = f.arithmetic(at, op, t, within(x, to.get(), op, false), within(y, v, op, true))
	}
	to.set(f.settled(v))
}

// counter is the name of a local variable of an integer type that an operator
// may change where it lies: the interpreter does that in one step.
func (f *function) counter(x ast.Expr, op token.Token) (name string, ok bool) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok || op != token.ADD && op != token.SUB && op != token.XOR && op != token.OR && op != token.AND && op != token.MUL {
		return "", false
	}
	v, ok := f.l.info.Uses[id].(*types.Var)
	if !ok || atTop(v) || f.l.use(v).boxed() || f.l.banned(v.Type()) != "" {
		return "", false
	}
	b, ok := under(v.Type()).(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || b.Kind() == types.Uintptr { // Yaegi has no uintptr++
		return "", false
	}
	return f.l.declare(v), true
}

func isFloat(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// opOf is the operator of an assignment x op= y.
func opOf(t token.Token) token.Token { return t - token.ADD_ASSIGN + token.ADD }
