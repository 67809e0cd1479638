package yaegi

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"

	"github.com/gondola-lab/gondola/kernel/lower"
)

// Numbers gives the whole text of a fault that lacks its numbers: index and
// operand are evaluated again, after the panic, where both are constants or
// variables of the session. Where they are not, or no single expression of the
// line can be the one, it names the expression. It reports false for other
// faults.
func (u *Unit) Numbers(f *Fault) (string, bool) {
	if f.Kind != Index && f.Kind != Slice || len(f.Frames) == 0 {
		return "", false
	}
	var found []lower.Site
	for _, s := range u.sites {
		_, slice := s.Expr.(*ast.SliceExpr)
		if s.Pos.Line == f.Frames[0].Line && s.Pos.Filename == f.Frames[0].File && slice == (f.Kind == Slice) {
			if len(found) == 0 || found[len(found)-1].Expr != s.Expr {
				found = append(found, s)
			}
		}
	}
	for _, s := range found {
		if text, wrong, known := u.failed(s.Expr); known && wrong {
			return f.Text + text, true
		}
	}
	if len(found) == 1 {
		return f.Text + ": " + types.ExprString(found[0].Expr), true
	}
	return f.Text, true
}

// failed evaluates an element or slice expression again: what Go says of it,
// whether it is out of range, and whether its operands are known.
func (u *Unit) failed(e ast.Expr) (text string, wrong, known bool) {
	switch e := e.(type) {
	case *ast.IndexExpr:
		x, ok := u.operand(e.X)
		i, ok2 := u.integer(e.Index)
		if !ok || !ok2 {
			return "", false, false
		}
		if i < 0 {
			return fmt.Sprintf(" [%d]", i), true, true
		}
		return fmt.Sprintf(" [%d] with length %d", i, x.Len()), i >= int64(x.Len()), true
	case *ast.SliceExpr:
		return u.failedSlice(e)
	}
	return "", false, false
}

func (u *Unit) failedSlice(e *ast.SliceExpr) (text string, wrong, known bool) {
	x, ok := u.operand(e.X)
	if !ok || e.Slice3 {
		return "", false, false
	}
	length, limit, what := int64(x.Len()), int64(x.Len()), "length"
	if x.Kind() == reflect.Slice {
		limit, what = int64(x.Cap()), "capacity"
	}
	low, high := int64(0), length
	if e.Low != nil {
		if low, ok = u.integer(e.Low); !ok {
			return "", false, false
		}
	}
	if e.High != nil {
		if high, ok = u.integer(e.High); !ok {
			return "", false, false
		}
	}
	switch {
	case high < 0:
		return fmt.Sprintf(" [:%d]", high), true, true
	case high > limit:
		return fmt.Sprintf(" [:%d] with %s %d", high, what, limit), true, true
	case low < 0:
		return fmt.Sprintf(" [%d:]", low), true, true
	case low > high:
		return fmt.Sprintf(" [%d:%d]", low, high), true, true
	}
	return "", false, true
}

// operand is the value of a session variable, or of what a pointer in one
// points to.
func (u *Unit) operand(e ast.Expr) (reflect.Value, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return reflect.Value{}, false
	}
	v, ok := u.vars[id.Name]
	if !ok || u.local(id) {
		return reflect.Value{}, false
	}
	v = v.Elem()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.String:
		return v, true
	}
	return reflect.Value{}, false
}

// integer is the value of a constant or of a session variable.
func (u *Unit) integer(e ast.Expr) (int64, bool) {
	if tv, ok := u.info.Types[e]; ok && tv.Value != nil {
		n, exact := constant.Int64Val(constant.ToInt(tv.Value))
		return n, exact
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || u.local(id) {
		return 0, false
	}
	switch v, ok := u.vars[id.Name]; {
	case !ok:
		return 0, false
	case v.Elem().CanInt():
		return v.Elem().Int(), true
	case v.Elem().CanUint():
		return int64(v.Elem().Uint()), true
	}
	return 0, false
}

// local reports whether a name is one of a function, out of reach by now.
func (u *Unit) local(id *ast.Ident) bool {
	obj := u.info.ObjectOf(id)
	return obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope()
}
