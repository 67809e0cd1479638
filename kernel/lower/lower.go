// Package lower turns a checked cell into text that Yaegi v0.16.1 runs as the
// Go compiler's program would run, or refuses it. It decides and runs nothing.
//
// What reaches Yaegi is small: names of variables, literals, arithmetic of
// basic types, fields, elements, if, for, switch over an int, break, continue,
// return, and calls. All else (interfaces, maps, channels, literals, methods,
// comparisons, deferred calls) is a call of a compiled function of the table
// "s"; see [Kind]. The list of subset.go says which constructs are lowered, by
// which rule, and what proves it; types.go says of which types values may be.
// All that is not there is refused.
package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/gondola-lab/gondola/kernel/front"
)

// Program is a lowered cell.
type Program struct {
	Text      string              // a file of package main; imports Packages and the table "s"
	Packages  []string            // import paths that Text uses, sorted
	Names     map[string][]string // path → names of the package that Text uses
	Symbols   []Symbol            // every s.NAME that Text uses
	Funcs     map[string]string   // session function → Go function of Text
	Recursive map[string]bool     // of them those that may call themselves
	Body      string              // Go function that runs the statements, "" if there are none
	Pieces    int                 // top-level pieces; the Finished symbol counts up to it
	Functions []Function          // functions and literals of Text, for traces
	Shown     []types.Type        // static types of the values that the Value symbol takes
}

// Function is a function of the lowered text and what it was in the cell.
type Function struct {
	Go   string // name in Text
	Name string // name in the cell; "" for the statements, "func" for a literal
	File string // "cell[3]"
	Slot string // ID of its Slot symbol
}

// lowerer is the state of one call of Lower.
type lowerer struct {
	fset       *token.FileSet
	info       *types.Info
	pkg        *types.Package
	prog       *Program
	refusals   []Refusal
	verdicts   map[types.Type]string
	imports    map[string]string // path → name in the file
	names      map[*types.Var]string
	uses       *usage
	capacities *capacities
	literals   []string // functions made of literals
	hidden     int      // hidden names so far
	local      int      // local names so far
	loops      int      // loops that are in no other, so far
	sizes      types.Sizes
	display    string // name of the function being written, for Functions
	without    string // a construct that is taken off the list, in tests
}

var (
	hiddenPackage = types.NewPackage("gondola/s", "s")
	// DefersType stands for *cellapi.Defers in symbols.
	DefersType types.Type = types.NewPointer(hiddenType("Defers"))
	defersType            = DefersType
	// IterType stands for *reflect.MapIter in symbols.
	IterType types.Type = types.NewPointer(hiddenType("MapIter"))
	funcType            = types.NewSignatureType(nil, nil, nil, nil, nil, false)
)

func hiddenType(name string) types.Type {
	return types.NewNamed(types.NewTypeName(token.NoPos, hiddenPackage, name, nil), types.NewStruct(nil, nil), nil)
}

// Lower lowers a cell. With refusals, sorted by place, the program is nil.
func Lower(c *front.Cell) (*Program, []Refusal) { return newLowerer(c).lower(c) }

func newLowerer(c *front.Cell) *lowerer {
	l := &lowerer{
		fset: c.Fset, info: c.Info, pkg: c.Pkg,
		prog: &Program{Funcs: map[string]string{}, Recursive: map[string]bool{}, Names: map[string][]string{},
			Pieces: len(c.Pieces)},
		verdicts: map[types.Type]string{}, imports: map[string]string{}, names: map[*types.Var]string{},
		sizes: types.SizesFor("gc", "amd64"),
	}
	l.uses = findUses(c.Info, roots(c))
	l.capacities = findCapacities(c.Info, roots(c))
	return l
}

// roots are the trees of a cell.
func roots(c *front.Cell) (l []ast.Node) {
	for _, p := range c.Pieces {
		if p.Node != nil {
			l = append(l, p.Node)
		}
		for _, s := range p.Stmts {
			l = append(l, s)
		}
	}
	if c.Value != nil {
		l = append(l, c.Value)
	}
	return l
}

