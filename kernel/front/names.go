package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strconv"
)

// imports reads the explicit imports of the cell. Dot-imports leave the check
// file: their names are put into the scope behind those of the session.
func (j *job) imports() {
	for _, d := range j.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		keep := make([]ast.Spec, 0, len(g.Specs))
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			path, _ := strconv.Unquote(spec.Path.Value)
			if j.ownImport(spec, path) {
				keep = append(keep, s)
			}
		}
		leave(g, keep)
	}
}

// leave gives a declaration the specs that stay in the check file. One without
// any keeps its end, which go/ast reads off the last spec or the parenthesis.
func leave(d *ast.GenDecl, specs []ast.Spec) {
	if len(specs) == 0 && !d.Rparen.IsValid() && len(d.Specs) > 0 {
		d.Lparen, d.Rparen = d.TokPos, d.End()-1
	}
	d.Specs = specs
}

// ownImport notes one explicit import and tells whether it stays in the file.
func (j *job) ownImport(spec *ast.ImportSpec, path string) bool {
	p, err := j.k.imp.Import(path)
	switch {
	case err != nil: // the checker tells
		return true
	case spec.Name == nil:
		j.own[p.Name()] = path
	case spec.Name.Name == ".":
		if !slices.Contains(j.dots, path) {
			j.dots = append(j.dots, path)
		}
		return j.sc.Strict
	case spec.Name.Name != "_":
		j.own[spec.Name.Name] = path
	}
	return true
}

// names collects what the cell declares at its top.
func (j *job) names() {
	for _, d := range j.file.Decls {
		for _, id := range declaredBy(d) {
			j.declared[id.Name] = true
		}
	}
}

// declaredBy are the names at the top that a declaration declares.
func declaredBy(d ast.Decl) (ids []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			ids = append(ids, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				ids = append(ids, s.Name)
			case *ast.ValueSpec:
				ids = append(ids, s.Names...)
			}
		}
	}
	return ids
}

// dotClashes refuses names that the cell declares and dot-imports too. A name
// of an earlier dot-import may be declared anew.
func (j *job) dotClashes() {
	if j.sc.Strict {
		return // the import is in the file, so the checker tells
	}
	for _, path := range j.dots {
		p, err := j.k.imp.Import(path)
		if err != nil {
			continue
		}
		for _, d := range j.file.Decls {
			for _, id := range declaredBy(d) {
				if o := p.Scope().Lookup(id.Name); o != nil && o.Exported() {
					j.add(id.Pos(), fmt.Sprintf("%s already declared through dot-import of package %s", id.Name, p.Name()))
				}
			}
		}
	}
}

// hideTypes puts parentheses around the name on the right of "type U T" where T
// is not of this cell. go/types of Go 1.26 follows such names through its own
// list of declarations and dereferences nil at one that it does not have.
func (j *job) hideTypes() {
	for _, d := range j.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			t := s.(*ast.TypeSpec)
			if id, ok := t.Type.(*ast.Ident); ok && !j.declared[id.Name] {
				t.Type = &ast.ParenExpr{Lparen: id.Pos(), X: id, Rparen: id.End()}
			}
		}
	}
}

// fill puts the names of earlier cells that occur in the cell into the scope
// of a new package. A Scope takes objects of another Package, and go/types
// compares unexported names by package path, which is "main" for all cells.
func (j *job) fill() {
	scope := j.pkg.Scope()
	hidden := func(n string) bool { return !j.idents[n] || j.declared[n] || j.own[n] != "" || j.added[n] != "" }
	for n, v := range j.sc.Names {
		if n != "_" && !hidden(n) && v.Obj != nil && j.sc.Broken[n] == "" {
			scope.Insert(v.Obj)
		}
	}
	if v, ok := j.sc.Names["_"]; ok && v.Obj != nil {
		scope.Insert(v.Obj)
	}
	for n, t := range j.hidden {
		scope.Insert(types.NewTypeName(token.NoPos, j.pkg, n, t))
	}
	dots := slices.Clone(j.sc.Dots)
	if !j.sc.Strict {
		dots = append(dots, j.dots...)
	}
	slices.Reverse(dots) // the newest first
	for _, path := range dots {
		p, err := j.k.imp.Import(path)
		if err != nil {
			continue
		}
		for n := range j.idents {
			if o := p.Scope().Lookup(n); o != nil && o.Exported() && !hidden(n) && scope.Lookup(n) == nil {
				scope.Insert(o)
			}
		}
	}
}

// addImports puts imports that the cell does not write at the head of the
// file.
func (j *job) addImports(m map[string]string) {
	if len(m) == 0 {
		return
	}
	var names []string
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	g := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1}
	for _, n := range names {
		g.Specs = append(g.Specs, &ast.ImportSpec{Name: ast.NewIdent(n),
			Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(m[n])}})
	}
	g.Lparen = token.NoPos
	j.file.Decls = append([]ast.Decl{g}, j.file.Decls...)
}

// decls lists the names that the pieces declare, in the order of the text.
func (j *job) decls(pieces []Piece) []Decl {
	var l []Decl
	for _, p := range pieces {
		base := Decl{Cell: p.Cell, Line: p.Line, Col: p.Col, Source: p.Text, Doc: p.Doc, Again: p.Again}
		add := func(id *ast.Ident, kind string, node ast.Node) {
			o := j.info.Defs[id]
			if o == nil || id.Name == "_" || reserved(id.Name) {
				return
			}
			d := base
			self := id.Name
			if kind == "method" {
				self = "" // the name of a type, too, may be that of its method
			}
			d.Name, d.Obj, d.Kind, d.Uses = id.Name, o, kind, j.uses(node, self)
			l = append(l, d)
		}
		switch n := p.Node.(type) {
		case *ast.FuncDecl:
			switch {
			case j.kept[n.Name.Name] != "":
				d := base
				d.Name, d.Obj, d.Kind, d.Uses = j.kept[n.Name.Name], j.info.Defs[n.Name], "method", j.uses(n, "")
				l = append(l, d)
			case n.Recv != nil:
				add(n.Name, "method", n)
				if k := len(l) - 1; k >= 0 && l[k].Kind == "method" && l[k].Name == n.Name.Name {
					l[k].Name = receiver(n) + "." + n.Name.Name
				}
			case n.Name.Name != "init":
				add(n.Name, "func", n)
			}
		case *ast.GenDecl:
			for _, s := range n.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name, "type", s)
				case *ast.ValueSpec:
					kind, node := "var", ast.Node(s)
					if n.Tok == token.CONST { // a line without values repeats an earlier one
						kind, node = "const", n
					}
					for _, id := range s.Names {
						add(id, kind, node)
					}
				}
			}
		}
	}
	return l
}

// receiver is the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	if len(f.Recv.List) != 1 {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// uses are the names at the top of the session that a declaration refers to.
func (j *job) uses(n ast.Node, self string) []string {
	m := map[string]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := j.info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			m[o.Name()] = true
		default:
			if j.pkg.Scope().Lookup(id.Name) == o {
				m[id.Name] = true
			}
		}
		return true
	})
	delete(m, self)
	var l []string
	for n := range m {
		l = append(l, n)
	}
	sort.Strings(l)
	return l
}
