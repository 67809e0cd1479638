package display

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
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
	switch deep, many := weigh(x); {
	case deep:
		return fmt.Sprintf("%s (nested more than %d deep, or it holds itself)", typeName(x.Type()), maxDepth)
	case many:
		var b strings.Builder
		brief(&b, x, 0)
		return b.String()
	}
	return fmt.Sprintf("%+v", v)
}

// weigh reports whether fmt would go more than maxDepth levels down in x, or
// write more than maxElements values. It follows what fmt follows, pointers at
// the top only, and stops at the first of both that it meets.
func weigh(x reflect.Value) (deep, many bool) {
	budget := maxElements
	deep = tooDeep(x, 0, &budget)
	return deep, budget < 0
}

func tooDeep(x reflect.Value, depth int, budget *int) bool {
	if depth > maxDepth {
		return true
	}
	if *budget--; *budget < 0 {
		return false
	}
	switch x.Kind() {
	case reflect.Pointer:
		return depth == 0 && !x.IsNil() && tooDeep(x.Elem(), 1, budget)
	case reflect.Interface:
		return !x.IsNil() && tooDeep(x.Elem(), depth+1, budget)
	case reflect.Slice, reflect.Array:
		if flat(x.Type().Elem()) {
			*budget -= x.Len()
			return false
		}
		for i := 0; i < x.Len() && *budget >= 0; i++ {
			if tooDeep(x.Index(i), depth+1, budget) {
				return true
			}
		}
	case reflect.Map:
		for it := x.MapRange(); *budget >= 0 && it.Next(); {
			if tooDeep(it.Key(), depth+1, budget) || tooDeep(it.Value(), depth+1, budget) {
				return true
			}
		}
	case reflect.Struct:
		for i := range x.NumField() {
			if tooDeep(x.Field(i), depth+1, budget) {
				return true
			}
		}
	}
	return false
}

// brief writes x as %+v does, but of a long slice, array or map only the head
// with its length, and nothing more when the text is full.
func brief(b *strings.Builder, x reflect.Value, depth int) {
	if b.Len() > maxText || depth > maxDepth {
		b.WriteString("…")
		return
	}
	head := func(n int, open string, item func(i int)) {
		b.WriteString(open)
		for i := range min(n, headShown) {
			if i > 0 {
				b.WriteByte(' ')
			}
			item(i)
		}
		if n > headShown {
			fmt.Fprintf(b, " … (%s elements, the first %s shown)", count(n), count(headShown))
		}
		b.WriteByte(']')
	}
	switch {
	case !x.IsValid() || x.Kind() == reflect.Interface && x.IsNil():
		b.WriteString("<nil>")
	case x.CanInterface() && ownText(x.Type()):
		fmt.Fprintf(b, "%+v", x)
	case x.Kind() == reflect.Pointer && depth == 0 && !x.IsNil():
		b.WriteByte('&')
		brief(b, x.Elem(), 1)
	case x.Kind() == reflect.Interface:
		brief(b, x.Elem(), depth+1)
	case x.Kind() == reflect.Slice || x.Kind() == reflect.Array:
		head(x.Len(), "[", func(i int) { brief(b, x.Index(i), depth+1) })
	case x.Kind() == reflect.Map:
		keys := x.MapKeys()
		slices.SortFunc(keys, compare)
		head(len(keys), "map[", func(i int) {
			brief(b, keys[i], depth+1)
			b.WriteByte(':')
			brief(b, x.MapIndex(keys[i]), depth+1)
		})
	case x.Kind() == reflect.Struct:
		b.WriteByte('{')
		for i := range x.NumField() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(x.Type().Field(i).Name + ":")
			brief(b, x.Field(i), depth+1)
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "%+v", x)
	}
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
