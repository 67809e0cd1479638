package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// With is what is checked together with a cell, beside its own text.
type With struct {
	// Again are declarations of earlier cells, at their own places, that are
	// checked anew with the cell and against it: what they declare is not taken
	// from the scope.
	Again []Source
	// Keep names types that stay as the scope has them, though the text declares
	// them: their declarations are left out, and their methods become functions
	// under the names that [MethodFunc] gives. Of a generic type the methods are
	// left out too.
	Keep map[string]bool
	// Drop names functions of the text that are left out.
	Drop map[string]bool
	// Vars are variables of the session, by their types, that follow a type of
	// the text: each type in Renew is the one that the text declares under its
	// name.
	Vars  map[string]types.Type
	Renew map[*types.TypeName]bool
}

// Checked is the answer of [Checker.CheckWith].
type Checked struct {
	Cell   *Cell             // nil where anything is wrong
	Err    *Error            // of the cell's own text
	Failed map[string]*Error // of the declarations in Again, by their names
	Parsed bool              // the text is that of a cell, right or wrong; else Err is all there is
	Decls  []Decl            // what all the text declares, also where it is wrong
	Vars   map[string]types.Type
	// Imports are the explicit imports of the cell, as in Cell.
	Imports map[string]string
}

// CheckWith is Check for a cell together with declarations of earlier cells.
func (k *Checker) CheckWith(number int, src string, sc *Scope, w With) (out Checked) {
	j := k.newJob(number, sc)
	j.with = w
	j.texts[number] = src
	if !j.readable(src) {
		out.Err = sorted(j.diags)
		return out
	}
	e := j.whole(src, &out)
	out.Failed = map[string]*Error{}
	if e == nil {
		return out
	}
	own := &Error{}
	for _, d := range e.List {
		if d.of == "" {
			own.List = append(own.List, d)
			continue
		}
		if out.Failed[d.of] == nil {
			out.Failed[d.of] = &Error{}
		}
		out.Failed[d.of].List = append(out.Failed[d.of].List, d)
	}
	if len(own.List) > 0 {
		out.Err = own
	}
	return out
}

// whole checks the text and what comes with it.
func (j *job) whole(src string, out *Checked) (e *Error) {
	defer j.recover(&out.Cell, &e)
	pieces := cell.Split(src)
	j.comments(src, pieces)
	for _, s := range j.with.Again {
		u := oldUnit(kindOf(s.Text), s)
		u.again = s.Name
		j.units = append(j.units, u)
	}
	j.take(pieces)
	out.Cell, e = j.run()
	if j.info == nil {
		return e
	}
	out.Parsed, out.Decls = true, j.decls(j.pieces())
	out.Vars, out.Imports = map[string]types.Type{}, j.own
	for n := range j.with.Vars {
		if v, ok := j.pkg.Scope().Lookup(n).(*types.Var); ok {
			out.Vars[n] = v.Type()
		}
	}
	return e
}

// MethodFunc is the name of the function that a method of a kept type becomes.
func MethodFunc(typ, method string) string { return fmt.Sprintf("_g0m%d_%s_%s", len(typ), typ, method) }

// MethodOf turns a name of [MethodFunc] back, as "P.M".
func MethodOf(name string) (string, bool) {
	n, rest := 0, ""
	if _, err := fmt.Sscanf(name, "_g0m%d_%s", &n, &rest); err != nil || n >= len(rest) {
		return "", false
	}
	return rest[:n] + "." + rest[n+1:], true
}

