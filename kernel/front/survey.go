package front

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// Limits of a cell. Above them go/types and what follows could overflow their
// stacks, which ends a process.
const (
	maxBytes   = 1 << 20
	maxProgram = 64 << 20 // of one that is a file: nobody types it
	maxDepth   = 1000
)

// readable refuses text that no checker should see: too long, or not text.
func (j *job) readable(src string) bool {
	at, msg, limit := -1, "", maxBytes
	if j.sc.Strict {
		limit = maxProgram
	}
	switch i := strings.IndexByte(src, 0); {
	case len(src) > limit:
		at, msg = 0, fmt.Sprintf("the cell has %d bytes; at most %d are allowed", len(src), limit)
	case i >= 0:
		at, msg = i, "invalid character NUL"
	case !utf8.ValidString(src):
		for i, c := range src {
			if _, w := utf8.DecodeRuneInString(src[i:]); c == utf8.RuneError && w == 1 {
				at, msg = i, "invalid UTF-8 encoding"
				break
			}
		}
	default:
		return true
	}
	line := 1 + strings.Count(src[:at], "\n")
	start := strings.LastIndexByte(src[:at], '\n') + 1
	j.diags = append(j.diags, Diag{Cell: j.number, Line: line, Col: 1 + utf8.RuneCountInString(src[start:at]), Msg: msg})
	return false
}

// survey looks at the tokens of a unit: it notes the names that occur, and
// refuses brackets that do not match, nesting beyond the limit, and names that
// are ours.
func (j *job) survey(u unit) {
	file := token.NewFileSet().AddFile("", -1, len(u.Text))
	var s scanner.Scanner
	s.Init(file, []byte(u.Text), nil, 0) // the parser tells what the scanner finds
	type bracket struct {
		tok token.Token
		off int
	}
	var open []bracket
	for {
		pos, tok, lit := s.Scan()
		off := file.Offset(pos)
		switch tok {
		case token.EOF:
			if len(open) > 0 {
				b := open[len(open)-1]
				j.unclosed = append(j.unclosed, j.diag(u, b.off, "syntax error: "+b.tok.String()+" is not closed"))
			}
			return
		case token.IDENT:
			j.idents[lit] = true
			if reserved(lit) {
				j.diags = append(j.diags, j.diag(u, off,
					lit+" is a name of gondola's own: names that begin with _g and a digit or with XG_ are refused"))
			}
		case token.LPAREN, token.LBRACE, token.LBRACK:
			open = append(open, bracket{tok, off})
			if len(open) == maxDepth+1 {
				j.diags = append(j.diags, j.diag(u, off, fmt.Sprintf("nested deeper than %d", maxDepth)))
			}
		case token.RPAREN, token.RBRACE, token.RBRACK:
			if len(open) == 0 || open[len(open)-1].tok != opener(tok) {
				j.diags = append(j.diags, j.diag(u, off, "syntax error: unexpected "+tok.String()))
				return
			}
			open = open[:len(open)-1]
		}
	}
}

func opener(tok token.Token) token.Token {
	switch tok {
	case token.RPAREN:
		return token.LPAREN
	case token.RBRACE:
		return token.LBRACE
	}
	return token.LBRACK
}

// reserved tells whether a name is one that the lowering or the emitter may make.
func reserved(name string) bool {
	rest, ok := strings.CutPrefix(name, "_g")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' || strings.HasPrefix(name, "XG_")
}

// masked returns text with its //line directives made harmless, length kept:
// they would move the places of errors.
func masked(text string) string {
	if !strings.Contains(text, "//line ") && !strings.Contains(text, "/*line ") {
		return text
	}
	b := []byte(text)
	file := token.NewFileSet().AddFile("", -1, len(b))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return string(b)
		}
		if tok == token.COMMENT && strings.HasPrefix(lit[2:], "line ") {
			b[file.Offset(pos)+2] = '_'
		}
	}
}
