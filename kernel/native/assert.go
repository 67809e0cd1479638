package native

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// An interface value with methods holds the address of a table for its type and
// its interface. The runtime makes such a table when a conversion first needs
// it; the compiler makes one in each unit that names the pair. If the runtime
// was first there are two, and what the compiler emits for
//
//	x.(T), case T:        x of an interface type with methods, T no interface
//	v := x.(I); v.M()     where it knows the type of x's value
//	x == y, switch x      x of an interface type with methods
//
// compares the addresses and answers wrongly. So the first and the last compare
// types, as for values of type any, and the second hides from the compiler what
// x is.

// methodic reports whether t is an interface type with methods.
func methodic(t types.Type) bool {
	if t == nil || !types.IsInterface(t) {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	return t.Underlying().(*types.Interface).NumMethods() > 0
}

// assertion rewrites x.(T).
func (e *emitter) assertion(a *ast.TypeAssertExpr) {
	if a.Type == nil {
		return // of a type switch
	}
	from, to := e.info.TypeOf(a.X), e.info.TypeOf(a.Type)
	if types.IsInterface(to) && !isParam(to) {
		if methodic(to) {
			e.before(a.X, e.api()+".Opaque(")
			e.atExit(func() { e.after(a.X, ")") })
		}
		return
	}
	if !methodic(from) {
		e.renew(a.X, to)
		return
	}
	if _, two := e.info.TypeOf(a).(*types.Tuple); two {
		e.before(a.X, e.universe("any")+"(")
		e.atExit(func() { e.after(a.X, ")") })
		return
	}
	// the panic of the one that fails names the interface
	iface, ok := e.spell(from)
	target, ok2 := e.spell(to)
	if !ok || !ok2 {
		return
	}
	anyText := e.universe("any")
	e.before(a.X, fmt.Sprintf("func(%sx %s) %s { if _, %sok := %s(%sx).(%s); !%sok { _ = %sx.(%s) }; return %sx }(",
		hidden, iface, anyText, hidden, anyText, hidden, target, hidden, hidden, target, hidden))
	e.atExit(func() { e.after(a.X, ")") })
}

// comparison makes x == y and x != y one of values of type any where an operand
// is of an interface type with methods.
func (e *emitter) comparison(b *ast.BinaryExpr) {
	if b.Op != token.EQL && b.Op != token.NEQ || e.info.Types[b.X].IsNil() || e.info.Types[b.Y].IsNil() {
		return
	}
	e.asAny(b.X)
	e.asAny(b.Y)
}

// asAny makes an operand of an interface type with methods one of type any.
func (e *emitter) asAny(x ast.Expr) {
	if x == nil || !methodic(e.info.TypeOf(x)) {
		return
	}
	e.before(x, e.universe("any")+"(")
	e.atExit(func() { e.after(x, ")") })
}

// renew boxes an operand anew that may hold a value of one of the types ts under
// another type that is the same: one without a name that package reflect made
// for interpreted code. It reports whether it wrote something.
func (e *emitter) renew(x ast.Expr, ts ...types.Type) bool {
	list := ""
	for _, t := range ts {
		if text, ok := e.spell(t); ok && composed(t) {
			list += ", " + e.api() + ".TypeOf[" + text + "]()"
		}
	}
	if list == "" || e.r.Program {
		return false
	}
	e.before(x, e.api()+".Renew(")
	e.atExit(func() { e.after(x, list+")") })
	return true
}

// composed reports whether t is made of other types without a name: reflect can
// make it.
func composed(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return composed(t.Elem())
	case *types.Slice, *types.Array, *types.Map, *types.Chan, *types.Signature, *types.Struct:
		return true
	}
	return false
}

func isParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// typeCases rewrites the operand of a type switch, and where its variable has
// the operand's own type gives that a name of ours.
func (e *emitter) typeCases(s *ast.TypeSwitchStmt) {
	x := switched(s)
	from := e.info.TypeOf(x)
	concrete, ifaces := false, false
	var cases []types.Type
	for _, c := range s.Body.List {
		for _, t := range c.(*ast.CaseClause).List {
			tv := e.info.Types[t]
			concrete = concrete || tv.IsType() && (!types.IsInterface(tv.Type) || isParam(tv.Type))
			ifaces = ifaces || tv.IsType() && methodic(tv.Type)
			if tv.IsType() {
				cases = append(cases, tv.Type)
			}
		}
	}
	if !methodic(from) && e.renew(x, cases...) && !ifaces {
		return
	}
	open := ""
	switch {
	case ifaces:
		open = e.api() + ".Opaque("
	case concrete && methodic(from):
		open = e.universe("any") + "("
	default:
		return
	}
	if types.Identical(from.Underlying(), anyType) && !isParam(from) && sameAny(from) {
		e.before(x, open)
		e.atExit(func() { e.after(x, ")") })
		return
	}
	iface, ok := e.spell(from)
	if !ok {
		return
	}
	e.before(x, open)
	e.atExit(func() { e.after(x, ")") })
	for _, c := range s.Body.List {
		e.ownType(c.(*ast.CaseClause), iface)
	}
}

var anyType = types.Universe.Lookup("any").Type().Underlying()

// sameAny tells any itself from declared types with its method set.
func sameAny(t types.Type) bool {
	_, named := types.Unalias(t).(*types.Named)
	return !named
}

// switched is the operand of a type switch.
func switched(s *ast.TypeSwitchStmt) ast.Expr {
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		return ast.Unparen(a.Rhs[0]).(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		return ast.Unparen(a.X).(*ast.TypeAssertExpr).X
	}
	return nil
}

// ownType gives the variable of a clause that has the operand's type that type
// again.
func (e *emitter) ownType(c *ast.CaseClause, iface string) {
	v := e.info.Implicits[c]
	if v == nil || len(c.List) == 1 && !e.info.Types[c.List[0]].IsNil() {
		return
	}
	var uses []*ast.Ident
	for _, s := range c.Body {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && e.info.Uses[id] == v {
				uses = append(uses, id)
			}
			return true
		})
	}
	if len(uses) == 0 {
		return
	}
	e.switches++
	name := fmt.Sprintf("%sy%d", hidden, e.switches)
	e.insert(c.Colon+1, fmt.Sprintf(" %s, _ := %s.(%s); _ = %s;", name, v.Name(), iface, name))
	for _, id := range uses {
		e.replace(id.Pos(), id.End(), name)
	}
}