// keep takes declarations out of the check file that stay as they are, and
// makes functions of the methods of kept types.
func (j *job) keep(f *ast.File) {
	if len(j.with.Keep) == 0 && len(j.with.Drop) == 0 && len(j.with.Again) == 0 {
		return
	}
	list := f.Decls[:0]
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			specs := make([]ast.Spec, 0, len(d.Specs))
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if j.with.Keep[s.Name.Name] || j.replaced(s.Name) {
						continue
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if d.Tok == token.CONST && j.replaced(id) {
							j.blank(id) // the place of the others in their group stays
						}
					}
				}
				specs = append(specs, s)
			}
			leave(d, specs)
		case *ast.FuncDecl:
			if d.Recv == nil && (j.with.Drop[d.Name.Name] || j.with.Keep[d.Name.Name]) {
				continue
			}
			if d.Recv != nil && j.with.Keep[receiver(d)] { // generic, or it would be a function by now
				continue
			}
		}
		list = append(list, d)
	}
	f.Decls = list
}

// blank makes a declared name the blank one, in the text too, from which native
// cells are emitted.
func (j *job) blank(id *ast.Ident) {
	off := j.tokens.Offset(id.Pos())
	j.text = j.text[:off] + "_" + strings.Repeat(" ", len(id.Name)-1) + j.text[off+len(id.Name):]
	id.Name = "_"
}

// replaced tells whether a name in a declaration that comes again has another
// meaning by now: the cell's own text or a later cell declares it.
func (j *job) replaced(id *ast.Ident) bool {
	i := j.unitAt(id.Pos())
	if i < 0 || j.units[i].again == "" {
		return false
	}
	u := j.units[i]
	if j.ownNames == nil {
		j.ownNames = map[string]bool{}
		for _, u := range j.units {
			if u.again == "" {
				for _, n := range unitNames(u) {
					j.ownNames[n] = true
				}
			}
		}
	}
	now, ok := j.sc.Names[id.Name]
	return j.ownNames[id.Name] || ok && (now.Cell != u.number || now.Line != u.Line || now.Col != u.Col)
}

// unitNames are the names at the top that a unit declares, but for methods.
func unitNames(u unit) (names []string) {
	switch u.Kind {
	case cell.Type, cell.Const, cell.Var:
		for _, d := range declsOf(masked(u.Text)) {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	case cell.Func:
		for _, d := range declsOf(masked(u.Text)) {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	case cell.Define:
		for n := range strings.SplitSeq(comments.ReplaceAllString(u.Text[:u.Assign], ""), ",") {
			names = append(names, strings.TrimSpace(n))
		}
	}
	return names
}

// generic tells whether a method belongs to a generic type.
func generic(d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.IndexExpr, *ast.IndexListExpr:
			found = true
		}
		return !found
	})
	return found
}

// asFunction is a method of a kept type as a function whose first parameter is
// its receiver, each part at its place; the text itself for any other method.
func (j *job) asFunction(u *unit) string {
	text := masked(u.Text)
	decls := declsOf(text)
	if len(decls) != 1 {
		return text
	}
	d, ok := decls[0].(*ast.FuncDecl)
	if !ok || d.Recv == nil || len(d.Recv.List) != 1 || !j.with.Keep[receiver(d)] || generic(d) {
		return text
	}
	name := MethodFunc(receiver(d), d.Name.Name)
	if j.kept == nil {
		j.kept = map[string]string{}
	}
	j.kept[name] = receiver(d) + "." + d.Name.Name
	off := func(pos token.Pos) int { return int(pos) - 1 - len("package p\n") }
	recv := d.Recv.List[0]
	var b strings.Builder
	b.WriteString(text[:off(d.Recv.Opening)] + name + "(" + inline(u, off(recv.Pos())))
	if len(recv.Names) == 0 {
		b.WriteString("_ ")
	}
	b.WriteString(text[off(recv.Pos()):off(recv.End())] + ", ")
	at := off(d.Type.Params.Opening) + 1
	b.WriteString(inline(u, at))
	for _, p := range d.Type.Params.List {
		if len(p.Names) == 0 {
			b.WriteString(text[at:off(p.Pos())] + "_ " + inline(u, off(p.Pos())))
			at = off(p.Pos())
		}
	}
	return b.String() + text[at:]
}
