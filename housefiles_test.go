package gondola_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// only lists what few folders may use. "main" stands for every command.
var only = []struct {
	what string
	who  []string
}{
	{`"C"`, []string{"cuda"}},
	{`"unsafe"`, []string{"cuda", "internal/vec", "internal/packs/"}},
	{"os.Exit", []string{"main", "kernel/worker"}}, // the worker's child ends by itself: it is a process, not a library
	{"log.Fatal", []string{"main"}},
	{"log.Fatalf", []string{"main"}},
	{"log.Fatalln", []string{"main"}},
	{"fmt.Print", []string{"main"}},
	{"fmt.Printf", []string{"main"}},
	{"fmt.Println", []string{"main"}},
}

const maxLines, maxReadme = 400, 60

// userPackages are what a cell may import of ours: every exported name of
// theirs is documented.
var userPackages = []string{"cloud", "apmlgpu", "apmlgpu/losstest", "apmlgpu/flow", "plots", "kernel/display", "notebooks/expect"}

func TestFiles(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "out" || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".c", ".h", ".cu", ".cpp", ".def", ".js", ".mjs", ".sh", ".md", ".py"}, filepath.Ext(path)) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, f := range fileFaults(filepath.ToSlash(path), string(b)) {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var (
	todo     = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`)
	ourEnv   = regexp.MustCompile(`os\.(?:Getenv|LookupEnv|Setenv|Unsetenv)\("([^"]*)"\)?`)
	theirEnv = regexp.MustCompile(`^(CUDA_|XDG_|JUPYTER_|JPY_|SLURM_|JOB_|VIRTUAL_ENV$|CONDA_PREFIX$|HOME$|PATH$|CI$|TMPDIR$|GOCACHE$|GOFLAGS$|GOMODCACHE$|GOPATH$)`)
)

// fileFaults tells what is wrong with one file as text.
func fileFaults(path, text string) (faults []string) {
	if n := strings.Count(text, "\n"); n > maxLines && !generated(text) {
		faults = append(faults, path+" is longer than 400 lines")
	}
	if path == "README.md" && strings.Count(text, "\n") > maxReadme {
		faults = append(faults, "README.md is over one screen (60 lines)")
	}
	if m := todo.FindString(text); m != "" && !generated(text) {
		faults = append(faults, path+" leaves a "+m)
	}
	if filepath.Ext(path) == ".go" && !generated(text) {
		for _, m := range ourEnv.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(m[1], "GONDOLA_") && !theirEnv.MatchString(m[1]) {
				faults = append(faults, path+" uses the environment variable "+m[1]+" without the prefix GONDOLA_")
			}
		}
	}
	return faults
}

func generated(text string) bool {
	head, _, _ := strings.Cut(text, "\n\n")
	return strings.Contains(head, "Code generated ")
}

func TestCode(t *testing.T) {
	for _, p := range list(t) {
		var files []*ast.File
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		for _, f := range codeFaults(short(p.ImportPath), files) {
			t.Error(f)
		}
	}
}

// codeFaults tells what is wrong with the parsed files of one package.
func codeFaults(name string, files []*ast.File) (faults []string) {
	comments := 0
	for _, f := range files {
		if f.Doc != nil {
			comments++
		}
		if ast.IsGenerated(f) {
			continue // a pack names every symbol of the packages it brings
		}
		for _, used := range uses(f) {
			for _, o := range only {
				if used == o.what && !allowed(o.who, name, f.Name.Name) {
					faults = append(faults, name+" uses "+used+", which only "+strings.Join(o.who, ", ")+" may")
				}
			}
		}
		if slices.Contains(userPackages, name) {
			for _, n := range undocumented(f) {
				faults = append(faults, name+": exported "+n+" has no comment")
			}
		}
	}
	if comments != 1 && len(files) > 0 {
		faults = append(faults, name+" has not exactly one package comment")
	}
	return faults
}

func allowed(who []string, folder, pkg string) bool {
	return slices.ContainsFunc(who, func(w string) bool {
		return w == "main" && pkg == "main" || w == folder || strings.HasSuffix(w, "/") && strings.HasPrefix(folder, w)
	})
}

