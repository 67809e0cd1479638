package front

import (
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// take makes units of the pieces of a text. "package main" at the top of a
// cell is taken off; of a program, which is a whole file, it must be there, and
// the order of a file is demanded.
func (j *job) take(pieces []cell.Piece) {
	decls := false
	for i, p := range pieces {
		u := unit{Piece: p, number: j.number}
		bad := ""
		switch {
		case p.Kind == cell.Clause:
			name := strings.TrimSpace(strings.TrimPrefix(p.Text, "package"))
			switch {
			case i > 0:
				bad = "syntax error: a package clause stands at the top of a cell"
			case name != "main":
				bad = "package " + name + ": a cell is part of package main"
			}
			if bad != "" {
				j.diags = append(j.diags, j.diag(u, 0, bad))
			}
			continue
		case !j.sc.Strict:
		case i == 0:
			bad = "syntax error: package statement must be first"
		case p.Kind == cell.Stmts, p.Kind == cell.Define:
			bad = "syntax error: non-declaration statement outside function body"
		case p.Kind == cell.Import && decls:
			bad = "syntax error: imports must appear before other declarations"
		}
		if bad != "" {
			j.diags = append(j.diags, j.diag(u, 0, bad))
		}
		decls = decls || p.Kind != cell.Import
		j.units = append(j.units, u)
	}
}
