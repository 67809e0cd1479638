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
	j.diags = append(j.diags, Diag{Cell: number, Line: p.Line, Col: j.column(number, p.Line, p.Column), Msg: msg})
	return &j.diags[len(j.diags)-1]
}

// forward refuses a use of a variable in a statement or a definition above the
// variable's own definition. Functions may use it, and the variables of one run
// of var declarations may use each other, as in a package. A variable that the
// session has with the same type is the same variable: its old value is there.
func (j *job) forward() {
	made := map[types.Object]int{} // variable of the cell: the unit that defines it
	for id, o := range j.info.Defs {
		if v, ok := o.(*types.Var); ok && v.Parent() == j.pkg.Scope() {
			made[v] = j.unitAt(id.Pos())
		}
	}
	if len(made) == 0 {
		return
	}
	for _, d := range j.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != Body {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := j.info.Uses[id]
			def, ok := made[o]
			use := j.unitAt(id.Pos())
			if !ok || use < 0 || use >= def || j.oneRun(use, def) {
				return true
			}
			old, ok := j.sc.Names[id.Name].Obj.(*types.Var)
			if ok && types.Identical(old.Type(), o.Type()) {
				return true
			}
			e := j.add(id.Pos(), "undefined: "+id.Name)
			e.Advice = fmt.Sprintf("%s is defined below, in line %d of this cell", id.Name, j.units[def].Line)
			return true
		})
	}
}

// oneRun tells whether the units from a to b are var declarations and nothing else.
func (j *job) oneRun(a, b int) bool {
	for ; a <= b; a++ {
		if j.units[a].Kind != cell.Var {
			return false
		}
	}
	return true
}
