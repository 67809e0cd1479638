package yaegi

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/front"
)

// ruleRecord has what the compiler's programs of the rules' cases do.
const ruleRecord = "testdata/rules.txt"

// ruleCase is a case of a rule: a cell of lower/testdata.
type ruleCase struct{ name, cell string }

func ruleCases(t *testing.T) (l []ruleCase) {
	t.Helper()
	files, err := filepath.Glob("../lower/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split("\n"+string(text), "\n# ")[1:] {
			title, rest, _ := strings.Cut(c, "\n")
			cell, _, _ := strings.Cut(rest, "\n=>")
			l = append(l, ruleCase{strings.TrimSuffix(filepath.Base(file), ".txt") + ": " + title, cell})
		}
	}
	return l
}

// TestRules runs every case of every rule interpreted and compares what it
// prints, its panic and its variables at the end with what the compiler's
// program did when the record was written; GONDOLA_RECORD=1 writes it anew.
func TestRules(t *testing.T) {
	cases := ruleCases(t)
	if os.Getenv("GONDOLA_RECORD") != "" {
		recordRules(t, cases)
	}
	list := samples(t, ruleRecord)
	recorded := map[string]sample{}
	for _, s := range list {
		recorded[s.name] = s
	}
	ran := 0
	for _, c := range cases {
		tree, e := checker().Check(1, c.cell, front.NewScope())
		if e != nil {
			t.Fatalf("%s: %v", c.name, e)
		}
		b := newBook()
		var o outcome
		if !within(t, c.name, func() { o = b.run(c.cell) }) || len(o.refused) > 0 {
			continue
		}
		s, ok := recorded[c.name]
		if !ok || strings.TrimSpace(s.source) != strings.TrimSpace(programOf(tree)) {
			t.Errorf("%s: the record has another program; write it anew", c.name)
			continue
		}
		ran++
		status := "status 0"
		if o.fault != nil {
			status = "status 2: panic: " + o.fault.Text
		} else {
			o.stdout += b.variables(tree)
		}
		if o.err != nil || printed(o.stdout) != printed(s.stdout) || !sameStatus(status, s.status) {
			t.Errorf("%s: %v, %s, want %s\n%s", c.name, o.err, status, s.status, difference(o.stdout, s.stdout))
		}
	}
	if ran != len(list) || ran < 80 {
		t.Errorf("%d cases ran, %d are in the record", ran, len(list))
	}
}

// variables prints the variables of a cell as its program does.
func (b *book) variables(c *front.Cell) string {
	var out strings.Builder
	for _, d := range c.Decls {
		if d.Kind == "var" && plainValue(d.Obj.Type(), 0) {
			v := b.vars[d.Name].Elem().Interface()
			fmt.Fprintf(&out, "%s %T %+v\n", d.Name, v, v)
		}
	}
	return out.String()
}

// plainValue tells whether a value prints without an address in it.
func plainValue(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return plainValue(u.Elem(), depth+1)
	case *types.Array:
		return plainValue(u.Elem(), depth+1)
	case *types.Map:
		return plainValue(u.Key(), depth+1) && plainValue(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if depth > 4 || !plainValue(f.Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

var mainFunc = regexp.MustCompile(`(?m)^func main\(`)

// programOf is a cell as the program that it means: definitions at the top are
// variables of the package, which main assigns in the order of the cell.
func programOf(c *front.Cell) string {
	var head, top, body, end strings.Builder
	paths := maps.Clone(c.Auto)
	maps.Copy(paths, c.Imports)
	qualify := func(p *types.Package) string {
		if p.Path() == "main" {
			return ""
		}
		paths[p.Name()] = p.Path()
		return p.Name()
	}
	statements := false
	for i, p := range c.Pieces {
		switch p.Kind {
		case front.Import:
		case front.Define:
			statements = true
			for _, d := range c.Decls {
				if d.Line == p.Line && d.Col == p.Col && d.Kind == "var" {
					fmt.Fprintf(&top, "var %s %s\n", d.Name, types.TypeString(d.Obj.Type(), qualify))
				}
			}
			body.WriteString("\t" + strings.Replace(p.Text, ":=", "=", 1) + "\n")
		case front.Stmts:
			statements = true
			if i == len(c.Pieces)-1 && c.Value != nil && !isTuple(c.Info.TypeOf(c.Value)) {
				body.WriteString("\t_ = ")
			}
			body.WriteString(p.Text + "\n")
		default:
			top.WriteString(mainFunc.ReplaceAllString(p.Text, "func main_(") + "\n")
			if mainFunc.MatchString(p.Text) {
				end.WriteString("\tmain_()\n")
			}
		}
	}
	if !statements {
		body.WriteString(end.String())
	}
	end.Reset()
	for _, d := range c.Decls {
		if d.Kind == "var" && plainValue(d.Obj.Type(), 0) {
			fmt.Fprintf(&end, "\tprint_.Printf(\"%s %%T %%+v\\n\", %s, %s)\n", d.Name, d.Name, d.Name)
		}
	}
	if end.Len() > 0 {
		paths["print_"] = "fmt"
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&head, "import %s %q\n", name, paths[name])
	}
	return "package main\n\n" + head.String() + "\n" + top.String() + "\nfunc main() {\n\tfunc() {\n" + body.String() +
		"\t}()\n" + end.String() + "}"
}

func isTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// recordRules writes the programs of the cases that are not refused and what
// they do.
func recordRules(t *testing.T, cases []ruleCase) {
	var list []sample
	for _, c := range cases {
		tree, e := checker().Check(1, c.cell, front.NewScope())
		if e != nil {
			t.Fatalf("%s: %v", c.name, e)
		}
		if o := newBook().compile(c.cell); len(o.refused) == 0 {
			list = append(list, sample{name: c.name, source: programOf(tree)})
		}
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go in PATH to write the record with")
	}
	record(t, ruleRecord, list)
}
