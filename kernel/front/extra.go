package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// extra finds what is an error in a cell though the check file is a valid
// program: functions without a body, and variables used by statements above
// their definition, which the check file hides by making them variables of the
// package.
func (j *job) extra() {
	for _, d := range j.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
			j.add(f.Pos(), "missing function body")
		}
	}
	if j.sc.Strict && !j.declared["main"] && len(j.diags) == 0 {
		j.diags = append(j.diags, Diag{Cell: j.number, Line: 1, Col: 1,
			Msg: "function main is undeclared in the main package"})
	}
	if len(j.diags) == 0 {
		j.forward()
	}
}

func (j *job) add(pos token.Pos, msg string) *Diag {
	p := j.fset.Position(pos)
	number, ok := cellOf(p.Filename)
	if !ok {
		number, p.Line, p.Column = j.number, 1, 1
	}
	j.diags = append(j.diags, Diag{Cell: number, Line: p.Line, Col: j.column(number, p.Line, p.Column), Msg: msg,
		of: j.againAt(pos)})
	return &j.diags[len(j.diags)-1]
}

// forward refuses a use of a variable in a statement or a definition above the
// variable's own definition, and a call there of a function of the cell that
// uses it: both would read a zero. The variables of one run of var declarations
// may use each other, as in a package. A variable that the session has with the
// same type is the same variable: its old value is there.
func (j *job) forward() {
	made := map[types.Object]int{} // variable of the cell: the unit that defines it
	for id, o := range j.info.Defs {
		if v, ok := o.(*types.Var); ok && v.Parent() == j.pkg.Scope() {
			old, ok := j.sc.Names[id.Name].Obj.(*types.Var)
			if !ok || !types.Identical(old.Type(), v.Type()) {
				made[v] = j.unitAt(id.Pos())
			}
		}
	}
	if len(made) == 0 {
		return
	}
	uses := j.functionUses()
	for _, d := range j.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != Body {
			continue
		}
		called := map[*ast.Ident]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
					called[id] = true
				}
			case *ast.Ident:
				use := j.unitAt(n.Pos())
				late := func(v types.Object) bool {
					def, ok := made[v]
					return ok && use >= 0 && use < def && !j.oneRun(use, def)
				}
				o := j.info.Uses[n]
				if late(o) {
					e := j.add(n.Pos(), "undefined: "+n.Name)
					e.Advice = fmt.Sprintf("%s is defined below, in line %d of this cell", n.Name, j.units[made[o]].Line)
				} else if called[n] {
					if v := reach(uses, o, late, map[types.Object]bool{}); v != nil {
						e := j.add(n.Pos(), fmt.Sprintf("%s uses %s, which is not defined yet", n.Name, v.Name()))
						e.Advice = fmt.Sprintf("%s is defined below, in line %d of this cell", v.Name(), j.units[made[v]].Line)
					}
				}
			}
			return true
		})
	}
}

// functionUses are the objects of the package that each function of the cell
// refers to.
func (j *job) functionUses() map[types.Object][]types.Object {
	m := map[types.Object][]types.Object{}
	for _, d := range j.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name == Body {
			continue
		}
		fn := j.info.Defs[f.Name]
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := j.info.Uses[id]; o != nil && o.Pkg() == j.pkg {
					m[fn] = append(m[fn], o)
				}
			}
			return true
		})
	}
	return m
}

// reach finds an object for which late holds among what o leads to, or nil.
func reach(
	uses map[types.Object][]types.Object, o types.Object, late func(types.Object) bool, seen map[types.Object]bool,
) types.Object {
	if seen[o] {
		return nil
	}
	seen[o] = true
	for _, u := range uses[o] {
		if late(u) {
			return u
		}
		if v := reach(uses, u, late, seen); v != nil {
			return v
		}
	}
	return nil
}

// oneRun tells whether no statement and no definition by := stands between the
// units a and b, or is one of them: their variables are made in the order that
// they need.
func (j *job) oneRun(a, b int) bool {
	for ; a <= b; a++ {
		if k := j.units[a].Kind; k == cell.Stmts || k == cell.Define {
			return false
		}
	}
	return true
}
