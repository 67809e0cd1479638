package session

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"strings"

	"github.com/gondola-lab/gondola/kernel/display"
)

// shown makes the picture of the values of a cell's last expression; types
// are their static types. It returns false when there is nothing to show: no
// value, or only a nil error.
func shown(vals []any, static []types.Type) (display.Bundle, bool) {
	if n := len(vals); n > 0 && vals[n-1] == nil && n <= len(static) && isError(static[n-1]) {
		vals = vals[:n-1]
	}
	switch len(vals) {
	case 0:
		return display.Bundle{}, false
	case 1:
		return picture(vals[0]), true
	}
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = plain(picture(v))
	}
	return textBundle(strings.Join(parts, ", ")), true
}

// picture is the bundle of one value. A function shows its type, an error that
// has no picture of its own its text: errors are values and are not raised.
func picture(v any) display.Bundle {
	if reflect.ValueOf(v).Kind() == reflect.Func {
		return textBundle(reflect.TypeOf(v).String())
	}
	b := display.Of(v)
	if e, ok := v.(error); ok && len(b.Data) == 1 {
		if text, ok := safely(e.Error); ok {
			return textBundle("error: " + text)
		}
	}
	return b
}

// safely calls a method of the user and tells whether it came back.
func safely(method func() string) (text string, ok bool) {
	defer func() { ok = recover() == nil }()
	return method(), true
}

func textBundle(text string) display.Bundle {
	return display.Bundle{Data: map[string]any{"text/plain": text}, Meta: map[string]any{}}
}

func plain(b display.Bundle) string {
	text, _ := b.Data["text/plain"].(string)
	return text
}

// staticTypes are the types of the values that an expression gives.
func staticTypes(t types.Type) []types.Type {
	tuple, ok := t.(*types.Tuple)
	if !ok {
		return []types.Type{t}
	}
	var out []types.Type
	for v := range tuple.Variables() {
		out = append(out, v.Type())
	}
	return out
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// exact is the text of an untyped constant that no type of Go can hold, as
// 1 << 70 is; "" for any other value.
func exact(tv types.TypeAndValue) string {
	b, ok := tv.Type.(*types.Basic)
	if tv.Value == nil || !ok {
		return ""
	}
	switch tv.Value.Kind() {
	case constant.Int:
		if b.Kind() != types.UntypedInt && b.Kind() != types.UntypedRune && b.Kind() != types.Int {
			return ""
		}
		if _, ok := constant.Int64Val(tv.Value); !ok {
			return tv.Value.ExactString()
		}
	case constant.Float:
		if f, _ := constant.Float64Val(tv.Value); b.Kind() == types.UntypedFloat && (f != f || f > maxFloat || f < -maxFloat) {
			return tv.Value.String()
		}
	}
	return ""
}

const maxFloat = 0x1p1023 * (1 + (1 - 0x1p-52))

// quietCall tells whether an expression is a call of a method Write… of the
// standard library, whose byte count nobody wants when its error is nil.
func quietCall(e ast.Expr, info *types.Info) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(sel.Sel.Name, "Write") {
		return false
	}
	s := info.Selections[sel]
	if s == nil || s.Obj().Pkg() == nil {
		return false
	}
	root, _, _ := strings.Cut(s.Obj().Pkg().Path(), "/")
	return root != "main" && !strings.Contains(root, ".")
}
