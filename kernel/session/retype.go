package session

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// When a type is declared anew with the memory of the old one, the variables of
// the session follow: their storage is the same memory under the new type. An
// interface is where this ends: a value of the old version inside one keeps its
// old type. So the variables are walked, and such values are put in anew where
// they can be; what cannot be reached is told.

// maxNodes bounds the walk.
const maxNodes = 100_000

// stale names the variables whose own type mentions a version that has another
// memory now.
func (m maker) stale(p *plan) []string {
	var out []string
	for _, e := range m.p.st.sorted() {
		if e.kind != "var" || e.name == lastValue || p.next.names[e.name] != e || m.c.holds(e.obj.Type()) != stale {
			continue
		}
		name := ""
		front.Mentions(e.obj.Type(), func(o *types.TypeName) bool {
			v, ok := p.versions[o]
			if ok && !v.same {
				name = o.Name()
			}
			return name != ""
		})
		out = append(out, holdsOld(e, name))
	}
	return out
}

func holdsOld(e *entry, name string) string {
	return fmt.Sprintf("warning: %s (cell [%d]) holds a value of the old %s; run cell [%d] again", e.name, e.cell, name, e.cell)
}

// retype puts values of old versions that lie in interfaces into them anew, and
// names the variables where that was not possible.
func (r *run) retype(p *plan) []string {
	w := walker{now: map[reflect.Type]reflect.Type{}, seen: map[node]bool{}, maps: r.s.outputs.goroutines() == 0}
	for old, v := range p.versions {
		before, after := r.s.homes[old], r.s.homes[v.now]
		if before == nil {
			continue
		}
		w.old = append(w.old, oldType{before.typ, old.Name()})
		if v.same && before.typ != nil && after != nil && after.typ != nil {
			w.now[before.typ] = after.typ
		}
	}
	if len(w.old) == 0 {
		return nil
	}
	var out []string
	for _, e := range p.next.sorted() {
		if e.kind != "var" || !e.store.IsValid() || strings.Contains(strings.Join(p.warnings, "\n"), "warning: "+e.name+" (") {
			continue
		}
		w.left = ""
		w.walk(e.store.Elem())
		switch {
		case e.name == lastValue:
		case w.left != "":
			out = append(out, holdsOld(e, w.left))
		case w.nodes > maxNodes:
			out = append(out, fmt.Sprintf("warning: %s (cell [%d]) is too large to look for values of the old %s in it; run cell [%d] again",
				e.name, e.cell, w.old[0].name, e.cell))
		}
	}
	return out
}

// oldType is an old version. A generic one has no type of its own: it is told by
// its name, for while the walk goes on no value of the new version is there.
type oldType struct {
	typ  reflect.Type
	name string
}

// is tells whether a type is the old version.
func (o oldType) is(t reflect.Type) bool {
	base, args, _ := strings.Cut(t.Name(), "[")
	return t == o.typ || o.typ == nil && args != "" && base == o.name && t.PkgPath() == homePath
}

// node is a place that the walk has been at.
type node struct {
	at  uintptr
	typ reflect.Type
}

type walker struct {
	old   []oldType
	now   map[reflect.Type]reflect.Type // old versions → new ones of the same memory
	seen  map[node]bool
	nodes int
	maps  bool   // maps may be read: no goroutine of a cell can be writing to one
	left  string // an old type of which a value could not be put in anew
}

// walk looks into a value and tells whether it has changed something in it that
// is not reached by a pointer.
func (w *walker) walk(v reflect.Value) (changed bool) {
	if w.nodes++; w.nodes > maxNodes || !holdsInterface(v.Type(), nil) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		return w.boxed(v)
	case reflect.Pointer:
		if !v.IsNil() && w.first(v.Pointer(), v.Type()) {
			w.walk(v.Elem())
		}
	case reflect.Slice:
		if v.Len() > 0 && !w.first(v.Pointer(), reflect.ArrayOf(v.Len(), v.Type().Elem())) {
			return false
		}
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			changed = w.walk(v.Index(i)) || changed
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if f.CanAddr() { // else a field with a small letter cannot be set
				f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
			}
			changed = w.walk(f) || changed
		}
	case reflect.Map:
		if !v.IsNil() && w.maps && w.first(v.Pointer(), v.Type()) {
			w.entries(v)
		}
	}
	return changed
}

