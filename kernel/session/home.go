package session

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// home is where a name lives that only compiled code has: a type, a generic, an
// alias.
type home struct {
	path    string                   // of the unit that declares it
	typ     reflect.Type             // of a type that is not generic
	methods map[string]reflect.Value // "T.M" → pointer to the function that the method calls
	fixed   map[string]bool          // methods "T.M" whose bodies are part of the type
	before  *home                    // the version before this one, when it has the same memory
	shared  map[string]bool          // methods "T.M" that it has too
}

// body gives a method a new body, in the older versions of the type too.
func (h *home) body(method string, f reflect.Value) {
	for ; h != nil; h = h.before {
		v, ok := h.methods[method]
		if !ok {
			return
		}
		if v = v.Elem(); f.Type() != v.Type() { // the receiver is another version with the same memory
			f = cellapi.As(f, v.Type())
		}
		v.Set(f)
		if !h.shared[method] {
			return
		}
	}
}

// follow makes h the version behind an older one: what still holds values of
// that calls the bodies of h.
func (h *home) follow(before *home, methods []string) {
	h.before, h.shared = before, map[string]bool{}
	for _, m := range methods {
		h.shared[m] = true
		if v, ok := h.methods[m]; ok {
			h.body(m, v.Elem())
		}
	}
}

// homes knows the homes of all versions of all names, by their objects.
type homes map[types.Object]*home

// path is what the emitter asks: the unit of an object of an earlier cell.
func (h homes) path(o types.Object) (string, bool) {
	if x := h[o]; x != nil {
		return x.path, true
	}
	return "", false
}

// types are the types of earlier cells, in a fixed order: two runs of a notebook
// must emit the same text.
func (h homes) types() []*types.TypeName {
	var out []*types.TypeName
	for o, x := range h {
		if t, ok := o.(*types.TypeName); ok && x.typ != nil && !t.IsAlias() {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *types.TypeName) int {
		return cmp.Or(cmp.Compare(h[a].path, h[b].path), cmp.Compare(a.Name(), b.Name()))
	})
	return out
}

// named is what the interpreter asks: the compiled type of a type of a cell.
func (h homes) named(o *types.TypeName, _ []types.Type) (reflect.Type, bool) {
	if x := h[o]; x != nil && x.typ != nil {
		return x.typ, true
	}
	return nil, false
}
