package front

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// advise adds a line of advice to an error, and says of a name that is broken
// or lost why it is not there.
func (j *job) advise(d *Diag, e types.Error) {
	rest, imports := strings.CutPrefix(e.Msg, "could not import ")
	switch {
	case imports:
		path, _, _ := strings.Cut(rest, " (")
		var why *importError
		if _, err := j.k.imp.Import(path); errors.As(err, &why) {
			d.Advice = why.advice
		}
	case strings.HasPrefix(d.Msg, "undefined: "):
		j.undefined(d, strings.TrimPrefix(d.Msg, "undefined: "))
	case strings.Contains(d.Msg, "has pointer receiver)"):
		d.Advice = "give a pointer: the method is not in the method set of the value"
		if id, ok := j.exprAt(e.Pos).(*ast.Ident); ok {
			d.Advice = "give a pointer: &" + id.Name
		}
	case strings.Contains(d.Msg, " has no field or method ") && !strings.Contains(d.Msg, ", but does have "):
		j.member(d, e.Pos)
	case strings.HasPrefix(d.Msg, "initialization cycle"):
		d.Advice = "at the top of a cell := makes a new variable; = assigns to the one that is there"
	}
	j.versions(d, e.Pos)
}

// undefined is about a name, or a name of a package, that is not there.
func (j *job) undefined(d *Diag, name string) {
	if q, sel, ok := strings.Cut(name, "."); ok {
		path := j.own[q]
		if path == "" {
			path = j.added[q]
		}
		if p, err := j.k.imp.Import(path); err == nil {
			d.Advice = didYouMean(nearest(sel, exported(p)))
		}
		return
	}
	if s := j.sc.Broken[name]; s != "" {
		d.Msg = s
		return
	}
	if s := j.sc.Lost[name]; s != "" {
		d.Msg += " (" + s + ")"
		return
	}
	if paths := j.packagesFor(name); len(paths) > 0 {
		d.Advice = "import " + strings.Join(paths, " or ")
		return
	}
	d.Advice = didYouMean(nearest(name, j.visible()))
}

// packagesFor are the packages that a qualifier could mean, quoted: those with
// all selectors that the cell uses, or else all of the name.
func (j *job) packagesFor(name string) (quoted []string) {
	if j.used[name] == nil {
		return nil
	}
	all := j.k.imp.index.ByName(name)
	full := slices.DeleteFunc(slices.Clone(all), func(path string) bool {
		p, err := j.k.imp.Import(path)
		return err != nil || !has(p, j.used[name])
	})
	if len(full) == 0 {
		full = all
	}
	for _, p := range full {
		quoted = append(quoted, `"`+p+`"`)
	}
	return quoted
}

// visible are the names of the session, the cell and the language.
func (j *job) visible() []string {
	l := types.Universe.Names()
	for n := range j.sc.Names {
		l = append(l, n)
	}
	for n := range j.sc.Imports {
		l = append(l, n)
	}
	for n := range j.declared {
		if !reserved(n) {
			l = append(l, n)
		}
	}
	return l
}

// member is about a field or method that is not there; pos is its place.
func (j *job) member(d *Diag, pos token.Pos) {
	ast.Inspect(j.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Pos() == pos {
			var names []string
			for _, o := range j.members(s.X) {
				names = append(names, o.Name())
			}
			d.Advice = didYouMean(nearest(s.Sel.Name, names))
		}
		return d.Advice == ""
	})
}

// exprAt is the outermost expression that begins at pos.
func (j *job) exprAt(pos token.Pos) (found ast.Expr) {
	ast.Inspect(j.file, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && found == nil && e.Pos() == pos {
			found = e
		}
		return found == nil
	})
	return found
}
