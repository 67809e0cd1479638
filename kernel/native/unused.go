package native

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Cells may leave variables of functions unused; the compiler refuses them. A
// "_ = x" behind the declaration of each that nothing reads keeps it quiet.

// findUnused notes the local variables that no expression reads.
func (e *emitter) findUnused(roots []ast.Node) {
	read := map[types.Object]bool{}
	for _, root := range roots {
		written := map[*ast.Ident]bool{}
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if id, ok := ast.Unparen(l).(*ast.Ident); ok {
						written[id] = true
					}
				}
			case *ast.IncDecStmt:
				if id, ok := ast.Unparen(n.X).(*ast.Ident); ok {
					written[id] = true
				}
			case *ast.Ident:
				if !written[n] {
					read[e.info.Uses[n]] = true
				}
			}
			return true
		})
	}
	for _, o := range e.info.Defs {
		v, ok := o.(*types.Var)
		if ok && !v.IsField() && v.Kind() == types.LocalVar && !read[v] && v.Name() != "_" {
			e.unused[v] = true
		}
	}
}

// use writes "_ = x" at a place for each of the variables that is unused.
func (e *emitter) use(vars []*ast.Ident, at token.Pos) {
	if text := e.useText(vars); text != "" {
		e.insert(at, text)
	}
}

func (e *emitter) useText(vars []*ast.Ident) (text string) {
	for _, id := range vars {
		if v, ok := e.info.Defs[id].(*types.Var); ok && e.unused[v] {
			text += " _ = " + id.Name + ";"
		}
	}
	return text
}

// vars are the names that a simple statement defines.
func (e *emitter) vars(s ast.Stmt) (ids []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return e.defs(s.Lhs...)
		}
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			return nil
		}
		for _, spec := range d.Specs {
			ids = append(ids, spec.(*ast.ValueSpec).Names...)
		}
	}
	return ids
}

func (e *emitter) defs(l ...ast.Expr) (ids []*ast.Ident) {
	for _, x := range l {
		if id, ok := x.(*ast.Ident); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// switchInit uses the variables of a switch's init in its first clause.
func (e *emitter) switchInit(init ast.Stmt, body *ast.BlockStmt) {
	text := e.useText(e.vars(init))
	switch {
	case text == "":
	case len(body.List) == 0:
		e.insert(body.Lbrace+1, " default: "+text)
	default:
		e.insert(body.List[0].(*ast.CaseClause).Colon+1, text)
	}
}

// typeSwitch takes the variable off that no clause reads.
func (e *emitter) typeSwitch(s *ast.TypeSwitchStmt) {
	a, ok := s.Assign.(*ast.AssignStmt)
	if !ok || e.r.Program {
		return
	}
	implicit := map[types.Object]bool{}
	for _, c := range s.Body.List {
		implicit[e.info.Implicits[c]] = true
	}
	used := false
	ast.Inspect(s.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && e.info.Uses[id] != nil {
			used = used || implicit[e.info.Uses[id]]
		}
		return !used
	})
	if !used {
		e.replace(a.Lhs[0].Pos(), a.Rhs[0].Pos(), "")
	}
}

// list handles the statements of a block: unused variables, and polls behind
// what may block.
func (e *emitter) list(stmts []ast.Stmt) {
	for _, s := range stmts {
		inner := s
		for {
			l, ok := inner.(*ast.LabeledStmt)
			if !ok {
				break
			}
			inner = l.Stmt
		}
		text := e.useText(e.vars(inner))
		if e.r.Poll && e.pollsAfter(inner) {
			text += e.pollText()
		}
		if text != "" {
			e.insert(s.End(), ";"+text)
		}
	}
}