func (w *walker) first(at uintptr, t reflect.Type) bool {
	n := node{at, t}
	if w.seen[n] {
		return false
	}
	w.seen[n] = true
	return true
}

// entries walks the keys and values of a map, which are copies.
func (w *walker) entries(m reflect.Value) {
	type pair struct{ oldKey, key, value reflect.Value }
	var changed []pair
	if m.CanAddr() {
		m = reflect.NewAt(m.Type(), m.Addr().UnsafePointer()).Elem()
	}
	if !m.CanInterface() {
		return
	}
	for it := m.MapRange(); it.Next() && w.nodes <= maxNodes; {
		k, v := copied(it.Key()), copied(it.Value())
		if a, b := w.walk(k), w.walk(v); a || b {
			changed = append(changed, pair{it.Key(), k, v})
		}
	}
	for _, p := range changed {
		m.SetMapIndex(p.oldKey, reflect.Value{})
		m.SetMapIndex(p.key, p.value)
	}
}

func copied(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// boxed looks at the value in an interface.
func (w *walker) boxed(v reflect.Value) bool {
	if v.IsNil() {
		return false
	}
	elem := v.Elem()
	t, name, ok := w.renew(elem.Type())
	if name == "" {
		if elem.CanInterface() {
			elem = copied(elem) // what it points at is the same
			if w.walk(elem) && v.CanSet() {
				v.Set(elem)
				return true
			}
		}
		return false
	}
	if !ok || !v.CanSet() || !elem.CanInterface() || !t.AssignableTo(v.Type()) {
		w.left = name
		return false
	}
	c := copied(elem)
	now := reflect.NewAt(t, c.Addr().UnsafePointer()).Elem()
	w.walk(now)
	v.Set(now)
	return true
}

// renew is a type with the new versions of what it is made of. name is an old
// version that it mentions, "" for none; ok is false where one has no new
// version of its memory.
func (w *walker) renew(t reflect.Type) (now reflect.Type, name string, ok bool) {
	if n, is := w.now[t]; is {
		return n, t.Name(), true
	}
	if t.Name() != "" {
		if i := slices.IndexFunc(w.old, func(o oldType) bool { return o.is(t) }); i >= 0 {
			return t, w.old[i].name, false
		}
		return t, "", true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		e, name, ok := w.renew(t.Elem())
		if name == "" || !ok {
			return t, name, ok
		}
		switch t.Kind() {
		case reflect.Pointer:
			return reflect.PointerTo(e), name, true
		case reflect.Slice:
			return reflect.SliceOf(e), name, true
		case reflect.Array:
			return reflect.ArrayOf(t.Len(), e), name, true
		}
		return reflect.ChanOf(t.ChanDir(), e), name, true
	case reflect.Map:
		k, a, okK := w.renew(t.Key())
		e, b, okE := w.renew(t.Elem())
		if a == "" {
			a = b
		}
		if a == "" || !okK || !okE {
			return t, a, okK && okE
		}
		return reflect.MapOf(k, e), a, true
	case reflect.Func:
		return w.renewFunc(t)
	case reflect.Struct:
		for f := range t.Fields() {
			if _, name, _ := w.renew(f.Type); name != "" {
				return t, name, false
			}
		}
	}
	return t, "", true
}

func (w *walker) renewFunc(t reflect.Type) (reflect.Type, string, bool) {
	name, ok := "", true
	list := func(n int, at func(int) reflect.Type) (out []reflect.Type) {
		for i := range n {
			e, mentioned, fine := w.renew(at(i))
			if mentioned != "" {
				name = mentioned
			}
			ok = ok && fine
			out = append(out, e)
		}
		return out
	}
	in, out := list(t.NumIn(), t.In), list(t.NumOut(), t.Out)
	if name == "" || !ok {
		return t, name, ok
	}
	return reflect.FuncOf(in, out, t.IsVariadic()), name, true
}

// holdsInterface tells whether values of a type can lead to an interface.
func holdsInterface(t reflect.Type, above []reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
	default:
		return false
	}
	if slices.Contains(above, t) {
		return false
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Map:
		return holdsInterface(t.Key(), above) || holdsInterface(t.Elem(), above)
	case reflect.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type, above) {
				return true
			}
		}
		return false
	}
	return holdsInterface(t.Elem(), above)
}
