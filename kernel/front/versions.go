package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"sort"
	"strings"
)

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

// both finds the two types of an error that is about two.
var both = regexp.MustCompile(`(.*\btype |mismatched types )(.+?)(\) as | and )(.+?)( value|\)$)`)

// versions is about a value of a type that was declared anew since: both
// versions have one name, so the message says their cells, and the advice is to
// run the cell of the variable again.
func (j *job) versions(d *Diag, pos token.Pos) {
	x := j.exprAt(pos)
	if x == nil {
		return
	}
	id, old := j.holder(x)
	if id == nil {
		if id, old = j.holder(j.statementAround(pos)); id == nil || !mentions(d.Msg, old.Name()) {
			return
		}
	}
	name := old.Name()
	d.Advice = fmt.Sprintf("%s holds a value of the old %s: run cell [%d] again", id.Name, name, j.sc.Names[id.Name].Cell)
	now, _ := j.pkg.Scope().Lookup(name).(*types.TypeName)
	if now == nil {
		now, _ = j.sc.Names[name].Obj.(*types.TypeName)
	}
	if now == nil || j.cellOfType(old) == 0 || j.cellOfType(now) == 0 {
		return
	}
	m := both.FindStringSubmatch(d.Msg)
	if m == nil || !mentions(m[2], name) || !mentions(m[4], name) {
		return
	}
	first, second := old, now
	ast.Inspect(j.file, func(n ast.Node) bool { // of an operation the left operand comes first
		b, ok := n.(*ast.BinaryExpr)
		if ok && strings.HasSuffix(m[1], "mismatched types ") && b.Pos() <= pos && pos < b.End() {
			x = b.X
		}
		return true
	})
	if t := j.info.TypeOf(x); t != nil && j.outdated(t) == nil {
		first, second = now, old
	}
	of := fmt.Sprintf("${1}${2} of cell [%d]${3}${4} of cell [%d]${5}", j.cellOfType(first), j.cellOfType(second))
	d.Msg = both.ReplaceAllString(d.Msg, of)
}

func mentions(msg, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(msg)
}

// holder finds a variable of the session whose type has a newer version.
func (j *job) holder(n ast.Node) (id *ast.Ident, old *types.TypeName) {
	if n == nil {
		return nil, nil
	}
	ast.Inspect(n, func(n ast.Node) bool {
		x, ok := n.(*ast.Ident)
		if !ok || id != nil {
			return id == nil
		}
		if v, ok := j.info.Uses[x].(*types.Var); ok && j.sc.Names[x.Name].Obj == types.Object(v) {
			if o := j.outdated(v.Type()); o != nil {
				id, old = x, o
			}
		}
		return true
	})
	return id, old
}

// statementAround is the innermost simple statement or declaration at a place.
func (j *job) statementAround(pos token.Pos) (found ast.Node) {
	ast.Inspect(j.file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n.(type) {
		case *ast.AssignStmt, *ast.ExprStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.ValueSpec, *ast.GoStmt,
			*ast.DeferStmt:
			found = n
		}
		return true
	})
	return found
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
