package front

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

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
		lead := head + place(u.number, u.Line, u.Col)
		_, err := parser.ParseFile(fset, "", lead+text+tail, parser.SkipObjectResolution)
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
			d := Diag{Cell: number, Line: e.Pos.Line, Col: j.column(number, e.Pos.Line, e.Pos.Column)}
			end := ""
			if j.clampTo(&d, u) { // what was found there is ours
				switch end = "newline"; {
				case n == len(j.units)-1:
					end = "end of cell"
				case u.Semicolon:
					end = "semicolon"
				}
			}
			off := e.Pos.Offset - len(lead)
			if n < len(j.units)-1 && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			d.Msg = said(e.Msg, text, off, end)
			if at := labelBefore(text, off); at >= 0 && strings.HasPrefix(e.Msg, "expected statement") {
				d = j.diag(u, at, "syntax error: missing statement after label")
			}
			if k := len(j.diags); i == 0 || d.Line != j.diags[k-1].Line {
				j.diags = append(j.diags, d)
			}
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

// labelBefore is the offset of the label that ends the text before off, or -1.
func labelBefore(text string, off int) int {
	at, colon := -1, false
	last := token.ILLEGAL
	tokens(text[:max(0, min(off, len(text)))], func(o int, tok token.Token, _ string) bool {
		if tok == token.SEMICOLON {
			return true
		}
		if colon = tok == token.COLON && last == token.IDENT; tok == token.IDENT {
			at = o
		}
		last = tok
		return true
	})
	if !colon {
		return -1
	}
	return at
}

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
