package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Refusal is one construct of a cell that is not in the proven subset.
type Refusal struct {
	Pos       token.Position // of the cell
	Construct string         // with its article, as in "a type switch on a type parameter"
}

// String gives the place and the sentence that a cell is refused with.
func (r Refusal) String() string {
	return fmt.Sprintf("%s:%d:%d: %s is not interpreted; it needs native code, which this build does not have yet",
		r.Pos.Filename, r.Pos.Line, r.Pos.Column, r.Construct)
}

// refuse notes a construct that is not in the subset and returns text that
// keeps the lowering going, so that all refusals of a cell are found at once.
func (l *lowerer) refuse(n ast.Node, format string, args ...any) string {
	l.note(Refusal{l.fset.Position(n.Pos()), fmt.Sprintf(format, args...)})
	return "0"
}

// note keeps a refusal; one at a place is enough.
func (l *lowerer) note(r Refusal) {
	for _, old := range l.refusals {
		if old.Pos == r.Pos {
			return
		}
	}
	l.refusals = append(l.refusals, r)
}

// qualify prints types in refusals: names of the session bare.
func (l *lowerer) qualify(p *types.Package) string {
	if p == nil || p.Path() == "main" {
		return ""
	}
	return p.Name()
}

func (l *lowerer) typeString(t types.Type) string { return types.TypeString(t, l.qualify) }
