package session

import (
	"fmt"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
)

// who lists the names of the session that match a pattern, all for "".
func (st *state) who(pattern string) ([]*entry, error) {
	if pattern == "" {
		pattern = "*"
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern: %w", pattern, err)
	}
	return slices.DeleteFunc(st.sorted(), func(e *entry) bool {
		ok, _ := path.Match(pattern, e.name)
		return !ok || e.name == lastValue
	}), nil
}

// whos is the table of the names that match a pattern, and below it what else
// a person may look for: imports, broken and lost names.
func (st *state) whos(pattern string) (string, error) {
	list, err := st.who(pattern)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "name\tkind\ttype\tshape\tbytes\tcell\tvalue")
	for _, e := range list {
		shape, bytes, value := describe(e)
		t := typeText(e.obj.Type())
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t[%d]\t%s\n", e.name, e.kind, t, shape, bytes, e.cell, value)
	}
	w.Flush()
	for _, n := range sortedKeys(st.imports) {
		fmt.Fprintf(&b, "import %s %q\n", n, st.imports[n])
	}
	for _, p := range st.dots {
		fmt.Fprintf(&b, "import . %q\n", p)
	}
	for _, e := range list {
		if e.broken != "" {
			fmt.Fprintln(&b, e.broken)
		}
	}
	for _, n := range sortedKeys(st.lost) {
		fmt.Fprintf(&b, "%s: %s\n", n, st.lost[n])
	}
	return b.String(), nil
}

// typeText is a type as the user wrote it: the package of the cells has no
// name.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == homePath {
			return ""
		}
		return p.Name()
	})
}

func describe(e *entry) (shape, bytes, value string) {
	if c, ok := e.obj.(*types.Const); ok {
		return "", "", cut(c.Val().ExactString())
	}
	if e.kind == "func" || !e.store.IsValid() {
		return "", "", ""
	}
	v := e.store.Elem()
	return shapeOf(v), fmt.Sprint(sizeOf(v)), cut(brief(v, 2))
}

// shapeOf is the length of what has one, "3×4" for rows that are alike.
func shapeOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		s := fmt.Sprint(v.Len())
		if k := v.Type().Elem().Kind(); v.Len() > 0 && (k == reflect.Slice || k == reflect.Array) {
			n := v.Index(0).Len()
			for i := range v.Len() {
				if v.Index(i).Len() != n {
					return s + "×?"
				}
			}
			return s + "×" + shapeOf(v.Index(0))
		}
		return s
	case reflect.Map, reflect.String, reflect.Chan:
		return fmt.Sprint(v.Len())
	}
	return ""
}

// sizeOf is the memory of a variable and of the elements it holds itself; what
// they point to is not followed.
func sizeOf(v reflect.Value) uint64 {
	size := uint64(v.Type().Size())
	switch v.Kind() {
	case reflect.Slice:
		size += uint64(v.Cap()) * uint64(v.Type().Elem().Size())
	case reflect.String:
		size += uint64(v.Len())
	case reflect.Map:
		size += uint64(v.Len()) * uint64(v.Type().Key().Size()+v.Type().Elem().Size())
	}
	return size
}

// brief is the beginning of a value. It calls no method and walks no map: a
// goroutine of the user may be writing to it, and that ends a process.
func brief(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Map:
		return fmt.Sprintf("map of %d", v.Len())
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
		return v.Kind().String()
	case reflect.Interface, reflect.Pointer:
		switch {
		case v.IsNil():
			return "nil"
		case depth == 0:
			return "…"
		case v.Kind() == reflect.Pointer:
			return "&" + brief(v.Elem(), depth-1)
		}
		return brief(v.Elem(), depth)
	case reflect.String:
		return fmt.Sprintf("%q", cut(v.String()))
	case reflect.Slice, reflect.Array:
		return list("[", "]", v.Len(), depth, func(i int) string { return brief(v.Index(i), depth-1) })
	case reflect.Struct:
		return list("{", "}", v.NumField(), depth, func(i int) string {
			return v.Type().Field(i).Name + ":" + brief(v.Field(i), depth-1)
		})
	}
	return fmt.Sprintf("%v", v)
}

func list(open, end string, n, depth int, item func(int) string) string {
	if depth == 0 && n > 0 {
		return open + "…" + end
	}
	parts := make([]string, 0, 9)
	for i := range n {
		if i == 8 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, item(i))
	}
	return open + strings.Join(parts, " ") + end
}

// cut keeps 40 letters of a text, on one line.
func cut(s string) string {
	s = strings.ReplaceAll(s, "\n", "⏎")
	if r := []rune(s[:min(len(s), 400)]); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
