package session

import (
	"cmp"
	"reflect"
	"runtime/debug"
	"slices"

	"github.com/gondola-lab/gondola/kernel/engine"
)

const (
	largest      = 10      // names in the list of those that hold most
	sampled      = 256     // elements of a slice that are looked into; the others are taken to be like them
	deepest      = 3       // levels of slices, pointers and structs
	unbelievable = 1 << 42 // bytes: a header that was read while it was written
)

// Sizes implements engine.Sizer. It looks at variables that the running cell may
// be writing to, and only in trouble: what it reads may be wrong, and a fault
// makes it pass the name over.
func (s *Session) Sizes() []engine.Size {
	st := s.now.Load()
	if r := s.current.Load(); r != nil {
		if next := r.next.Load(); next != nil {
			st = next
		}
	}
	var out []engine.Size
	for _, e := range st.sorted() {
		if e.kind != "var" || !e.store.IsValid() {
			continue
		}
		if n := weigh(e.store); n > 0 {
			out = append(out, engine.Size{Name: e.name, Type: typeText(e.obj.Type()), Bytes: n})
		}
	}
	slices.SortStableFunc(out, func(a, b engine.Size) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out[:min(len(out), largest)]
}

// weigh is the memory of what a pointer points at; 0 where that cannot be seen.
func weigh(p reflect.Value) (n int64) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	v := p.Elem()
	n = int64(v.Type().Size()) + beyond(v, deepest)
	if n > unbelievable {
		return 0
	}
	return n
}

// beyond is the memory that a value points to. It walks no map and looks into
// no interface: that is not safe beside a writer.
func beyond(v reflect.Value, depth int) (n int64) {
	if depth == 0 {
		return 0
	}
	switch v.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Map:
		return int64(v.Len()) * int64(v.Type().Key().Size()+v.Type().Elem().Size())
	case reflect.Pointer:
		if !v.IsNil() {
			return int64(v.Type().Elem().Size()) + beyond(v.Elem(), depth-1)
		}
	case reflect.Slice:
		return int64(v.Cap())*int64(v.Type().Elem().Size()) + elements(v, depth-1)
	case reflect.Array:
		return elements(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			n += beyond(v.Field(i), depth)
		}
	}
	return n
}

// elements is what the elements of a list point to, by a sample of many.
func elements(v reflect.Value, depth int) (n int64) {
	if !points(v.Type().Elem()) {
		return 0
	}
	all := v.Len()
	step := max(1, all/sampled)
	seen := 0
	for i := 0; i < all; i += step {
		n += beyond(v.Index(i), depth)
		seen++
	}
	if seen == 0 {
		return 0
	}
	return int64(float64(n) / float64(seen) * float64(all))
}

// points tells types whose values point to memory that beyond counts.
func points(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	case reflect.Array:
		return points(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if points(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
