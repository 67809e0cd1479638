package yaegi

import (
	"reflect"
	"strings"
)

// Kind says what a fault is about.
type Kind int

// The kinds of faults. Only Index and Slice lack numbers in their text.
const (
	Plain    Kind = iota // the text is Go's
	Index                // an element beyond its slice, array or string
	Slice                // bounds of a slice expression
	Internal             // a text of the interpreter that no rule knows: a fault of gondola
)

// rules turn the texts of reflect, which Yaegi runs on, into Go's.
var rules = []struct {
	raw  string
	kind Kind
	text string
}{
	{"reflect: slice index out of range", Index, "runtime error: index out of range"},
	{"reflect: array index out of range", Index, "runtime error: index out of range"},
	{"reflect: string index out of range", Index, "runtime error: index out of range"},
	{"reflect.Value.Slice: slice index out of bounds", Slice, "runtime error: slice bounds out of range"},
	{"reflect.Value.Slice: string slice index out of bounds", Slice, "runtime error: slice bounds out of range"},
	{"reflect.Value.Slice3: slice index out of bounds", Slice, "runtime error: slice bounds out of range"},
	{"reflect.Value.SetLen: slice length out of range", Slice, "runtime error: slice bounds out of range"},
	{"reflect: call of nil function", Plain, nilText},
	{"reflect.Value.Call: call of nil function", Plain, nilText},
	{"reflect.Value.CallSlice: call of nil function", Plain, nilText},
	{"reflect: Call using zero Value argument", Plain, nilText}, // *p of a nil p
	{"reflect: CallSlice using zero Value argument", Plain, nilText},
}

const nilText = "runtime error: invalid memory address or nil pointer dereference"

// Explain puts the text of a panic value into Go's words. The raw text of an
// index or slice fault has no numbers; they are added by who can evaluate the
// operands again.
func Explain(v any, raw string) (Kind, string) {
	for _, r := range rules {
		if strings.HasPrefix(raw, r.raw) {
			return r.kind, r.text
		}
	}
	if e, ok := v.(*reflect.ValueError); ok {
		if e.Kind == reflect.Invalid {
			return Plain, nilText
		}
		return Internal, raw
	}
	if strings.HasPrefix(raw, "reflect") || strings.Contains(raw, "CFG ") {
		return Internal, raw
	}
	return Plain, raw
}
