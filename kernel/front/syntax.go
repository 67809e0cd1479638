package front

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// syntax parses each unit alone and keeps the errors of each.
func (j *job) syntax() {
	before := len(j.diags)
	for n, u := range j.units {
		head, tail := "package p\n", "\n"
		text := masked(u.Text)
		switch u.Kind {
		case cell.Stmts:
			head, tail = head+"func _() {\n", "\n}\n"
		case cell.Define:
			head, tail = head+"func _() {\n", "\n}\n"
		}
		fset := token.NewFileSet()
		_, err := parser.ParseFile(fset, "", head+place(u.number, u.Line, u.Col)+text+tail, parser.SkipObjectResolution)
		var l scanner.ErrorList
		if !errors.As(err, &l) {
			continue
		}
		for i, e := range l {
			if i > 0 && e.Pos.Line == l[i-1].Pos.Line {
				continue // one fault of a line is enough
			}
			number, ok := cellOf(e.Pos.Filename)
			if !ok {
				number, e.Pos.Line, e.Pos.Column = u.number, u.Line, u.Col
			}
			d := Diag{Cell: number, Line: e.Pos.Line, Col: j.column(number, e.Pos.Line, e.Pos.Column),
				Msg: "syntax error: " + e.Msg}
			if j.clampTo(&d, u) { // what was found there is ours
				end := "newline"
				if n == len(j.units)-1 {
					end = "the end of the cell"
				}
				d.Msg = found.ReplaceAllString(d.Msg, ", found "+end)
			}
			j.diags = append(j.diags, d)
		}
	}
	if len(j.diags) == before {
		j.diags = append(j.diags, j.unclosed...)
	}
	if len(j.diags) == before { // the pieces parse and the whole does not: never leave it without a word
		j.diags = append(j.diags, Diag{Cell: j.number, Line: 1, Col: 1,
			Msg: "syntax error: the pieces of this cell do not fit together"})
	}
}

var found = regexp.MustCompile(`, found .*$`)

// clampTo moves a place at or behind the end of a unit to its end, and tells
// whether it was there.
func (j *job) clampTo(d *Diag, u unit) bool {
	end := j.diag(u, len(u.Text), "")
	behind := d.Line > end.Line || d.Line == end.Line && d.Col >= end.Col
	if behind {
		d.Line, d.Col = end.Line, end.Col
	}
	j.clamp(d)
	return behind
}

// depth is how deep the trees of a file are nested.
func depth(f *ast.File) int {
	now, most := 0, 0
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			now--
			return true
		}
		now++
		most = max(most, now)
		return true
	})
	return most
}
