package session

import (
	"go/types"
)

// pairs says which types of a check stand for which of the session: a type that
// a cell declares again is another object, and is the same type only if it and
// its methods are alike.
type pairs map[*types.TypeName]*types.TypeName // new → old

// alike tells whether an old type and one of a new check are the same when the
// types that are paired count as equal.
func (p pairs) alike(old, now types.Type) bool {
	old, now = types.Unalias(old), types.Unalias(now)
	if old == now {
		return true
	}
	switch o := old.(type) {
	case *types.Basic:
		n, ok := now.(*types.Basic)
		return ok && o.Kind() == n.Kind()
	case *types.Named:
		n, ok := now.(*types.Named)
		return ok && (o.Obj() == n.Obj() || p[n.Obj()] == o.Obj()) && p.arguments(o.TypeArgs(), n.TypeArgs())
	case *types.Pointer:
		n, ok := now.(*types.Pointer)
		return ok && p.alike(o.Elem(), n.Elem())
	case *types.Slice:
		n, ok := now.(*types.Slice)
		return ok && p.alike(o.Elem(), n.Elem())
	case *types.Array:
		n, ok := now.(*types.Array)
		return ok && o.Len() == n.Len() && p.alike(o.Elem(), n.Elem())
	case *types.Chan:
		n, ok := now.(*types.Chan)
		return ok && o.Dir() == n.Dir() && p.alike(o.Elem(), n.Elem())
	case *types.Map:
		n, ok := now.(*types.Map)
		return ok && p.alike(o.Key(), n.Key()) && p.alike(o.Elem(), n.Elem())
	case *types.Signature:
		n, ok := now.(*types.Signature)
		return ok && p.signature(o, n)
	case *types.Struct:
		n, ok := now.(*types.Struct)
		return ok && p.structure(o, n)
	case *types.Interface:
		n, ok := now.(*types.Interface)
		return ok && p.iface(o, n)
	case *types.Tuple:
		n, ok := now.(*types.Tuple)
		return ok && p.tuple(o, n)
	case *types.TypeParam:
		n, ok := now.(*types.TypeParam)
		return ok && o.Index() == n.Index() && o.Obj().Name() == n.Obj().Name()
	case *types.Union:
		n, ok := now.(*types.Union)
		if !ok || o.Len() != n.Len() {
			return false
		}
		for i := range o.Len() {
			if o.Term(i).Tilde() != n.Term(i).Tilde() || !p.alike(o.Term(i).Type(), n.Term(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func (p pairs) arguments(o, n *types.TypeList) bool {
	if o.Len() != n.Len() {
		return false
	}
	for i := range o.Len() {
		if !p.alike(o.At(i), n.At(i)) {
			return false
		}
	}
	return true
}

func (p pairs) tuple(o, n *types.Tuple) bool {
	if o.Len() != n.Len() {
		return false
	}
	for i := range o.Len() {
		if !p.alike(o.At(i).Type(), n.At(i).Type()) {
			return false
		}
	}
	return true
}

func (p pairs) signature(o, n *types.Signature) bool {
	if o.Variadic() != n.Variadic() || o.TypeParams().Len() != n.TypeParams().Len() {
		return false
	}
	for i := range o.TypeParams().Len() {
		a, b := o.TypeParams().At(i), n.TypeParams().At(i)
		if a.Obj().Name() != b.Obj().Name() || !p.alike(a.Constraint(), b.Constraint()) {
			return false
		}
	}
	return p.tuple(o.Params(), n.Params()) && p.tuple(o.Results(), n.Results())
}

func (p pairs) structure(o, n *types.Struct) bool {
	if o.NumFields() != n.NumFields() {
		return false
	}
	for i := range o.NumFields() {
		a, b := o.Field(i), n.Field(i)
		if !sameName(a, b) || a.Embedded() != b.Embedded() || o.Tag(i) != n.Tag(i) || !p.alike(a.Type(), b.Type()) {
			return false
		}
	}
	return true
}

func (p pairs) iface(o, n *types.Interface) bool {
	if o.NumMethods() != n.NumMethods() || o.IsComparable() != n.IsComparable() || o.NumEmbeddeds() != n.NumEmbeddeds() {
		return false
	}
	for i := range o.NumMethods() { // both are sorted
		if !sameName(o.Method(i), n.Method(i)) || !p.alike(o.Method(i).Type(), n.Method(i).Type()) {
			return false
		}
	}
	for i := range o.NumEmbeddeds() {
		if !p.alike(o.EmbeddedType(i), n.EmbeddedType(i)) {
			return false
		}
	}
	return true
}

// sameName tells whether two fields or methods have one name: a small letter
// belongs to a package, and all cells are one package.
func sameName(a, b types.Object) bool {
	return a.Name() == b.Name() && (a.Exported() || a.Pkg().Path() == b.Pkg().Path())
}

// layout tells whether values of two named types have the same memory.
func (p pairs) layout(old, now *types.TypeName) bool {
	if old.IsAlias() || now.IsAlias() {
		return old.IsAlias() == now.IsAlias() && p.alike(old.Type(), now.Type())
	}
	o, ok := old.Type().(*types.Named)
	n, is := now.Type().(*types.Named)
	if !ok || !is || o.TypeParams().Len() != n.TypeParams().Len() {
		return false
	}
	for i := range o.TypeParams().Len() {
		a, b := o.TypeParams().At(i), n.TypeParams().At(i)
		if a.Obj().Name() != b.Obj().Name() || !p.alike(a.Constraint(), b.Constraint()) {
			return false
		}
	}
	return p.alike(o.Underlying(), n.Underlying())
}

// methods tells whether two named types of one layout have the same methods.
func (p pairs) methods(old, now *types.TypeName) bool {
	o, ok := types.Unalias(old.Type()).(*types.Named)
	n, is := types.Unalias(now.Type()).(*types.Named)
	if old.IsAlias() || !ok || !is {
		return ok == is
	}
	if o.NumMethods() != n.NumMethods() {
		return false
	}
	byName := map[string]*types.Func{}
	for m := range o.Methods() {
		byName[m.Name()] = m
	}
	for m := range n.Methods() {
		before := byName[m.Name()]
		if before == nil || onPointer(before) != onPointer(m) || !p.signature(before.Signature(), m.Signature()) {
			return false
		}
	}
	return true
}

// onPointer tells whether a method has a pointer receiver.
func onPointer(m *types.Func) bool {
	_, ok := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	return ok
}

// settle takes out of p, until nothing changes, each pair for which holds is
// false when the others count as equal.
func (p pairs) settle(holds func(old, now *types.TypeName) bool) {
	for again := true; again; {
		again = false
		for now, old := range p {
			if !holds(old, now) {
				delete(p, now)
				again = true
			}
		}
	}
}
