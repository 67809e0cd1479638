package session

import (
	"fmt"
	"runtime"
	"strings"
)

// runtimeError tells whether the text of a panic is the runtime's, and gives it
// without "runtime error: ".
func runtimeError(value any, text string) (string, bool) {
	words, prefixed := strings.CutPrefix(text, "runtime error: ")
	_, own := value.(runtime.Error)
	return words, prefixed || own
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
