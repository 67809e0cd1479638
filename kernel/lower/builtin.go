package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// builtin is a call of a function of the language. Yaegi has no min, max and
// clear, and new of a value is its zero; those, and all that concerns channels
// and maps, are compiled functions.
func (f *function) builtin(e *ast.CallExpr) string {
	l := f.l
	name := builtinName(e.Fun)
	for _, a := range e.Args {
		tv := l.info.Types[a]
		if _, several := tv.Type.(*types.Tuple); several {
			return l.refuse(a, "a call with several results in a call of %s", name)
		}
		if !tv.IsNil() {
			if why := l.banned(tv.Type); why != "" {
				return l.refuse(e, "%s", why)
			}
		}
	}
	switch name {
	case "len", "cap":
		return f.length(e, name)
	case "append":
		return f.appendTo(e)
	case "make":
		return f.make(e)
	case "new":
		return f.new(e)
	case "min", "max":
		return f.extreme(e, name)
	case "copy":
		return f.copy(e)
	case "delete":
		m := l.info.TypeOf(e.Args[0])
		x := f.expr(e.Args[0])
		f.line("%s(%s, %s)", l.symbol(Delete, "", m), x, f.to(e.Args[1], m.Underlying().(*types.Map).Key()))
		return ""
	case "clear":
		f.line("%s(%s)", l.symbol(Clear, "", l.info.TypeOf(e.Args[0])), f.expr(e.Args[0]))
		return ""
	case "close":
		f.line("%s(%s)", l.symbol(Close, "", l.info.TypeOf(e.Args[0])), f.expr(e.Args[0]))
		return ""
	case "print", "println":
		call, args, _ := f.print(e, name)
		f.line("%s(%s)", call, strings.Join(args, ", "))
		return ""
	case "panic":
		f.line("%s(%s)", l.symbol(Raise, ""), f.to(e.Args[0], types.NewInterfaceType(nil, nil)))
		return ""
	}
	return l.refuse(e, "the builtin %s", name)
}

func builtinName(e ast.Expr) string {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return id.Name
	}
	return "of unsafe"
}

// print is print or println of basic types; others are shown by their address,
// which no two programs share.
func (f *function) print(e *ast.CallExpr, name string) (call string, args []string, ts []types.Type) {
	l := f.l
	for _, a := range e.Args {
		t := types.Default(l.info.TypeOf(a))
		if b, ok := t.Underlying().(*types.Basic); !ok || b.Kind() == types.UntypedNil {
			return l.refuse(a, "a %s of %s", name, l.typeString(t)), nil, nil
		}
		args, ts = append(args, f.to(a, t)), append(ts, t)
	}
	return l.symbol(Print, name, ts...), args, ts
}

// length is len or cap. len of a channel or map is asked of compiled code only
// through the slice of its kind, so Yaegi's own is used: it reads.
func (f *function) length(e *ast.CallExpr, name string) string {
	t := f.l.info.TypeOf(e.Args[0])
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if a, ok := p.Elem().Underlying().(*types.Array); ok {
			f.expr(e.Args[0])
			return fmt.Sprint(a.Len())
		}
	}
	if name == "cap" && !f.l.capacities.sure(f.l.info, e.Args[0]) {
		return f.l.refuse(e, "the capacity of a slice that append made")
	}
	x := f.settled(f.expr(e.Args[0]))
	f.reads(e.Args[0])
	return name + "(" + x + ")"
}

