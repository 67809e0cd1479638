package session

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// source is the tree of the text in which a frame is. info is nil for a
// function of an earlier cell, whose types are not kept.
type source struct {
	node   ast.Node
	fset   *token.FileSet
	info   *types.Info
	offset int // lines to add to those of fset
}

// withNumbers adds to the words of an index that is out of range the numbers,
// where operand and index are constants or variables of the session: they are
// evaluated again. Else it adds the expression, when the line has only one.
// It sets the column of the frame to where the expression begins.
func (r *run) withNumbers(words string, f *frame) string {
	slicing := words == "slice bounds out of range"
	if words != "index out of range" && !slicing {
		return words
	}
	src, ok := r.source(*f)
	if !ok {
		return words
	}
	var found []ast.Expr
	ast.Inspect(src.node, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if ok && src.fset.Position(n.Pos()).Line+src.offset == f.line && src.indexes(e, slicing) {
			found = append(found, e)
		}
		return true
	})
	for _, e := range found {
		if numbers := r.outOfRange(e, src.info); numbers != "" {
			f.col = r.column(f, src, e)
			return words + " " + numbers
		}
	}
	if len(found) != 1 {
		return words
	}
	f.col = r.column(f, src, found[0])
	return words + ": " + types.ExprString(found[0])
}

func (r *run) column(f *frame, src source, e ast.Expr) int {
	line, _ := r.s.line(f.cell, f.line)
	return cell.Column(line, src.fset.Position(e.Pos()).Column)
}

// source finds the tree that holds a frame: the running cell, or the function
// of an earlier one.
func (r *run) source(f frame) (source, bool) {
	if r.tree != nil && f.cell == r.cell.Number {
		return source{r.tree.File, r.tree.Fset, r.tree.Info, 0}, true
	}
	e := r.s.now.Load().names[f.fn]
	if e == nil || e.cell != f.cell || e.kind != "func" {
		return source{}, false
	}
	fset := token.NewFileSet()
	const clause = "package p\n"
	text := clause + strings.Repeat(" ", max(0, e.col-1)) + e.source
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, false
	}
	return source{file, fset, nil, e.line - 1 - strings.Count(clause, "\n")}, true
}

// indexes tells whether e is an index (or a slice) of something with a length.
func (src source) indexes(e ast.Expr, slicing bool) bool {
	var operand ast.Expr
	switch e := e.(type) {
	case *ast.IndexExpr:
		if slicing {
			return false
		}
		operand = e.X
	case *ast.SliceExpr:
		if !slicing {
			return false
		}
		operand = e.X
	default:
		return false
	}
	if src.info == nil {
		return true
	}
	t := src.info.TypeOf(operand)
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array, *types.Pointer, *types.Basic:
		return true
	}
	return false
}

// outOfRange is what Go prints behind "index out of range" for an expression
// that is out of range now, or "".
func (r *run) outOfRange(e ast.Expr, info *types.Info) string {
	if info == nil {
		return ""
	}
	switch e := e.(type) {
	case *ast.IndexExpr:
		v, ok := r.variable(e.X, info)
		i, known := r.integer(e.Index, info)
		if !ok || !known || i >= 0 && i < int64(v.Len()) {
			return ""
		}
		if i < 0 {
			return fmt.Sprintf("[%d]", i)
		}
		return fmt.Sprintf("[%d] with length %d", i, v.Len())
	case *ast.SliceExpr:
		v, ok := r.variable(e.X, info)
		if !ok || e.Max != nil {
			return ""
		}
		limit, word := v.Len(), "length"
		if v.Kind() == reflect.Slice {
			limit, word = v.Cap(), "capacity"
		}
		low, high, known := int64(0), int64(v.Len()), true
		if e.High != nil {
			high, known = r.integer(e.High, info)
		}
		if e.Low != nil && known {
			low, known = r.integer(e.Low, info)
		}
		switch {
		case !known:
			return ""
		case high < 0:
			return fmt.Sprintf("[:%d]", high)
		case high > int64(limit):
			return fmt.Sprintf("[:%d] with %s %d", high, word, limit)
		case low < 0:
			return fmt.Sprintf("[%d:]", low)
		case low > high:
			return fmt.Sprintf("[%d:%d]", low, high)
		}
	}
	return ""
}

// variable is the value of a variable of the session that has a length.
func (r *run) variable(e ast.Expr, info *types.Info) (reflect.Value, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return reflect.Value{}, false
	}
	store, ok := r.store(id, info)
	if !ok {
		return reflect.Value{}, false
	}
	v := store.Elem()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.String:
		return v, true
	}
	return reflect.Value{}, false
}

// integer is the value of a constant, of an integer variable of the session,
// and of sums, differences, products and lengths of those.
func (r *run) integer(e ast.Expr, info *types.Info) (int64, bool) {
	if c := info.Types[e].Value; c != nil {
		return constant.Int64Val(constant.ToInt(c))
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		store, ok := r.store(e, info)
		switch {
		case !ok:
			return 0, false
		case store.Elem().CanInt():
			return store.Elem().Int(), true
		case store.Elem().CanUint():
			return int64(store.Elem().Uint()), true
		}
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); !ok || info.Uses[id] != types.Universe.Lookup("len") {
			return 0, false
		}
		v, ok := r.variable(e.Args[0], info)
		if !ok {
			return 0, false
		}
		return int64(v.Len()), true
	case *ast.BinaryExpr:
		x, known := r.integer(e.X, info)
		y, too := r.integer(e.Y, info)
		switch {
		case !known || !too:
			return 0, false
		case e.Op == token.ADD:
			return x + y, true
		case e.Op == token.SUB:
			return x - y, true
		case e.Op == token.MUL:
			return x * y, true
		}
	}
	return 0, false
}
