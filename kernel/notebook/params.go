package notebook

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Param is a value for a variable of the parameters cell.
type Param struct{ Name, Value string } // Value is a Go expression

// String is "eps = 0.01".
func (p Param) String() string { return p.Name + " = " + p.Value }

// ParseParam reads NAME=VALUE; the value is one Go expression in one line.
func ParseParam(s string) (Param, error) {
	name, value, ok := strings.Cut(s, "=")
	p := Param{strings.TrimSpace(name), strings.TrimSpace(value)}
	switch {
	case !ok:
		return p, fmt.Errorf("want NAME=VALUE, got %q", s)
	case !token.IsIdentifier(p.Name) || p.Name == "_":
		return p, fmt.Errorf("%q is no name of a variable", p.Name)
	case p.Value == "":
		return p, fmt.Errorf("%s has no value; the empty text is %s='\"\"'", p.Name, p.Name)
	case strings.ContainsAny(p.Value, "\n\r"):
		return p, fmt.Errorf("the value of %s has more than one line", p.Name)
	}
	if _, err := parser.ParseExpr(p.Value); err != nil {
		return p, fmt.Errorf("%s=%s: the value is no Go expression; a text needs quotes: %s='\"%s\"'",
			p.Name, p.Value, p.Name, p.Value)
	}
	return p, nil
}

// Tags that a run with parameters goes by, as other tools that fill notebooks do.
const (
	tagParameters = "parameters"
	tagInjected   = "injected-parameters"
)

// ErrNoParameters is told by [Notebook.Parameters] of a notebook without the tag.
var ErrNoParameters = errors.New("no cell has the tag parameters")

// Parameters is the index of the cell with the tag parameters.
func (nb *Notebook) Parameters() (int, error) {
	at := -1
	for i, c := range nb.Cells {
		if c.Kind != "code" || !slices.Contains(c.Tags(), tagParameters) {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("cells %d and %d both have the tag parameters", at+1, i+1)
		}
		at = i
	}
	if at < 0 {
		return 0, ErrNoParameters
	}
	return at, nil
}

// Inject puts the assignments into a cell behind the parameters cell and
// returns its index. The cell of an earlier run is replaced, wherever it is.
func (nb *Notebook) Inject(params []Param) (int, error) {
	if _, err := nb.Parameters(); err != nil {
		return 0, err
	}
	id := ""
	nb.Cells = slices.DeleteFunc(nb.Cells, func(c *Cell) bool {
		is := slices.Contains(c.Tags(), tagInjected) && !slices.Contains(c.Tags(), tagParameters)
		if is && id == "" {
			id = c.ID
		}
		return is
	})
	at, err := nb.Parameters()
	if err != nil {
		return 0, err
	}
	at++
	lines := make([]string, len(params))
	for i, p := range params {
		lines[i] = p.String()
	}
	c := newCell("code", at)
	c.Source = strings.Join(lines, "\n")
	c.raw["metadata"] = map[string]any{"tags": []any{tagInjected}}
	c.ID = id
	for n := 0; c.ID == ""; n++ {
		id := makeID(at, n, tagInjected)
		if !slices.ContainsFunc(nb.Cells, func(o *Cell) bool { return o.ID == id }) {
			c.ID = id
		}
	}
	nb.Cells = slices.Insert(nb.Cells, at, c)
	return at, nil
}
