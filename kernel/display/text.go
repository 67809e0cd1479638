package display

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is %+v, bounded: a value that holds itself has no end in fmt and would
// overflow the stack, and a hundred million numbers are no text.
func plain(v any, x reflect.Value) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = typeName(x.Type()) + " (its text cannot be made: " + panicText(r) + ")"
		}
	}()
	if tooDeep(x, 0) {
		return fmt.Sprintf("%s (nested more than %d deep, or it holds itself)", typeName(x.Type()), maxDepth)
	}
	switch x.Kind() {
	case reflect.Slice, reflect.Array:
		if n := x.Len(); n > maxElements {
			head := reflect.MakeSlice(reflect.SliceOf(x.Type().Elem()), headShown, headShown)
			reflect.Copy(head, x)
			return strings.TrimSuffix(fmt.Sprintf("%+v", head.Interface()), "]") +
				fmt.Sprintf(" …] (%s elements, the first %s shown)", count(n), count(headShown))
		}
	}
	return fmt.Sprintf("%+v", v)
}

// tooDeep reports whether fmt would go more than maxDepth levels down. It
// follows what fmt follows: pointers at the top only.
func tooDeep(x reflect.Value, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch x.Kind() {
	case reflect.Pointer:
		return depth == 0 && !x.IsNil() && tooDeep(x.Elem(), 1)
	case reflect.Interface:
		return !x.IsNil() && tooDeep(x.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if flat(x.Type().Elem()) {
			return false
		}
		for i := range x.Len() {
			if tooDeep(x.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		if flat(x.Type().Key()) && flat(x.Type().Elem()) {
			return false
		}
		for it := x.MapRange(); it.Next(); {
			if tooDeep(it.Key(), depth+1) || tooDeep(it.Value(), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range x.NumField() {
			if tooDeep(x.Field(i), depth+1) {
				return true
			}
		}
	}
	return false
}

// flat reports whether fmt goes no further down in a value of type t that
// stands inside another.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		return false
	}
	return true
}

// typeName is a type as Go programs write it today.
func typeName(t reflect.Type) string { return strings.ReplaceAll(t.String(), "interface {}", "any") }

// valid replaces bytes that are no UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// bounded is valid(s), cut at a rune after maxText bytes.
func bounded(s string) string {
	if len(s) <= maxText {
		return valid(s)
	}
	n := maxText
	for n > maxText-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return valid(s[:n]) + fmt.Sprintf("… (%s of %s bytes shown)", count(n), count(len(s)))
}

// oneLine makes control characters spaces and cuts after n runes.
func oneLine(s string, n int) string {
	i := 0
	for at := range s {
		if i == n {
			s = s[:at] + "…"
			break
		}
		i++
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// count writes n with commas between thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// number is how many of a thing there are, in words.
func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

func errText(err error) string {
	if err == nil {
		err = errors.New("not an object")
	}
	return err.Error()
}
