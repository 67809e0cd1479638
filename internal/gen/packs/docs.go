package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// docsOf is the documentation of a package as JSON: a name, or Type.Method,
// to its comment; "" is the package's own. NAME#example holds the code of the
// first example of NAME.
func docsOf(p *packages.Package) ([]byte, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range append(append([]string{}, p.GoFiles...), exampleFiles(p)...) {
		a, err := parser.ParseFile(fset, f, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, a)
	}
	d, err := doc.NewFromFiles(fset, files, p.PkgPath)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	add := func(name, text string, examples []*doc.Example) {
		if text != "" {
			m[name] = text
		}
		if len(examples) > 0 && examples[0].Suffix == "" {
			if code := exampleCode(fset, examples[0]); code != "" {
				m[name+"#example"] = code
			}
		}
	}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			for _, n := range v.Names {
				add(n, v.Doc, nil)
			}
		}
	}
	funcs := func(prefix string, fs []*doc.Func) {
		for _, f := range fs {
			add(prefix+f.Name, f.Doc, f.Examples)
		}
	}
	add("", d.Doc, d.Examples)
	values(d.Consts)
	values(d.Vars)
	funcs("", d.Funcs)
	for _, t := range d.Types {
		add(t.Name, t.Doc, t.Examples)
		values(t.Consts)
		values(t.Vars)
		funcs("", t.Funcs)
		funcs(t.Name+".", t.Methods)
	}
	return json.Marshal(m) // sorts the keys
}

// builtinDocs is the documentation of the names that need no import. NAME#decl
// is the declaration of a function, as the comments speak of it.
func builtinDocs() ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(build.Default.GOROOT, "src", "builtin", "builtin.go"), nil,
		parser.ParseComments)
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			m[d.Name.Name] = d.Doc.Text()
			d.Doc = nil
			var b bytes.Buffer
			if err := format.Node(&b, fset, d); err != nil {
				return nil, err
			}
			m[d.Name.Name+"#decl"] = b.String()
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					m[s.Name.Name] = d.Doc.Text()
				case *ast.ValueSpec:
					for _, n := range s.Names {
						m[n.Name] = d.Doc.Text()
					}
				}
			}
		}
	}
	return json.Marshal(m)
}

// exampleFiles are the test files beside the package that hold examples.
func exampleFiles(p *packages.Package) []string {
	if len(p.GoFiles) == 0 {
		return nil
	}
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(p.GoFiles[0]), "*_test.go"))
	var fs []string
	for _, f := range all {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte("\nfunc Example")) {
			fs = append(fs, f)
		}
	}
	sort.Strings(fs)
	return fs
}

// exampleCode is the body of an example without its braces, with the output
// that it promises; "" for one over 40 lines, which explains nothing at a
// glance.
func exampleCode(fset *token.FileSet, e *doc.Example) string {
	var b bytes.Buffer
	if err := format.Node(&b, fset, e.Code); err != nil {
		return ""
	}
	s := strings.TrimSuffix(strings.TrimPrefix(b.String(), "{"), "}")
	s = strings.TrimSpace(strings.ReplaceAll("\n"+s, "\n\t", "\n"))
	if e.Output != "" && !strings.Contains(s, "// Output:") {
		s += "\n// Output:\n// " + strings.ReplaceAll(strings.TrimSpace(e.Output), "\n", "\n// ")
	}
	if strings.Count(s, "\n") > 40 {
		return ""
	}
	return s
}

// archive packs sections in the order of their names, without times, so that
// the same content gives the same bytes.
func archive(sections map[string][]byte) ([]byte, error) {
	var names []string
	for n := range sections {
		names = append(names, n)
	}
	sort.Strings(names)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, n := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: n, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(sections[n]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