func (l *lowerer) lower(c *front.Cell) (*Program, []Refusal) {
	unlisted := l.unlisted(c)
	text := l.file(c)
	for _, r := range unlisted {
		l.note(r)
	}
	if len(l.refusals) > 0 {
		sort.SliceStable(l.refusals, func(i, j int) bool {
			a, b := l.refusals[i].Pos, l.refusals[j].Pos
			return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
		})
		return nil, l.refusals
	}
	l.prog.Text = text
	return l.prog, nil
}

// file writes the functions, the body and main, which hands both out.
func (l *lowerer) file(c *front.Cell) string {
	var decls []string
	var publish, inits []string
	back := l.recursive(c)
	for _, p := range c.Pieces {
		d, ok := p.Node.(*ast.FuncDecl)
		switch {
		case ok && d.Recv != nil:
			l.refuse(d, "a method")
		case ok:
			name, text := l.funcDecl(d)
			decls = append(decls, text)
			if d.Name.Name == "init" {
				inits = append(inits, name+"()")
				continue
			}
			l.prog.Funcs[d.Name.Name] = name
			if fn, ok := l.info.Defs[d.Name].(*types.Func); ok && back[fn] {
				l.prog.Recursive[d.Name.Name] = true
			}
			if obj := l.info.Defs[d.Name]; obj != nil && l.banned(obj.Type()) == "" {
				publish = append(publish, fmt.Sprintf("*%s = %s", l.symbol(Export, d.Name.Name, obj.Type()), name))
			}
		}
	}
	if body := l.bodyDecl(c, inits); body != "" {
		decls = append(decls, body)
		publish = append(publish, fmt.Sprintf("*%s = %s", l.symbol(Export, "", funcType), l.prog.Body))
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for path := range l.imports {
		l.prog.Packages = append(l.prog.Packages, path)
	}
	sort.Strings(l.prog.Packages)
	for _, path := range l.prog.Packages {
		fmt.Fprintf(&b, "\t%s %q\n", l.imports[path], path)
	}
	b.WriteString("\t\"s\"\n)\n\n")
	for _, d := range append(decls, l.literals...) {
		b.WriteString(d + "\n")
	}
	b.WriteString("func main() {\n\t" + strings.Join(publish, "\n\t") + "\n}\n")
	return b.String()
}

// funcDecl writes a function of the cell under a name of its own.
func (l *lowerer) funcDecl(d *ast.FuncDecl) (name, text string) {
	obj := l.info.Defs[d.Name].(*types.Func)
	sig := obj.Signature()
	l.local++
	name = fmt.Sprintf("%s_%d", d.Name.Name, l.local)
	if sig.TypeParams().Len() > 0 {
		l.refuse(d.Name, "a generic function")
		return name, ""
	}
	if why := l.banned(sig); why != "" {
		l.refuse(d.Name, "a function of %s", why)
		return name, ""
	}
	if d.Body == nil {
		l.refuse(d.Name, "a function without a body")
		return name, ""
	}
	l.display = d.Name.Name
	f := &function{l: l, indent: 1, slot: l.slot(name, d)}
	head, boxes := f.signature(nil, d.Type.Params, sig)
	boxes()
	f.body(d, sig, d.Body)
	return name, "func " + name + head + " {\n" + strings.Join(f.lines, "\n") + "\n}\n"
}

// slot notes a function of the text and returns the place of its line.
func (l *lowerer) slot(name string, at ast.Node) string {
	return l.slotIn(name, at, l.fset.Position(at.Pos()).Filename)
}

func (l *lowerer) slotIn(name string, at ast.Node, file string) string {
	display := l.display
	switch at.(type) {
	case *ast.FuncLit, *ast.CallExpr:
		display = strings.TrimPrefix(display+".func", ".")
	}
	s := l.symbol(Slot, name)
	l.prog.Functions = append(l.prog.Functions, Function{
		Go: name, Name: display, File: file, Slot: strings.TrimPrefix(s, "s."),
	})
	return "*" + s
}

func (l *lowerer) freshLiteral() string {
	l.local++
	return fmt.Sprintf("_l%d", l.local)
}
