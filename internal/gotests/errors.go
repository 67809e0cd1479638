package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	marked  = regexp.MustCompile("\\b(GC_)?ERROR(AUTO)?\\s+[\"`]")
	place   = regexp.MustCompile(`cell \[1\]:(\d+):`)
	clause  = regexp.MustCompile(`(?m)^package \w+`)
	lined   = regexp.MustCompile(`(?m)^//line |/\*line `)
	local   = regexp.MustCompile(`(?m)^import .*"\.`)
	lenient = regexp.MustCompile(`declared and not used|imported and not used|imported as \w+ and not used`)
)

// refused judges a file that a compiler must refuse: as a cell it is refused
// too, with an error on the first line that the file marks.
func (c *config) refused(f *file) (kind, why string) {
	first := 0
	for i, line := range strings.Split(f.text, "\n") {
		if marked.MatchString(line) {
			first = i + 1
			break
		}
	}
	at := clause.FindStringIndex(f.text)
	switch why := leftOut(f, "errors"); {
	case first == 0:
		return "left", "marks no error"
	case why != "":
		return "left", why
	case at == nil:
		return "left", "has no package clause"
	case first == 1+strings.Count(f.text[:at[0]], "\n"):
		return "left", "marks its package clause"
	case lined.MatchString(f.text):
		return "left", "moves its lines by a directive"
	case local.MatchString(f.text):
		return "left", "imports packages of its own folder"
	}
	text := f.text[:at[0]] + "package main" + f.text[at[1]:]
	nb, err := c.notebook(f, "errors", []string{text})
	if err != nil {
		return "wrong", err.Error()
	}
	var lines []string
	for _, e := range nb.errors {
		for _, m := range place.FindAllStringSubmatch(e, -1) {
			lines = append(lines, m[1])
		}
	}
	switch {
	case nb.Late:
		return "wrong", "is not over in time"
	case slices.Contains(lines, strconv.Itoa(first)):
		return "right", ""
	}
	if why := onlyLater(f, first); why != "" {
		return "left", why
	}
	return "wrong", fmt.Sprintf("no error on line %d: %s", first, short(lineOf(nb.Err)))
}

// onlyLater says why a text that the compiler refuses is none that a cell has
// to refuse on its first marked line: the mistake there is a name without use,
// which cells may have, or the compiler finds it behind the check of types.
func onlyLater(f *file, first int) string {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.name, f.text, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	imp, err := exports()
	if err != nil {
		return ""
	}
	hard, soft, here := 0, 0, 0 // here: hard ones on the line
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", imp), Error: func(err error) {
		var e types.Error
		if lenient.MatchString(err.Error()) {
			soft++
		} else if hard++; errors.As(err, &e) && fset.Position(e.Pos).Line == first {
			here++
		}
	}}
	_, _ = conf.Check("main", fset, []*ast.File{tree}, nil) // Error has them all
	switch {
	case here > 0 || hard > 0 && soft == 0:
		return ""
	case soft > 0:
		return "has a name without use there, which a cell may have"
	}
	return "is refused by the compiler behind the check of types"
}
