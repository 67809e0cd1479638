package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// binary is an operator with two operands. && and || become an if where the
// right side needs statements of its own; comparisons of anything but basic
// values, and integer divisions by what may be zero, are made by compiled code.
func (f *function) binary(e *ast.BinaryExpr) string {
	switch e.Op {
	case token.LAND, token.LOR:
		return f.shortcut(e)
	case token.EQL, token.NEQ:
		return f.equal(e)
	case token.SHL, token.SHR:
		return f.shift(e)
	}
	l := f.l
	t := l.operandType(e.X, e.Y)
	x := f.to(e.X, t)
	y := f.to(e.Y, t)
	return f.arithmetic(e, e.Op, t, within(e.X, x, e.Op, false), within(e.Y, y, e.Op, true))
}

// within is the text of an operand of an operator, in brackets where those of
// its own operator would be read apart.
func within(e ast.Expr, text string, op token.Token, right bool) string {
	if strings.HasPrefix(text, "*") && group(text[1:]) == text[1:] {
		return text // of a pointer with a name
	}
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || text == "" || text[0] != '(' || !closes(text) {
		return group(text)
	}
	if in, out := b.Op.Precedence(), op.Precedence(); in > out || in == out && !right {
		return bare(text)
	}
	return text
}

// arithmetic writes an operator on two values of one basic type. Yaegi divides
// integers by zero as Go does.
func (f *function) arithmetic(at ast.Node, op token.Token, t types.Type, x, y string) string {
	if _, ok := under(t).(*types.Basic); !ok {
		return f.l.refuse(at, "the operator %s on %s", op, f.l.typeString(t))
	}
	return "(" + x + " " + op.String() + " " + y + ")"
}

// operandType is the type that both operands of an operator have.
func (l *lowerer) operandType(x, y ast.Expr) types.Type {
	for _, e := range []ast.Expr{x, y} {
		t := l.info.TypeOf(e)
		if b, ok := t.(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
			return t
		}
	}
	return types.Default(l.info.TypeOf(x))
}

func (f *function) shortcut(e *ast.BinaryExpr) string {
	l := f.l
	t := l.info.TypeOf(e)
	if b, ok := t.(*types.Basic); !ok || b.Info()&types.IsUntyped != 0 {
		t = types.Typ[types.Bool]
		if !ok {
			t = l.info.TypeOf(e)
		}
	}
	x := f.to(e.X, t)
	var y string
	lines := f.aside(func() {
		f.indent++
		y = f.to(e.Y, t)
		f.indent--
	})
	if len(lines) == 0 {
		f.reads(e.X, e.Y)
		return "(" + within(e.X, x, e.Op, false) + " " + e.Op.String() + " " + within(e.Y, y, e.Op, true) + ")"
	}
	name := f.hoist(x)
	not := ""
	if e.Op == token.LOR {
		not = "!"
	}
	f.line("if %s%s {", not, name)
	f.lines = append(f.lines, lines...)
	f.line("\t%s = %s", name, y)
	f.line("}")
	return name
}

// equal is == or != of any two comparable values.
func (f *function) equal(e *ast.BinaryExpr) string {
	l := f.l
	not := ""
	if e.Op == token.NEQ {
		not = "!"
	}
	for _, p := range [][2]ast.Expr{{e.X, e.Y}, {e.Y, e.X}} {
		if l.info.Types[p[1]].IsNil() {
			t := l.info.TypeOf(p[0])
			if l.info.Types[p[0]].IsNil() {
				return l.refuse(e, "nil compared with nil")
			}
			s := f.expr(p[0])
			if why := l.banned(t); why != "" {
				return l.refuse(e, "%s", why)
			}
			return not + l.symbol(IsNil, "", t) + "(" + s + ")"
		}
	}
	t := l.operandType(e.X, e.Y)
	if x, y := l.info.TypeOf(e.X), l.info.TypeOf(e.Y); !isUntyped(x) && !isUntyped(y) || types.IsInterface(t) {
		t = comparison(x, y)
	}
	x, y := f.to(e.X, t), f.to(e.Y, t)
	if _, ok := t.Underlying().(*types.Basic); ok {
		return "(" + within(e.X, x, e.Op, false) + " " + e.Op.String() + " " + within(e.Y, y, e.Op, true) + ")"
	}
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	return not + fmt.Sprintf("%s(%s, %s)", l.symbol(Equal, "", t), x, y)
}

