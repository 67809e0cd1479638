package gondola_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are README and everything under docs/ that a person reads.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "notebooks/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	}
	all := map[string]string{}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		all[n] = string(b)
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

func TestLinks(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

var (
	makeCall   = regexp.MustCompile("(?m)(?:^|`|\\s)make ([a-z][a-z-]+)(?:`|$| +#|  )")
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	command    = regexp.MustCompile("(?m)(?:^|`)(?:bin/)?gondola ([a-z]+)")
)

func TestTargetsAndCommands(t *testing.T) {
	b, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(b), -1) {
		targets[m[1]] = true
	}
	main, err := os.ReadFile("cmd/gondola/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for page, text := range pages(t) {
		for _, m := range makeCall.FindAllStringSubmatch(text, -1) {
			if !targets[m[1]] {
				t.Errorf("%s names make %s, which is no target", page, m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(main), `"`+m[1]+`"`) {
				t.Errorf("%s names gondola %s, which is no subcommand", page, m[1])
			}
		}
	}
}

// TestReadmeCell runs README's first cell as a notebook would and wants the
// output that stands under it.
func TestReadmeCell(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary: left out with -short")
	}
	text := pages(t)["README.md"]
	cellText, ok1 := fence(text, "go")
	want, ok2 := fence(text, "text")
	if !ok1 || !ok2 {
		t.Fatal("README has no go cell with a text output under it")
	}
	if n := strings.Count(cellText, "\n"); n > 8 {
		t.Errorf("the first cell has %d lines, at most 8", n)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "gondola")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/gondola").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	file := filepath.Join(dir, "first.go")
	if err := os.WriteFile(file, []byte("// %%\n"+cellText), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "run", file).Output()
	if err != nil || strings.TrimSpace(string(out)) != strings.TrimSpace(want) {
		t.Errorf("the first cell prints %q, %v; README says %q", out, err, want)
	}
}

var fences = regexp.MustCompile("(?s)```(go|text)\n(.*?)```")

// TestPageCells runs the go blocks of each page of docs/ as the cells of one
// notebook and wants the texts under them, in order. A block that is no cell
// begins with ```go ignore.
func TestPageCells(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary: left out with -short")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "gondola")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/gondola").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ran := 0
	for page, text := range pages(t) {
		if filepath.Dir(page) != "docs" {
			continue
		}
		var cells, want strings.Builder
		for _, m := range fences.FindAllStringSubmatch(text, -1) {
			if m[1] == "go" {
				cells.WriteString("// %%\n" + m[2])
				ran++
			} else if cells.Len() > 0 {
				want.WriteString(m[2])
			}
		}
		if cells.Len() == 0 {
			continue
		}
		file := filepath.Join(dir, "page.go")
		if err := os.WriteFile(file, []byte(cells.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(binary, "run", file)
		command.Env = append(os.Environ(), "TMPDIR="+dir)
		if out, err := command.CombinedOutput(); err != nil || string(out) != want.String() {
			t.Errorf("%s: %v; its cells print\n%s\nand its texts are\n%s", page, err, out, want.String())
		}
	}
	if ran == 0 {
		t.Error("no page has a cell")
	}
}

// fence returns the first fenced block of that language.
func fence(text, language string) (string, bool) {
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	if !ok {
		return "", false
	}
	body, _, ok := strings.Cut(rest, "```")
	return body, ok
}

// step is a line of docs/architecture.md that names a file and its function:
// " 2 wire/frames.go         Decode     checks …".
var step = regexp.MustCompile(`(?m)^(?: ?\d+|  ) ([\w/.]+\.go)(?:, ([\w/.]+\.go))? +(\w+)`)

// TestSteps wants every step of the two lines to be one function of the file
// that stands before it.
func TestSteps(t *testing.T) {
	b, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range step.FindAllStringSubmatch(string(b), -1) {
		found++
		for _, name := range m[1:3] {
			if name == "" {
				continue
			}
			path := filepath.Join("kernel", name)
			switch _, err := os.Stat(path); {
			case err == nil:
			case strings.Contains(name, "/"):
				path = name
			default: // beside the file before it
				path = filepath.Join(filepath.Dir(m[1]), name)
			}
			if n := functions(t, path, m[3]); n != 1 {
				t.Errorf("%s has %d functions %s; docs/architecture.md wants one", path, n, m[3])
			}
		}
	}
	if found != 17+9+2 { // the caller's step has no file, and step 5 of a cloud has three
		t.Errorf("%d steps name a function, want 28", found)
	}
}

// functions counts the functions and methods of that name in a file.
func functions(t *testing.T, path, name string) (n int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return 0
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
			n++
		}
	}
	return n
}

var packageRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\|(.*)\\|$")

// TestPackages holds the table of packages to the policy, from the bottom up.
func TestPackages(t *testing.T) {
	b, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	may := parsePolicy(policy)
	seen := []string{"ANY"}
	for _, m := range packageRow.FindAllStringSubmatch(string(b), -1) {
		var want, got []string
		for _, from := range may[m[1]] {
			if _, module := modules[from]; !module && from != "NONE" {
				want = append(want, from)
			}
		}
		for from := range strings.SplitSeq(m[2], ",") {
			if from = strings.TrimSpace(from); from == "any" {
				from = "ANY"
			}
			if from == "" {
				continue
			}
			got = append(got, from)
			if !slices.Contains(seen, from) {
				t.Errorf("%s stands above %s, which it imports", m[1], from)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s imports %v in docs/architecture.md, %v in the policy", m[1], got, want)
		}
		seen = append(seen, m[1])
		delete(may, m[1])
	}
	for name := range may {
		t.Errorf("docs/architecture.md has no row for %s", name)
	}
}
