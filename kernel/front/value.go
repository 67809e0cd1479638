package front

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// lastExpr is the last piece of the cell if it is an expression.
func (j *job) lastExpr() *ast.ExprStmt {
	if len(j.units) == 0 || j.units[len(j.units)-1].Kind != cell.Stmts {
		return nil
	}
	body := j.body()
	if len(body.List) == 0 {
		return nil
	}
	s, _ := body.List[len(body.List)-1].(*ast.ExprStmt)
	if s == nil || j.unitAt(s.Pos()) != len(j.units)-1 {
		return nil
	}
	return s
}

// body is the body of the function that holds the statements.
func (j *job) body() *ast.BlockStmt {
	return j.file.Decls[len(j.file.Decls)-1].(*ast.FuncDecl).Body
}

// value decides what the cell shows, from the tree and the type.
func (j *job) value(c *Cell) {
	if j.last == nil {
		return
	}
	x := ast.Unparen(j.last.X)
	tv := j.info.Types[j.last.X]
	if tv.IsVoid() || tv.Type == nil {
		return
	}
	fn := callee(j.info, x)
	switch {
	case j.sc.Strict, j.units[len(j.units)-1].Semicolon, prints(fn):
		c.Unused = true
	default:
		c.Value = j.last.X
		c.ErrorOnly = writes(fn)
	}
}

// callee is the declared function or method that x calls, or nil.
func callee(info *types.Info, x ast.Expr) *types.Func {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return nil
	}
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// prints tells the functions whose byte count nobody wants.
func prints(f *types.Func) bool {
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "fmt" && f.Signature().Recv() == nil &&
		(strings.HasPrefix(f.Name(), "Print") || strings.HasPrefix(f.Name(), "Fprint"))
}

// writes tells the Write methods of std, whose count is wanted by nobody as
// long as all went well.
func writes(f *types.Func) bool {
	if f == nil || f.Pkg() == nil || f.Signature().Recv() == nil || !strings.HasPrefix(f.Name(), "Write") {
		return false
	}
	first, _, _ := strings.Cut(f.Pkg().Path(), "/")
	r := f.Signature().Results()
	return first != "main" && !strings.Contains(first, ".") && r.Len() > 0 &&
		types.Identical(r.At(r.Len()-1).Type(), types.Universe.Lookup("error").Type())
}
