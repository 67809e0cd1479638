// Package cell knows the text of a cell and no types: where its pieces are,
// whether it is complete, which lines are magics, and how the positions of the
// wire (code points) become bytes.
package cell

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// Kind says what a top-level piece of a cell is.
type Kind int

// The kinds of a piece.
const (
	Stmts  Kind = iota // a statement
	Import             // import
	Type               // type declaration
	Const              // const declaration
	Var                // var declaration
	Func               // function declaration, also init and main
	Method             // method declaration
	Define             // a := b at the top of the cell
	Clause             // package clause
)

// Piece is one top-level piece of a cell. A cell is cut at its semicolons of
// depth 0, written or inserted by the scanner.
type Piece struct {
	Kind      Kind
	Text      string // without the comments around it
	Doc       string // the comment that ends on the line above, as written
	Offset    int    // of its first byte in the cell
	Line, Col int    // of its first byte, from 1; Col counts bytes
	Assign    int    // of a Define: the offset of := in Text
	Semicolon bool   // a written semicolon ends it
}

// End returns the offset behind the last byte of the piece.
func (p Piece) End() int { return p.Offset + len(p.Text) }

// Split cuts a cell into its pieces. It works on text that does not parse: the
// parser reports later what is wrong with a piece.
func Split(src string) []Piece {
	s := splitter{src: src, file: token.NewFileSet().AddFile("", -1, len(src)), start: -1}
	s.scan.Init(s.file, []byte(src), nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.scan.Scan()
		off := s.file.Offset(pos)
		switch {
		case tok == token.EOF:
			s.cut(false)
			return s.pieces
		case tok == token.COMMENT:
			s.comment(off, lit)
			continue
		case s.start < 0 && tok == token.SEMICOLON:
			s.doc = doc{} // an empty statement
			continue
		case s.start < 0:
			s.begin(off)
		}
		s.token(off, tok, lit)
	}
}

type doc struct{ start, end int }

// splitter is the state of one run of Split. The piece in work begins at
// start; first to fourth are its first tokens.
type splitter struct {
	src    string
	file   *token.File
	scan   scanner.Scanner
	pieces []Piece
	start  int
	doc    doc // comments since the last piece that touch each other
	depth  int
	toks   []token.Token // the first two of the piece
	shut   int           // 1 behind the first bracket at depth 0, 2 behind a name after it, 3 behind "(" after that, 4 else
	define int           // offset of the first := at depth 0, or -1
	label  int           // offset behind "L:"; 0: no label
	third  token.Token   // the first token behind the label
	last   token.Token   // the token before, and the offset behind it
	end    int
	tries  int // how often the piece was parsed
}

func (s *splitter) begin(off int) {
	s.start, s.depth, s.shut, s.define, s.label = off, 0, 0, -1, 0
	s.tries, s.third, s.last, s.end = 0, token.ILLEGAL, token.ILLEGAL, off
	s.toks = s.toks[:0]
}

// comment keeps the comments that touch each other and lie on lines of their
// own as the documentation of what follows.
func (s *splitter) comment(off int, lit string) {
	if s.start >= 0 {
		return
	}
	before := strings.TrimRight(s.src[:off], " \t\r")
	switch {
	case before != "" && !strings.HasSuffix(before, "\n"): // behind a piece, on its line
		s.doc = doc{}
	case s.doc.end > 0 && strings.Count(s.src[s.doc.end:off], "\n") < 2:
		s.doc.end = off + len(lit)
	default:
		s.doc = doc{off, off + len(lit)}
	}
}

