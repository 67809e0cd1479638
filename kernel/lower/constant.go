package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"math"
	"strconv"
)

// constant folds a constant expression: no const, iota or implicit repetition
// reaches Yaegi. A value of a type other than its literal's default is bound
// to a hidden variable of that type.
func (f *function) constant(e ast.Expr, tv types.TypeAndValue) string {
	t := tv.Type
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = types.Default(b)
	}
	if why := f.l.banned(t); why != "" {
		return f.l.refuse(e, "%s", why)
	}
	return f.l.literal(e, tv.Value, t)
}

// literal is a constant as text that has type t wherever it stands.
func (l *lowerer) literal(e ast.Expr, v constant.Value, t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return l.refuse(e, "a constant of type %s", l.typeString(t))
	}
	var s string
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		s = strconv.FormatBool(constant.BoolVal(v))
	case info&types.IsString != 0:
		s = strconv.Quote(constant.StringVal(v))
	case info&types.IsInteger != 0:
		s = constant.ToInt(v).ExactString()
	case info&types.IsFloat != 0:
		s = floatText(v, b.Kind())
	default:
		return l.refuse(e, "a constant of type %s", l.typeString(t))
	}
	return l.literalText(s, t)
}

// literalText writes a literal with its type where that is not the default.
func (l *lowerer) literalText(s string, t types.Type) string {
	if b, ok := types.Unalias(t).(*types.Basic); ok {
		switch b.Kind() {
		case types.Bool, types.String, types.Int, types.Float64:
			return s
		}
	}
	return l.typ(t) + "(" + s + ")"
}

// floatText writes the nearest float of the type so that it is read back the
// same, with a point, so that it is a float anywhere.
func floatText(v constant.Value, kind types.BasicKind) string {
	bits, x := 64, 0.0
	if kind == types.Float32 {
		y, _ := constant.Float32Val(v)
		bits, x = 32, float64(y)
	} else {
		x, _ = constant.Float64Val(v)
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.1f", x)
	}
	return strconv.FormatFloat(x, 'e', -1, bits)
}

// zero is the zero value of a type. That of a composite type is read from
// compiled memory that nobody writes.
func (l *lowerer) zero(t types.Type) string {
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch info := b.Info(); {
		case info&types.IsBoolean != 0:
			return l.literalText("false", t)
		case info&types.IsString != 0:
			return l.literalText(`""`, t)
		case info&types.IsInteger != 0:
			return l.literalText("0", t)
		case info&types.IsFloat != 0:
			return l.literalText("0.0", t)
		}
	}
	return "*" + l.symbol(Zero, "", t)
}

// representable reports whether a constant is a value of the basic type t.
func representable(v constant.Value, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	if b.Info()&types.IsInteger == 0 {
		return true
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	if !exact {
		_, exact = constant.Uint64Val(constant.ToInt(v))
		return exact && b.Kind() == types.Uint64
	}
	return b.Kind() != types.Int32 || n == int64(int32(n))
}
