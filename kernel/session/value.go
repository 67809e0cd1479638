package session

import (
	"go/constant"
	"go/types"
	"math"
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
		return display.Of(vals[0]), true
	}
	parts := make([]string, len(vals))
	for i, v := range vals {
		parts[i] = plain(display.Of(v))
	}
	return textBundle(strings.Join(parts, ", ")), true
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
		if f, _ := constant.Float64Val(tv.Value); b.Kind() == types.UntypedFloat && math.IsInf(f, 0) {
			return tv.Value.String()
		}
	}
	return ""
}

// isBasic tells values that have no methods and no parts.
func isBasic(v any) bool {
	switch v.(type) {
	case bool, string, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr, float32, float64,
		complex64, complex128:
		return true
	}
	return false
}
