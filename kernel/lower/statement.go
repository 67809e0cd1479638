package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// stmts writes statements.
func (f *function) stmts(list []ast.Stmt) {
	for _, s := range list {
		f.stmt(s, "")
	}
}

// stmt writes one statement; label is the one in front of it, as written.
//
// This switch is the list of statements in the subset. What is not in it is
// refused.
func (f *function) stmt(s ast.Stmt, label string) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		f.open("")
		f.stmts(s.List)
		f.close()
		return
	case *ast.IfStmt:
		f.ifStmt(s)
		return
	case *ast.ForStmt:
		f.forStmt(s, label)
		return
	case *ast.RangeStmt:
		f.rangeStmt(s, label)
		return
	case *ast.SwitchStmt:
		f.switchStmt(s, label)
		return
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, label)
		return
	case *ast.SelectStmt:
		f.selectStmt(s, label)
		return
	case *ast.LabeledStmt:
		f.labeled(s)
		return
	case *ast.EmptyStmt:
		return
	}
	f.at(s)
	f.simple(s)
	f.settle()
}

// simple writes a statement that has no block.
func (f *function) simple(s ast.Stmt) {
	l := f.l
	f.early = false
	switch s := s.(type) {
	case *ast.ExprStmt:
		f.exprStmt(s.X)
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		f.change(s, s.X, op, nil)
	case *ast.DeclStmt:
		f.declStmt(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.SendStmt:
		t := l.info.TypeOf(s.Chan)
		if why := l.banned(t); why != "" {
			l.refuse(s, "%s", why)
			return
		}
		c := f.expr(s.Chan)
		f.line("%s(%s, %s)", l.symbol(Send, "", t), c, f.to(s.Value, t.Underlying().(*types.Chan).Elem()))
		f.called = true
	case *ast.GoStmt:
		f.goStmt(s)
	case *ast.DeferStmt:
		f.deferStmt(s)
	default:
		l.refuse(s, "%s", describe(s))
	}
}

// exprStmt is a call or a receive whose values nobody takes.
func (f *function) exprStmt(e ast.Expr) {
	e = ast.Unparen(e)
	c, ok := e.(*ast.CallExpr)
	if !ok {
		f.expr(e)
		return
	}
	tv := f.l.info.Types[ast.Unparen(c.Fun)]
	if tv.IsType() || tv.IsBuiltin() {
		f.expr(c)
		return
	}
	f.line("%s", f.callText(c))
	f.called = true
}

// declStmt is var inside a function; constants are folded where they are used.
func (f *function) declStmt(s *ast.DeclStmt) {
	d := s.Decl.(*ast.GenDecl)
	switch d.Tok {
	case token.CONST:
		return
	case token.TYPE:
		f.l.refuseTypes(d, true)
		return
	case token.VAR:
		for _, spec := range d.Specs {
			f.varSpec(spec.(*ast.ValueSpec))
		}
		return
	}
	f.l.refuse(s, "%s", describe(s))
}

func (f *function) varSpec(spec *ast.ValueSpec) {
	l := f.l
	vars := make([]*types.Var, len(spec.Names))
	for i, id := range spec.Names {
		vars[i], _ = l.info.Defs[id].(*types.Var)
		if vars[i] == nil {
			l.refuse(id, "the declaration of %s", id.Name)
			return
		}
		if why := l.banned(vars[i].Type()); why != "" {
			l.refuse(id, "%s", why)
			return
		}
	}
	want := func(i int) types.Type { return vars[i].Type() }
	if len(spec.Values) == 0 {
		for _, v := range vars {
			f.define(v, l.zero(v.Type()))
		}
		return
	}
	values := f.values(spec.Values, len(vars), want)
	for i, v := range vars {
		f.define(v, values[i])
	}
}

// defineAll is :=. Names that exist already are assigned.
func (f *function) defineAll(s *ast.AssignStmt) {
	l := f.l
	want := func(i int) types.Type {
		if isBlank(s.Lhs[i]) {
			return nil
		}
		return l.info.ObjectOf(s.Lhs[i].(*ast.Ident)).Type()
	}
	for i, lhs := range s.Lhs {
		if t := want(i); t != nil {
			if why := l.banned(t); why != "" {
				l.refuse(lhs, "%s", why)
				return
			}
		}
	}
	values := f.values(s.Rhs, len(s.Lhs), want)
	for i, lhs := range s.Lhs {
		id := lhs.(*ast.Ident)
		if isBlank(id) {
			f.line("_ = %s", values[i])
			continue
		}
		if v, ok := l.info.Defs[id].(*types.Var); ok {
			f.define(v, values[i])
			continue
		}
		f.place(id).set(values[i])
	}
}

// returnStmt binds the values first: a result may be among them.
//
// Why: "return y, x" with named results x, y gives y twice in Yaegi v0.16.1.
func (f *function) returnStmt(s *ast.ReturnStmt) {
	if f.cell {
		f.line("return")
		return
	}
	n := f.results.Len()
	if n == 0 {
		f.line("return")
		return
	}
	texts := f.slots
	f.early = false
	if len(s.Results) > 0 {
		texts = f.values(s.Results, n, func(i int) types.Type { return f.results.At(i).Type() })
	}
	if !f.outer {
		f.line("return %s", strings.Join(texts, ", "))
		return
	}
	if len(s.Results) > 0 {
		for i, t := range texts {
			f.line("%s = %s", f.slots[i], t)
		}
	}
	f.line("return")
}
