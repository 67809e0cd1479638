package display

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var (
	errorType     = reflect.TypeFor[error]()
	stringerType  = reflect.TypeFor[fmt.Stringer]()
	formatterType = reflect.TypeFor[fmt.Formatter]()
)

// ownText reports whether values of t say themselves how they read: such an
// element is a cell, never a row of fields.
func ownText(t reflect.Type) bool {
	return t.Implements(errorType) || t.Implements(stringerType) || t.Implements(formatterType)
}

// isTable reports whether a value of type t is shown as a table: a map, or a
// slice or array of structs, of pointers to structs or of maps with text keys.
func isTable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Map:
		return true
	case reflect.Slice, reflect.Array:
		e := t.Elem()
		return fieldsOf(e) != nil || e.Kind() == reflect.Map && e.Key().Kind() == reflect.String && !ownText(e)
	}
	return false
}

// fieldsOf returns the indices of the fields that are columns, or nil when a
// value of type t, or what it points to, is no struct with fields.
func fieldsOf(t reflect.Type) (fields []int) {
	if ownText(t) {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || ownText(t) {
		return nil
	}
	for i := range t.NumField() {
		if t.Field(i).Name != "_" {
			fields = append(fields, i)
		}
	}
	return fields
}

// tableGrid makes the table of a slice, an array or a map. Maps are sorted by
// key, so that the same map shows the same table.
func tableGrid(x reflect.Value) *grid {
	g := &grid{first: true}
	var elems []reflect.Value
	n := x.Len()
	if x.Kind() == reflect.Map {
		keys := x.MapKeys()
		slices.SortFunc(keys, compare)
		g.head = []string{"key"}
		for _, k := range keys[:min(n, maxRows)] {
			elems = append(elems, x.MapIndex(k))
			g.rows = append(g.rows, []string{cellText(k)})
		}
		g.right = []bool{isNumber(x.Type().Key())}
	} else {
		g.head = []string{""}
		for i := range min(n, maxRows) {
			elems = append(elems, x.Index(i))
			g.rows = append(g.rows, []string{strconv.Itoa(i)})
		}
		g.right = []bool{true}
	}
	columns := g.addColumns(x, elems)
	shape := number(n, "row") + " × " + number(columns, "column")
	if x.Kind() == reflect.Map {
		shape = number(n, "key")
		if columns > 1 {
			shape += " × " + number(columns, "column")
		}
	}
	var cut []string
	if n > maxRows {
		cut = append(cut, fmt.Sprintf("the first %d rows", maxRows))
	}
	if columns > maxColumns {
		cut = append(cut, fmt.Sprintf("the first %d columns", maxColumns))
	}
	if g.note = shape; cut != nil {
		g.note += " (shown: " + strings.Join(cut, ", ") + ")"
	}
	return g
}

// addColumns adds the columns of the elements and returns how many there are.
func (g *grid) addColumns(x reflect.Value, elems []reflect.Value) int {
	t := x.Type().Elem()
	if fields := fieldsOf(t); fields != nil {
		s := t
		if s.Kind() == reflect.Pointer {
			s = s.Elem()
		}
		for _, f := range fields[:min(len(fields), maxColumns)] {
			g.column(s.Field(f).Name, isNumber(s.Field(f).Type), elems, func(e reflect.Value) string {
				if e.Kind() == reflect.Pointer {
					if e.IsNil() {
						return "<nil>"
					}
					e = e.Elem()
				}
				return cellText(e.Field(f))
			})
		}
		return len(fields)
	}
	if x.Kind() == reflect.Map {
		g.column("value", isNumber(t), elems, cellText)
		return 1
	}
	names := map[string]bool{}
	for _, e := range elems { // a slice of maps: every key of a shown row is a column
		for _, k := range e.MapKeys() {
			names[k.String()] = true
		}
	}
	keys := sortedKeys(names)
	for _, k := range keys[:min(len(keys), maxColumns)] {
		g.column(k, isNumber(t.Elem()), elems, func(e reflect.Value) string {
			v := e.MapIndex(reflect.ValueOf(k).Convert(t.Key()))
			if !v.IsValid() {
				return ""
			}
			return cellText(v)
		})
	}
	return len(keys)
}

func (g *grid) column(name string, right bool, elems []reflect.Value, text func(reflect.Value) string) {
	g.head = append(g.head, oneLine(valid(name), maxCell))
	g.right = append(g.right, right)
	for i, e := range elems {
		g.rows[i] = append(g.rows[i], text(e))
	}
}

// cellText is a value as one line. fmt takes a reflect.Value as what it holds,
// also that of a field with a small letter.
func cellText(x reflect.Value) string {
	switch deep, many := weigh(x); {
	case deep:
		return typeName(x.Type()) + " …"
	case x.Kind() == reflect.Func:
		return typeName(x.Type())
	case many && (x.Kind() == reflect.Slice || x.Kind() == reflect.Map):
		return fmt.Sprintf("%s of %s", typeName(x.Type()), number(x.Len(), "element"))
	case many:
		return typeName(x.Type()) + " …"
	}
	return oneLine(valid(fmt.Sprintf("%+v", x)), maxCell)
}

func isNumber(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Complex128 && !ownText(t)
}

// compare orders keys: numbers by size, NaN first, false before true, text by
// bytes, values in interfaces by type first, anything else by its text.
func compare(a, b reflect.Value) int {
	if a.Kind() == reflect.Interface && b.Kind() == reflect.Interface {
		if a, b = a.Elem(), b.Elem(); !a.IsValid() || !b.IsValid() {
			return cmp.Compare(kindOf(a), kindOf(b))
		}
		if a.Type() != b.Type() {
			return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Type().String(), b.Type().String()))
		}
	}
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	}
	switch a.Kind() {
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Bool:
		if a.Bool() != b.Bool() && b.Bool() {
			return -1
		} else if a.Bool() != b.Bool() {
			return 1
		}
		return 0
	case reflect.Array, reflect.Struct:
		n := 0
		at := func(x reflect.Value, i int) reflect.Value { return x.Index(i) }
		if n = 0; a.Kind() == reflect.Struct {
			n, at = a.NumField(), func(x reflect.Value, i int) reflect.Value { return x.Field(i) }
		} else {
			n = a.Len()
		}
		for i := range n {
			if c := compare(at(a, i), at(b, i)); c != 0 {
				return c
			}
		}
		return 0
	}
	return cmp.Compare(cellText(a), cellText(b))
}

func kindOf(x reflect.Value) int {
	if !x.IsValid() {
		return -1
	}
	return int(x.Kind())
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
