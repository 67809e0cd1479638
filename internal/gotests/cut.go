package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// declaration is a piece of a program that stands alone: a function, a type
// with its methods, one variable or some that are made together, constants of
// one group.
type declaration struct {
	text  string
	names []types.Object
	uses  map[types.Object]bool
	fun   string // the name of a function that is no method
	deps  []int
	place int // in the order of emission, among the ready ones
}

// cut makes cells of a program: imports, then a cell for each declaration, those
// that need each other together, users after what they use and variables in the
// order in which the program makes them; then init functions, and main at last.
// again is the text of a function to give once more before main, or empty.
func cut(f *file) (cells []string, again string, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.name, f.text, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	imp, err := exports()
	if err != nil {
		return nil, "", err
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", imp)}
	if _, err := conf.Check("main", fset, []*ast.File{tree}, info); err != nil {
		return nil, "", err
	}
	c := &cutter{f: f, fset: fset, info: info, of: map[types.Object]int{}}
	var imports []string
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			imports = append(imports, c.source(g.Pos(), g.End()))
			continue
		}
		c.add(d)
	}
	c.depend()
	if len(imports) > 0 {
		cells = append(cells, strings.Join(imports, "\n"))
	}
	groups := c.groups()
	for _, g := range groups {
		var text []string
		for _, k := range g {
			d := c.all[k]
			text = append(text, d.text)
			if d.fun != "" && d.fun != "main" && d.fun != "init" && again == "" && len(groups[len(groups)-1]) == 1 {
				again = d.text
			}
		}
		cells = append(cells, strings.Join(text, "\n\n"))
	}
	return cells, again, nil
}

type cutter struct {
	f     *file
	fset  *token.FileSet
	info  *types.Info
	all   []*declaration
	of    map[types.Object]int // name → declaration
	inits []int                // init functions
	main  int
}

// source is a part of the text, with the comment line before it if that is a
// directive of the compiler.
func (c *cutter) source(from, to token.Pos) string {
	a, b := c.fset.PositionFor(from, false).Offset, c.fset.PositionFor(to, false).Offset
	text := c.f.text[a:b]
	before := strings.Split(strings.TrimRight(c.f.text[:a], "\n"), "\n")
	for i := len(before) - 1; i >= 0 && strings.HasPrefix(before[i], "//go:"); i-- {
		text = before[i] + "\n" + text
	}
	return text
}

// add takes one declaration of the file, or its parts: variables and types of
// a group stand alone, methods go with their type.
func (c *cutter) add(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		c.addFunc(d.(*ast.FuncDecl))
		return
	}
	if g.Tok == token.CONST || len(g.Specs) == 1 {
		c.put(c.source(g.Pos(), g.End()), "", g)
		return
	}
	for _, s := range g.Specs {
		c.put(g.Tok.String()+" "+c.source(s.Pos(), s.End()), "", s)
	}
}

func (c *cutter) addFunc(d *ast.FuncDecl) {
	text := c.source(d.Pos(), d.End())
	if d.Recv == nil {
		k := c.put(text, d.Name.Name, d)
		if d.Name.Name == "init" {
			c.inits = append(c.inits, k)
		}
		return
	}
	k := c.put(text, "", d)
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			if o := c.info.Uses[x]; o != nil { // the type needs its methods, and they need it
				c.all[k].uses[o] = true
				c.all[k].names = append(c.all[k].names, o)
			}
		}
		return
	}
}

func (c *cutter) put(text, fun string, n ast.Node) int {
	d := &declaration{text: text, fun: fun, uses: map[types.Object]bool{}, place: len(c.all)}
	k := len(c.all)
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if o := c.info.Defs[id]; o != nil && o.Parent() == o.Pkg().Scope() {
			d.names = append(d.names, o)
			c.of[o] = k
		}
		if o := c.info.Uses[id]; o != nil && o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			d.uses[o] = true
		}
		return true
	})
	c.all = append(c.all, d)
	if fun == "main" {
		c.main = k
	}
	return k
}

// depend turns names into places, binds methods to their types, and makes each
// variable follow the one that the program makes before it.
func (c *cutter) depend() {
	link := func(k, on int) {
		if k != on && !slices.Contains(c.all[k].deps, on) {
			c.all[k].deps = append(c.all[k].deps, on)
		}
	}
	for k, d := range c.all {
		for o := range d.uses {
			if on, ok := c.of[o]; ok {
				link(k, on)
			}
		}
		for _, o := range d.names { // of a method: its type
			if on, ok := c.of[o]; ok && on != k {
				link(on, k)
			}
		}
	}
	last := -1
	for _, i := range c.info.InitOrder {
		k := -1
		for _, v := range i.Lhs {
			if on, ok := c.of[v]; ok {
				k = on
			}
		}
		if k < 0 {
			k = c.blank(i.Rhs.Pos())
		}
		if last >= 0 && k >= 0 {
			link(k, last)
		}
		if k >= 0 {
			last = k
		}
	}
	for _, k := range c.inits { // behind everything but main, in their order
		for on, d := range c.all {
			if d.fun != "main" && (d.fun != "init" || on < k) {
				link(k, on)
			}
		}
	}
	for on := range c.all {
		link(c.main, on)
	}
}

// blank finds the declaration of "var _ = x" by the place of x.
func (c *cutter) blank(pos token.Pos) int {
	at := c.fset.PositionFor(pos, false).Offset
	for k, d := range c.all {
		if i := strings.Index(c.f.text, d.text); d.fun == "" && i >= 0 && i <= at && at < i+len(d.text) {
			return k
		}
	}
	return -1
}

// groups are the declarations that need each other, by Tarjan's algorithm:
// what a group uses comes before it.
func (c *cutter) groups() (out [][]int) {
	index, low, on := map[int]int{}, map[int]int{}, map[int]bool{}
	var stack []int
	var visit func(k int)
	visit = func(k int) {
		index[k] = len(index) + 1
		low[k] = index[k]
		stack, on[k] = append(stack, k), true
		deps := slices.Clone(c.all[k].deps)
		slices.Sort(deps)
		for _, d := range deps {
			if index[d] == 0 {
				visit(d)
				low[k] = min(low[k], low[d])
			} else if on[d] {
				low[k] = min(low[k], index[d])
			}
		}
		if low[k] != index[k] {
			return
		}
		var group []int
		for {
			top := stack[len(stack)-1]
			stack, on[top] = stack[:len(stack)-1], false
			group = append(group, top)
			if top == k {
				break
			}
		}
		slices.Sort(group)
		out = append(out, group)
	}
	for k := range c.all {
		if index[k] == 0 {
			visit(k)
		}
	}
	return out
}

// exports looks up the export data of packages of the standard library.
var exports = sync.OnceValues(func() (func(path string) (io.ReadCloser, error), error) {
	out, err := exec.Command("go", "list", "-export", "-f", "{{.ImportPath}} {{.Export}}", "std").Output()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			files[path] = name
		}
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(files[path])
	}, nil
})
