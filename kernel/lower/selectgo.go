package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// selectStmt lets compiled code choose: it gets the channels and the values to
// send, all evaluated in the order of the text, and returns the number of the
// case and what was received. The bodies are a switch.
//
//	select { case v, ok := <-a: x; case b <- n: y; default: z }
//	⇒ _g1, _g2, _g3 := s.Select(a, b, n); switch _g1 { case 1: v := _g2; …
//
// Why: a labelled break out of a select hangs in Yaegi v0.16.1.
func (f *function) selectStmt(s *ast.SelectStmt, label string) {
	l := f.l
	f.open("")
	defer f.close()
	f.at(s)
	var ts []types.Type
	var args, kinds, results []string
	n := l.fresh()
	results = append(results, n)
	received := map[ast.Stmt][2]string{}
	for _, c := range s.Body.List {
		comm := c.(*ast.CommClause).Comm
		if comm == nil {
			kinds = append(kinds, "default")
			continue
		}
		if send, ok := comm.(*ast.SendStmt); ok {
			t := l.info.TypeOf(send.Chan)
			if why := l.banned(t); why != "" {
				l.refuse(send, "%s", why)
				return
			}
			ch := f.hoist(f.expr(send.Chan))
			args = append(args, ch, f.hoist(f.to(send.Value, t.Underlying().(*types.Chan).Elem())))
			kinds, ts = append(kinds, "send"), append(ts, t)
			continue
		}
		e := receiveOf(comm)
		t := l.info.TypeOf(e)
		if why := l.banned(t); why != "" {
			l.refuse(e, "%s", why)
			return
		}
		args = append(args, f.hoist(f.expr(e)))
		kinds, ts = append(kinds, "receive"), append(ts, t)
		got := [2]string{l.fresh(), l.fresh()}
		received[comm] = got
		results = append(results, got[:]...)
	}
	f.line("%s := %s(%s)", strings.Join(results, ", "), l.symbol(Select, strings.Join(kinds, ","), ts...),
		strings.Join(args, ", "))
	f.poll()
	once := breaksTo(s.Body, label)
	if once {
		f.enterOnce(label)
	}
	f.enter("", true)
	f.line("switch %s {", n)
	for i, c := range s.Body.List {
		clause := c.(*ast.CommClause)
		f.line("case %d:", i+1)
		f.indent++
		f.last = 0
		if got, ok := received[clause.Comm]; ok {
			f.take(clause.Comm, got)
		}
		f.stmts(clause.Body)
		f.indent--
	}
	f.line("}")
	f.last = 0
	f.leave()
	if once {
		f.leaveOnce()
	}
}

// receiveOf is the channel of a receive in a case of select.
func receiveOf(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.AssignStmt:
		e = s.Rhs[0]
	case *ast.ExprStmt:
		e = s.X
	}
	return ast.Unparen(e).(*ast.UnaryExpr).X
}

// take gives the variables of a case what was received.
func (f *function) take(s ast.Stmt, got [2]string) {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return
	}
	l := f.l
	ts := []types.Type{l.info.TypeOf(receiveOf(s)).Underlying().(*types.Chan).Elem(), types.Typ[types.Bool]}
	for i, lhs := range a.Lhs {
		if isBlank(lhs) {
			continue
		}
		if id, ok := lhs.(*ast.Ident); ok && a.Tok == token.DEFINE {
			if v, ok := l.info.Defs[id].(*types.Var); ok {
				f.define(v, got[i])
				continue
			}
		}
		f.place(lhs).set(f.settled(f.as(lhs, got[i], ts[i], l.info.TypeOf(lhs))))
	}
}

// goStmt starts a guarded goroutine: function and arguments are evaluated now,
// the call is a literal that takes them.
func (f *function) goStmt(s *ast.GoStmt) {
	f.line("%s(%s)", f.l.symbol(Start, ""), f.putOff(s.Call))
}

// deferStmt puts a call off to the end of the function; see deferring.
func (f *function) deferStmt(s *ast.DeferStmt) {
	f.line("%s(%s, %s)", f.l.symbol(Push, ""), f.defers, f.putOff(s.Call))
}

// putOff evaluates the function and the arguments of a call and returns a
// literal without parameters that makes it.
func (f *function) putOff(e *ast.CallExpr) string {
	l := f.l
	fun := ast.Unparen(e.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok && len(e.Args) == 0 && lit.Type.Results == nil {
		return f.funcLit(lit)
	}
	if l.info.Types[fun].IsBuiltin() {
		return f.laterBuiltin(e)
	}
	if l.info.Types[fun].IsType() {
		return l.refuse(e, "a go or defer of a conversion")
	}
	var bound []binding
	f.binding = &bound
	call := f.callText(e)
	f.binding = nil
	return f.thunk(e, call, bound)
}

// binding is a hidden variable that holds an operand of a call put off.
type binding struct {
	name string
	t    types.Type
}

// bind keeps an operand of a call that is put off, and gives it a name.
func (f *function) bind(text string, t types.Type) string {
	if f.binding == nil {
		return text
	}
	name := f.hoist(text)
	*f.binding = append(*f.binding, binding{name, t})
	return name
}

// unbound runs write with no call put off: it writes the operands.
func (f *function) unbound(write func()) {
	b := f.binding
	f.binding = nil
	write()
	f.binding = b
}

func (f *function) laterBuiltin(e *ast.CallExpr) string {
	l := f.l
	var t types.Type
	kind := Close
	switch name := builtinName(e.Fun); name {
	case "close":
		t = l.info.TypeOf(e.Args[0])
	case "panic":
		kind, t = Raise, types.NewInterfaceType(nil, nil)
	case "print", "println":
		call, args, ts := f.print(e, name)
		bound := make([]binding, len(ts))
		for i := range bound {
			args[i] = f.hoist(args[i])
			bound[i] = binding{args[i], ts[i]}
		}
		return f.thunk(e, call+"("+strings.Join(args, ", ")+")", bound)
	default:
		return l.refuse(e, "a go or defer of the builtin %s", name)
	}
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	x := f.hoist(f.to(e.Args[0], t))
	call := l.symbol(Raise, "")
	if kind == Close {
		call = l.symbol(Close, "", t)
	}
	return f.thunk(e, call+"("+x+")", []binding{{x, t}})
}

// thunk is a literal that makes a call with bound operands.
func (f *function) thunk(at ast.Node, call string, bound []binding) string {
	l := f.l
	name := l.freshLiteral()
	slot := l.slot(name, at)
	var params, args []string
	for _, b := range bound {
		params = append(params, b.name+" "+l.typ(b.t))
		args = append(args, b.name)
	}
	l.literals = append(l.literals, "func "+name+"("+strings.Join(params, ", ")+") "+l.typ(funcType)+
		" {\n\treturn func() {\n\t\t"+
		slot+" = "+strconv.Itoa(l.fset.Position(at.Pos()).Line)+"\n\t\t"+call+"\n\t}\n}\n")
	return f.hoist(name + "(" + strings.Join(args, ", ") + ")")
}
