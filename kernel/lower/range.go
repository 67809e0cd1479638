package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rangeStmt turns every range into a counting loop over what Go evaluates
// once, with variables of their own in each turn:
//
//	for i, x := range xs { … }   ⇒   _g1 := xs; for _g2 := 0; _g2 < len(_g1); … { i := _g2; x := _g1[_g2]; … }
//
// An array is copied first when its elements are taken. A string is walked by
// compiled code that decodes a rune, a map by Go's own iterator, a channel by
// receives; a function is refused.
//
// Why: Yaegi v0.16.1 has no range over an integer, reads a bound again, walks
// a string by runes instead of bytes and fails on a pointer to an array.
func (f *function) rangeStmt(s *ast.RangeStmt, label string) {
	l := f.l
	f.at(s)
	t := l.info.TypeOf(s.X)
	if why := l.banned(t); why != "" {
		l.refuse(s, "%s", why)
		return
	}
	f.open("")
	defer f.close()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			f.rangeString(s, label)
			return
		}
		f.rangeInt(s, label)
	case *types.Slice:
		x := f.hoist(f.expr(s.X))
		n := f.hoist("len(" + x + ")")
		f.counted(s, label, n, types.Typ[types.Int], func(i string) string { return x + "[" + i + "]" }, u.Elem())
	case *types.Array:
		x := ""
		if present(s.Value) {
			x = f.hoist(f.expr(s.X))
		} else if l.calls(s.X) {
			f.discard(s.X)
		}
		n := f.hoist(l.literalText(itoa(u.Len()), types.Typ[types.Int]))
		f.counted(s, label, n, types.Typ[types.Int], func(i string) string { return x + "[" + i + "]" }, u.Elem())
	case *types.Pointer:
		a, ok := u.Elem().Underlying().(*types.Array)
		if !ok {
			l.refuse(s, "a range over %s", l.typeString(t))
			return
		}
		x := ""
		if present(s.Value) || l.calls(s.X) {
			x = f.hoist(f.expr(s.X))
		}
		n := f.hoist(l.literalText(itoa(a.Len()), types.Typ[types.Int]))
		f.counted(s, label, n, types.Typ[types.Int], func(i string) string { return "(*" + x + ")[" + i + "]" }, a.Elem())
	case *types.Map:
		f.rangeMap(s, label, t, u)
	case *types.Chan:
		f.rangeChan(s, label, t, u)
	default:
		l.refuse(s, "a range over a function")
	}
}

// present reports whether a range has this variable.
func present(e ast.Expr) bool { return e != nil && !isBlank(e) }

func isIdent(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

// calls reports whether e calls a function or receives. A range over an array
// that takes no elements evaluates its operand only then, as len does: a nil
// pointer in it is no fault.
func (l *lowerer) calls(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			fun := l.info.Types[n.Fun]
			found = found || !fun.IsType() && l.info.Types[n].Value == nil
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// rangeInt counts in the type of the bound, or of the variable where the bound
// is an untyped constant.
func (f *function) rangeInt(s *ast.RangeStmt, label string) {
	l := f.l
	t := l.info.TypeOf(s.X)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
		if s.Key != nil && !isBlank(s.Key) {
			t = l.info.TypeOf(s.Key)
		}
	}
	n := f.hoist(f.to(s.X, t))
	f.counted(s, label, n, t, nil, nil)
}

// counted writes a loop from zero below n and its variables.
func (f *function) counted(s *ast.RangeStmt, label, n string, t types.Type, elem func(i string) string, te types.Type) {
	i := f.hoist(f.l.literalText("0", t))
	next := i + "++"
	if b, ok := under(t).(*types.Basic); ok && b.Kind() == types.Uintptr { // Yaegi has no uintptr++
		next = i + " = " + i + " + 1"
	}
	f.enter(label, false)
	f.open("for ; %s < %s; %s", i, n, next)
	f.poll()
	value := ""
	if present(s.Value) {
		value = f.hoist(elem(i))
	}
	f.setBoth(s, i, t, value, te)
	f.stmts(s.Body.List)
	f.close()
	f.leave()
}

// setBoth gives the variables of a range their values of this turn. Two places
// that exist already are found before either is set, as in an assignment.
func (f *function) setBoth(s *ast.RangeStmt, key string, kt types.Type, value string, vt types.Type) {
	if s.Tok != token.ASSIGN || !present(s.Key) || !present(s.Value) {
		f.setRange(s, s.Key, key, kt)
		f.setRange(s, s.Value, value, vt)
		return
	}
	f.early = false
	places := []place{f.place(s.Key), f.place(s.Value)}
	for _, p := range places {
		p.bind()
	}
	places[0].set(f.settled(f.convert(s.Key, key, kt, f.l.info.TypeOf(s.Key))))
	places[1].set(f.settled(f.convert(s.Value, value, vt, f.l.info.TypeOf(s.Value))))
}

// setRange gives one variable of a range its value of this turn.
func (f *function) setRange(s *ast.RangeStmt, e ast.Expr, text string, t types.Type) {
	if e == nil || isBlank(e) {
		return
	}
	if s.Tok == token.DEFINE {
		if v, ok := f.l.info.Defs[e.(*ast.Ident)].(*types.Var); ok {
			f.define(v, text)
			return
		}
	}
	to := f.place(e)
	to.set(f.settled(f.convert(e, text, t, f.l.info.TypeOf(e))))
}

func (f *function) rangeString(s *ast.RangeStmt, label string) {
	l := f.l
	x := f.hoist(f.to(s.X, types.Default(l.info.TypeOf(s.X))))
	if !types.Identical(l.info.TypeOf(s.X).Underlying(), types.Default(l.info.TypeOf(s.X))) {
		x = f.hoist("string(" + x + ")")
	}
	n := f.hoist("len(" + x + ")")
	i := f.hoist("0")
	w := f.hoist("0")
	r := f.hoist("rune(0)")
	f.enter(label, false)
	f.open("for ; %s < %s; %s = %s + %s", i, n, i, i, w)
	f.line("%s, %s = %s(%s, %s)", r, w, l.symbol(Rune, ""), x, i)
	f.poll()
	f.setBoth(s, i, types.Typ[types.Int], r, types.Typ[types.Int32])
	f.stmts(s.Body.List)
	f.close()
	f.leave()
}

func (f *function) rangeMap(s *ast.RangeStmt, label string, t types.Type, m *types.Map) {
	l := f.l
	it := f.hoist(l.symbol(Iterate, "", t) + "(" + f.expr(s.X) + ")")
	f.enter(label, false)
	f.open("for")
	k, v, ok := l.fresh(), l.fresh(), l.fresh()
	f.line("%s, %s, %s := %s(%s)", k, v, ok, l.symbol(Next, "", t), it)
	f.line("if !%s { break }", ok)
	f.poll()
	f.setBoth(s, k, m.Key(), v, m.Elem())
	f.stmts(s.Body.List)
	f.close()
	f.leave()
}

func (f *function) rangeChan(s *ast.RangeStmt, label string, t types.Type, c *types.Chan) {
	l := f.l
	x := f.hoist(f.expr(s.X))
	f.enter(label, false)
	f.open("for")
	v, ok := l.fresh(), l.fresh()
	f.line("%s, %s := %s(%s)", v, ok, l.symbol(ReceiveOK, "", t), x)
	f.poll()
	f.line("if !%s { break }", ok)
	f.setRange(s, s.Key, v, c.Elem())
	f.stmts(s.Body.List)
	f.close()
	f.leave()
}
