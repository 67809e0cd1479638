package cellapi

import "reflect"

// Same tells whether two types are one to the language. A type without a name
// can exist twice in a process: package reflect makes it for interpreted code,
// and a plugin that is loaded later brings its own.
func Same(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() || a.Name() != "" || b.Name() != "" {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice:
		return Same(a.Elem(), b.Elem())
	case reflect.Array:
		return a.Len() == b.Len() && Same(a.Elem(), b.Elem())
	case reflect.Chan:
		return a.ChanDir() == b.ChanDir() && Same(a.Elem(), b.Elem())
	case reflect.Map:
		return Same(a.Key(), b.Key()) && Same(a.Elem(), b.Elem())
	case reflect.Func:
		return a.IsVariadic() == b.IsVariadic() && sameList(a.NumIn(), b.NumIn(), a.In, b.In) &&
			sameList(a.NumOut(), b.NumOut(), a.Out, b.Out)
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			f, g := a.Field(i), b.Field(i)
			if f.Name != g.Name || f.PkgPath != g.PkgPath || f.Tag != g.Tag || f.Anonymous != g.Anonymous || !Same(f.Type, g.Type) {
				return false
			}
		}
		return true
	case reflect.Interface:
		if a.NumMethod() != b.NumMethod() {
			return false
		}
		for i := range a.NumMethod() {
			f, g := a.Method(i), b.Method(i)
			if f.Name != g.Name || f.PkgPath != g.PkgPath || !Same(f.Type, g.Type) {
				return false
			}
		}
		return true
	}
	return false
}

func sameList(n, m int, a, b func(int) reflect.Type) bool {
	if n != m {
		return false
	}
	for i := range n {
		if !Same(a(i), b(i)) {
			return false
		}
	}
	return true
}

// As is a value under a type that is the same as its own.
func As(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Type() == t {
		return v
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return reflect.NewAt(t, p.UnsafePointer()).Elem()
}

// Renew gives x back with the first of some types that is the same as that of
// the value in it: type assertions and switches of native code compare types by
// their place in memory, and interpreted code may have boxed the value under
// another of the same.
func Renew[I any](x I, types ...reflect.Type) I {
	v := reflect.ValueOf(&x).Elem()
	if v.Kind() != reflect.Interface || v.IsNil() {
		return x
	}
	have := v.Elem().Type()
	if have.Name() != "" {
		return x
	}
	for _, t := range types {
		if t == have {
			return x
		}
	}
	for _, t := range types {
		if Same(have, t) {
			v.Set(As(v.Elem(), t))
			return x
		}
	}
	return x
}
