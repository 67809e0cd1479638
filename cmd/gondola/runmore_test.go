package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/notebook"
)

// Parameters are checked as what they will be, against the variables of their
// cell, before anything of the notebook runs.
func TestRunParameters(t *testing.T) {
	const params = "[parameters] eps := 0.5\nn := 3\nname := \"x\"\nd := 2 * time.Second\nconst k = 3"
	for _, tt := range []struct {
		name   string
		cells  []string
		args   []string
		code   int
		stderr string
		shows  string // by the last cell
	}{
		{"two", []string{params, "fmt.Println(eps, n, name)"}, []string{"-p", "eps=0.01", "-p", `name="chair"`}, 0, "",
			"0.01 3 chair\n"},
		{"an expression", []string{params, "fmt.Println(d)"}, []string{"-p", "d=time.Minute"}, 0, "", "1m0s\n"},
		{"no such name", []string{params, "panic(1)"}, []string{"-p", "zz=1"}, 2,
			"n.ipynb: -p zz=1: the cell with the tag parameters has no variable zz", ""},
		{"no such text", []string{params, "panic(1)"}, []string{"-p", "name=chair"}, 2,
			`undefined: chair (a text needs quotes: -p 'name="chair"')`, ""},
		{"other type", []string{params, "panic(1)"}, []string{"-p", "eps=1", "-p", "n=0.5"}, 2,
			"-p n=0.5: cannot use 0.5 (untyped float constant) as int value", ""},
		{"a constant", []string{params, "panic(1)"}, []string{"-p", "k=4"}, 2, "-p k=4: cannot assign to k", ""},
		{"type of an earlier cell", []string{"type mode int\nconst fast mode = 1", "[parameters] m := fast",
			"fmt.Println(int(m))"}, []string{"-p", `m="slow"`}, 2, `-p m="slow": cannot use "slow"`, ""},
		{"an earlier cell does not parse", []string{"type mode int", "[raises-exception] func (", "[raises-exception] s := 'ab",
			"[parameters] m := mode(1)", "fmt.Println(int(m))"}, []string{"-p", `m="slow"`}, 2, `-p m="slow": cannot use "slow"`, ""},
		{"and the value fits", []string{"base := 3", "[raises-exception] x := 1 ? 2 : 3", "[parameters] m := base + 1",
			"fmt.Println(m)"}, []string{"-p", "m=base * 7"}, 0, "", "21\n"},
		{"no cell", []string{"panic(1)"}, []string{"-p", "n=1"}, 2, "no cell has the tag parameters", ""},
		{"two cells", []string{params, params}, []string{"-p", "n=1"}, 2, "cells 1 and 2 both have the tag", ""},
		{"no value", []string{params}, []string{"-p", "n"}, 2, "want NAME=VALUE", ""},
		{"no expression", []string{params}, []string{"-p", "n=3; m(1)"}, 2, "the value is no Go expression", ""},
		{"twice", []string{params}, []string{"-p", "n=3", "-p", "n=4"}, 2, "n is set twice", ""},
		{"left out", []string{params, "7"}, []string{"-p", "n=3", "--cell", "2"}, 2, "--cell leaves out cell 1", ""},
		{"chosen", []string{params, "panic(1)", "fmt.Println(n)"}, []string{"-p", "n=4", "--cell", "1,3"}, 0, "", "4\n"},
		{"a magic is not run", []string{"[parameters] n := 1\n%env GONDOLA_TEST_MAGIC=1", "fmt.Println(n)"},
			[]string{"-p", "n=2"}, 0, "", "2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := book(t, t.TempDir(), tt.cells...)
			code, _, errs := call(t, "", append(tt.args, "--engine", "interpret", "--inplace", name)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) || strings.Contains(errs, "panic") {
				t.Fatalf("code %d, want %d; stderr %s, want %q", code, tt.code, errs, tt.stderr)
			}
			if code == 0 {
				nb := written(t, name)
				if got := nb.Texts()[len(nb.Cells)-1]; got != tt.shows {
					t.Errorf("shows %q, want %q", got, tt.shows)
				}
			}
		})
	}
}

func written(t *testing.T, name string) *notebook.Notebook {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := notebook.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// A second run replaces the values of the first and keeps the id of their cell.
func TestRunParametersAgain(t *testing.T) {
	name := book(t, t.TempDir(), "[parameters] n := 1", "fmt.Println(n)")
	var id string
	for i := range 2 {
		if code, _, errs := call(t, "", "-p", fmt.Sprint("n=", i+5), "--inplace", name); code != 0 {
			t.Fatalf("code %d, %s", code, errs)
		}
		nb := written(t, name)
		if len(nb.Cells) != 3 || nb.Cells[1].Source != fmt.Sprint("n = ", i+5) ||
			strings.Join(nb.Cells[1].Tags(), " ") != "injected-parameters" || nb.Texts()[2] != fmt.Sprint(i+5, "\n") {
			t.Errorf("run %d: %d cells, %q, shows %q", i+1, len(nb.Cells), nb.Cells[1].Source, nb.Texts())
		}
		if i > 0 && nb.Cells[1].ID != id {
			t.Errorf("id %s became %s", id, nb.Cells[1].ID)
		}
		id = nb.Cells[1].ID
	}
}

// --check tells what differs from the stored texts, by exit code 6, and writes
// nothing.
func TestRunCheck(t *testing.T) {
	dir := t.TempDir()
	name := book(t, dir, "fmt.Println(\"a\")\nfmt.Println(os.Getenv(\"GONDOLA_TEST_WORD\"))\n7",
		"[raises-exception] panic(\"x\")", "display.Show(\"same\")")
	t.Setenv("GONDOLA_TEST_WORD", "old")
	if code, _, errs := call(t, "", "--inplace", name); code != 0 {
		t.Fatalf("code %d, %s", code, errs)
	}
	before, _ := os.ReadFile(name)
	if code, _, errs := call(t, "", "--check", name); code != 0 {
		t.Errorf("unchanged: code %d, %s", code, errs)
	}
	t.Setenv("GONDOLA_TEST_WORD", "new")
	code, out, errs := call(t, "", "--check", "--json", name)
	want := "n.ipynb: cell 1 (id c1): the output is not the stored one\n a\n-old\n+new\n result:\n 7\n"
	if code != 6 || !strings.HasPrefix(errs, want) || strings.Contains(errs, "cell 2") {
		t.Errorf("code %d, stderr\n%s\nwant\n%s", code, errs, want)
	}
	var report struct{ Differs []notebook.Difference }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Differs) != 1 || report.Differs[0].Cell != 1 {
		t.Errorf("report %s (%v)", out, err)
	}
	if after, _ := os.ReadFile(name); string(after) != string(before) {
		t.Error("--check has written")
	}
	if code, _, errs := call(t, "", "--check", "--inplace", name); code != 2 || !strings.Contains(errs, "--check writes nothing") {
		t.Errorf("with --inplace: code %d, %s", code, errs)
	}
}

// Files run at once, and their reports come whole, in the order of the files.
func TestRunTogether(t *testing.T) {
	var names []string
	for i, cell := range []string{"time.Sleep(300 * time.Millisecond)", "eps", "7"} {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		os.Mkdir(dir, 0o755)
		names = append(names, book(t, dir, cell))
	}
	code, out, errs := call(t, "", append([]string{"-j", "3", "--json"}, names...)...)
	var got []string
	for line := range strings.Lines(out) {
		var r struct{ File, Status string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(line, err)
		}
		got = append(got, r.File+" "+r.Status)
	}
	want := []string{names[0] + " ok", names[1] + " failed", names[2] + " ok"}
	if code != 1 || strings.Join(got, "|") != strings.Join(want, "|") || strings.Count(errs, "undefined: eps") < 1 {
		t.Errorf("code %d, %v, want %v; stderr %s", code, got, want, errs)
	}
	if code, _, errs := call(t, "", "-j", "2", names[2], "-"); code != 2 || !strings.Contains(errs, "leave -j out") {
		t.Errorf("the input for two: code %d, %s", code, errs)
	}
	if code, _, errs := call(t, "", "-j", "0", names[2]); code != 2 || !strings.Contains(errs, "-j 0") {
		t.Errorf("-j 0: code %d, %s", code, errs)
	}
}

// The cells of a Go file become a notebook that Jupyter's tools open with this
// kernel, and stamps are written on demand only.
func TestRunGoToNotebook(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "p.go"), filepath.Join(dir, "p.ipynb")
	os.WriteFile(file, []byte("// %% [markdown]\n// # T\n// %%\n6 * 7\n"), 0o600)
	var root struct {
		Nbformat int
		Metadata struct {
			Kernelspec struct{ Name, Language string }
		}
		Cells []struct {
			Metadata struct{ Execution map[string]string }
		}
	}
	for _, timing := range []bool{true, false} {
		args := []string{file, "-o", out}
		if timing {
			args = append(args, "--timing")
		}
		if code, _, errs := call(t, "", args...); code != 0 {
			t.Fatalf("code %d, %s", code, errs)
		}
		data, _ := os.ReadFile(out)
		root.Cells = nil
		if err := json.Unmarshal(data, &root); err != nil || root.Nbformat != 4 || len(root.Cells) != 2 ||
			root.Metadata.Kernelspec.Name != "gondola" || root.Metadata.Kernelspec.Language != "go" {
			t.Errorf("%v\n%s", err, data)
		}
		if got := root.Cells[1].Metadata.Execution; (len(got) == 4) != timing {
			t.Errorf("timing %v: stamps %v", timing, got)
		}
	}
	// stamps of an earlier run would tell of outputs that are gone
	if code, _, _ := call(t, "", "--timing", "--inplace", out); code != 0 {
		t.Fatal(code)
	}
	call(t, "", "--inplace", out)
	if data, _ := os.ReadFile(out); strings.Contains(string(data), "shell.execute_reply") {
		t.Error("a run without --timing keeps old stamps")
	}
}
