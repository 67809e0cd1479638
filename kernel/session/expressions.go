package session

import (
	"go/parser"
	"maps"
	"slices"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// expressions evaluates the user expressions of a cell that ended well. Each
// has a value or an error of its own; none changes how the cell ended.
func (r *run) expressions() map[string]engine.Expressed {
	if len(r.cell.Expressions) == 0 {
		return nil
	}
	out := map[string]engine.Expressed{}
	for _, key := range slices.Sorted(maps.Keys(r.cell.Expressions)) {
		b, err := r.express(r.cell.Expressions[key])
		out[key] = engine.Expressed{Bundle: b, Err: err}
	}
	return out
}

// express evaluates one expression and leaves the session as it is.
func (r *run) express(text string) (b display.Bundle, err *engine.CellError) {
	if _, perr := parser.ParseExpr(text); perr != nil {
		return b, plainError("CompileError", "not an expression: "+perr.Error())
	}
	p, ferr := r.s.plan(r.cell.Number, text, r.s.now.Load(), false)
	if ferr != nil {
		return b, renderError(ferr, map[int]string{r.cell.Number: text})
	}
	c, err := r.choose(p)
	if err != nil {
		return b, err
	}
	m, err := r.build(p, c)
	if err != nil {
		return b, err
	}
	r.asked = text
	defer func() { r.asked = "" }()
	end := r.run(m)
	if err := r.failure(end); err != nil {
		return b, err
	}
	b, _, err = r.bundle(p, end.values)
	return b, err
}

// plainError is an error without a place.
func plainError(name, value string) *engine.CellError {
	return &engine.CellError{Name: name, Value: value, Traceback: []string{name + ": " + value}}
}
