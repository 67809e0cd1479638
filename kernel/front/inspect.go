package front

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// Inspection describes a name; Found false is not an error.
type Inspection struct {
	Found          bool
	Text, Markdown string
}

// Inspect describes the name at byte offset at of a cell, or the function whose
// arguments are being typed there, with its current parameter. Detail 0 gives
// signature, package, the first paragraph of the comment and the example;
// detail 1 the whole comment, and the source of names that cells made.
func (k *Checker) Inspect(src string, at, detail int, sc *Scope) (in Inspection) {
	at = max(0, min(at, len(src)))
	defer func() {
		if recover() != nil {
			in = Inspection{}
		}
	}()
	if len(src) > maxBytes {
		return in
	}
	if start, end, ok := nameAt(src, at); ok {
		if o, j := k.objectAt(src, start, end, sc); o != nil {
			return j.describe(o, detail, -1)
		}
	}
	if where, _ := spotOf(src[:at]); where == inComment {
		return in
	}
	return k.callAt(src, at, detail, sc)
}

// nameAt finds the name that holds the offset or ends there.
func nameAt(src string, at int) (start, end int, ok bool) {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		off := file.Offset(pos)
		if tok == token.EOF || off > at {
			return 0, 0, false
		}
		if tok == token.IDENT && at <= off+len(lit) {
			return off, off + len(lit), true
		}
	}
}

// objectAt is the object that the name in src[start:end] means. The cell is
// looked at as it is; where its piece does not parse, only up to the name.
func (k *Checker) objectAt(src string, start, end int, sc *Scope) (types.Object, *job) {
	j := k.newJob(0, sc)
	broken := false
	for _, p := range cell.Split(src) {
		switch {
		case p.Kind == cell.Clause:
		case parsesAlone(p.Kind, p.Text):
			j.units = append(j.units, unit{Piece: p})
		default:
			broken = broken || p.Offset <= start && end <= p.End()
		}
	}
	if broken {
		return k.objectBefore(src, start, end, sc)
	}
	j.tolerant()
	line, col := 1+strings.Count(src[:start], "\n"), start-strings.LastIndexByte(src[:start], '\n')
	var found types.Object
	ast.Inspect(j.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && found == nil {
			if p := j.fset.Position(id.Pos()); p.Line == line && p.Column == col && strings.HasPrefix(p.Filename, "cell[") {
				found = j.object(id)
			}
		}
		return found == nil
	})
	return found, j
}

// objectBefore asks with the marker in the place of the name: what it is a
// member of is known, or the scopes around it.
func (k *Checker) objectBefore(src string, start, end int, sc *Scope) (types.Object, *job) {
	j := k.ask(src[:end], start, end, sc)
	if j == nil {
		return nil, nil
	}
	id, path := j.at()
	if id == nil {
		return nil, nil
	}
	name := src[start:end]
	if s, ok := path[len(path)-1].(*ast.SelectorExpr); ok && s.Sel == id {
		for _, o := range j.members(s.X) {
			if o.Name() == name {
				return o, j
			}
		}
		return nil, nil
	}
	return j.lookup(name, id.Pos()), j
}

// lookup finds what a name means at a place: in the scopes there, in the
// session, or as a package that would be imported.
func (j *job) lookup(name string, pos token.Pos) types.Object {
	if s := j.pkg.Scope().Innermost(pos); s != nil {
		if _, o := s.LookupParent(name, pos); o != nil {
			return o
		}
	}
	if v, ok := j.sc.Names[name]; ok {
		return v.Obj
	}
	path := j.sc.Imports[name]
	if path == "" && !j.sc.NoAuto {
		path = j.k.imp.choose(name, nil)
	}
	if p, err := j.k.imp.Import(path); err == nil {
		return types.NewPkgName(token.NoPos, j.pkg, name, p)
	}
	return nil
}

// object is what an identifier of the file means.
func (j *job) object(id *ast.Ident) types.Object {
	if o := j.info.Uses[id]; o != nil {
		return o
	}
	if o := j.info.Defs[id]; o != nil {
		return o
	}
	return j.lookup(id.Name, id.Pos())
}

// callAt describes the function whose arguments are typed at the offset.
func (k *Checker) callAt(src string, at, detail int, sc *Scope) (in Inspection) {
	open, arg := openCall(src[:at])
	if open < 0 {
		return in
	}
	before := strings.TrimRight(src[:open], " \t")
	if strings.HasSuffix(before, "]") { // type arguments
		for depth, i := 0, len(before)-1; i >= 0; i-- {
			if depth += strings.Count(before[i:i+1], "]") - strings.Count(before[i:i+1], "["); depth == 0 {
				before = before[:i]
				break
			}
		}
	}
	start := nameStart(before)
	if start == len(before) {
		return in
	}
	o, j := k.objectBefore(src, start, len(before), sc)
	if o == nil {
		return in
	}
	_, builtin := o.(*types.Builtin)
	if _, ok := underlying(o.Type()).(*types.Signature); !ok && !builtin {
		return in
	}
	return j.describe(o, detail, arg)
}

// openCall is the offset of the innermost parenthesis that is open at the end
// of the text, or -1, and how many commas of that depth are behind it.
func openCall(before string) (open, commas int) {
	type bracket struct{ off, commas int }
	var stack []bracket
	file := token.NewFileSet().AddFile("", -1, len(before))
	var s scanner.Scanner
	s.Init(file, []byte(before), nil, 0)
	for {
		pos, tok, _ := s.Scan()
		off := file.Offset(pos)
		switch tok {
		case token.EOF:
			if n := len(stack) - 1; n >= 0 && stack[n].off >= 0 {
				return stack[n].off, stack[n].commas
			}
			return -1, 0
		case token.LPAREN:
			stack = append(stack, bracket{off, 0})
		case token.LBRACK, token.LBRACE:
			stack = append(stack, bracket{-1, 0})
		case token.RPAREN, token.RBRACK, token.RBRACE:
			stack = stack[:max(0, len(stack)-1)]
		case token.COMMA:
			if n := len(stack) - 1; n >= 0 {
				stack[n].commas++
			}
		}
	}
}
