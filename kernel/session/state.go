package session

import (
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// entry is what the session knows of one top-level name. An entry is never
// changed once it is in a state: a new meaning of the name is a new entry, so
// that a state can be read beside a running cell and taken back after a
// failure.
type entry struct {
	name, kind string // kind is var, func, const or type; method of a type's
	obj        types.Object
	cell       int      // the cell whose declaration is in force
	line, col  int      // of the declaration in that cell
	source     string   // text of the declaration
	doc        string   // the comment above it
	uses       []string // names of cells that the declaration refers to
	words      map[string]bool
	methods    []*entry      // of a type: "T.M", of all cells
	store      reflect.Value // pointer to the variable; a function is a variable
	native     bool          // of a function: its body is compiled
	broken     string        // why it no longer compiles, a whole sentence, or ""
}

// mentions tells whether the text of e has the identifier name. It says more
// than uses: a name that was a builtin, an import or unknown when e was checked
// is not among the uses.
func (e *entry) mentions(name string) bool { return e.words[name] }

// words collects the identifiers of a text.
func words(text string) map[string]bool {
	out := map[string]bool{}
	eachWord(text, func(_ int, name string) bool { out[name] = true; return true })
	return out
}

// eachWord calls do with the offset of every identifier of a text, until do
// returns false. It works on text that does not parse.
func eachWord(text string, do func(at int, name string) bool) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF || tok == token.IDENT && !do(file.Offset(pos), lit) {
			return
		}
	}
}

// state is all names at one moment. It is not changed after it was published.
type state struct {
	names   map[string]*entry
	imports map[string]string // local name → path, explicit imports only
	dots    []string          // paths of dot imports
	lost    map[string]string // name → where it went with an earlier worker
	noAuto  bool              // %autoimport off
}

func newState() *state {
	return &state{names: map[string]*entry{}, imports: map[string]string{}, lost: map[string]string{}}
}

// clone returns a state that may be changed without touching st.
func (st *state) clone() *state {
	return &state{maps.Clone(st.names), maps.Clone(st.imports), slices.Clone(st.dots), maps.Clone(st.lost), st.noAuto}
}

// put gives a name its newest meaning, which wins over an import too.
func (st *state) put(e *entry) {
	st.names[e.name] = e
	delete(st.imports, e.name)
	delete(st.lost, e.name)
}

// bind gives a name to an import; a value of that name is gone.
func (st *state) bind(name, path string) {
	st.imports[name] = path
	delete(st.names, name)
	delete(st.lost, name)
}

// dot adds a dot import.
func (st *state) dot(path string) {
	if !slices.Contains(st.dots, path) {
		st.dots = append(st.dots, path)
	}
}

// sorted lists the entries by cell, line and name.
func (st *state) sorted() []*entry {
	return slices.SortedFunc(maps.Values(st.names), byPlace)
}

func byPlace(a, b *entry) int {
	switch {
	case a.cell != b.cell:
		return a.cell - b.cell
	case a.line != b.line:
		return a.line - b.line
	case a.col != b.col:
		return a.col - b.col
	}
	return strings.Compare(a.name, b.name)
}
