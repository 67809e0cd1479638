package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// construct names what a node is in the words of the list: its kind and the
// condition on the types in it. It is "" for a node that is part of another's
// construct (a name of a field, a key of a literal, the brackets around an
// operand), and "?" for one that no row can have.
func (l *lowerer) construct(n ast.Node) string {
	switch n := n.(type) {
	case ast.Stmt:
		return l.statement(n)
	case ast.Expr:
		return l.expression(n)
	case *ast.Field, *ast.FieldList, *ast.ValueSpec, *ast.TypeSpec, *ast.ImportSpec, *ast.GenDecl, *ast.FuncDecl,
		*ast.Comment, *ast.CommentGroup:
		return ""
	}
	return "?"
}

// statement names a statement.
func (l *lowerer) statement(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.EmptyStmt, *ast.BlockStmt:
		return "block and expression statement"
	case *ast.CaseClause, *ast.CommClause:
		return ""
	case *ast.IfStmt:
		return "if"
	case *ast.ForStmt:
		if vars, shared := l.loopVars(s); shared {
			return "for, variable shared with its body"
		} else if vars {
			return "for, variable captured"
		}
		return "for"
	case *ast.RangeStmt:
		return "range over " + l.shape(l.info.TypeOf(s.X))
	case *ast.SwitchStmt:
		switch {
		case fallsThrough(s.Body):
			return "switch with fallthrough"
		case s.Init != nil:
			return "switch with init"
		case s.Tag == nil:
			return "switch without tag"
		}
		if _, ok := l.info.TypeOf(s.Tag).Underlying().(*types.Basic); ok {
			return "switch over a basic value"
		}
		return "switch over another value"
	case *ast.TypeSwitchStmt:
		return "type switch"
	case *ast.SelectStmt:
		return "select"
	case *ast.LabeledStmt:
		return "label"
	case *ast.BranchStmt:
		if s.Label != nil {
			return s.Tok.String() + " to a label"
		}
		return s.Tok.String()
	case *ast.AssignStmt:
		return l.assignment(s)
	case *ast.IncDecStmt:
		return "increment"
	case *ast.DeclStmt:
		return "declaration in a function"
	case *ast.ReturnStmt:
		return "return"
	case *ast.SendStmt:
		return "send"
	case *ast.GoStmt:
		return "go"
	case *ast.DeferStmt:
		return "defer"
	}
	return "?"
}

// loopVars says whether a literal captures a variable of a loop, or knows its
// address, and whether more than the post statement changes such a one.
func (l *lowerer) loopVars(s *ast.ForStmt) (captured, shared bool) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return false, false
	}
	inside := findUses(l.info, bodyOf(s))
	for _, lhs := range init.Lhs {
		v, ok := l.info.Defs[lhs.(*ast.Ident)].(*types.Var)
		if !ok || !l.use(v).captured && !l.use(v).addressed {
			continue
		}
		in := inside.vars[v]
		captured = true
		shared = shared || l.use(v).addressed || in != nil && in.assigned ||
			capturedIn(l.info, v, s.Init, s.Cond, s.Post)
	}
	return captured, shared
}

func (l *lowerer) assignment(s *ast.AssignStmt) string {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		return "assignment with an operator"
	case len(s.Lhs) == 1:
		return "assignment"
	case len(s.Rhs) == 1:
		return "assignment of several values of one expression"
	}
	return "assignment to several places"
}

// shape names a type by what matters to a construct over it.
func (l *lowerer) shape(t types.Type) string {
	if t == nil {
		return "nothing"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch i := u.Info(); {
		case u.Kind() == types.UntypedNil:
			return "nil"
		case i&types.IsString != 0:
			return "a string"
		case i&types.IsBoolean != 0:
			return "a bool"
		case i&types.IsInteger != 0:
			return "an integer"
		case i&types.IsFloat != 0:
			return "a float"
		}
		return "a " + u.Name()
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Array); ok {
			return "a pointer to an array"
		}
		return "a pointer"
	case *types.Slice:
		return "a slice"
	case *types.Array:
		return "an array"
	case *types.Map:
		return "a map"
	case *types.Chan:
		return "a channel"
	case *types.Signature:
		return "a function"
	case *types.Struct:
		return "a struct"
	case *types.Interface:
		return "an interface"
	}
	return "another type"
}

