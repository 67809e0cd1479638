package front

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// unit is a piece that goes into a check file: of the cell itself, or of an
// earlier cell whose declaration is checked again.
type unit struct {
	cell.Piece
	number int               // of its cell
	reused map[string]string // of a Define: hidden variable to the name it is assigned to
	hidden []string          // the keys of reused in the order of the text
	kept   []leftName        // of a Define: names that stay variables of an earlier cell
	again  string            // name of the declaration of With.Again that it is
}

// span says which unit a range of the check file came from.
type span struct{ from, to, unit int }

// checkFile is the text of a check file in work: imports, which may stand
// anywhere in a cell and come first in a file, declarations, and the statements
// that go into the body.
//
// Before each piece stands a //line directive, so that every place is one of
// its own cell. A top-level "a := b" becomes "var", a newline and "a  = b":
// the same columns, and functions of the same cell see a.
type checkFile struct {
	j     *job
	parts [3]strings.Builder // imports, declarations, body
	in    [3][]span          // of each part
	fresh int                // hidden variables so far
	seen  map[string]bool
}

// The parts of a check file.
const (
	imports = iota
	decls
	body
)

const head = "package main\n"

// compose writes the check file of the job's units and parses it. Spans are
// offsets of the whole text.
func (j *job) compose() (string, []span) {
	c := checkFile{j: j, seen: map[string]bool{}}
	for i := range j.units {
		u := &j.units[i]
		switch u.Kind {
		case cell.Clause:
		case cell.Import:
			c.write(imports, i, place(u.number, u.Line, u.Col)+masked(u.Text)+"\n")
		case cell.Stmts:
			text := masked(u.Text)
			if strings.HasSuffix(text, ":") {
				text += ";" // a label before a definition, which is not behind it in the body
			}
			c.stmt(i, place(u.number, u.Line, u.Col)+text+"\n")
		case cell.Define:
			c.define(i, u)
		case cell.Var:
			c.decl(i, place(u.number, u.Line, u.Col)+masked(u.Text)+"\n")
			for _, n := range varNames(u.Text) {
				c.seen[n] = true
			}
		case cell.Method:
			c.decl(i, place(u.number, u.Line, u.Col)+j.asFunction(u)+"\n")
		default:
			c.decl(i, place(u.number, u.Line, u.Col)+masked(u.Text)+"\n")
		}
	}
	text := head
	var spans []span
	for part := range c.parts {
		if part == body {
			text += "func " + Body + "() {\n"
		}
		for _, s := range c.in[part] {
			spans = append(spans, span{s.from + len(text), s.to + len(text), s.unit})
		}
		text += c.parts[part].String()
	}
	return text + "\n}\n", spans
}

func (c *checkFile) decl(i int, text string) { c.write(decls, i, text) }

func (c *checkFile) stmt(i int, text string) { c.write(body, i, text) }

func (c *checkFile) write(part, i int, text string) {
	b := &c.parts[part]
	from := b.Len()
	b.WriteString(text)
	c.in[part] = append(c.in[part], span{from, b.Len(), i})
}

// define writes a := at the top. Names that the cell has already defined are
// assigned through hidden variables; a definition without any new name is
// Go's error, and stays in the file as an assignment so that the rest of it is
// checked too.
func (c *checkFile) define(i int, u *unit) {
	left, rest := masked(u.Text)[:u.Assign], masked(u.Text)[u.Assign+2:]
	if illegal(left) { // the parser tells
		c.stmt(i, place(u.number, u.Line, u.Col)+masked(u.Text)+"\n")
		return
	}
	names, ok := c.names(u, left)
	if !ok {
		return
	}
	fresh, reused := false, false
	u.kept = c.j.keeping(u, names, rest, c.seen)
	for _, n := range names {
		fresh = fresh || n.text != "_" && !c.seen[n.text]
		reused = reused || c.seen[n.text] || u.keeps(n.text)
	}
	switch {
	case !fresh:
		c.j.diags = append(c.j.diags, c.j.diag(*u, u.Assign, "no new variables on left side of :="))
		c.stmt(i, place(u.number, u.Line, u.Col)+left+" ="+rest+"\n")
	case !reused:
		c.decl(i, "var\n"+place(u.number, u.Line, u.Col)+left+" ="+rest+"\n")
	default:
		c.reuse(i, u, names, rest)
	}
	for _, n := range names {
		if n.text != "_" {
			c.seen[n.text] = true
		}
	}
}

var comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)

type leftName struct {
	text string
	off  int
}

// names reads the left side of a :=. What is not a name, and a name that
// stands there twice, are Go's errors.
func (c *checkFile) names(u *unit, left string) (l []leftName, ok bool) {
	off := 0
	twice := map[string]bool{}
	left = comments.ReplaceAllStringFunc(left, func(s string) string { return strings.Repeat(" ", len(s)) })
	for part := range strings.SplitSeq(left, ",") {
		at := off + len(part) - len(strings.TrimLeft(part, " \t\r\n"))
		off += len(part) + 1
		name := strings.TrimSpace(part)
		switch {
		case !token.IsIdentifier(name):
			name, _, _ = strings.Cut(name, "\n")
			c.bad(u, at, "non-name "+name+" on left side of :=")
			return nil, false
		case twice[name]:
			c.bad(u, at, name+" repeated on left side of :=")
			return nil, false
		}
		twice[name] = name != "_"
		l = append(l, leftName{name, at})
	}
	return l, true
}

func (c *checkFile) bad(u *unit, off int, msg string) {
	c.j.diags = append(c.j.diags, c.j.diag(*u, off, msg))
}

// reuse writes a definition of which some names are already defined in the
// cell, or kept: those get hidden variables and are assigned from them in the body. A
// literal on the right is assigned itself, since a hidden variable would fix
// its type.
func (c *checkFile) reuse(i int, u *unit, names []leftName, rest string) {
	values := literals(rest, len(names))
	var left, right, assign []string
	u.reused = map[string]string{}
	for n, name := range names {
		at := inline(u, name.off)
		value := ""
		if values != nil {
			value = inline(u, u.Assign+2+values[n].off) + values[n].text
		}
		switch {
		case !c.seen[name.text] && !u.keeps(name.text) || name.text == "_":
			left, right = append(left, at+name.text), append(right, value)
		case values != nil && values[n].literal:
			assign = append(assign, at+name.text+" = "+value)
		default:
			c.fresh++
			h := fmt.Sprintf("_g0r%d", c.fresh)
			u.reused[h], u.hidden = name.text, append(u.hidden, h)
			left, right = append(left, at+h), append(right, value)
			assign = append(assign, at+name.text+" = "+inline(u, name.off)+h)
		}
	}
	text := "var " + strings.Join(left, ", ") + " = "
	if values != nil {
		text += strings.Join(right, ", ")
	} else {
		text += inline(u, u.Assign+2) + rest
	}
	c.decl(i, text+"\n")
	c.stmt(i, strings.Join(assign, "\n")+"\n")
}

type rightValue struct {
	text    string
	off     int // in the right side
	literal bool
}

// literals returns the n expressions of a right side, or nil if it has another
// number of them or does not parse.
func literals(rest string, n int) []rightValue {
	const before = "package p; var _ = f("
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", before+strings.TrimSpace(rest)+",\n)", parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	call, ok := f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.CallExpr)
	if !ok || len(call.Args) != n || call.Ellipsis.IsValid() {
		return nil
	}
	lead := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	var l []rightValue
	for _, a := range call.Args {
		off := int(a.Pos()) - 1 - len(before) + lead
		l = append(l, rightValue{rest[off : int(a.End())-1-len(before)+lead], off, literal(a)})
	}
	return l
}

// literal tells whether an expression is made of literals only, so that it has
// no type yet, no effect, and the same value wherever it stands.
func literal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "true" || e.Name == "false"
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.UnaryExpr:
		return e.Op != token.AND && e.Op != token.ARROW && literal(e.X)
	case *ast.BinaryExpr:
		return literal(e.X) && literal(e.Y)
	}
	return false
}

// varNames are the names that a var declaration declares; none if it does not
// parse.
func varNames(text string) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, s := range g.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// place is the directive before a piece; the next line has this place.
func place(number, line, col int) string {
	return fmt.Sprintf("//line cell[%d]:%d:%d\n", number, line, col)
}

// inline is the directive before a part of a unit: what follows it on the line
// has the place of the unit's byte off.
func inline(u *unit, off int) string {
	before := u.Text[:off]
	line, col := u.Line+strings.Count(before, "\n"), u.Col+off
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		col = off - i
	}
	return fmt.Sprintf("/*line cell[%d]:%d:%d*/", u.number, line, col)
}
