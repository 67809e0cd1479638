package native

import "go/types"

// open reports whether a type holds a type parameter or a type that is declared
// inside a function: only the code around it can say it.
func open(t types.Type, home *types.Package) bool {
	found := false
	visitType(t, map[types.Type]bool{}, func(t types.Type) {
		switch t := t.(type) {
		case *types.TypeParam:
			found = true
		case *types.Named:
			o := t.Obj()
			found = found || o.Pkg() == home && o.Parent() != home.Scope()
		}
	})
	return found
}

// walkNamed calls f for each declared type that the text of t names, in order.
func walkNamed(t types.Type, seen map[types.Type]bool, f func(*types.Named)) {
	visitType(t, seen, func(t types.Type) {
		if n, ok := t.(*types.Named); ok {
			f(n)
		}
	})
}

// visitType calls f for t and the types that its text is made of. It does not
// look behind the names of declared types.
func visitType(t types.Type, seen map[types.Type]bool, f func(types.Type)) {
	t = types.Unalias(t)
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	f(t)
	more := func(t types.Type) { visitType(t, seen, f) }
	switch t := t.(type) {
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			more(a)
		}
	case *types.Pointer:
		more(t.Elem())
	case *types.Slice:
		more(t.Elem())
	case *types.Array:
		more(t.Elem())
	case *types.Chan:
		more(t.Elem())
	case *types.Map:
		more(t.Key())
		more(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			more(v.Type())
		}
	case *types.Signature:
		more(t.Params())
		more(t.Results())
	case *types.Struct:
		for v := range t.Fields() {
			more(v.Type())
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			more(m.Type())
		}
		for em := range t.EmbeddedTypes() {
			more(em)
		}
	case *types.Union:
		for term := range t.Terms() {
			more(term.Type())
		}
	}
}