// uses returns the imports of f, quoted, and its selectors of the form pkg.Name.
func uses(f *ast.File) (names []string) {
	for _, i := range f.Imports {
		names = append(names, i.Path.Value)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil {
				names = append(names, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return names
}

// undocumented returns the exported names of f that have no comment of their
// own and stand in no commented group.
func undocumented(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	return names
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, ok := t.(*ast.Ident)
	return ok && id.IsExported()
}

func TestModule(t *testing.T) {
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range moduleFaults(string(b)) {
		t.Error(f)
	}
}

// moduleFaults tells what is wrong with go.mod: a replace line, or a direct
// requirement that no word of the policy stands for.
func moduleFaults(text string) (faults []string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "replace"):
			faults = append(faults, "go.mod has a replace line: nobody could install this version")
		case len(fields) == 2 && strings.Contains(fields[0], ".") && !strings.Contains(line, "// indirect"):
			w := word(fields[0])
			if _, ok := modules[w]; !ok && !slices.Contains(testOnly, fields[0]) {
				faults = append(faults, "go.mod requires "+fields[0]+", which is not in the list")
			}
		}
	}
	return faults
}

// TestCodeFaults injects one fault each and wants it named.
func TestCodeFaults(t *testing.T) {
	src := func(text string) []*ast.File {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return []*ast.File{f}
	}
	long := strings.Repeat("x\n", maxLines+1)
	for _, tt := range []struct {
		name string
		got  []string
		want string
	}{
		{"long file", fileFaults("a.go", long), "longer than 400"},
		{"long README", fileFaults("README.md", long[:200]), "over one screen"},
		{"left for later", fileFaults("a.go", "// TO"+"DO\n"), "leaves a"},
		{"variable", fileFaults("a.go", `os.Get`+`env("MY_FLAG")`), "MY_FLAG without the prefix"},
		{"no comment", codeFaults("cloud", src("package cloud")), "not exactly one package comment"},
		{"exit", codeFaults("cloud", src("// Package cloud.\npackage cloud\nimport \"os\"\nfunc f() { os.Exit(1) }")), "uses os.Exit"},
		{"print", codeFaults("plots", src("// P.\npackage plots\nimport \"fmt\"\nfunc f() { fmt.Println() }")), "uses fmt.Println"},
		{"fatal", codeFaults("plots", src("// P.\npackage plots\nimport \"log\"\nfunc f() { log.Fatalf(\"\") }")), "uses log.Fatalf"},
		{"C", codeFaults("cloud", src("// P.\npackage cloud\nimport \"C\"")), `uses "C"`},
		{"unsafe", codeFaults("cloud", src("// P.\npackage cloud\nimport _ \"unsafe\"")), `uses "unsafe"`},
		{"undocumented", codeFaults("cloud", src("// P.\npackage cloud\nfunc F() {}")), "exported F has no comment"},
		{"replace", moduleFaults("replace a.b/c => ../c\n"), "replace line"},
		{"module", moduleFaults("require (\n\texample.org/x v1.0.0\n)\n"), "requires example.org/x"},
	} {
		if !strings.Contains(strings.Join(tt.got, "\n"), tt.want) {
			t.Errorf("%s: faults %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestGlossary wants a word in docs/glossary.md for every field of the options
// that a cell may set.
func TestGlossary(t *testing.T) {
	glossary, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list(t) {
		if !slices.Contains(userPackages, short(p.ImportPath)) {
			continue
		}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, field := range optionFields(f) {
				if !strings.Contains(string(glossary), "`"+field+"`") {
					t.Errorf("%s/%s: option %s has no row in docs/glossary.md", short(p.ImportPath), name, field)
				}
			}
		}
	}
}

// optionFields returns the exported fields of the structs of f whose name ends
// in Options.
func optionFields(f *ast.File) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if !ok || !strings.HasSuffix(s.Name.Name, "Options") {
			return true
		}
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, field := range st.Fields.List {
				for _, id := range field.Names {
					if id.IsExported() {
						names = append(names, id.Name)
					}
				}
			}
		}
		return true
	})
	return names
}
