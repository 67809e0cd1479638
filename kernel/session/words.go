package session

import (
	"fmt"
	"regexp"
	"runtime"
	"strings"
)

// runtimeWords are Go's words for what reflect says when an interpreted
// statement does what the runtime would refuse. The texts are those of Go 1.26.
var runtimeWords = []struct{ raw, words string }{
	{"reflect: slice index out of range", "index out of range"},
	{"reflect: array index out of range", "index out of range"},
	{"reflect: string index out of range", "index out of range"},
	{"reflect.Value.Slice: slice index out of bounds", "slice bounds out of range"},
	{"reflect.Value.Slice: string slice index out of bounds", "slice bounds out of range"},
	{"reflect.Value.Slice3: slice index out of bounds", "slice bounds out of range"},
	{"reflect.MakeSlice: negative len", "makeslice: len out of range"},
	{"reflect.MakeSlice: negative cap", "makeslice: cap out of range"},
	{"reflect.MakeSlice: len > cap", "makeslice: cap out of range"},
	{"reflect.MakeChan: negative buffer size", "makechan: size out of range"},
	{"reflect: indirection through nil pointer to embedded struct", nilDereference},
	{"reflect.Value.Call: call of nil function", nilDereference},
	{"reflect: Method on nil interface value", nilDereference},
}

const nilDereference = "invalid memory address or nil pointer dereference"

// yaegiPlace is the place that the interpreter writes before its own messages.
var yaegiPlace = regexp.MustCompile(`^[^ ]*?\d+:\d+: `)

// runtimeError turns what an interpreted statement panicked with, when the
// user's code did not call panic, into Go's words without "runtime error: ".
// It returns false when the value is no run-time error but a fault of ours.
func runtimeError(v any) (string, bool) {
	text := fmt.Sprint(v)
	if e, ok := v.(runtime.Error); ok {
		text = strings.TrimPrefix(e.Error(), "runtime error: ")
		return text, !strings.Contains(text, "reflect")
	}
	text = yaegiPlace.ReplaceAllString(text, "")
	for _, w := range runtimeWords {
		if strings.Contains(text, w.raw) {
			return w.words, true
		}
	}
	if strings.HasPrefix(text, "reflect") && (strings.HasSuffix(text, "on zero Value") || strings.Contains(text, "zero Value argument")) {
		return nilDereference, true
	}
	if strings.HasPrefix(text, "interface conversion: ") {
		return text, !strings.Contains(text, "reflect")
	}
	return text, false
}

// panicText is a panicked value as the runtime prints it: errors and Stringers
// by their methods, basic values as they are, others by type and content.
func panicText(v any) (text string) {
	defer func() {
		if recover() != nil { // the method itself panics
			text = fmt.Sprintf("(%T)", v)
		}
	}()
	switch v := v.(type) {
	case nil:
		return "panic called with nil argument (use GODEBUG=panicnil=1 to disable)"
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, uintptr,
		float32, float64, complex64, complex128, string:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%T(%+v)", v, v)
}

// hint is the advice of a value that has some: an error of a library says what
// to do next by a method Hint, found by its name through wrapped errors.
func hint(v any) (advice string) {
	defer func() {
		if recover() != nil {
			advice = ""
		}
	}()
	for {
		if h, ok := v.(interface{ Hint() string }); ok {
			return h.Hint()
		}
		switch w := v.(type) {
		case interface{ Unwrap() error }:
			v = w.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range w.Unwrap() {
				if a := hint(e); a != "" {
					return a
				}
			}
			return ""
		default:
			return ""
		}
	}
}
