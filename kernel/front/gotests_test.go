package front

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goTests calls f with the files of Go's own tests that begin with "// kind".
func goTests(t *testing.T, kinds string, f func(name, flags, src string)) {
	t.Helper()
	root := filepath.Join(build.Default.GOROOT, "test")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the toolchain comes without its tests:", err)
	}
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(string(text), "\n")
		w := strings.Fields(first)
		if len(w) > 1 && w[0] == "//" && strings.Contains(" "+kinds+" ", " "+w[1]+" ") {
			name, _ := filepath.Rel(root, path)
			n++
			f(filepath.ToSlash(name), strings.Join(w[2:], " "), string(text))
		}
		return nil
	})
	if err != nil || n < 300 {
		t.Fatalf("%d files, %v", n, err)
	}
}

// otherRules are files whose first mark is no error of a cell, and why.
var otherRules = map[string]string{
	"fixedbugs/bug050.go":              "a cell needs no package clause",
	"fixedbugs/issue4776.go":           "a cell needs no package clause",
	"syntax/topexpr.go":                "statements stand at the top of a cell",
	"fixedbugs/issue27938.go":          "sync is imported by itself",
	"fixedbugs/bug240.go":              "unused imports are allowed",
	"fixedbugs/issue11361.go":          "unused imports are allowed",
	"fixedbugs/issue13539.go":          "unused imports are allowed",
	"fixedbugs/issue20298.go":          "unused imports are allowed",
	"fixedbugs/issue6428.go":           "unused imports are allowed",
	"fixedbugs/issue29870b.go":         "unused variables are allowed",
	"typeswitch2b.go":                  "unused variables are allowed",
	"fixedbugs/bug373.go":              "unused variables are allowed",
	"fixedbugs/issue23116.go":          "unused variables are allowed",
	"fixedbugs/bug385_32.go":           "of 32-bit platforms",
	"fixedbugs/bug385_64.go":           "longer than a cell may be",
	"fixedbugs/bug305.go":              "moves its lines by //line",
	"fixedbugs/issue15611.go":          "moves its lines by //line",
	"fixedbugs/issue18393.go":          "moves its lines by //line",
	"fixedbugs/issue24339.go":          "moves its lines by //line",
	"fixedbugs/issue32133.go":          "moves its lines by //line",
	"fixedbugs/issue31053.dir/main.go": "imports a package of its folder",
	"linkname3.go":                     "//go:linkname is refused by name, at its place",
	"typeparam/issue54765.go":          "imports runtime/cgo",
	"wasmexport.go":                    "of another platform",
	"wasmexport2.go":                   "of another platform",
}

// A cell of a text that the compiler refuses is refused, with an error on the
// first line that the compiler names.
func TestErrorcheck(t *testing.T) {
	ran := 0
	goTests(t, "errorcheck", func(name, flags, src string) {
		if otherRules[name] != "" || strings.Contains(" "+flags, " -") && !strings.Contains(flags, "-d=panic") {
			return // flags ask for reports of the optimiser, or another language
		}
		mark := 0
		for i, l := range strings.Split(src, "\n") {
			if strings.Contains(l, "// ERROR ") || strings.Contains(l, "// GC_ERROR ") {
				mark = i + 1
				break
			}
		}
		if mark == 0 {
			return
		}
		ran++
		_, e := New(index()).Check(1, src, NewScope())
		if e == nil {
			t.Errorf("%s: accepted; line %d is wrong", name, mark)
			return
		}
		at := regexp.MustCompile(`(?m)cell \[1\]:` + strconv.Itoa(mark) + `:`)
		if !at.MatchString(e.Error()) {
			t.Errorf("%s: no error in line %d: %v", name, mark, e)
		}
	})
	if ran < 500 {
		t.Errorf("%d files", ran)
	}
}

// notCells are programs that cells cannot be: what they need is refused.
var notCells = regexp.MustCompile(`missing function body|import "C" is not possible|is not built in|` +
	`//go:linkname is not possible|at most 1048576 are allowed`)

// What the compiler accepts is accepted: programs that run, and those that are
// only compiled.
func TestAccepted(t *testing.T) {
	clause := regexp.MustCompile(`(?m)^package \w+`)
	ran, refused := 0, 0
	goTests(t, "run compile build", func(name, flags, src string) {
		if strings.Contains(flags, ".go") {
			return // of several files
		}
		ran++
		_, e := New(index()).Check(1, clause.ReplaceAllString(src, "package main"), NewScope())
		switch {
		case e == nil:
		case notCells.MatchString(e.List[0].Msg):
			refused++
		default:
			t.Errorf("%s: %v", name, e)
		}
	})
	if ran < 1500 || refused > 50 {
		t.Errorf("%d files, %d refused", ran, refused)
	}
}
