package front

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The compiler and go/parser find the same faults and tell them in other
// words. Cells are told the compiler's.

// lexical are the words of go/scanner and those of the compiler, which does not
// call these faults of syntax.
var lexical = []struct{ scanner, compiler string }{
	{"raw string literal not terminated", "string not terminated"},
	{"comment not terminated", "comment not terminated"},
	{"illegal byte order mark", "invalid BOM in the middle of the file"},
	{"illegal UTF-8 encoding", "invalid UTF-8 encoding"},
	{"illegal character NUL", "invalid NUL character"},
	{"unknown escape sequence", "unknown escape"},
	{"escape sequence is invalid Unicode code point", "escape is invalid Unicode code point"},
}

// whole are messages of go/parser, by their beginnings, that become others as
// they stand.
var whole = []struct{ parser, compiler string }{
	{"expected if statement or block", "else must be followed by if or statement block"},
	{"expected declaration", "non-declaration statement outside function body"},
	{"expected at most 2 expressions", "range clause permits at most two iteration variables"},
	{"unexpected newline, expecting { after if clause", "unexpected newline, expected { after if clause"},
	{"unexpected comma; expecting ]", "unexpected comma; expected ]"},
	{"illegal label declaration", "unexpected : at end of statement"},
}

// kinds are what go/parser expects and what the compiler calls it.
var kinds = map[string]string{
	"operand": "expression", "selector or type assertion": "name or (", "channel type": "chan", "statement": "}",
	"':'": ":",
}

var (
	expectedFound = regexp.MustCompile(`^expected (.+), found (.+)$`)
	asValue       = regexp.MustCompile(`^expected .*, found (assignment|simple statement)`)
)

// said puts an error of go/parser at byte off of a text into the compiler's
// words. end is what stands behind the text where the error lies there, else "".
func said(msg, text string, off int, end string) string {
	off = max(0, min(off, len(text)))
	if s := lexicalFault(msg, text, off); s != "" {
		return s
	}
	for _, w := range whole {
		if strings.HasPrefix(msg, w.parser) {
			return "syntax error: " + w.compiler
		}
	}
	if asValue.MatchString(msg) {
		return "syntax error: cannot use " + statementAt(text[off:]) + " as value"
	}
	if context, ok := strings.CutPrefix(msg, "missing ',' before newline in "); ok {
		return "syntax error: unexpected " + or(end, "newline") + inList(context)
	}
	if context, ok := strings.CutPrefix(msg, "missing ',' in "); ok {
		return "syntax error: unexpected " + or(end, tokenAt(text[off:])) + inList(context)
	}
	m := expectedFound.FindStringSubmatch(msg)
	if m == nil {
		if want, ok := strings.CutPrefix(msg, "expected "); ok && kinds[want] != "" {
			return "syntax error: unexpected " + or(end, tokenAt(text[off:])) + ", expected " + kinds[want]
		}
		return "syntax error: " + msg
	}
	return "syntax error: " + unexpected(m[1], or(end, foundToken(m[2])), text[:off])
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// unexpected is the sentence for a token that stands where another is wanted.
func unexpected(want, found, before string) string {
	keyword, depth := header(before)
	switch {
	case want == "';'" && depth == 0 && declares(before):
		return "unexpected " + found + " after top level declaration"
	case want == "';'":
		return "unexpected " + found + " at end of statement"
	case want == "'{'" && (keyword == "switch" || keyword == "select"):
		return "missing { after " + keyword + " clause"
	case want == "'{'" && keyword != "":
		return "unexpected " + found + ", expected { after " + keyword + " clause"
	}
	if k := kinds[want]; k != "" {
		want = k
	} else if len(want) > 2 && want[0] == '\'' {
		want = foundToken(want)
	}
	return "unexpected " + found + ", expected " + want
}

// header is the last of if, for, switch and select that no brace follows, and
// how many brackets are open at the end of the text.
func header(before string) (keyword string, depth int) {
	tokens(before, func(_ int, tok token.Token, _ string) bool {
		switch tok {
		case token.IF, token.FOR, token.SWITCH, token.SELECT:
			keyword = tok.String()
		case token.LBRACE, token.LPAREN, token.LBRACK:
			depth++
			if tok == token.LBRACE {
				keyword = ""
			}
		case token.RBRACE, token.RPAREN, token.RBRACK:
			depth--
		}
		return true
	})
	return keyword, depth
}

// declares tells whether a text begins as a declaration does.
func declares(text string) (yes bool) {
	tokens(text, func(_ int, tok token.Token, _ string) bool {
		yes = tok == token.FUNC || tok == token.TYPE || tok == token.VAR || tok == token.CONST || tok == token.IMPORT
		return false
	})
	return yes
}

// inList names the list that an element is wrong in, and what may be missing.
func inList(context string) string {
	shut := ")"
	switch {
	case strings.HasPrefix(context, "composite"):
		shut = "}"
	case strings.HasPrefix(context, "type"), strings.HasPrefix(context, "index"):
		shut = "]"
	}
	return " in " + context + "; possibly missing comma or " + shut
}

// foundToken spells a token of go/parser as the compiler does.
func foundToken(s string) string {
	t, quoted := strings.CutPrefix(s, "'")
	t = strings.TrimSuffix(t, "'")
	switch {
	case s == "newline":
		return s
	case !quoted && token.IsIdentifier(s):
		return "name " + s
	case !quoted || len(s) < 3:
		return "literal " + s
	case t == ",":
		return "comma"
	case t == ";":
		return "semicolon"
	case token.IsKeyword(t):
		return "keyword " + t
	}
	return t
}

// tokenAt spells the token that a text begins with.
func tokenAt(text string) string {
	s := "newline"
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r"), "\n") {
		return s
	}
	tokens(text, func(_ int, tok token.Token, lit string) bool {
		switch {
		case tok == token.IDENT:
			s = "name " + lit
		case tok.IsLiteral():
			s = "literal " + lit
		case tok != token.SEMICOLON || lit == ";":
			s = foundToken("'" + tok.String() + "'")
		}
		return false
	})
	return s
}