// appendTo is append: elements, a slice with ..., or a string to bytes.
func (f *function) appendTo(e *ast.CallExpr) string {
	l := f.l
	t := l.info.TypeOf(e)
	if l.info.Types[e.Args[0]].IsNil() {
		t = l.info.TypeOf(e)
	}
	elem := t.Underlying().(*types.Slice).Elem()
	x := f.to(e.Args[0], t)
	if e.Ellipsis.IsValid() {
		from := l.info.TypeOf(e.Args[1])
		if l.info.Types[e.Args[1]].IsNil() {
			from = t
		}
		if b, ok := from.(*types.Basic); ok {
			from = types.Default(b)
		}
		return f.hoist(fmt.Sprintf("%s(%s, %s)", l.symbol(Append, "", t, from), x, f.to(e.Args[1], from)))
	}
	if len(e.Args) == 1 {
		return x
	}
	var args []string
	for _, a := range e.Args[1:] {
		args = append(args, f.to(a, elem))
	}
	_, basic := elem.Underlying().(*types.Basic)
	if basic && len(args) == 1 { // of more, Yaegi reads one when those before it are written
		return f.hoist(fmt.Sprintf("append(%s, %s)", x, strings.Join(args, ", ")))
	}
	list := f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Elements, "", types.NewSlice(elem)), strings.Join(args, ", ")))
	return f.hoist(fmt.Sprintf("%s(%s, %s)", l.symbol(Append, "", t, types.NewSlice(elem)), x, list))
}

// make makes a slice, a map or a channel.
func (f *function) make(e *ast.CallExpr) string {
	l := f.l
	t := l.info.TypeOf(e)
	var size []string
	for _, a := range e.Args[1:] {
		size = append(size, f.count(a))
	}
	if _, ok := t.Underlying().(*types.Map); ok && size == nil {
		size = []string{"0"}
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(MakeMap, fmt.Sprint(len(size)), t), strings.Join(size, ", ")))
}

// new is new(T) or new(value).
func (f *function) new(e *ast.CallExpr) string {
	l := f.l
	t := l.info.TypeOf(e).(*types.Pointer).Elem()
	if l.info.Types[e.Args[0]].IsType() {
		return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Copy, "", t), l.zero(t)))
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Copy, "", t), f.to(e.Args[0], t)))
}

// extreme is min or max of ordered values, floats as Go has them.
func (f *function) extreme(e *ast.CallExpr, name string) string {
	l := f.l
	t := l.info.TypeOf(e)
	kind := Smallest
	if name == "max" {
		kind = Largest
	}
	var args []string
	for _, a := range e.Args {
		args = append(args, f.to(a, t))
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(kind, "", t), strings.Join(args, ", ")))
}

func (f *function) copy(e *ast.CallExpr) string {
	l := f.l
	a, b := l.info.TypeOf(e.Args[0]), l.info.TypeOf(e.Args[1])
	if basic, ok := b.(*types.Basic); ok {
		b = types.Default(basic)
	}
	x := f.expr(e.Args[0])
	return f.hoist(fmt.Sprintf("%s(%s, %s)", l.symbol(CopySlice, "", a, b), x, f.to(e.Args[1], b)))
}

// composite is a literal of a struct, slice, array or map, made by compiled
// code from its elements in the order of the text.
func (f *function) composite(e *ast.CompositeLit) string {
	l := f.l
	t := l.info.TypeOf(e)
	if p, ok := t.Underlying().(*types.Pointer); ok { // an element &T{…} with the type left out
		s := f.compositeOf(e, p.Elem())
		return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Copy, "", p.Elem()), s))
	}
	return f.compositeOf(e, t)
}

func (f *function) compositeOf(e *ast.CompositeLit, t types.Type) string {
	l := f.l
	if why := l.banned(t); why != "" {
		return l.refuse(e, "%s", why)
	}
	defer func() {
		for _, x := range e.Elts {
			f.reads(x)
		}
	}()
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return f.structLit(e, t, u)
	case *types.Slice:
		return f.elements(e, t, u.Elem())
	case *types.Array:
		return f.elements(e, t, u.Elem())
	case *types.Map:
		m := f.hoist(fmt.Sprintf("%s(%d)", l.symbol(MakeMap, "1", t), len(e.Elts)))
		for _, x := range e.Elts {
			kv := x.(*ast.KeyValueExpr)
			k := f.to(kv.Key, u.Key())
			v := f.to(kv.Value, u.Elem())
			f.line("%s(%s, %s, %s)", l.symbol(MapSet, "", t), m, k, v)
		}
		return m
	}
	return l.refuse(e, "a literal of %s", l.typeString(t))
}

