// Package display turns a value into what a notebook can show, and is what a
// cell calls to show one.
package display

import (
	"fmt"
	"image"
	"maps"
	"reflect"
)

// Bundle is one picture of a value in several formats: MIME type to data.
// Binary data is base64 text without line breaks; JSON types are values. It
// always has text/plain when it comes from Of.
type Bundle struct {
	Data map[string]any `json:"data"`
	Meta map[string]any `json:"metadata"`
}

// MIME types of the small methods and calls.
const (
	typeText     = "text/plain"
	typeHTML     = "text/html"
	typeMarkdown = "text/markdown"
	typeLaTeX    = "text/latex"
	typeSVG      = "image/svg+xml"
	typePNG      = "image/png"
	typeJSON     = "application/json"
)

func newBundle() Bundle { return Bundle{Data: map[string]any{}, Meta: map[string]any{}} }

// setText sets text/plain, valid and of bounded size, with the notes below it,
// one line each.
func (b *Bundle) setText(s string, notes []string) {
	s = bounded(s)
	for _, n := range notes {
		if s != "" {
			s += "\n"
		}
		s += "note: " + oneLine(valid(n), 300)
	}
	b.Data[typeText] = s
}

// Of returns what a notebook shows for v. It looks, in this order, for
// MIMEBundle() (map[string]any, error) with MIMEMetadata() map[string]any; for
// the small methods HTML, SVG, Markdown and LaTeX (string), PNG ([]byte) and
// JSON (any); then v may be an image.Image, an error, a fmt.Stringer, a slice
// of structs or a map (a table), a matrix with Dims and At, a function (its
// type) or a string. The rest is text as by %+v.
//
// The bundle always has text/plain, and every image has width and height in
// the metadata. Of never panics: when a method of v does, or returns an error,
// the text of v is shown with a line that says so.
func Of(v any) (b Bundle) {
	var notes []string
	b = newBundle()
	defer func() {
		if r := recover(); r != nil { // no method of v runs outside call: a fault of our own
			b = newBundle()
			b.setText(fmt.Sprintf("%T", v), append(notes, fmt.Sprintf("it cannot be shown: %v", r)))
		}
	}()
	shown := fromBundle(v, &b, &notes) || fromMethods(v, &b, &notes) || fromImage(v, &b, &notes)
	if _, has := b.Data[typeText].(string); has && len(notes) == 0 {
		return b
	}
	text, has := b.Data[typeText].(string)
	if !has {
		text = textOf(v, shown, &b, &notes)
	}
	b.setText(text, notes)
	return b
}

// call runs one method of v. A panic becomes a note, but not one of a method
// that was called on a nil pointer: that is shown as <nil>, as fmt does.
func call(v any, name string, notes *[]string, f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if x := reflect.ValueOf(v); x.Kind() != reflect.Pointer || !x.IsNil() {
				*notes = append(*notes, name+" panicked: "+panicText(r))
			}
			ok = false
		}
	}()
	f()
	return true
}

// panicText is the value of a panic as text, also when its own method panics.
func panicText(r any) (s string) {
	defer func() {
		if recover() != nil {
			s = fmt.Sprintf("a value of type %T", r)
		}
	}()
	if e, ok := r.(error); ok {
		return e.Error()
	}
	return fmt.Sprint(r)
}

func fromBundle(v any, b *Bundle, notes *[]string) bool {
	m, ok := v.(interface {
		MIMEBundle() (map[string]any, error)
	})
	if !ok {
		return false
	}
	var data, meta map[string]any
	var err error
	if !call(v, "MIMEBundle", notes, func() { data, err = m.MIMEBundle() }) {
		return false
	}
	if err != nil {
		call(v, "Error", notes, func() { *notes = append(*notes, "MIMEBundle: "+err.Error()) })
		return false
	}
	if m, ok := v.(interface{ MIMEMetadata() map[string]any }); ok {
		call(v, "MIMEMetadata", notes, func() { meta = m.MIMEMetadata() })
	}
	call(v, "MIMEBundle", notes, func() { // the map is the caller's: even to read it may fail
		for _, t := range sortedKeys(data) {
			b.put(t, data[t], notes)
		}
		if len(meta) > 0 {
			x, n, err := jsonValue(meta)
			if own, isMap := x.(map[string]any); err == nil && isMap {
				maps.Copy(b.Meta, own)
				noteNulls(n, notes)
			} else {
				*notes = append(*notes, "MIMEMetadata is not JSON: "+errText(err))
			}
		}
	})
	b.sizes()
	return len(b.Data) > 0
}

func fromMethods(v any, b *Bundle, notes *[]string) bool {
	one := func(name, mime string, get func() any) {
		call(v, name, notes, func() { b.put(mime, get(), notes) })
	}
	if m, ok := v.(interface{ HTML() string }); ok {
		one("HTML", typeHTML, func() any { return m.HTML() })
	}
	if m, ok := v.(interface{ SVG() string }); ok {
		one("SVG", typeSVG, func() any { return m.SVG() })
	}
	if m, ok := v.(interface{ PNG() []byte }); ok {
		one("PNG", typePNG, func() any { return m.PNG() })
	}
	if m, ok := v.(interface{ Markdown() string }); ok {
		one("Markdown", typeMarkdown, func() any { return m.Markdown() })
	}
	if m, ok := v.(interface{ LaTeX() string }); ok {
		one("LaTeX", typeLaTeX, func() any { return m.LaTeX() })
	}
	if m, ok := v.(interface{ JSON() any }); ok {
		one("JSON", typeJSON, func() any { return m.JSON() })
	}
	b.sizes()
	return len(b.Data) > 0
}

func fromImage(v any, b *Bundle, notes *[]string) bool {
	m, ok := v.(image.Image)
	if !ok {
		return false
	}
	return call(v, "the image", notes, func() {
		data, text, err := encodeImage(m)
		if err != nil {
			*notes = append(*notes, err.Error())
		} else {
			b.put(typePNG, data, notes)
			b.sizes()
		}
		b.Data[typeText] = text
	})
}

// textOf is text/plain. It adds text/html for what is a table, unless v has
// already shown itself in another way.
func textOf(v any, shown bool, b *Bundle, notes *[]string) (s string) {
	x := reflect.ValueOf(v)
	if !x.IsValid() || x.Kind() == reflect.Pointer && x.IsNil() {
		if e, ok := v.(error); ok && call(v, "Error", notes, func() { s = "error: " + e.Error() }) {
			return s
		}
		return "<nil>"
	}
	switch m := v.(type) {
	case error:
		if call(v, "Error", notes, func() { s = "error: " + m.Error() }) {
			return s
		}
		return typeName(x.Type()) // fmt would only call the method again
	case fmt.Stringer:
		if call(v, "String", notes, func() { s = m.String() }) {
			return s
		}
		return typeName(x.Type()) // fmt would only call the method again
	case fmt.Formatter:
	default:
		if !shown {
			if t := gridOf(v, x, notes); t != nil {
				b.Data[typeHTML] = t.html()
				return t.text()
			}
		}
	}
	switch x.Kind() {
	case reflect.Func:
		return typeName(x.Type())
	case reflect.String:
		return x.String()
	}
	return plain(v, x)
}

// gridOf returns v as a table or a matrix, or nil when it is neither.
func gridOf(v any, x reflect.Value, notes *[]string) (t *grid) {
	if m, ok := v.(matrix); ok {
		call(v, "Dims or At", notes, func() { t = matrixGrid(m) })
		return t
	}
	if isTable(x.Type()) {
		call(v, "a method of an element", notes, func() { t = tableGrid(x) })
	}
	return t
}
