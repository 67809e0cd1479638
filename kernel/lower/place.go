package lower

import (
	"fmt"
	"go/ast"
	"go/types"
)

// place is what an assignment writes to. Its operands are plain reads, which
// happen when all calls of the statement are made; bind fixes them, once, where
// an assignment before it in the same statement could move the place.
type place struct {
	bind func()
	get  func() string
	set  func(value string)
}

// place gives the place of the left side of an assignment: a variable, an
// element, a field, a memory. A map element is set by compiled code.
func (f *function) place(e ast.Expr) place {
	l := f.l
	e = ast.Unparen(e)
	if why := l.banned(l.info.TypeOf(e)); why != "" {
		l.refuse(e, "%s", why)
		return place{func() {}, func() string { return "0" }, func(string) {}}
	}
	if x, ok := e.(*ast.IndexExpr); ok {
		switch t := l.info.TypeOf(x.X); t.Underlying().(type) {
		case *types.Map:
			return f.mapPlace(x, t)
		case *types.Slice:
			return f.slicePlace(x)
		}
	}
	if x, ok := e.(*ast.StarExpr); ok {
		p := f.expr(x.X)
		return place{
			func() { p = f.hoist(p) },
			func() string { return f.hoist("*" + group(p)) },
			func(v string) { f.line("*%s = %s", group(p), v) },
		}
	}
	if x, ok := e.(*ast.SelectorExpr); ok && l.info.Selections[x] != nil && isPointer(l.info.TypeOf(x.X)) {
		return f.pointedPlace(x)
	}
	at, bind := f.spot(e)
	return place{bind, func() string { return at() }, func(v string) {
		if _, name := e.(*ast.Ident); name {
			v = bare(v)
		}
		f.line("%s = %s", at(), v)
	}}
}

func (f *function) mapPlace(e *ast.IndexExpr, t types.Type) place {
	l := f.l
	m := t.Underlying().(*types.Map)
	x := f.expr(e.X)
	k := f.key(e.Index, m)
	return place{
		func() { x, k = f.hoist(x), f.hoist(k) },
		func() string { return fmt.Sprintf("%s(%s, %s)", l.symbol(MapGet, "", t), x, k) },
		func(v string) { f.line("%s(%s, %s, %s)", l.symbol(MapSet, "", t), x, k, v) },
	}
}

func (f *function) slicePlace(e *ast.IndexExpr) place {
	x := f.expr(e.X)
	if helperCall.MatchString(x) {
		f.reads(e.X)
		x = f.hoist(x)
	}
	i := f.count(e.Index)
	at := func() string {
		i = f.settled(i)
		return group(x) + "[" + i + "]"
	}
	return place{func() { x, i = f.hoist(x), f.hoist(i) }, at, func(v string) { f.line("%s = %s", at(), v) }}
}

// pointedPlace is a field of what a pointer points to.
func (f *function) pointedPlace(e *ast.SelectorExpr) place {
	x := f.expr(e.X)
	names, why := path(f.l.info.Selections[e])
	if why != "" {
		f.l.refuse(e, "%s", why)
	}
	at := func() string {
		if x[0] == '*' || helperCall.MatchString(x) {
			x = f.hoist(x)
		}
		s := group(x)
		for _, n := range names {
			s += "." + n
		}
		return s
	}
	return place{func() { x = f.hoist(x) }, at, func(v string) { f.line("%s = %s", at(), v) }}
}

// spot is a place inside a variable: the variable itself, fields and elements
// of arrays in it. It gives text that can be written to; bind fixes indices.
func (f *function) spot(e ast.Expr) (at func() string, bind func()) {
	l := f.l
	none := func() {}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		s := f.expr(e)
		return func() string { return s }, none
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil {
			s := f.expr(e) // a variable of a package
			return func() string { return s }, none
		}
		if isPointer(l.info.TypeOf(e.X)) {
			p := f.pointedPlace(e)
			return p.get, p.bind
		}
		names, why := path(sel)
		if why != "" {
			l.refuse(e, "%s", why)
		}
		x, bind := f.spot(e.X)
		return func() string {
			s := group(x())
			for _, n := range names {
				s += "." + n
			}
			return s
		}, bind
	case *ast.IndexExpr:
		switch l.info.TypeOf(e.X).Underlying().(type) {
		case *types.Array:
			x, bind := f.spot(e.X)
			i := f.count(e.Index)
			return func() string { i = f.settled(i); return group(x()) + "[" + i + "]" }, func() { bind(); i = f.hoist(i) }
		case *types.Slice:
			p := f.slicePlace(e)
			return p.get, p.bind
		case *types.Pointer:
			x, i := f.expr(e.X), f.count(e.Index)
			return func() string {
				if x[0] == '*' || helperCall.MatchString(x) {
					x = f.hoist(x)
				}
				i = f.settled(i)
				return "(*" + x + ")[" + i + "]"
			}, func() { x, i = f.hoist(x), f.hoist(i) }
		}
	case *ast.StarExpr:
		p := f.expr(e.X)
		return func() string { return "(*" + group(p) + ")" }, func() { p = f.hoist(p) }
	}
	l.refuse(e, "a place in %s", describe(e))
	return func() string { return "0" }, none
}