// statementAt is the simple statement that a text begins with.
func statementAt(text string) string {
	depth, end := 0, len(text)
	tokens(text, func(off int, tok token.Token, _ string) bool {
		switch tok {
		case token.LPAREN, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACK:
			depth--
		case token.LBRACE, token.SEMICOLON:
			if depth == 0 {
				end = off
				return false
			}
		}
		return true
	})
	return strings.TrimSpace(text[:end])
}

// lexicalFault is the compiler's word for a fault of go/scanner, or "".
func lexicalFault(msg, text string, off int) string {
	rest := text[off:]
	switch {
	case msg == "illegal rune literal" && strings.HasPrefix(rest, "''"):
		return "empty rune literal or unescaped '"
	case msg == "illegal rune literal":
		return "more than one character in rune literal"
	case msg == "rune literal not terminated" && strings.Contains(rest, "\n"):
		return "newline in rune literal"
	case msg == "rune literal not terminated":
		return msg
	case msg == "string literal not terminated" && strings.Contains(rest, "\n"):
		return "newline in string"
	case msg == "string literal not terminated":
		return "string not terminated"
	case strings.HasPrefix(msg, "illegal character U+"):
		c, _ := utf8.DecodeRuneInString(rest)
		before, _ := utf8.DecodeLastRuneInString(text[:off])
		switch {
		case off > 0 && isNameRune(before):
			return "invalid" + strings.TrimPrefix(msg, "illegal") + " in identifier"
		case unicode.IsDigit(c):
			return "identifier cannot begin with digit " + strings.TrimPrefix(msg, "illegal character ")
		}
		return "invalid" + strings.TrimPrefix(msg, "illegal")
	}
	for _, w := range lexical {
		if strings.HasPrefix(msg, w.scanner) {
			return w.compiler
		}
	}
	if strings.Contains(msg, "literal has no digits") || strings.Contains(msg, "exponent") ||
		strings.Contains(msg, "radix point") || strings.HasPrefix(msg, "invalid digit") || strings.HasPrefix(msg,
		"'_' must") {
		return msg
	}
	return ""
}

// tokens calls f with each token of a text until it returns false.
func tokens(text string, f func(off int, tok token.Token, lit string) bool) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || !f(file.Offset(pos), tok, lit) {
			return
		}
	}
}

// illegal tells whether a text has characters that are in no program.
func illegal(text string) (yes bool) {
	tokens(text, func(_ int, tok token.Token, _ string) bool {
		yes = tok == token.ILLEGAL
		return !yes
	})
	return yes
}

// branches are the words of go/types about labels and jumps, and those of the
// compiler, whose parser finds these faults.
var branches = []struct {
	types    *regexp.Regexp
	compiler string
}{
	{regexp.MustCompile(`^label (\S+) not declared$`), "label $1 not defined"},
	{regexp.MustCompile(`^label (\S+) declared and not used$`), "label $1 defined and not used"},
	{regexp.MustCompile(`^label (\S+) already declared$`), "label $1 already defined"},
	{regexp.MustCompile(`^break not in for, switch, or select statement$`), "break is not in a loop, switch, or select"},
	{regexp.MustCompile(`^continue not in for statement$`), "continue is not in a loop"},
}

// branch puts an error about a label or a jump into the compiler's words.
func branch(msg string) string {
	for _, b := range branches {
		if b.types.MatchString(msg) {
			return b.types.ReplaceAllString(msg, b.compiler)
		}
	}
	return msg
}
