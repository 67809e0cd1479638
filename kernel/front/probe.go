package front

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// marker is the name that stands at the cursor while a question is answered.
const marker = "_g0at"

// spot is where a cursor stands: in plain text, or in a string, a comment or a
// number, where there are no names.
type spot int

const (
	inCode spot = iota
	inString
	inComment
	inNumber
)

// spotOf looks at the text before the cursor. start is the offset where the
// name, or the string, begins that ends there.
func spotOf(before string) (s spot, start int) {
	file := token.NewFileSet().AddFile("", -1, len(before))
	open := ""
	var scan scanner.Scanner
	scan.Init(file, []byte(before), func(_ token.Position, msg string) { open = msg }, scanner.ScanComments)
	for {
		open = ""
		pos, tok, lit := scan.Scan()
		off := file.Offset(pos)
		switch {
		case tok == token.EOF:
			return inCode, nameStart(before)
		case tok == token.COMMENT && (strings.HasPrefix(lit, "//") && off+len(lit) >= len(before) ||
			strings.HasSuffix(open, "not terminated")):
			return inComment, off
		case strings.HasSuffix(open, "literal not terminated"):
			return inString, off + 1
		case (tok == token.INT || tok == token.FLOAT || tok == token.IMAG) && off+len(lit) == len(before):
			return inNumber, off
		}
	}
}

// nameStart is the offset where the name begins that ends with the text.
func nameStart(s string) int {
	return len(strings.TrimRightFunc(s, isNameRune))
}

func isNameRune(c rune) bool { return c == '_' || token.IsIdentifier("x"+string(c)) }

// ask makes a cell for a question: src up to start, the marker, what closes the
// open brackets, and the pieces behind the cursor. Pieces that do not parse are
// left out; errors do not count.
func (k *Checker) ask(src string, start, at int, sc *Scope) *job {
	j := k.newJob(0, sc)
	pieces := cell.Split(src[:start] + marker)
	if len(pieces) == 0 {
		return nil
	}
	last := &pieces[len(pieces)-1]
	last.Text = closed(last.Kind, last.Text)
	last.Kind = cell.Split(last.Text)[0].Kind
	if last.Kind == cell.Define {
		last.Assign = strings.Index(last.Text, ":=")
	}
	for i, p := range append(pieces, cell.Split(src)...) {
		if i >= len(pieces) && p.Offset < at || p.Kind == cell.Clause {
			continue
		}
		if i != len(pieces)-1 && !parsesAlone(p.Kind, p.Text) {
			continue
		}
		j.units = append(j.units, unit{Piece: p})
	}
	j.tolerant()
	return j
}

// closed closes the brackets that are open in text, and adds what its statement
// lacks to be parsed: a body, a colon behind a case, the call of a literal.
func closed(kind cell.Kind, text string) string {
	var closers string
	file := token.NewFileSet().AddFile("", -1, len(text))
	var scan scanner.Scanner
	scan.Init(file, []byte(text), nil, 0)
	for tok := token.ILLEGAL; tok != token.EOF; {
		_, tok, _ = scan.Scan()
		switch tok {
		case token.LPAREN:
			closers = ")" + closers
		case token.LBRACK:
			closers = "]" + closers
		case token.LBRACE:
			closers = " }" + closers
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if i := strings.IndexAny(closers, ")]}"); i >= 0 {
				closers = closers[i+1:]
			}
		}
	}
	for _, add := range [][2]string{{}, {"()"}, {":"}, {" {}"}, {"", " {}"}, {"; true {}"}, {" = 0"}, {": 0"}} {
		if t := text + add[0] + closers + add[1]; parsesAlone(kind, t) {
			return t
		}
	}
	for i, c := range closers { // the call of a literal behind go or defer
		if c == '}' {
			if t := text + closers[:i+1] + "()" + closers[i+1:]; parsesAlone(kind, t) {
				return t
			}
		}
	}
	return text + closers
}

func parsesAlone(kind cell.Kind, text string) bool {
	if kind == cell.Stmts || kind == cell.Define {
		text = "func _() {\n" + text + "\n}"
	}
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	return err == nil
}

// tolerant checks the units and keeps no error.
func (j *job) tolerant() {
	for _, u := range j.units {
		j.survey(u)
	}
	j.methodsOfEarlierTypes()
	text, spans := j.compose()
	j.open(text)
	f, _ := parser.ParseFile(j.fset, "", text, parser.SkipObjectResolution|parser.AllErrors)
	j.file, j.tokens, j.spans = f, j.fset.File(f.FileStart), spans
	if depth(f) > maxDepth {
		panic("nested too deep")
	}
	j.imports()
	j.names()
	j.hideTypes()
	j.autoImports()
	j.pass()
	j.again()
}

// at finds the marker and the nodes around it, the innermost last.
func (j *job) at() (id *ast.Ident, path []ast.Node) {
	var stack []ast.Node
	ast.Inspect(j.file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if x, ok := n.(*ast.Ident); ok && x.Name == marker && id == nil {
			id, path = x, append([]ast.Node{}, stack...)
		}
		stack = append(stack, n)
		return true
	})
	return id, path
}
