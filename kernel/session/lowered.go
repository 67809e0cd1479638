package session

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// refusal is the error of a cell that needs native code where none is allowed.
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
	return front.Diag{Cell: number, Line: x.Pos.Line, Col: x.Pos.Column,
		Msg: x.Construct + " is not interpreted; it needs native code, which the policy interpret forbids"}
}

// frontDiag is words about a place of a cell.
func frontDiag(at token.Position, number int, words string) front.Diag {
	if n, ok := cellNumber(at.Filename); ok {
		number = n
	}
	return front.Diag{Cell: number, Line: at.Line, Col: at.Column, Msg: words}
}

func frontError(d front.Diag) *front.Error { return &front.Error{List: []front.Diag{d}} }

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
