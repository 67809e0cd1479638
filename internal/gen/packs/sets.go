package main

import (
	"bytes"
	"fmt"
	"go/token"
	"os"
	"sort"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// set is one pack: its name, what it holds in a sentence, and the patterns of
// the packages in it. There is no list of names: what a package brings is what
// the type checker sees.
type set struct {
	name, doc string
	patterns  []string
}

const module = "github.com/gondola-lab/gondola/"

var sets = []set{
	{"std", "the standard library", []string{"std"}},
	{"gonum", "gonum, gonum/plot and npyio", []string{
		"gonum.org/v1/gonum/mat", "gonum.org/v1/gonum/stat", "gonum.org/v1/gonum/stat/distuv",
		"gonum.org/v1/gonum/optimize", "gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/integrate",
		"gonum.org/v1/gonum/interp", "gonum.org/v1/gonum/blas/blas64", "gonum.org/v1/gonum/diff/fd",
		"gonum.org/v1/plot", "gonum.org/v1/plot/plotter", "gonum.org/v1/plot/vg", "gonum.org/v1/plot/vg/draw",
		"gonum.org/v1/plot/vg/vgimg", "gonum.org/v1/plot/vg/vgsvg",
		"codeberg.org/sbinet/npyio",
	}},
	{"gondola", "the packages of this house", []string{
		module + "cloud", module + "apmlgpu", module + "apmlgpu/flow", module + "plots", module + "kernel/display",
		module + "notebooks/expect",
	}},
}

// generate makes the files of one pack, name to content. The view is that of
// linux/amd64 without cgo, so that every machine writes the same bytes; no
// exported name of these packages depends on cgo.
func generate(root string, s set) (map[string][]byte, error) {
	cfg := &packages.Config{
		Dir: root,
		Env: append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOEXPERIMENT="),
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedFiles | packages.NeedExportFile |
			packages.NeedImports | packages.NeedDeps,
	}
	loaded, err := packages.Load(cfg, s.patterns...)
	if err != nil {
		return nil, err
	}
	pkgs := loaded[:0]
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		if importable(p) {
			pkgs = append(pkgs, p)
		}
	}
	sort.Slice(pkgs, func(i, j int) bool { return pkgs[i].PkgPath < pkgs[j].PkgPath })

	files := map[string][]byte{}
	types, docs := map[string][]byte{}, map[string][]byte{}
	for _, p := range pkgs {
		instances, err := addInstances(p.Types)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		var b bytes.Buffer
		// An empty file set leaves the positions out: they are of this machine.
		if err := gcexportdata.Write(&b, token.NewFileSet(), p.Types); err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		types[p.PkgPath] = b.Bytes()
		if docs[p.PkgPath], err = docsOf(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
		if files[fileName(p.PkgPath)], err = symbolFile(s.name, p, instances); err != nil {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, err)
		}
	}
	if s.name == "std" {
		if docs["builtin"], err = builtinDocs(); err != nil {
			return nil, err
		}
	}
	if files["types.zip"], err = archive(types); err != nil {
		return nil, err
	}
	if files["docs.zip"], err = archive(docs); err != nil {
		return nil, err
	}
	files["set.go"], err = setFile(s, pkgs)
	return files, err
}

// importable tells whether a cell may import p through symbols: not unsafe,
// which has no package, and nothing that only its own tree may import.
func importable(p *packages.Package) bool {
	return p.PkgPath != "unsafe" && p.Name != "main" && !strings.HasPrefix(p.PkgPath, "vendor/") &&
		!strings.Contains("/"+p.PkgPath+"/", "/internal/")
}
