package cell

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// Directive is one magic of a cell: a statement line that begins with % or !,
// a line "NAME?", or the first line of a cell that begins with %%. "//%name" is
// "%name" and keeps a file valid Go.
type Directive struct {
	Name      string // without %; "!" for a shell command, "doc" for NAME? and NAME??
	Args      string // the rest of the line, blanks around it cut
	Whole     bool   // begins with %%: it is about the cell
	Body      string // of a whole magic: the text below its line
	Detail    int    // of NAME??: 1
	Line, Col int    // of Args, from 1; Col counts bytes
}

// foreign are the magics whose body is no Go.
var foreign = map[string]bool{"bash": true, "sh": true, "html": true, "markdown": true, "latex": true,
	"writefile": true}

// Directives takes the magics off a cell. In the code that is left each is
// blanked, so that all positions hold; the body of a magic whose text is no Go
// is blanked too. What looks like a magic inside a string, a comment or an
// expression is none.
func Directives(src string) (code string, list []Directive) {
	b := []byte(src)
	if d, start, end, ok := whole(src); ok {
		list = append(list, d)
		blank(b[start:end])
		if foreign[d.Name] {
			blank(b)
			return string(b), list
		}
	}
	for from := 0; from < len(b); {
		start, end, ok := nextMagic(b, from)
		if !ok {
			break
		}
		if d, ok := parseMagic(src, start, end); ok {
			list = append(list, d)
		}
		blank(b[start:end])
		from = end
	}
	return string(b), list
}

// blank replaces all but line ends.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// whole finds the magic that is about the cell: its first line with text
// begins with %%.
func whole(src string) (d Directive, start, end int, ok bool) {
	start = len(src) - len(strings.TrimLeft(src, " \t\r\n"))
	end = lineEnd(src, start)
	if !strings.HasPrefix(src[start:end], "%%") && !strings.HasPrefix(src[start:end], "//%%") {
		return d, 0, 0, false
	}
	d, _ = parseMagic(src, start, end)
	if end < len(src) {
		d.Body = src[end+1:]
	}
	return d, start, end, true
}

// doubt is a line that asks for the documentation of a name.
var doubt = regexp.MustCompile(`^[\pL_][\pL\pN_]*(\.[\pL_][\pL\pN_]*)*\?\??[ \t\r]*$`)

// nextMagic finds the next line at or behind from that is a magic: one that
// begins a statement at depth 0.
func nextMagic(b []byte, from int) (start, end int, ok bool) {
	src := string(b)
	file := token.NewFileSet().AddFile("", -1, len(b)-from)
	var s scanner.Scanner
	s.Init(file, b[from:], nil, scanner.ScanComments)
	depth, begin := 0, true
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return 0, 0, false
		}
		start := from + file.Offset(pos)
		if begin && depth == 0 && tok != token.SEMICOLON && firstOfLine(src, start) {
			end := lineEnd(src, start)
			switch {
			case tok == token.REM, tok == token.REM_ASSIGN, tok == token.NOT, tok == token.NEQ,
				tok == token.COMMENT && strings.HasPrefix(lit, "//%"),
				tok == token.IDENT && doubt.MatchString(src[start:end]):
				return start, end, true
			}
		}
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth = max(0, depth-1)
		}
		if tok != token.COMMENT {
			begin = tok == token.SEMICOLON
		}
	}
}

func firstOfLine(src string, at int) bool {
	return strings.TrimSpace(src[strings.LastIndexByte(src[:at], '\n')+1:at]) == ""
}

func lineEnd(src string, at int) int {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(src)
}

// parseMagic reads the magic that stands in src[start:end]. A bare "//%" or "%"
// is none.
func parseMagic(src string, start, end int) (d Directive, ok bool) {
	text := strings.TrimRight(src[start:end], " \t\r")
	d.Line = 1 + strings.Count(src[:start], "\n")
	col := 1 + start - (strings.LastIndexByte(src[:start], '\n') + 1)
	rest := text
	switch {
	case strings.HasPrefix(rest, "//%"):
		rest = rest[2:]
	case doubt.MatchString(text):
		d.Name, d.Args, d.Col = "doc", strings.TrimRight(text, "?"), col
		d.Detail = strings.Count(text, "?") - 1
		return d, true
	}
	switch {
	case strings.HasPrefix(rest, "!"):
		d.Name, rest = "!", rest[1:]
	default:
		rest = strings.TrimPrefix(rest, "%")
		d.Whole = strings.HasPrefix(rest, "%")
		rest = strings.TrimPrefix(rest, "%")
		n := strings.IndexAny(rest, " \t")
		if n < 0 {
			n = len(rest)
		}
		d.Name, rest = rest[:n], rest[n:]
	}
	d.Args = strings.TrimLeft(rest, " \t")
	d.Col = col + len(text) - len(d.Args)
	return d, d.Name != ""
}
