package native

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

const (
	hidden   = "XG_"  // begins names that the emitter makes; a cell cannot hold one
	local    = "_g1"  // begins those of functions and variables of the package; see below
	homePath = "main" // the path of all cells in the checker
	bodyName = local + "cell"
	madeFile = "gondola" // the file of generated text in positions
)

// Functions and variables of a unit never have exported names, and what the
// cell exports is renamed. A plugin has a table of the exported functions and
// variables of its package main. A unit that imports another one, a package
// main too, may get the table of that one, and does not load: "could not find
// symbol". Types and generic functions are not in the table.

// emitter is the state of one call of [Emit].
type emitter struct {
	editor
	r    *Request
	cell *front.Cell
	info *types.Info

	imports   map[string]string // name → path; names of ours and of the cell
	needs     map[string]string // what earlier cells mean by a name of the cell: type and constant declarations
	pointers  map[string]string // session name → type of its memory, or "" with a witness
	witness   map[string]string // session name → expression of the pointer's type
	mirrors   map[string]*mirror
	homeless  map[string]*types.Struct // struct types without a name that this unit is the home of
	params    map[*types.TypeParam]string
	defined   map[string]bool // names that the cell defines anywhere
	skip      map[ast.Node]bool
	written   map[ast.Expr]bool        // places that are assigned or whose address is taken
	keep      map[*ast.StructType]bool // literals of type declarations
	exits     []func()                 // of the node that is being entered
	unused    map[*types.Var]bool      // locals that the compiler would refuse
	fns       map[types.Object]*facts
	lits      map[*ast.FuncLit]*facts
	helpers   int // functions that infer types
	switches  int // variables of type switches
	unspelled bool
	refusal   *Refusal

	decls                 strings.Builder
	tail                  strings.Builder
	inits                 []string // statements of the init function
	out                   *Emitted
	funcs, methods, types map[string]string // what is registered: key → expression
}

// Emit makes Go text of package main of a checked cell, such that compiled it
// does what the cell means. The text is the cell's own, changed where a package
// cannot hold it as it is; its places are those of the cell.
//
// Errors: *[Refusal] for a construct that no text can say.
func Emit(r Request) (*Emitted, error) {
	if r.Cell == nil || r.Path == "" {
		return nil, errors.New("native: a request without a cell or a path")
	}
	e := newEmitter(&r)
	restore := nameBlank(r.Cell)
	defer restore()
	e.analyse()
	e.declarations()
	if r.Body {
		e.body()
	}
	e.instances()
	e.pins()
	if e.refusal != nil {
		return nil, e.refusal
	}
	text, err := e.assemble()
	if err != nil {
		return nil, err
	}
	e.out.Path, e.out.Files = r.Path, map[string]string{"cell.go": text}
	seen := map[string]bool{"unsafe": true}
	for _, p := range e.imports {
		if !seen[p] {
			e.out.Imports, seen[p] = append(e.out.Imports, p), true
		}
	}
	slices.Sort(e.out.Imports)
	e.out.Imports = slices.Compact(e.out.Imports)
	return e.out, nil
}

func newEmitter(r *Request) *emitter {
	c := r.Cell
	e := &emitter{
		editor: editor{text: c.Text, file: c.Fset.File(c.File.FileStart)},
		r:      r, cell: c, info: c.Info, out: &Emitted{},
		imports: map[string]string{}, needs: map[string]string{}, pointers: map[string]string{},
		witness: map[string]string{}, lits: map[*ast.FuncLit]*facts{},
		mirrors: map[string]*mirror{}, homeless: map[string]*types.Struct{},
		params: map[*types.TypeParam]string{}, defined: map[string]bool{},
		skip: map[ast.Node]bool{}, written: map[ast.Expr]bool{}, keep: map[*ast.StructType]bool{},
		unused: map[*types.Var]bool{}, fns: map[types.Object]*facts{},
		funcs: map[string]string{}, methods: map[string]string{}, types: map[string]string{},
	}
	for id, o := range c.Info.Defs {
		if o != nil {
			e.defined[id.Name] = true
		}
	}
	for id, o := range c.Info.Uses {
		if sessionLevel(o) {
			e.defined[id.Name] = true
		}
	}
	return e
}

