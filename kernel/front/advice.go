package front

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"sort"
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

// madeTypes says that the places from base on belong to a cell.
type madeTypes struct {
	base int
	cell int
}

// remember notes the places of a cell that declares types, so that the versions
// of a type can be told apart by their cells.
func (k *Checker) remember(j *job) {
	for _, u := range j.units {
		if u.Kind == Type {
			k.mu.Lock()
			k.types = append(k.types, madeTypes{j.tokens.Base(), j.number})
			sort.Slice(k.types, func(a, b int) bool { return k.types[a].base < k.types[b].base })
			k.mu.Unlock()
			return
		}
	}
}

// cellOfType is the number of the cell that declared a type, or 0.
func (j *job) cellOfType(o *types.TypeName) int {
	if j.tokens.Base() <= int(o.Pos()) && int(o.Pos()) <= j.tokens.Base()+j.tokens.Size() {
		return j.number
	}
	j.k.mu.Lock()
	defer j.k.mu.Unlock()
	i := sort.Search(len(j.k.types), func(i int) bool { return j.k.types[i].base > int(o.Pos()) })
	if i == 0 {
		return 0
	}
	return j.k.types[i-1].cell
}

var wordBoth = regexp.MustCompile(`type (\*?)(\w+)\) as (\*?)(\w+) value`)

// versions is about a value of a type that was declared anew since: both
// versions have one name, so the message says their cells, and the advice is to
// run the cell of the variable again.
func (j *job) versions(d *Diag, pos token.Pos) {
	x := j.exprAt(pos)
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := j.info.Uses[id].(*types.Var)
		from := j.sc.Names[id.Name]
		if !ok || from.Obj != v {
			return true
		}
		old := j.outdated(v.Type())
		if old == nil {
			return true
		}
		d.Advice = fmt.Sprintf("%s holds a value of the old %s: run cell [%d] again", id.Name, old.Name(), from.Cell)
		now, _ := j.pkg.Scope().Lookup(old.Name()).(*types.TypeName)
		if now == nil {
			now, _ = j.sc.Names[old.Name()].Obj.(*types.TypeName)
		}
		if a := j.cellOfType(old); a > 0 && now != nil && j.cellOfType(now) > 0 {
			d.Msg = wordBoth.ReplaceAllStringFunc(d.Msg, func(s string) string {
				m := wordBoth.FindStringSubmatch(s)
				if m[2] != old.Name() || m[4] != old.Name() {
					return s
				}
				return fmt.Sprintf("type %s%s of cell [%d]) as %s%s of cell [%d] value", m[1], m[2], a, m[3], m[4],
					j.cellOfType(now))
			})
		}
		return false
	})
}

// outdated finds in a type one that has a newer version, or nil.
func (j *job) outdated(t types.Type) *types.TypeName {
	switch t := t.(type) {
	case *types.Named:
		o := t.Obj()
		if o.Pkg() == nil || o.Pkg().Path() != "main" || o.Parent() == nil {
			return nil
		}
		if n, ok := j.sc.Names[o.Name()]; ok && n.Obj != o || j.declared[o.Name()] {
			return o
		}
	case *types.Pointer:
		return j.outdated(t.Elem())
	case *types.Slice:
		return j.outdated(t.Elem())
	case *types.Array:
		return j.outdated(t.Elem())
	case *types.Chan:
		return j.outdated(t.Elem())
	case *types.Map:
		if o := j.outdated(t.Key()); o != nil {
			return o
		}
		return j.outdated(t.Elem())
	}
	return nil
}
