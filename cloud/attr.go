package cloud

import (
	"fmt"
	"strconv"
	"strings"
)

// Where a column of a file goes: coordinate k to k, attribute j to d+j, and
const (
	toNothing = -1
	toWeight  = -2
)

// weightName is the column in which files of ours keep W.
const weightName = "weight"

// layout says what the columns of a file are.
type layout struct {
	d    int
	dest []int    // for each column
	attr []string // names of the attributes
}

// arrange finds coordinates (x y z, or x0 x1 …), the weight, padding (_) and
// attributes among names. Names of coordinates and of the weight may be in
// capitals.
func arrange(names []string) (layout, error) {
	l := layout{dest: make([]int, len(names))}
	low, has := make([]string, len(names)), map[string]bool{}
	for j, name := range names {
		low[j] = strings.ToLower(name)
		has[low[j]] = true
	}
	axes := []string{"x", "y", "z"}
	if !has["x"] {
		axes = axes[:0]
		for has["x"+strconv.Itoa(len(axes))] {
			axes = append(axes, "x"+strconv.Itoa(len(axes)))
		}
	}
	axis := map[string]int{}
	for l.d < len(axes) && has[axes[l.d]] {
		axis[axes[l.d]] = l.d
		l.d++
	}
	if l.d == 0 {
		return l, fmt.Errorf("no column x among %s", quoted(names))
	}
	if has["x"] && has["z"] && l.d < 3 {
		return l, fmt.Errorf("a column z but none y")
	}
	seen := map[string]bool{}
	for j, name := range names {
		k, coordinate := axis[low[j]]
		switch {
		case name == "_":
			l.dest[j] = toNothing
			continue
		case coordinate:
			l.dest[j], name = k, low[j]
		case low[j] == weightName:
			l.dest[j], name = toWeight, low[j]
		default:
			l.dest[j] = l.d + len(l.attr)
			l.attr = append(l.attr, name)
		}
		if seen[name] {
			return l, fmt.Errorf("two columns %q", name)
		}
		seen[name] = true
	}
	return l, nil
}

// quoted lists at most eight names for an error.
func quoted(names []string) string {
	more := ""
	if len(names) > 8 {
		names, more = names[:8], " …"
	}
	return strconv.Quote(strings.Join(names, " ")) + more
}

// axes are the column names of the coordinates of a cloud in d dimensions.
func axes(d int) []string {
	if d <= 3 {
		return []string{"x", "y", "z"}[:d]
	}
	out := make([]string, d)
	for k := range out {
		out[k] = "x" + strconv.Itoa(k)
	}
	return out
}

// columns are the column names of c in a file that holds everything:
// coordinates, attributes in the order of their names, and the weight. They are
// refused if a reader could not tell them apart.
func (c Cloud) columns(op string) ([]string, error) {
	names := append(axes(c.D), c.names()...)
	if c.W != nil {
		names = append(names, weightName)
	}
	for _, name := range names {
		control := func(r rune) bool { return r < ' ' || r == 0x7f }
		if name == "" || strings.ContainsAny(name, " \"',;#/\\") || strings.ContainsFunc(name, control) {
			return nil, &Error{Op: op, Err: fmt.Errorf("%w: attribute name %q cannot stand in a header", ErrFormat, name),
				Advice: "rename the attribute: letters, digits and _"}
		}
	}
	l, err := arrange(names)
	if err == nil && (l.d != c.D || len(l.attr) != len(c.Attr)) {
		err = fmt.Errorf("attributes %s are not only attributes", quoted(c.names()))
	}
	if err == nil {
		for _, name := range c.names() {
			if _, bad := parse([]byte(name), 32); bad == nil {
				err = fmt.Errorf("attribute name %q is a number", name)
			}
		}
	}
	if err != nil {
		return nil, &Error{Op: op, Err: fmt.Errorf("%w: %w", ErrFormat, err), Advice: "rename the attribute"}
	}
	return names, nil
}

// value returns number j of row i in the order of columns; the weight is not
// among them.
func (c Cloud) value(attr [][]float32, i, j int) float32 {
	if j < c.D {
		return c.X[i*c.D+j]
	}
	return attr[j-c.D][i]
}

// attrs returns the attributes in the order of columns.
func (c Cloud) attrs() [][]float32 {
	out := make([][]float32, 0, len(c.Attr))
	for _, name := range c.names() {
		out = append(out, c.Attr[name])
	}
	return out
}