func (s *splitter) token(off int, tok token.Token, lit string) {
	if len(s.toks) < 2 {
		s.toks = append(s.toks, tok)
	} else if s.third == token.ILLEGAL {
		s.third = tok
	}
	if s.depth == 0 {
		switch {
		case s.shut == 1:
			s.shut = 4
			if tok == token.IDENT {
				s.shut = 2
			}
		case s.shut == 2:
			s.shut = 4
			if tok == token.LPAREN {
				s.shut = 3
			}
		}
	}
	switch tok {
	case token.LPAREN, token.LBRACE, token.LBRACK:
		s.depth++
	case token.RPAREN, token.RBRACE, token.RBRACK:
		s.depth = max(0, s.depth-1)
		if s.depth == 0 && s.shut == 0 {
			s.shut = 1
		}
	case token.COLON:
		if s.depth == 0 && len(s.toks) == 2 && s.toks[0] == token.IDENT && s.toks[1] == token.COLON && s.label == 0 {
			s.label = off + 1
		}
	case token.DEFINE:
		if s.depth == 0 && s.define < 0 {
			s.define = off
		}
	case token.SEMICOLON:
		if s.depth == 0 && !(lit == ";" && s.inHeader()) {
			s.cut(lit == ";")
		}
		return
	}
	s.last, s.end = tok, tokenEnd(s.src, off, tok, lit)
}

// tokenEnd is the offset behind a token. The scanner takes carriage returns
// out of raw strings, so those are measured in the source.
func tokenEnd(src string, off int, tok token.Token, lit string) int {
	switch {
	case tok == token.STRING && strings.HasPrefix(lit, "`"):
		if i := strings.IndexByte(src[off+1:], '`'); i >= 0 {
			return off + i + 2
		}
		return len(src)
	case tok == token.ILLEGAL:
		_, w := utf8.DecodeRuneInString(src[off:])
		return off + w
	case lit != "":
		return min(off+len(lit), len(src))
	}
	return min(off+len(tok.String()), len(src))
}

// maxTries bounds how often a piece is parsed to find its end.
const maxTries = 64

// inHeader tells whether a written semicolon at depth 0 stands in the header of
// an if, for or switch, where it ends no statement: the text before it is no
// statement yet.
func (s *splitter) inHeader() bool {
	first := s.toks[0]
	if s.label > 0 {
		first = s.third
	}
	if first != token.IF && first != token.FOR && first != token.SWITCH {
		return false
	}
	if s.last != token.RBRACE {
		return true
	}
	s.tries++
	return s.tries < maxTries && !statement(s.src[s.start:s.end])
}

// statement tells whether text parses as statements.
func statement(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", parser.SkipObjectResolution)
	return err == nil
}

// cut ends the piece in work behind its last token.
func (s *splitter) cut(semicolon bool) {
	if s.start < 0 {
		return
	}
	kind, end := s.kind(), s.end
	if s.label > 0 { // L: a := b is L: ; a := b, since a is a name of the cell
		rest := s.label + skipBlank(s.src[s.label:end])
		if ps := Split(s.src[rest:end]); len(ps) == 1 && ps[0].Kind == Define {
			s.add(Stmts, s.start, s.label, true)
			s.start, kind = rest, Define
		}
	}
	s.add(kind, s.start, end, semicolon)
	s.start = -1
}

func (s *splitter) add(kind Kind, start, end int, semicolon bool) {
	p := s.file.PositionFor(s.file.Pos(start), false)
	piece := Piece{Kind: kind, Text: s.src[start:end], Offset: start,
		Line: p.Line, Col: p.Column, Semicolon: semicolon}
	if kind == Define {
		piece.Assign = s.define - start
	}
	if s.doc.end > 0 && strings.Count(s.src[s.doc.end:start], "\n") < 2 {
		piece.Doc = s.src[s.doc.start:s.doc.end]
	}
	s.doc = doc{}
	s.pieces = append(s.pieces, piece)
}

func (s *splitter) kind() Kind {
	second := token.ILLEGAL
	if len(s.toks) > 1 {
		second = s.toks[1]
	}
	switch s.toks[0] {
	case token.PACKAGE:
		return Clause
	case token.IMPORT:
		return Import
	case token.TYPE:
		return Type
	case token.CONST:
		return Const
	case token.VAR:
		return Var
	case token.FUNC:
		switch {
		case second == token.IDENT:
			return Func
		case second == token.LPAREN && s.shut == 3: // func (r T) m(, and not the literal func (x int) int {
			return Method
		}
		return Stmts
	case token.IF, token.FOR, token.SWITCH, token.SELECT, token.GO, token.DEFER, token.RETURN, token.GOTO, token.CASE:
		return Stmts
	}
	if s.define >= 0 && s.label == 0 {
		return Define
	}
	return Stmts
}

func skipBlank(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }
