package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gondola-lab/gondola/kernel/notebook"
)

// book writes a notebook of code cells and returns its name.
func book(t *testing.T, dir string, sources ...string) string {
	var cells []any
	for i, s := range sources {
		meta := map[string]any{}
		if tag, rest, ok := strings.Cut(s, "] "); ok && s[0] == '[' {
			meta["tags"], s = []any{tag[1:]}, rest
		}
		cells = append(cells, map[string]any{"cell_type": "code", "id": fmt.Sprintf("c%d", i+1), "metadata": meta,
			"source": s, "outputs": []any{}, "execution_count": nil})
	}
	data, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{},
		"cells": cells})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "n.ipynb")
	if err := os.WriteFile(name, data, 0o640); err != nil {
		t.Fatal(err)
	}
	return name
}

// call runs gondola run.
func call(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = dispatch(append([]string{"run"}, args...), strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestRunExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cells  []string
		args   []string
		code   int
		stderr string
	}{
		{"good", []string{"x := 1", "x + 1"}, nil, 0, "n.ipynb: ok: 2 of 2 cells ran"},
		{"fails", []string{"x := 1", "y := 2\n\nx + eps", "7"}, nil, 1,
			"n.ipynb: cell 2 (id c2, [2]) line 3: undefined: eps"},
		{"allowed", []string{"eps", "7"}, []string{"--allow-errors"}, 0,
			"n.ipynb: cell 1 (id c1, [1]) line 1: undefined: eps"},
		{"refused", []string{"func f[T any](x T) T { return x }"}, []string{"--engine", "interpret"}, 1,
			"a generic function is not interpreted"},
		{"time", []string{"for {}", "7"}, []string{"--timeout", "100ms"}, 4, "stopped at a time limit"},
		{"total", []string{"for {}", "7"}, []string{"--total", "300ms"}, 4, "stopped at a time limit"},
		{"lost", []string{"var mu sync.Mutex\nmu.Unlock()"}, nil, 5,
			"WorkerLost: fatal error: sync: unlock of unlocked mutex"},
		{"lost, allowed", []string{"var mu sync.Mutex\nmu.Unlock()", "7"}, []string{"--allow-errors"}, 5, "2 of 2 cells ran"},
		{"skip", []string{"[slow] for {}", "7"}, []string{"--skip", "big,slow"}, 0,
			"cell 1 (id c1) is left out: it has the tag slow"},
		{"cell", []string{"for {}", "7", "8"}, []string{"--cell", "2,3"}, 0, "2 of 3 cells ran, 1 skipped"},
		{"memory", []string{"var all [][]byte\nfor {\n\tb := make([]byte, 32<<20)\n\tfor i := 0; i < len(b); i += 4096 {\n\t\tb[i] = 1\n\t}\n\tall = append(all, b)\n}"},
			[]string{"--mem-limit", "512M"}, 5, "536.9 MB are allowed"},
		{"memory size", []string{"7"}, []string{"--mem-limit", "much"}, 2, "much"},
		{"policy", []string{"7"}, []string{"--engine", "fast"}, 2, "not one of auto, interpret, native"},
		{"both", []string{"7"}, []string{"--inplace", "-o", "x.ipynb"}, 2, "not both"},
		{"no folder", []string{"7"}, []string{"-o", "no/such/folder/x.ipynb"}, 2, "its folder is not there"},
		{"a folder", []string{"7"}, []string{"--html", "."}, 2, "it is a folder"},
		{"cwd", []string{"7"}, []string{"--cwd", "no/such/folder"}, 2, "no/such/folder is no folder"},
		{"bad place", []string{"7"}, []string{"--cell", "0"}, 2, "no place of a cell"},
		{"no such place", []string{"7"}, []string{"--cell", "1,2"}, 2, "--cell 2: it has 1 cells"},
		{"one output", []string{"7"}, []string{"-o", "-", "--html", "-"}, 2, "only one of them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := book(t, t.TempDir(), tt.cells...)
			code, out, errs := call(t, "", append(tt.args, name)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) || out != "" {
				t.Errorf("code %d, want %d; stdout %q, stderr:\n%s\nwant %q", code, tt.code, out, errs, tt.stderr)
			}
			if strings.Contains(errs, "\x1b") {
				t.Errorf("colours in %q", errs)
			}
		})
	}
}

func TestRunFiles(t *testing.T) {
	dir := t.TempDir()
	name := book(t, dir, "os.WriteFile(\"here\", []byte(\"x\"), 0o600)\nfmt.Println(\"a\")\n7", "eps")
	before, _ := os.ReadFile(name)
	out, page := filepath.Join(dir, "o.ipynb"), filepath.Join(dir, "o.html")
	code, line, _ := call(t, "", "--json", name, "-o", out, "--html", page)
	if code != 1 {
		t.Errorf("code %d, want 1", code)
	}
	var report struct {
		File, Status string
		Ran          int
		Errors       []struct{ Cell, Line int }
	}
	if err := json.Unmarshal([]byte(line), &report); err != nil || strings.Count(line, "\n") != 1 ||
		report.File != name || report.Status != "failed" || report.Ran != 2 || len(report.Errors) != 1 ||
		report.Errors[0].Cell != 2 {
		t.Errorf("report %s (%v)", line, err)
	}
	if after, _ := os.ReadFile(name); string(after) != string(before) {
		t.Error("the notebook itself is changed")
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := notebook.Read(data)
	if err != nil || len(nb.Cells[0].Outputs) != 2 || len(nb.Cells[1].Outputs) != 1 {
		t.Errorf("written also after a failure: %v\n%s", err, data)
	}
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "undefined: eps") {
		t.Errorf("page: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "here")); err != nil {
		t.Errorf("cells run in the notebook's folder: %v", err)
	}
	if code, _, _ := call(t, "", "--inplace", name); code != 1 {
		t.Errorf("code %d, want 1", code)
	}
	if after, _ := os.ReadFile(name); string(after) != string(data) {
		t.Errorf("--inplace and -o differ:\n%s", after)
	}
	if st, _ := os.Stat(name); st.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v", st.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".gondola-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRunUnreadable(t *testing.T) {
	dir := t.TempDir()
	for name, tt := range map[string]struct{ text, want string }{
		"broken.ipynb": {"{\n\"cells\": [}", "broken.ipynb: not a notebook: broken JSON in line 2"},
		"old.ipynb":    {`{"nbformat": 3, "nbformat_minor": 0}`, "format 3; open it"},
		"new.ipynb":    {`{"nbformat": 5, "nbformat_minor": 0}`, "format 5, newer than 4"},
		"python.ipynb": {`{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {"kernelspec": {"language": "python"}}}`, "its language is python, not go"},
		"lib.go":       {"package lib\n", "package lib"},
		"text.go":      {"hello\n", "neither a program nor cells"},
	} {
		file := filepath.Join(dir, name)
		os.WriteFile(file, []byte(tt.text), 0o600)
		if code, _, errs := call(t, "", file); code != 2 || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: code %d, %s; want 2 and %q", name, code, errs, tt.want)
		}
	}
	if code, _, errs := call(t, "", filepath.Join(dir, "none.ipynb")); code != 2 || !strings.Contains(errs, "none.ipynb") {
		t.Errorf("a file that is not there: code %d, %s", code, errs)
	}
	if code, _, _ := call(t, ""); code != 2 {
		t.Errorf("no file: code %d", code)
	}
}

// aProgram is a call of gondola run with a program, and what it must give.
type aProgram struct {
	name, text, stdin string
	args              []string
	code              int
	stdout, stderr    string
}

func TestRunPrograms(t *testing.T) {
	const head = "package main\n\nimport \"fmt\"\n\n"
	for _, tt := range []aProgram{
		{"good", head + "func main() { fmt.Print(\"a\\xff\\n\") }\n", "", nil, 0, "a\xff\n", ""},
		{"exit", "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(7) }\n", "", nil, 7, "", ""},
		{"input", "package main\n\nimport (\n\t\"bufio\"\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\ts := bufio.NewScanner(os.Stdin)\n\tfor s.Scan() {\n\t\tfmt.Println(s.Text())\n\t}\n\tfmt.Println(os.Args[1:])\n}\n",
			"x\ny\n", []string{"--", "-p", "q"}, 0, "x\ny\n[-p q]\n", ""},
		{"long", head + "func main() { fmt.Println(len(`" + strings.Repeat("long ", 300_000) + "`)) }\n", "", nil, 0, "1500000\n", ""},
		{"panic", head + "func main() { fmt.Println(1); panic(\"boom\") }\n", "", nil, 2, "1\n", "panic: boom"},
		{"unused", head + "func main() { x := 1 }\n", "", nil, 1, "", "p.go:3:8: \"fmt\" imported and not used"},
		{"refused", head + "type T[P any] struct{ A P }\n\nfunc main() { fmt.Println(1, T[int]{2}) }\n", "",
			[]string{"--engine", "interpret"}, 1, "", "native"},
		{"time", "package main\n\nfunc main() { for {} }\n", "", []string{"--timeout", "100ms"}, 4, "",
			"time limit of 100ms"},
		{"no cells", head + "func main() { fmt.Println(1) }\n", "", []string{"-o", "x.ipynb"}, 2, "",
			"a program has no cells"},
		{"cells", "// %%\nx := 1\nfmt.Println(\"p\")\n// %%\nx + 1\n", "", nil, 0, "p\n2\n", ""},
		{"cells in place", "// %%\n7\n", "", []string{"--inplace"}, 2, "", "--inplace is for notebooks"},
		{"cells, no such place", "// %%\n7\n", "", []string{"--cell", "4"}, 2, "", "--cell 4: it has 1 cells"},
		{"cells fail", "// %%\nx := 1\n\n// %%\n\nx + eps\n", "", nil, 1, "", "p.go: cell 2 (id "},
	} {
		t.Run(tt.name, tt.judge)
	}
}

func (p aProgram) judge(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(p.text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, p.stdin, append([]string{file}, p.args...)...)
	if code != p.code || out != p.stdout || !strings.Contains(errs, p.stderr) || p.stderr == "" && errs != "" {
		t.Errorf("code %d, want %d; stdout %q, want %q; stderr %q, want %q", code, p.code, out, p.stdout, errs, p.stderr)
	}
}

func TestRunStdin(t *testing.T) {
	if code, out, errs := call(t, "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n", "-"); code != 0 ||
		out != "1\n" || errs != "" {
		t.Errorf("a program from stdin: code %d, %q, %q", code, out, errs)
	}
	data, _ := os.ReadFile(book(t, t.TempDir(), "fmt.Println(6 * 7)"))
	for _, args := range [][]string{{"--inplace", "-"}, {"-o", "-", "-"}} {
		code, out, errs := call(t, string(data), args...)
		if nb, err := notebook.Read([]byte(out)); code != 0 || err != nil || len(nb.Cells[0].Outputs) != 1 {
			t.Errorf("a notebook from stdin with %v: code %d, %v, %s\n%s", args, code, err, errs, out)
		}
	}
}

// pulled sends this process an interrupt when the program writes.
type pulled struct{ text string }

func (p *pulled) Write(b []byte) (int, error) {
	p.text += string(b)
	return len(b), syscall.Kill(os.Getpid(), syscall.SIGINT)
}

func TestRunInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	os.WriteFile(file, []byte("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n\tfor {\n\t}\n}\n"),
		0o600)
	var out pulled
	var errs strings.Builder
	if code := dispatch([]string{"run", "--timeout", "1m", file}, strings.NewReader(""), &out, &errs); code != 130 ||
		out.text != "1\n" {
		t.Errorf("code %d, want 130; stdout %q, stderr %q", code, out.text, errs.String())
	}
}