// nameBlank gives the uses of the last value, "_", their name in the text back
// until the function that it returns is called: ends of nodes hang on it.
func nameBlank(c *front.Cell) (restore func()) {
	var ids []*ast.Ident
	for id := range c.Info.Uses {
		if id.Name == front.Last {
			id.Name = "_"
			ids = append(ids, id)
		}
	}
	return func() {
		for _, id := range ids {
			id.Name = front.Last
		}
	}
}

// home is the unit of an earlier type, alias or generic function.
func (e *emitter) home(o types.Object) (string, bool) {
	if e.r.Home == nil {
		return "", false
	}
	p, ok := e.r.Home(o)
	return p, ok && p != e.r.Path
}

// pkg is the name of ours for a package of the packs.
func (e *emitter) pkg(p string) string {
	name := hidden + "p_" + strings.Map(func(r rune) rune {
		if r == '/' || r == '.' || r == '-' {
			return '_'
		}
		return r
	}, p)
	e.imports[name] = p
	return name
}

func (e *emitter) api() string {
	e.imports[hidden+"api"] = cellapiPath
	return hidden + "api"
}

// unit is the name of the package of an earlier unit.
func (e *emitter) unit(p string) string {
	name := hidden + path.Base(p)
	e.imports[name] = p
	return name
}

// refuse notes the first construct that no text can say.
func (e *emitter) refuse(n ast.Node, construct, reason string) {
	if e.refusal == nil {
		e.refusal = &Refusal{e.cell.Fset.Position(n.Pos()), construct, reason}
	}
}

// line is the directive that gives the next line the place of a node.
func (e *emitter) line(pos token.Pos) string {
	p := e.cell.Fset.Position(pos)
	name := p.Filename
	if e.r.File != "" && name == fmt.Sprintf("cell[%d]", e.cell.Number) {
		name = e.r.File
	}
	return fmt.Sprintf("//line %s:%d:%d\n", name, p.Line, p.Column)
}

// assemble writes the file: imports, names of earlier cells, the cell's own
// declarations, and what the emitter adds.
func (e *emitter) assemble() (string, error) {
	var made strings.Builder
	e.writeNeeds(&made)
	e.writePointers(&made)
	e.writeMirrors(&made)
	e.writeRegister(&made)
	if e.unspelled {
		return "", errors.New("native: a type of the cell has no text")
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, name := range slices.Sorted(maps.Keys(e.imports)) {
		if !strings.Contains(e.decls.String(), name+".") &&
			!strings.Contains(made.String(), name+".") && !strings.Contains(e.tail.String(), name+".") {
			delete(e.imports, name) // asked for by a text that was not taken
			continue
		}
		fmt.Fprintf(&b, "\t%s %q\n", name, e.imports[name])
	}
	for _, p := range e.blankImports() {
		fmt.Fprintf(&b, "\t_ %q\n", p)
	}
	b.WriteString(")\n\n")
	b.WriteString(e.decls.String())
	fmt.Fprintf(&b, "//line %s:1:1\n", madeFile)
	b.WriteString(made.String())
	b.WriteString(e.tail.String())
	return b.String(), nil
}

// blankImports are the packages that the cell imports for what they do.
func (e *emitter) blankImports() (paths []string) {
	have := slices.Collect(maps.Values(e.imports))
	for _, s := range e.cell.File.Imports {
		if s.Name != nil && s.Name.Name == "_" {
			p := strings.Trim(s.Path.Value, "`\"")
			if !slices.Contains(have, p) {
				e.out.Imports = append(e.out.Imports, p)
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