// expression names an expression.
func (l *lowerer) expression(e ast.Expr) string {
	tv := l.info.Types[e]
	switch {
	case tv.Value != nil:
		return "constant"
	case tv.IsType(), tv.IsBuiltin(), tv.IsNil():
		return ""
	}
	switch e := e.(type) {
	case *ast.ParenExpr, *ast.KeyValueExpr, *ast.BasicLit:
		return ""
	case *ast.Ident:
		return l.name(e)
	case *ast.BinaryExpr:
		return l.operation(e)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ARROW:
			return "receive"
		case token.AND:
			return "address of " + l.addressed(e.X)
		}
		return "operator " + e.Op.String() + " before " + l.shape(l.info.TypeOf(e.X))
	case *ast.StarExpr:
		return "dereference"
	case *ast.SelectorExpr:
		return l.selection(e)
	case *ast.IndexExpr:
		if _, generic := l.instance(e); generic {
			return "function of a generic package function"
		}
		return "element of " + l.shape(l.info.TypeOf(e.X))
	case *ast.IndexListExpr:
		return "function of a generic package function"
	case *ast.SliceExpr:
		return "slice of " + l.shape(l.info.TypeOf(e.X))
	case *ast.CallExpr:
		return l.callKind(e)
	case *ast.FuncLit:
		return "function literal"
	case *ast.CompositeLit:
		t := l.info.TypeOf(e)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		return "literal of " + l.shape(t)
	case *ast.TypeAssertExpr:
		if e.Type == nil {
			return ""
		}
		return "assertion to " + concrete(l.info.TypeOf(e.Type))
	case *ast.Ellipsis, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType, *ast.InterfaceType:
		return ""
	}
	return "?"
}

func concrete(t types.Type) string {
	if types.IsInterface(t) {
		return "an interface"
	}
	return "a type"
}

func (l *lowerer) name(id *ast.Ident) string {
	switch o := l.info.ObjectOf(id).(type) {
	case *types.Var:
		switch {
		case o.IsField():
			return ""
		case !atTop(o):
			return "local variable"
		case o.Pkg().Path() != "main":
			return "variable of a package"
		}
		return "variable of the session"
	case *types.Func:
		if o.Pkg() != nil && o.Pkg().Path() != "main" {
			return "function of a package"
		}
		return "function of the session"
	}
	return "" // a label, a package, a type, a method's own name
}

func (l *lowerer) addressed(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return "a literal"
	case *ast.SelectorExpr:
		if l.info.Selections[x] == nil {
			return "a variable"
		}
		return "a field"
	case *ast.IndexExpr:
		return "an element"
	}
	return "a variable"
}

func (l *lowerer) operation(e *ast.BinaryExpr) string {
	t := l.operandType(e.X, e.Y)
	switch e.Op {
	case token.LAND, token.LOR:
		return "logical operator"
	case token.SHL, token.SHR:
		return "shift"
	case token.EQL, token.NEQ:
		if l.info.Types[e.X].IsNil() || l.info.Types[e.Y].IsNil() {
			return "comparison with nil"
		}
		for _, x := range []ast.Expr{e.X, e.Y} {
			if types.IsInterface(l.info.TypeOf(x)) {
				return "comparison of an interface"
			}
		}
		return "comparison of " + l.shape(t)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return "order of " + l.shape(t)
	}
	return "arithmetic of " + l.shape(t)
}

func (l *lowerer) selection(e *ast.SelectorExpr) string {
	sel := l.info.Selections[e]
	if sel == nil {
		return l.name(e.Sel)
	}
	switch sel.Kind() {
	case types.FieldVal:
		if isPointer(l.info.TypeOf(e.X)) {
			return "field behind a pointer"
		}
		return "field"
	case types.MethodExpr:
		return "method expression"
	}
	if types.IsInterface(sel.Recv()) {
		return "method of an interface"
	}
	return "method"
}

// callKind names a call by what is called.
func (l *lowerer) callKind(e *ast.CallExpr) string {
	fun := ast.Unparen(e.Fun)
	switch tv := l.info.Types[fun]; {
	case tv.IsBuiltin():
		return "call of " + builtinName(fun)
	case tv.IsType():
		from, to := l.shape(l.info.TypeOf(e.Args[0])), l.shape(tv.Type)
		switch {
		case from == "nil":
			return "conversion of nil"
		case from == to:
			return "conversion to another type of its shape"
		case to == "an interface":
			return "conversion to an interface"
		}
		return "conversion of " + from + " to " + to
	}
	if _, generic := l.instance(fun); generic {
		return "call of a generic package function"
	}
	how := ""
	if e.Ellipsis.IsValid() {
		how = " with ..."
	}
	if _, ok := l.info.TypeOf(fun).Underlying().(*types.Signature); !ok {
		return "?"
	}
	if id := named(fun); id != nil {
		if fn, ok := l.info.Uses[id].(*types.Func); ok {
			switch {
			case fn.Signature().Recv() != nil:
				return "call of a method" + how
			case fn.Pkg() != nil && fn.Pkg().Path() != "main":
				return "call of a package function" + how
			}
			return "call of a session function" + how
		}
	}
	return "call of a function value" + how
}
