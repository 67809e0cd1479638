package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"strings"
)

// ifStmt is if; what its condition needs is written before it, in a block of
// its own that also holds the names of its init.
func (f *function) ifStmt(s *ast.IfStmt) {
	f.at(s)
	if s.Init != nil {
		f.open("")
		f.simple(s.Init)
		f.settle()
		f.at(s.Cond)
	}
	f.early = false
	c := f.settled(f.to(s.Cond, types.Typ[types.Bool]))
	f.settle()
	f.open("if %s", bare(c))
	f.stmts(s.Body.List)
	if s.Else != nil {
		f.indent--
		f.line("} else {")
		f.indent++
		f.last = 0
		if b, ok := s.Else.(*ast.BlockStmt); ok {
			f.stmts(b.List)
		} else {
			f.stmt(s.Else, "")
		}
	}
	f.close()
	if s.Init != nil {
		f.close()
	}
}

// forStmt is a loop with a condition. Its variables are fresh in each turn:
//
//	for i := 0; i < n; i++ { … }   ⇒   for i0 := 0; i0 < n; i0 = i0 + 1 { i := i0; … }
//
// when a literal captures them or their address is taken; see forShared where
// more than the post statement changes them. A condition or post statement with calls moves into the loop.
func (f *function) forStmt(s *ast.ForStmt, label string) {
	vars, shared := f.turnVars(s)
	if len(shared) > 0 {
		f.forShared(s, label, append(vars, shared...))
		return
	}
	f.open("")
	f.at(s)
	if s.Init != nil {
		f.simple(s.Init)
		f.settle()
	}
	post := ""
	var late []string
	if s.Post != nil {
		late = f.aside(func() { f.simple(s.Post) })
		if len(late) == 1 && plainPost.MatchString(late[0]) && !helperCall.MatchString(late[0]) {
			post, late = strings.TrimSpace(late[0]), nil
		}
		f.called = false
	}
	cond := "true"
	var early []string
	if s.Cond != nil {
		early = f.aside(func() {
			f.indent++
			f.early = false
			cond = f.to(s.Cond, types.Typ[types.Bool])
			f.settle()
			f.indent--
		})
	}
	first := ""
	if late != nil {
		first = f.hoist("true")
	}
	f.enter(label, false)
	switch inner := early != nil || late != nil; {
	case (inner || cond == "true") && post == "":
		f.open("for")
	case inner:
		f.open("for ; ; %s", post)
	default:
		f.open("for ; %s; %s", bare(cond), post)
	}
	f.poll()
	if late != nil {
		f.line("if !%s {", first)
		f.lines = append(f.lines, late...)
		f.line("}")
		f.line("%s = false", first)
	}
	if early != nil || late != nil {
		f.at(s)
		f.lines = append(f.lines, early...)
		f.line("if !%s { break }", group(cond))
	}
	outer := f.turn(vars)
	f.stmts(s.Body.List)
	for i, v := range vars {
		f.l.names[v] = outer[i]
	}
	f.close()
	f.leave()
	f.close()
}

// plainPost is a post statement that can stay in the head of its loop.
var plainPost = regexp.MustCompile(`^\s*\S+(\+\+|--| [-+*&|^]?= .*)$`)

// turnVars returns the variables of a loop that must be fresh in each turn:
// those that only its post statement changes, so that the body's are copies,
// and those that others change or know the address of.
func (f *function) turnVars(s *ast.ForStmt) (copies, shared []*types.Var) {
	l := f.l
	init, is := s.Init.(*ast.AssignStmt)
	if !is || init.Tok != token.DEFINE {
		return nil, nil
	}
	inside := findUses(l.info, bodyOf(s))
	for _, lhs := range init.Lhs {
		v, is := l.info.Defs[lhs.(*ast.Ident)].(*types.Var)
		if !is || !l.use(v).captured && !l.use(v).addressed {
			continue
		}
		in := inside.vars[v]
		if l.use(v).addressed || in != nil && in.assigned || capturedIn(l.info, v, s.Init, s.Cond, s.Post) {
			shared = append(shared, v)
			continue
		}
		copies = append(copies, v)
	}
	if len(shared) > 0 {
		return copies, shared
	}
	for _, v := range copies {
		l.use(v).assigned = false // the body's is a copy that nobody changes
	}
	return copies, nil
}

// forShared is a loop whose variables are boxes, a new one each turn: it gets
// the value of the last turn's before the post statement.
func (f *function) forShared(s *ast.ForStmt, label string, vars []*types.Var) {
	l := f.l
	for _, v := range vars {
		l.use(v).captured, l.use(v).assigned = true, true
	}
	f.open("")
	f.at(s)
	f.simple(s.Init)
	f.settle()
	first := f.hoist("true")
	last, outer := make([]string, len(vars)), make([]string, len(vars))
	for i, v := range vars {
		outer[i] = l.names[v]
		last[i] = f.hoist(outer[i])
	}
	f.enter(label, false)
	f.open("for")
	f.poll()
	for i, v := range vars {
		delete(l.names, v)
		f.define(v, "*"+last[i])
	}
	f.open("if !%s", first)
	if s.Post != nil {
		f.simple(s.Post)
		f.settle()
	}
	f.close()
	f.line("%s = false", first)
	if s.Cond != nil {
		f.at(s.Cond)
		f.early = false
		cond := f.settled(f.to(s.Cond, types.Typ[types.Bool]))
		f.settle()
		f.line("if !%s { break }", group(cond))
	}
	for i, v := range vars {
		f.line("%s = %s", last[i], l.names[v])
	}
	f.stmts(s.Body.List)
	for i, v := range vars {
		l.names[v] = outer[i]
	}
	f.close()
	f.leave()
	f.close()
}

func bodyOf(s *ast.ForStmt) []ast.Node {
	list := []ast.Node{s.Body}
	if s.Cond != nil {
		list = append(list, s.Cond)
	}
	return list
}

// capturedIn reports whether a literal in one of the nodes uses a variable.
func capturedIn(info *types.Info, v *types.Var, nodes ...ast.Node) bool {
	found := false
	for _, n := range nodes {
		if n == nil || reflect.ValueOf(n).IsNil() {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				ast.Inspect(lit, func(n ast.Node) bool {
					id, ok := n.(*ast.Ident)
					found = found || ok && info.Uses[id] == v
					return !found
				})
			}
			return !found
		})
	}
	return found
}

// turn writes the copies of this turn and returns the names of the originals.
func (f *function) turn(vars []*types.Var) (outer []string) {
	for _, v := range vars {
		name := f.l.names[v]
		outer = append(outer, name)
		delete(f.l.names, v)
		f.line("%s := %s", f.l.declare(v), name)
	}
	return outer
}
