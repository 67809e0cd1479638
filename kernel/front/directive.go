package front

import (
	"go/scanner"
	"go/token"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// refused are directives that only a build of packages can obey.
var refused = []string{"//go:embed", "//go:linkname", "//go:cgo_", "//export"}

// pragmas are the directives that the compiler knows, each for a function
// declaration; with a value, it is what the compiler says of any use in a cell.
var pragmas = map[string]string{
	"//go:build": "", "//go:nointerface": "", "//go:noescape": "", "//go:norace": "", "//go:nosplit": "",
	"//go:noinline":   "",
	"//go:nocheckptr": "", "//go:uintptrescapes": "", "//go:registerparams": "",
	"//go:systemstack": onlyRuntime, "//go:nowritebarrier": onlyRuntime, "//go:nowritebarrierrec": onlyRuntime,
	"//go:yeswritebarrierrec": onlyRuntime, "//go:uintptrkeepalive": " is only allowed in the standard library",
}

const (
	onlyRuntime = " only allowed in runtime"
	misplaced   = "misplaced compiler directive"
)

// comments refuses a comment that nothing closes, what only a build of packages
// can obey, and directives that stand where the compiler allows none. Pieces
// have no comments around them, so the parser sees neither.
func (j *job) comments(src string, pieces []cell.Piece) {
	if !strings.Contains(src, "/*") && !strings.Contains(src, "//go:") && !strings.Contains(src, "//export") {
		return
	}
	whole := unit{Piece: cell.Piece{Text: src, Line: 1, Col: 1}, number: j.number}
	at := map[int]cell.Kind{} // where declarations of functions and the clause begin
	for _, p := range pieces {
		if p.Kind == cell.Func || p.Kind == cell.Method || p.Kind == cell.Clause {
			at[p.Offset] = p.Kind
		}
	}
	var waiting []pragma
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	for before := false; ; {
		pos, tok, lit := s.Scan()
		off := file.Offset(pos)
		if tok == token.COMMENT {
			if p, ok := j.comment(whole, off, lit); ok {
				p.late = before
				waiting = append(waiting, p)
			}
			continue
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // its place may be that of a comment
		}
		kind, ok := at[off]
		for _, p := range waiting {
			j.place(whole, p, kind, ok && tok != token.EOF)
		}
		waiting, before = nil, true
		if tok == token.EOF {
			return
		}
	}
}

// pragma is a directive of the compiler.
type pragma struct {
	off  int
	verb string
	late bool // something stands before it in the cell
}

// comment looks at one comment; ok tells whether it is a directive of the
// compiler that is possible in a cell.
func (j *job) comment(whole unit, off int, lit string) (p pragma, ok bool) {
	bad := func(msg string) { j.diags = append(j.diags, j.diag(whole, off, msg)) }
	if strings.HasPrefix(lit, "/*") && (len(lit) < 4 || !strings.HasSuffix(lit, "*/")) {
		bad("comment not terminated")
	}
	verb, _, _ := strings.Cut(strings.ReplaceAll(lit, "\t", " "), " ")
	for _, d := range refused {
		if verb == d || strings.HasSuffix(d, "_") && strings.HasPrefix(verb, d) {
			bad(verb + " is not possible in a cell")
		}
	}
	why, ok := pragmas[verb]
	start := strings.LastIndexByte(whole.Text[:off], '\n') + 1
	switch {
	case !ok:
	case strings.TrimSpace(whole.Text[start:off]) != "":
		bad(misplaced)
	case why != "":
		bad(verb + why)
	default:
		return pragma{off: off, verb: verb}, true
	}
	return p, false
}

// place refuses a directive by what follows it: a declaration of the kind, or
// something else.
func (j *job) place(whole unit, p pragma, kind cell.Kind, declared bool) {
	build := p.verb == "//go:build"
	switch {
	case build && !p.late, !build && declared && kind != cell.Clause:
	default:
		j.diags = append(j.diags, j.diag(whole, p.off, misplaced))
		return
	}
	if p.verb == "//go:noescape" {
		j.diags = append(j.diags, j.diag(whole, p.off, "can only use //go:noescape with external func implementations"))
	}
}
