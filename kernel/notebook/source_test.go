package notebook

import (
	"context"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

func TestReadSource(t *testing.T) {
	src, err := ReadSource([]byte("\ufeff// a comment\r\npackage main\r\n\r\nfunc main() {}\r\n"))
	if err != nil || src.Program != "// a comment\npackage main\n\nfunc main() {}\n" {
		t.Errorf("program: %+v, %v", src, err)
	}
	for _, tt := range []struct{ in, want string }{
		{"package cloud\n", "package cloud"}, {"", "neither a program nor cells"},
		{"x := 1\n", "neither a program nor cells"},
	} {
		if _, err := ReadSource([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.in, err, tt.want)
		}
	}
}

func TestSourceCells(t *testing.T) {
	src, err := ReadSource([]byte("x := 1\n\n// %% [markdown]\n// # Title\n//\n// text\n\n//%% with a name\n\n\nx\ny\n// %%\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Cell{{Kind: "code", Source: "x := 1"}, {Kind: "markdown", Source: "# Title\n\ntext"},
		{Kind: "code", Source: "x\ny"}}
	if len(src.Cells.Cells) != len(want) {
		t.Fatalf("%d cells, want %d", len(src.Cells.Cells), len(want))
	}
	for i, c := range src.Cells.Cells {
		if c.Kind != want[i].Kind || c.Source != want[i].Source {
			t.Errorf("cell %d: %s %q, want %s %q", i+1, c.Kind, c.Source, want[i].Kind, want[i].Source)
		}
	}
	if got := src.Line(2, 2); got != 12 {
		t.Errorf("line 2 of the last cell is line %d of the file, want 12", got)
	}
	var out, errs strings.Builder
	p := &Printer{Stdout: &out, Stderr: &errs}
	r := src.Cells.Run(context.Background(), enginetest.NewFake(), Options{To: p})
	if out.String() != "" || len(r.Errors) != 1 || r.Errors[0].Line != 2 {
		t.Errorf("printed %q, errors %v", out.String(), r.Errors)
	}
}

// The status of a program is what it asks for; places name the file.
func TestRunProgram(t *testing.T) {
	f := enginetest.NewFake()
	for _, tt := range []struct {
		script, out, words string
		exit               int
	}{
		{"stdout hello\nstderr world", "hello", "", 0},
		{"error Exit: os.Exit(3) is not run in a notebook", "", "os.Exit(3)", 3},
		{"error Exit: os.Exit(0) is not run in a notebook", "", "", 0},
		{"error Panic: boom", "", "boom", 2},
		{"error CompileError: cell [1]:3:2: declared and not used: x", "", "p.go:3:2: declared", 1},
		{"error CompileError: cell [1]:3:2: a generic function needs native code", "",
			"p.go:3:2: a generic function needs native", 1},
	} {
		f.On["package main"] = enginetest.Script(tt.script)
		var out, errs strings.Builder
		e, exit := RunProgram(context.Background(), f, "p.go", "package main", &Printer{Stdout: &out, Stderr: &errs})
		if out.String() != tt.out || exit != tt.exit || (e == nil) != (tt.words == "") {
			t.Errorf("%q: stdout %q, exit %d, error %v", tt.script, out.String(), exit, e)
		} else if e != nil && !strings.Contains(e.Value, tt.words) {
			t.Errorf("%q: error %q, want %q", tt.script, e.Value, tt.words)
		}
	}
}
