package front

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// preferred says which package a name means where several have it.
var preferred = map[string]string{
	"rand":     "math/rand/v2",
	"template": "text/template",
	"plot":     "gonum.org/v1/plot",
}

// autoImports imports the packages that the cell names and nobody defines: a
// qualifier that is no name of the cell, the session or its imports, and a
// selector that the package has. A selector that it nearly has counts too, and
// any of a well-known package, so that the error is about the selector. Where several packages have a name,
// the preferred one or the only one with all selectors is meant.
func (j *job) autoImports() {
	want := map[string]string{}
	j.used = map[string][]string{}
	used := j.used
	var order []string
	ast.Inspect(j.file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				if used[id.Name] == nil {
					order = append(order, id.Name)
				}
				if s.Sel.Name != marker {
					used[id.Name] = append(used[id.Name], s.Sel.Name)
				} else if used[id.Name] == nil {
					used[id.Name] = []string{}
				}
			}
		}
		return true
	})
	for _, name := range order {
		if j.declared[name] || j.own[name] != "" {
			continue
		}
		if _, ok := j.sc.Names[name]; ok || j.sc.Broken[name] != "" || j.sc.Lost[name] != "" {
			continue
		}
		if path, ok := j.sc.Imports[name]; ok {
			want[name] = path
			continue
		}
		if j.sc.NoAuto || j.sc.Strict {
			continue
		}
		if path := j.choose(name, used[name]); path != "" {
			want[name], j.auto[name] = path, path
		}
	}
	for n := range j.idents { // an import of the session that is used in another way than n.X
		if path, ok := j.sc.Imports[n]; ok && want[n] == "" && !j.declared[n] && j.own[n] == "" {
			want[n] = path
		}
	}
	j.added = want
	j.addImports(want)
}

// choose returns the path of the package that name means, or "".
func (j *job) choose(name string, selectors []string) string {
	return j.k.imp.choose(name, selectors)
}

func (m *importer) choose(name string, selectors []string) string {
	if name == "unsafe" && has(types.Unsafe, selectors) {
		return name // no pack has it
	}
	paths := m.index.ByName(name)
	if p := preferred[name]; slices.Contains(paths, p) {
		paths = []string{p}
	}
	var full []string
	for _, path := range paths {
		if p, err := m.Import(path); err == nil && has(p, selectors) {
			full = append(full, path)
		}
	}
	if len(full) == 1 {
		return full[0]
	}
	if len(paths) == 1 && len(full) == 0 {
		if p, err := m.Import(paths[0]); err == nil &&
			(nearlyHas(p, selectors) || wellKnown(p.Path()) && allExported(selectors)) {
			return paths[0]
		}
	}
	return ""
}

// wellKnown tells the packages whose names nobody takes for a forgotten
// variable: those at the top of std, and ours.
func wellKnown(path string) bool {
	return !strings.Contains(path, "/") || strings.HasPrefix(path, "github.com/gondola-lab/gondola/")
}

func allExported(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !ast.IsExported(n) })
}

func has(p *types.Package, selectors []string) bool {
	for _, s := range selectors {
		if o := p.Scope().Lookup(s); o == nil || !o.Exported() {
			return false
		}
	}
	return true
}

// nearlyHas tells whether each selector is a name of p or a slip of one.
func nearlyHas(p *types.Package, selectors []string) bool {
	for _, s := range selectors {
		if !has(p, []string{s}) && len(nearest(s, exported(p))) == 0 {
			return false
		}
	}
	return true
}

// exported are the names of p that a cell may say.
func exported(p *types.Package) []string {
	var l []string
	for _, n := range p.Scope().Names() {
		if ast.IsExported(n) && !reserved(n) {
			l = append(l, n)
		}
	}
	return l
}
