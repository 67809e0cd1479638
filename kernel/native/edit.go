package native

import (
	"go/ast"
	"go/token"
	"sort"
	"strings"
)

// editor changes the text of a check file at places that its tree gives, so
// that comments, layout and lines stay as they were written.
//
// Edits at one place stand in the order in which they were made: a walk that
// inserts before a node on the way down and behind it on the way up nests them.
type editor struct {
	text  string
	file  *token.File
	edits []edit
	done  bool // edits are sorted
}

// edit puts text in the place of the bytes from..to, which may be none.
type edit struct {
	from, to int
	text     string
}

func (e *editor) offset(pos token.Pos) int { return e.file.Offset(pos) }

// before, after and replace take what they write as it stands.
func (e *editor) before(n ast.Node, text string) { e.insert(n.Pos(), text) }
func (e *editor) after(n ast.Node, text string)  { e.insert(n.End(), text) }

func (e *editor) insert(pos token.Pos, text string) {
	off := e.offset(pos)
	e.edits, e.done = append(e.edits, edit{off, off, text}), false
}

func (e *editor) replace(from, to token.Pos, text string) {
	e.edits, e.done = append(e.edits, edit{e.offset(from), e.offset(to), text}), false
}

// source is the text between two places as it was written.
func (e *editor) source(from, to token.Pos) string { return e.text[e.offset(from):e.offset(to)] }

// render is the text between two places with the edits inside it. What is
// inserted at the end of the range belongs to it only if it begins in it, so
// edits at its very borders are in.
func (e *editor) render(from, to token.Pos) string {
	if !e.done {
		sort.SliceStable(e.edits, func(i, j int) bool { return e.edits[i].from < e.edits[j].from })
		e.done = true
	}
	a, b := e.offset(from), e.offset(to)
	var out strings.Builder
	at := a
	for i := sort.Search(len(e.edits), func(i int) bool { return e.edits[i].from >= a }); i < len(e.edits); i++ {
		ed := e.edits[i]
		if ed.from > b || ed.to > b {
			break
		}
		if ed.from < at { // inside of what was replaced
			continue
		}
		out.WriteString(e.text[at:ed.from])
		out.WriteString(ed.text)
		at = ed.to
	}
	out.WriteString(e.text[at:b])
	return out.String()
}

// node is the text of a node with the edits inside it.
func (e *editor) node(n ast.Node) string { return e.render(n.Pos(), n.End()) }
