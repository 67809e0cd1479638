//go:build linux

package session

import (
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// A program is strict, runs its main once and has no result.
func TestProgramIsWhatTheCompilerMakesOfIt(t *testing.T) {
	for _, tt := range []struct{ name, code, stdout, failure string }{
		{"runs", "package main\n\nimport \"fmt\"\n\nvar n = 2\n\nfunc init() { n *= 3 }\n\nfunc main() {\n\tfmt.Println(n)\n}\n", "6\n", ""},
		{"unused variable", "package main\n\nfunc main() {\n\tx := 1\n}\n", "", "cell [1]:4:2: declared and not used: x"},
		{"unused import", "package main\n\nimport \"os\"\n\nfunc main() {}\n", "", "cell [1]:3:8: \"os\" imported and not used"},
		{"no auto-import", "package main\n\nfunc main() { fmt.Println() }\n", "", "undefined: fmt"},
		{"exit", "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n", "", "Exit: os.Exit(3) is not run in a notebook"},
		{"goroutine", "package main\n\nimport \"sync\"\n\nfunc main() {\n\tvar wg sync.WaitGroup\n\twg.Add(1)\n\tgo func() {\n" +
			"\t\tpanic(\"boom\")\n\t}()\n\twg.Wait()\n}\n", "", "Panic: boom\npanic: boom\ncell [1]:9 in main.func"},
		{"panic", "package main\n\nfunc main() {\n\tpanic(\"stop\")\n}\n", "", "cell [1]:4 in main"},
		{"exit runs no deferred call", "package main\n\nimport (\"fmt\"; \"os\")\n\nfunc main() {\n\tdefer fmt.Println(\"no\")\n\tfmt.Println(\"yes\")\n\tos.Exit(3)\n}\n", "yes\n", "os.Exit(3)"},
		{"exit in a goroutine", "package main\n\nimport \"os\"\n\nfunc main() {\n\tgo os.Exit(4)\n\tselect {}\n}\n", "", "os.Exit(4)"},
		{"panic in a goroutine", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tdefer fmt.Println(\"no\")\n\tc := make(chan int)\n\tgo func() {\n\t\tdefer close(c)\n\t\tdefer fmt.Println(\"yes\")\n\t\tpanic(\"stop\")\n\t}()\n\t<-make(chan int)\n}\n", "yes\n", "cell [1]:11 in main.func"},
		{"panic of an error", "package main\n\nimport \"errors\"\n\nfunc main() {\n\tpanic(errors.New(\"stop\"))\n}\n", "", "cell [1]:6 in main"},
	} {
		a := execute(t, newTestSession(t), engine.Cell{ID: 1, Number: 1, Code: tt.code, Program: true})
		if a.stdout != tt.stdout || a.hasResult || !strings.Contains(a.failure(), tt.failure) || (a.out.Err == nil) != (tt.failure == "") {
			t.Errorf("%s: stdout %q, result %q, error %q; want %q, %q", tt.name, a.stdout, a.result, a.failure(), tt.stdout, tt.failure)
		}
	}
}

func TestCompleteKnowsNamesAndMagics(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, "import str \"strings\"\nalpha := []int{1}\nfunc alphabet() string { return str.ToUpper(\"a\") }", "%reset alpha", "alpha := 1")
	for _, tt := range []struct {
		code, want string
		start      int
	}{
		{"alph", "alpha alphabet", 0},
		{"x := str.ToUp", "ToUpper ToUpperSpecial", 9},
		{"%whos", "%whos", 0},
		{"%ti", "%time %timeit", 0},
		{"1\n//%%ti", "%%time %%timeit", 4},
		{"%time alph", "alpha alphabet", 6},
		{"!ls alph", "", 8},
		{"1\n\t!alph", "", 8},
		{"ok := true &&\n\t!alph", "alpha alphabet", 16}, // no line for the shell
	} {
		c, err := s.Complete(t.Context(), tt.code, len(tt.code))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range c.Items {
			got = append(got, i.Text)
		}
		if strings.Join(got, " ") != tt.want || c.Start != tt.start || c.End != len(tt.code) {
			t.Errorf("%q: %v [%d:%d], want %s from %d", tt.code, got, c.Start, c.End, tt.want, tt.start)
		}
	}
	in, err := s.Inspect(t.Context(), "alphabet()", 3, 1)
	if err != nil || !in.Found || !strings.Contains(in.Text, "func alphabet() string") {
		t.Errorf("Inspect(alphabet) = %+v, %v", in, err)
	}
	if in, err := s.Inspect(t.Context(), "nothing", 3, 0); err != nil || in.Found {
		t.Errorf("Inspect(nothing) = %+v, %v", in, err)
	}
}

// Complete answers beside a running cell, from what the last one committed.
func TestCompleteDoesNotWait(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, "beside := 1")
	t.Setenv("GONDOLA_TEST_STEP", "")
	answers := make(chan int, 1)
	go func() {
		waitStep("on")
		c, _ := s.Complete(t.Context(), "besi", 4)
		answers <- len(c.Items)
		s.Interrupt()
	}()
	a := runCell(t, s, 2, "os.Setenv(\"GONDOLA_TEST_STEP\", \"on\")\nfor {\n}")
	if n := <-answers; n != 1 || a.out.Err == nil || a.out.Err.Name != "Interrupted" {
		t.Errorf("%d items beside the cell, which ended: %s", n, a.failure())
	}
}

// What cannot be a cell is an error with a place, of a size that can be read.
func TestHostileCells(t *testing.T) {
	s := newTestSession(t)
	for i, code := range []string{
		strings.Repeat("(", 200_000), strings.Repeat("x := 1\n", 200_000), "a := \"\xff\"", "a\x00b", strings.Repeat("{", 1100), "a:a b", "!", "%%", "%%nope",
	} {
		a := runCell(t, s, i+1, code)
		if a.out.Err == nil || a.out.Err.Name == "InternalError" || len(a.failure()) > 20_000 {
			t.Errorf("%.20q: %d bytes: %.200s", code, len(a.failure()), a.failure())
		}
	}
	if a := mustRun(t, s, 20, "1 + 1"); a.result != "2" {
		t.Errorf("after them 1 + 1 is %q", a.result)
	}
}