// comparison is the type in which values of the types x and y are compared: the
// one that the other is assignable to, or any for two interfaces.
func comparison(x, y types.Type) types.Type {
	switch a, b := types.IsInterface(x), types.IsInterface(y); {
	case a && b && !types.Identical(x, y):
		return types.NewInterfaceType(nil, nil)
	case a:
		return x
	case b || !types.AssignableTo(y, x):
		return y
	}
	return x
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// shift is x << y; the type is that of x, the count any integer.
func (f *function) shift(e *ast.BinaryExpr) string {
	l := f.l
	t := l.info.TypeOf(e)
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 { // shown as it stands
		t = types.Default(t)
	}
	return f.shifted(e.Op, within(e.X, f.to(e.X, t), e.Op, false), e.Y)
}

func (f *function) shifted(op token.Token, x string, count ast.Expr) string {
	l := f.l
	t := l.info.TypeOf(count)
	b, ok := under(t).(*types.Basic)
	if !ok {
		return l.refuse(count, "a shift by %s", l.typeString(t))
	}
	if isUntyped(t) && l.info.Types[count].Value == nil {
		return l.refuse(count, "a shift by an untyped shift")
	}
	var y string
	switch {
	case l.info.Types[count].Value != nil:
		y = constant.ToInt(l.info.Types[count].Value).ExactString()
	case b.Info()&types.IsUnsigned != 0:
		y = "uint(" + f.expr(count) + ")"
	default: // a negative count panics in compiled code
		f.reads(count)
		y = f.hoist(l.symbol(Convert, "count", t, types.Typ[types.Uint]) + "(" + f.expr(count) + ")")
	}
	return "(" + x + " " + op.String() + " " + y + ")"
}

// selector is a field, a method value, or a name of a package.
func (f *function) selector(e *ast.SelectorExpr) string {
	l := f.l
	sel := l.info.Selections[e]
	if sel == nil {
		obj := l.info.Uses[e.Sel]
		if obj == nil || obj.Pkg() == nil {
			return l.refuse(e, "the name %s", e.Sel.Name)
		}
		return f.imported(e, obj)
	}
	switch sel.Kind() {
	case types.FieldVal:
		return f.field(e, sel)
	case types.MethodVal:
		return f.methodValue(e, sel)
	}
	return f.methodExpr(e, sel)
}

// field is x.F with the embedded fields on the way written out.
func (f *function) field(e *ast.SelectorExpr, sel *types.Selection) string {
	l := f.l
	x := f.expr(e.X)
	names, why := path(sel)
	if why != "" {
		return l.refuse(e, "%s", why)
	}
	t := l.info.TypeOf(e.X)
	if isPointer(t) && strings.HasPrefix(x, "*") || helperCall.MatchString(x) {
		f.reads(e.X)
		x = f.hoist(x)
	}
	return group(x) + "." + strings.Join(names, ".")
}

// path lists the fields that a selection walks through, all exported.
func path(sel *types.Selection) (names []string, why string) {
	t := sel.Recv()
	for _, i := range sel.Index() {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil, "a field of " + t.String()
		}
		v := s.Field(i)
		if !v.Exported() {
			return nil, "the unexported field " + v.Name()
		}
		names = append(names, v.Name())
		t = v.Type()
	}
	return names, ""
}

// index is an element of a slice, array, string or map.
func (f *function) index(e *ast.IndexExpr) string {
	l := f.l
	if tv := l.info.Types[e.Index]; tv.IsType() {
		return l.refuse(e, "a generic function")
	}
	t := l.info.TypeOf(e.X)
	switch u := t.Underlying().(type) {
	case *types.Map:
		x := f.expr(e.X)
		key := f.key(e.Index, u)
		return fmt.Sprintf("%s(%s, %s)", l.symbol(MapGet, "", t), x, key)
	case *types.Pointer:
		x := f.expr(e.X)
		if strings.HasPrefix(x, "*") || helperCall.MatchString(x) {
			f.reads(e.X)
			x = f.hoist(x)
		}
		return "(*" + x + ")[" + f.count(e.Index) + "]"
	case *types.Slice, *types.Array, *types.Basic:
		x := f.expr(e.X)
		if c, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && l.info.Types[c.Fun].IsType() {
			f.reads(c.Args[0])
		}
		if helperCall.MatchString(x) {
			x = f.hoist(x)
			f.reads(e.X)
		}
		return group(x) + "[" + f.count(e.Index) + "]"
	}
	return l.refuse(e, "a generic function")
}

// key is a key of a map. The compiler reads those of the fast maps late, and
// copies the others where they stand.
func (f *function) key(e ast.Expr, m *types.Map) string {
	b, ok := m.Key().Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsString) == 0 || f.l.sizes.Sizeof(b) < 4 {
		f.reads(e)
	}
	return f.to(e, m.Key())
}

// count is an index or a length: an int, whatever integer it was.
func (f *function) count(e ast.Expr) string {
	l := f.l
	if tv := l.info.Types[e]; tv.Value != nil {
		return l.literal(e, tv.Value, types.Typ[types.Int])
	}
	t := l.info.TypeOf(e)
	s := f.expr(e)
	if types.Identical(t, types.Typ[types.Int]) {
		return s
	}
	return "int(" + s + ")"
}

// slice is x[i:j:k] of a slice or a string. An array is sliced where it lies.
func (f *function) slice(e *ast.SliceExpr) string {
	l := f.l
	t := l.info.TypeOf(e.X)
	var x string
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Array); !ok {
			return l.refuse(e, "a slice of %s", l.typeString(t))
		}
		x = f.hoist(l.symbol(SliceArray, "", u.Elem()) + "(" + f.expr(e.X) + ")")
	case *types.Array:
		at := f.address(&ast.UnaryExpr{OpPos: e.Pos(), Op: token.AND, X: e.X})
		x = f.hoist(l.symbol(SliceArray, "", t) + "(" + at + ")")
	default:
		x = f.expr(e.X)
	}
	var at [3]string
	for i, b := range []ast.Expr{e.Low, e.High, e.Max} {
		if b != nil {
			at[i] = f.count(b)
		}
	}
	s := group(x) + "[" + at[0] + ":" + at[1]
	if e.Slice3 {
		s += ":" + at[2]
	}
	return f.hoist(s + "]")
}
