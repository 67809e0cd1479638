package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// switchStmt turns a switch into one over the number of the case that matches,
// found by comparisons in the order of the text:
//
//	switch t := f(); t.X { case 1, 2: a; default: b }
//	⇒ { t_1 := …; _g2 := 0; if t_1.X == 1 { _g2 = 1 }; …; switch _g2 { case 1: a; default: b } }
//
// Why: a switch with an init takes the wrong case in Yaegi v0.16.1, without an
// error; comparisons of interfaces and structs are compiled code's.
func (f *function) switchStmt(s *ast.SwitchStmt, label string) {
	l := f.l
	f.open("")
	defer f.close()
	f.at(s)
	if s.Init != nil {
		f.simple(s.Init)
		f.settle()
	}
	var tag string
	var tt types.Type
	if s.Tag != nil {
		tt = l.info.TypeOf(s.Tag)
		if b, ok := tt.(*types.Basic); ok {
			tt = types.Default(b)
		}
		f.early = false
		tag = f.hoist(f.to(s.Tag, tt))
		f.settle()
	}
	n := f.hoist("0")
	f.line("for {") // left by break as soon as a case is found
	f.indent++
	def := 0
	for i, c := range s.Body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			def = i + 1
		}
		for _, e := range clause.List {
			f.last, f.early = 0, false
			f.at(e)
			f.line("if %s { %s = %d; break }", f.settled(f.caseMatches(e, tag, tt)), n, i+1)
		}
	}
	f.line("%s = %d", n, def)
	f.line("break")
	f.indent--
	f.line("}")
	f.settle()
	f.cases(s.Body, n, label, func(*ast.CaseClause) {})
}

// caseMatches is the comparison of a switch's tag with an expression of a case.
func (f *function) caseMatches(e ast.Expr, tag string, t types.Type) string {
	l := f.l
	if tag == "" {
		return f.to(e, types.Typ[types.Bool])
	}
	if l.info.Types[e].IsNil() {
		return f.hoist(l.symbol(IsNil, "", t) + "(" + tag + ")")
	}
	if te := l.info.TypeOf(e); !isUntyped(te) {
		c := comparison(t, te)
		tag, t = f.convert(e, tag, t, c), c
	}
	v := f.to(e, t)
	if _, ok := t.Underlying().(*types.Basic); ok {
		return tag + " == " + group(v)
	}
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	return f.hoist(l.symbol(Equal, "", t) + "(" + tag + ", " + v + ")")
}

// cases writes the bodies of a switch over the number n of the clause. One with
// a fallthrough becomes a chain in a loop of one turn, where a clause that falls
// through changes the number:
//
//	switch x { case 1: a; fallthrough; case 2: b }   ⇒   for { if n == 1 { a; n = 2 }; if n == 2 { b }; break }
func (f *function) cases(body *ast.BlockStmt, n, label string, begin func(*ast.CaseClause)) {
	chain := fallsThrough(body)
	once := chain || breaksTo(body, label)
	if once {
		f.enterOnce(label)
	}
	if !chain {
		f.enter("", true)
		f.line("switch %s {", n)
	}
	for i, c := range body.List {
		clause := c.(*ast.CaseClause)
		if chain {
			f.open("if %s == %d", n, i+1)
		} else {
			f.line("case %d:", i+1)
			f.indent++
		}
		f.last = 0
		begin(clause)
		list, falls := clause.Body, false
		if k := len(list); chain && k > 0 {
			if b, ok := list[k-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				list, falls = list[:k-1], true
			}
		}
		f.stmts(list)
		if falls {
			f.line("%s = %d", n, i+2)
		}
		if chain {
			f.close()
		} else {
			f.indent--
		}
	}
	if !chain {
		f.line("}")
		f.last = 0
		f.leave()
	}
	if once {
		f.leaveOnce()
	}
}

// typeSwitch asks compiled code which case has the type of the value; in the
// case the value is asserted, which then cannot fail.
//
// Why: cases of interface types never match in Yaegi v0.16.1.
func (f *function) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	l := f.l
	f.open("")
	defer f.close()
	f.at(s)
	if s.Init != nil {
		f.simple(s.Init)
		f.settle()
	}
	x := guardOf(s)
	t := l.info.TypeOf(x)
	if why := l.banned(t); why != "" {
		l.refuse(x, "%s", why)
		return
	}
	v := f.hoist(f.expr(x))
	f.settle()
	ts := []types.Type{t}
	var clause []string
	def := 0
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			def = i + 1
		}
		for _, e := range c.List {
			var te types.Type
			if !l.info.Types[e].IsNil() {
				te = l.info.TypeOf(e)
				if why := l.banned(te); why != "" {
					l.refuse(e, "a case of %s", why)
					return
				}
			}
			ts = append(ts, te)
			clause = append(clause, strconv.Itoa(i+1))
		}
	}
	numbers := strings.Join(append([]string{strconv.Itoa(def)}, clause...), ",")
	n := f.hoist(l.symbol(TypeCase, numbers, ts...) + "(" + v + ")")
	f.cases(s.Body, n, label, func(c *ast.CaseClause) {
		w, ok := l.info.Implicits[c].(*types.Var)
		if !ok {
			return
		}
		if len(c.List) != 1 || l.info.Types[c.List[0]].IsNil() {
			f.define(w, v)
			return
		}
		f.define(w, f.hoist(l.symbol(Assert, "", t, w.Type())+"("+v+")"))
	})
}

// guardOf is the x of switch y := x.(type).
func guardOf(s *ast.TypeSwitchStmt) ast.Expr {
	var e ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		e = a.Rhs[0]
	case *ast.ExprStmt:
		e = a.X
	}
	return ast.Unparen(e).(*ast.TypeAssertExpr).X
}
