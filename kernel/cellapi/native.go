package cellapi

import (
	"fmt"
	"reflect"
)

// What follows is called by the text that the emitter of native cells writes.

// Lookup gives the pointer to the memory of a name of the session.
type Lookup = func(name string) reflect.Value

// Types and Values are the maps of [Objects].
type (
	Types  = map[string]reflect.Type
	Values = map[string]reflect.Value
)

// TypeOf returns the type T itself, also where it is an interface.
func TypeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// Value returns v for the maps of [Objects].
func Value(v any) reflect.Value { return reflect.ValueOf(v) }

// Bind sets *p to the memory of a name. It panics with a sentence where the
// session has another type there.
func Bind[T any](p **T, get Lookup, name string) {
	v := get(name)
	if !v.IsValid() {
		panic(fmt.Sprintf("cellapi: %s has no memory", name))
	}
	q, ok := v.Interface().(*T)
	if !ok && v.Kind() == reflect.Pointer && Same(v.Type().Elem(), reflect.TypeFor[T]()) {
		q, ok = (*T)(v.UnsafePointer()), true
	}
	if !ok {
		panic(fmt.Sprintf("cellapi: memory of %s is %s, not *%s", name, v.Type(), reflect.TypeFor[T]()))
	}
	*p = q
}

// Reach notes that a piece of the cell is complete; a goto may pass it again.
func (f *Frame) Reach(piece int) {
	f.Finished = max(f.Finished, piece)
}

// Zero sets what p points at to its zero value.
func Zero[T any](p *T) {
	var z T
	*p = z
}

// At returns a pointer to a copy of v.
func At[T any](v T) *T { return &v }

// Nil returns a nil pointer of the type of p, where no text can say it.
func Nil[T any](*T) *T { return nil }

// NilOf returns a nil pointer to the type of a value, where no text can say it.
func NilOf[T any](T) *T { return nil }

// SameLayout panics unless a mirror has the fields of a struct type at the same
// places.
func SameLayout(t, mirror reflect.Type) {
	ok := t.Size() == mirror.Size() && t.NumField() == mirror.NumField()
	for i := 0; ok && i < t.NumField(); i++ {
		a, b := t.Field(i), mirror.Field(i)
		ok = a.Offset == b.Offset && a.Type == b.Type
	}
	if !ok {
		panic(fmt.Sprintf("cellapi: %s and %s have not the same layout", t, mirror))
	}
}

// Poll ends the calling goroutine when its cell is being stopped. Native code
// has it at the entry of functions, at the head of loops and behind calls that
// may block.
func Poll() {
	if raised.Load() {
		End()
	}
}

// Names is a list of names.
type Names = []string

// Elem returns the type that p points at.
func Elem[T any](*T) reflect.Type { return reflect.TypeFor[T]() }

// Zeroed returns the zero value of the type that p points at.
func Zeroed[T any](*T) (z T) { return z }

// Show takes the values of the cell's last expression.
func (f *Frame) Show(values ...any) { f.Shown = values }

// Opaque returns v. The compiler does not look into it: what it knows of the
// type of v it does not know of the result.
//
//go:noinline
func Opaque(v any) any { return v }

// Pin makes the table of the type of v and the interface I be that of the
// calling unit.
//
//go:noinline
func Pin[I any](v I) {}
