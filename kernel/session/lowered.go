package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// lowered is a plan whose code is in the subset that the runner runs right.
type lowered struct {
	cell, redo *lower.Program // redo is nil when no function is built again
	refusals   []lower.Refusal
}

// lower turns the cell and the functions that depend on it into what the
// runner takes, or refuses the cell with every construct and its place.
func (r *run) lower(p *plan) (lowered, *engine.CellError) {
	defer r.clock(&r.times.lower)()
	var l lowered
	l.cell, l.refusals = lower.Lower(p.cell)
	if len(l.refusals) > 0 {
		return l, r.refusal(l.refusals)
	}
	r.alone = r.cell.Program && mayBeStuck(l.cell)
	if p.redo.cell != nil {
		l.redo, l.refusals = lower.Lower(p.redo.cell)
		if len(l.refusals) > 0 { // again has asked before
			return l, r.refusal(l.refusals)
		}
	}
	return l, nil
}

// refusal is the error of a cell that needs native code.
func (r *run) refusal(list []lower.Refusal) *engine.CellError {
	e := &front.Error{}
	for _, x := range list {
		e.List = append(e.List, diag(x, r.cell.Number))
	}
	out := r.compileError(e)
	out.Name = "Unsupported"
	r.s.last = fmt.Sprintf("cell [%d] did not run: %s", r.cell.Number, out.Value)
	return out
}

// diag is a refusal as an error at its place.
func diag(x lower.Refusal, number int) front.Diag {
	if n, ok := cellNumber(x.Pos.Filename); ok {
		number = n
	}
	text := x.String()
	if _, words, ok := strings.Cut(text, ": "); ok {
		text = words
	}
	return front.Diag{Cell: number, Line: x.Pos.Line, Col: x.Pos.Column, Msg: text}
}

// diags are the places of refusals.
func (l lowered) diags() []front.Diag {
	var out []front.Diag
	for _, x := range l.refusals {
		out = append(out, diag(x, 0))
	}
	return out
}

// cellNumber reads the number of "cell[3]".
func cellNumber(file string) (n int, ok bool) {
	_, err := fmt.Sscanf(file, "cell[%d]", &n)
	return n, err == nil
}

// refused names the functions of a cell that are not in the subset, with the
// place and the construct.
func refused(c *front.Cell) map[string]string {
	out := map[string]string{}
	if c == nil {
		return out
	}
	_, list := lower.Lower(c)
	for _, x := range list {
		d := diag(x, 0)
		i := slices.IndexFunc(c.Decls, func(decl front.Decl) bool {
			return decl.Cell == d.Cell && decl.Line <= d.Line && d.Line <= decl.Line+strings.Count(decl.Source, "\n")
		})
		if i >= 0 && out[c.Decls[i].Name] == "" {
			out[c.Decls[i].Name] = d.String()
		}
	}
	return out
}

// renderError is a compile error with the lines of the cells.
func renderError(err *front.Error, texts map[int]string) *engine.CellError {
	value := ""
	if len(err.List) > 0 {
		value = err.List[0].String()
		if n := len(err.List) - 1; n > 0 {
			value += fmt.Sprintf(" (and %d more)", n)
		}
	}
	return &engine.CellError{Name: "CompileError", Value: value, Traceback: clip(err.Render(texts))}
}

// compileError is what front found in the cell.
func (r *run) compileError(err *front.Error) *engine.CellError {
	return renderError(err, r.s.sources(err))
}

// longestLine is how many letters of a line of source are shown.
const longestLine = 500

// clip cuts lines that nobody can read.
func clip(lines []string) []string {
	for i, l := range lines {
		if r := []rune(l); len(r) > longestLine {
			lines[i] = string(r[:longestLine]) + "…"
		}
	}
	return lines
}
