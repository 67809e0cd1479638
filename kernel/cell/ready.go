package cell

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// Status says whether a cell can be run as it stands.
type Status string

// What a cell can be.
const (
	Complete   Status = "complete"
	Incomplete Status = "incomplete"
	Invalid    Status = "invalid"
	Unknown    Status = "unknown" // of a cell with a magic about the whole of it: the text may be no Go
)

// Ready tells whether a cell is complete; if it is not, indent is what the next
// line should begin with: a tab for each open bracket.
func Ready(src string) (s Status, indent string) {
	code, list := Directives(src)
	if len(list) > 0 && list[0].Whole {
		return Unknown, ""
	}
	open, status := brackets(code)
	switch status {
	case Invalid:
		return Invalid, ""
	case Incomplete:
		return Incomplete, indentOf(open)
	}
	status = Complete
	for _, p := range Split(code) {
		switch parses(p) {
		case Invalid:
			return Invalid, ""
		case Incomplete:
			status = Incomplete
		}
	}
	return status, ""
}

// bracket is one that is open at the end; inSwitch and clause say whether it
// is the brace of a switch or select, and whether a case stands in it already.
type bracket struct {
	tok              token.Token
	inSwitch, clause bool
}

// brackets finds what is open at the end of the text. An unfinished comment or
// raw string is incomplete too; a bracket that closes nothing is invalid.
func brackets(code string) (open []bracket, s Status) {
	unfinished := false
	file := token.NewFileSet().AddFile("", -1, len(code))
	var scan scanner.Scanner
	scan.Init(file, []byte(code), func(_ token.Position, msg string) {
		unfinished = unfinished || msg == "comment not terminated" || msg == "raw string literal not terminated"
	}, 0)
	sw := false
	for {
		_, tok, _ := scan.Scan()
		switch tok {
		case token.EOF:
			if len(open) > 0 || unfinished {
				return open, Incomplete
			}
			return nil, Complete
		case token.SWITCH, token.SELECT:
			sw = true
		case token.LPAREN, token.LBRACK:
			open = append(open, bracket{tok: tok})
		case token.LBRACE:
			open = append(open, bracket{tok: tok, inSwitch: sw})
			sw = false
		case token.CASE, token.DEFAULT:
			if n := len(open); n > 0 {
				open[n-1].clause = true
			}
		case token.RPAREN, token.RBRACE, token.RBRACK:
			n := len(open) - 1
			if n < 0 || tok != closer(open[n].tok) {
				return nil, Invalid
			}
			open = open[:n]
		}
	}
}

func closer(tok token.Token) token.Token {
	switch tok {
	case token.LPAREN:
		return token.RPAREN
	case token.LBRACE:
		return token.RBRACE
	}
	return token.RBRACK
}

// indentOf is a tab for each open bracket; directly in a switch the next line
// is a case, which gofmt does not indent.
func indentOf(open []bracket) string {
	n := len(open)
	if n > 0 && open[n-1].inSwitch && !open[n-1].clause {
		n--
	}
	return strings.Repeat("\t", n)
}

// parses tells whether one piece with closed brackets parses, or would with
// more text behind it.
func parses(p Piece) Status {
	head, tail := "package p\n", ""
	switch p.Kind {
	case Clause:
		head = ""
	case Stmts, Define:
		head, tail = head+"func _() {\n", "\n}"
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", head+p.Text+tail, parser.SkipObjectResolution)
	if err == nil {
		return Complete
	}
	l, ok := err.(scanner.ErrorList)
	if ok && l[0].Pos.Offset >= len(head)+len(p.Text) && !ends(p.Text) { // all that is wrong is behind the text
		return Incomplete
	}
	return Invalid
}

// ends tells whether a line end behind the text ends its statement, so that
// nothing on a next line can make it whole.
func ends(text string) bool {
	file := token.NewFileSet().AddFile("", -1, len(text)+1)
	var scan scanner.Scanner
	scan.Init(file, []byte(text+"\n"), nil, 0)
	last := token.EOF
	for {
		_, tok, _ := scan.Scan()
		if tok == token.EOF {
			return last == token.SEMICOLON
		}
		last = tok
	}
}