func (f *function) structLit(e *ast.CompositeLit, t types.Type, s *types.Struct) string {
	l := f.l
	var names, args []string
	for i, x := range e.Elts {
		v, field := x, s.Field(min(i, s.NumFields()-1))
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			v, field = kv.Value, l.info.Uses[kv.Key.(*ast.Ident)].(*types.Var)
		}
		if !field.Exported() {
			return l.refuse(x, "the unexported field %s", field.Name())
		}
		if why := l.banned(field.Type()); why != "" {
			return l.refuse(x, "%s", why)
		}
		names = append(names, field.Name())
		args = append(args, f.to(v, field.Type()))
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Struct, strings.Join(names, ","), t), strings.Join(args, ", ")))
}

// elements is a literal of a slice or an array; indices are written out.
func (f *function) elements(e *ast.CompositeLit, t, elem types.Type) string {
	l := f.l
	args := map[int64]string{}
	next, count := int64(0), int64(0)
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
			next, _ = constant.Int64Val(constant.ToInt(l.info.Types[kv.Key].Value))
		}
		args[next] = f.to(x, elem)
		next++
		count = max(count, next)
	}
	if count > maxElements {
		return l.refuse(e, "a literal with more than %d elements", maxElements)
	}
	list := make([]string, count)
	for i := range list {
		if s, ok := args[int64(i)]; ok {
			list[i] = s
			continue
		}
		list[i] = l.zero(elem)
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Elements, "", t), strings.Join(list, ", ")))
}

// maxElements bounds a literal, which is one call.
const maxElements = 10_000

// assert is x.(T) for one value; the panic is compiled code's.
func (f *function) assert(e *ast.TypeAssertExpr) string {
	l := f.l
	from, t := l.info.TypeOf(e.X), l.info.TypeOf(e.Type)
	if why := first(l.banned(from), l.banned(t)); why != "" {
		return l.refuse(e, "%s", why)
	}
	if !types.IsInterface(t) && wordSized(t) { // the compiler asserts it when all calls are made
		f.reads(e.X)
	}
	return f.hoist(fmt.Sprintf("%s(%s)", l.symbol(Assert, "", from, t), f.expr(e.X)))
}

// wordSized reports whether a value of type t is one pointer.
func wordSized(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature, *types.Struct, *types.Array:
		return true
	}
	return false
}

// receive is <-c for one value.
func (f *function) receive(e *ast.UnaryExpr) string {
	t := f.l.info.TypeOf(e.X)
	f.called = true
	return f.hoist(fmt.Sprintf("%s(%s)", f.l.symbol(Receive, "", t), f.expr(e.X)))
}

// pair is an expression that gives a value and a bool: v, ok.
func (f *function) pair(e ast.Expr) (names []string, of types.Type, ok bool) {
	l := f.l
	var text string
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		t := l.info.TypeOf(e.X)
		m, is := t.Underlying().(*types.Map)
		if !is {
			return nil, nil, false
		}
		if why := l.banned(t); why != "" {
			l.refuse(e, "%s", why)
		}
		x := f.expr(e.X)
		of, text = m.Elem(), fmt.Sprintf("%s(%s, %s)", l.symbol(MapGetOK, "", t), x, f.to(e.Index, m.Key()))
	case *ast.TypeAssertExpr:
		from, t := l.info.TypeOf(e.X), l.info.TypeOf(e.Type)
		if why := first(l.banned(from), l.banned(t)); why != "" {
			l.refuse(e, "%s", why)
		}
		of, text = t, fmt.Sprintf("%s(%s)", l.symbol(AssertOK, "", from, t), f.expr(e.X))
	case *ast.UnaryExpr:
		t := l.info.TypeOf(e.X)
		if why := l.banned(t); why != "" {
			l.refuse(e, "%s", why)
		}
		f.called = true
		of, text = t.Underlying().(*types.Chan).Elem(), fmt.Sprintf("%s(%s)", l.symbol(ReceiveOK, "", t), f.expr(e.X))
	default:
		return nil, nil, false
	}
	names = []string{l.fresh(), l.fresh()}
	f.line("%s := %s", strings.Join(names, ", "), text)
	return names, of, true
}
