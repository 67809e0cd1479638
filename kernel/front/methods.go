package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// methodsOfEarlierTypes handles methods on types of earlier cells. go/types
// collects methods beside their type only, and a method on a foreign type makes
// it dereference nil. So the type and its methods are checked again from their
// source: with the new method it is a new version of the type anyway.
func (j *job) methodsOfEarlierTypes() {
	own := map[string]bool{}    // types that the cell declares
	late := map[string]string{} // receiver types of earlier cells; the methods that the cell gives them
	var order []string
	for _, u := range j.units {
		switch u.Kind {
		case cell.Type:
			for _, n := range typeNames(u.Text) {
				own[n] = true
			}
		case cell.Method:
			t, m := methodName(u.Text)
			if t == "" {
				continue
			}
			if late[t] == "" {
				order = append(order, t)
			}
			late[t] += " " + m + " "
		}
	}
	var again []unit
	done := map[string]bool{}
	for len(order) > 0 {
		t := order[0]
		order = order[1:]
		n, ok := j.sc.Names[t]
		names := typeNames(n.Source)
		if own[t] || done[t] || !ok || len(names) == 0 || j.with.Keep[t] {
			continue
		}
		again = append(again, oldUnit(cell.Type, Source{t, n.Cell, n.Line, n.Col, n.Source, n.Doc}))
		for _, t := range names { // all of a group come in anew
			done[t] = true
			if base := aliased(j.sc.Names[t].Obj); base != "" {
				order = append(order, base)
			}
			for _, m := range j.sc.Names[t].Methods {
				if _, name := methodName(m.Text); !strings.Contains(late[t], " "+name+" ") {
					again = append(again, oldUnit(cell.Method, m))
				}
			}
		}
	}
	for _, u := range again {
		j.survey(u)
	}
	j.units = append(again, j.units...)
}

// foreignMethods refuses methods on names that the scope has and the file does
// not declare, as those of dot-imports: go/types looks for the declaration of
// each receiver and dereferences nil. The methods leave the file.
func (j *job) foreignMethods() {
	aliases := map[string]ast.Expr{}
	for _, d := range j.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				if t := s.(*ast.TypeSpec); t.Assign.IsValid() && t.TypeParams == nil {
					aliases[t.Name.Name] = t.Type
				}
			}
		}
	}
	keep := j.file.Decls[:0]
	for _, d := range j.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			name := receiver(f)
			for range len(aliases) + 1 { // an alias of itself is the checker's affair
				x := aliases[name]
				if s, ok := x.(*ast.StarExpr); ok {
					x = s.X
				}
				if x == nil {
					break
				}
				if id, ok := ast.Unparen(x).(*ast.Ident); ok {
					name = id.Name
				} else {
					break
				}
			}
			if name != "" && !j.declared[name] && j.pkg.Scope().Lookup(name) != nil {
				j.add(f.Recv.List[0].Type.Pos(), "cannot define new methods on non-local type "+name)
				continue
			}
		}
		keep = append(keep, d)
	}
	j.file.Decls = keep
}

// aliased is the name of the type of an earlier cell that an alias stands for, or "".
func aliased(o types.Object) string {
	t, ok := o.(*types.TypeName)
	if !ok || !t.IsAlias() {
		return ""
	}
	n, ok := types.Unalias(t.Type()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "main" {
		return ""
	}
	return n.Obj().Name()
}

// oldUnit is a declaration of an earlier cell.
func oldUnit(kind cell.Kind, s Source) unit {
	return unit{Piece: cell.Piece{Kind: kind, Text: s.Text, Doc: s.Doc, Line: s.Line, Col: s.Col}, number: s.Cell}
}

// typeNames are the names that a type declaration declares.
func typeNames(text string) (names []string) {
	for _, d := range declsOf(text) {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				names = append(names, s.(*ast.TypeSpec).Name.Name)
			}
		}
	}
	return names
}

// methodName is the receiver's type and the name of a method declaration.
func methodName(text string) (typ, name string) {
	for _, d := range declsOf(text) {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			return receiver(f), f.Name.Name
		}
	}
	return "", ""
}

func declsOf(text string) []ast.Decl {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return f.Decls
}
