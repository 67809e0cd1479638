package native

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCells runs the notebooks of testdata/cells, each in a process of its own:
// what later cells do with names, types, fields and generics of earlier ones.
func TestCells(t *testing.T) {
	find(t)
	files, err := filepath.Glob("testdata/cells/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no notebooks: ", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			cells, want, ok := strings.Cut(string(data), "\n====\n")
			if !ok {
				t.Fatal("no ====")
			}
			got, errs, _ := child(t, "cells", cells)
			if got != want {
				t.Errorf("%s\n%s", firstDifference(got, want), errs)
			}
		})
	}
}

// child runs text in a process of its own.
func child(t *testing.T, mode, text string) (out, errs string, status int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program.go")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(os.Args[0], mode, file)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		status = e.ExitCode()
	}
	return stdout.String(), stderr.String(), status
}

// TestEnds: programs end as those of the compiler do. What is wanted is what Go
// 1.26 prints and exits with.
func TestEnds(t *testing.T) {
	find(t)
	const head = "package main\n\nimport (\n\t\"fmt\"\n\t\"log\"\n\t\"os\"\n)\n\n" +
		"var _, _, _ = log.Print, os.Exit, fmt.Sprint\n\n"
	for _, tt := range []struct {
		name, text, out, err string
		status               int
	}{
		{"exit", `func main() { defer fmt.Println("never"); fmt.Println("a"); os.Exit(3) }`, "a\n", "", 3},
		{"fatal", `func main() { log.SetFlags(0); log.Fatalf("gone %d", 1) }`, "", "gone 1\n", 1},
		{"panic", "func f(xs []int) int { return xs[5] }\n\nfunc main() { fmt.Println(f([]int{1})) }", "",
			"panic: runtime error: index out of range [5] with length 1", 2},
		{"goroutine", `func main() { c := make(chan int); go func() { panic("in it") }(); <-c }`, "", "panic: in it", 2},
		{"order", `var a = p("a", b); var b = p("b", 1)
func p(s string, n int) int { fmt.Println(s, n); return n + 1 }
func init() { fmt.Println("init", a, b) }
func main() { fmt.Println("main") }`, "b 1\na 2\ninit 3 2\nmain\n", "", 0},
		{"handed", "var e = os.Exit\n\nfunc main() { defer e(4); fmt.Println(1) }", "1\n", "", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, mode := range []string{"program", "cell"} {
				out, errs, status := child(t, mode, head+tt.text)
				if out != tt.out || !strings.Contains(errs, tt.err) || status != tt.status {
					t.Errorf("as a %s: %q, %q, status %d", mode, out, errs, status)
				}
			}
		})
	}
}

// TestCut: a program cut into one cell a declaration prints what the whole does.
func TestCut(t *testing.T) {
	find(t)
	all := programs(t)
	every := 13
	if testing.Short() {
		every = 52
	}
	for i, p := range all {
		if i%every != 5 || strings.Contains(p.text, "\nvar _ = func() int") {
			continue
		}
		want, _, _ := child(t, "program", p.text)
		if got, errs, _ := child(t, "cut", p.text); got != want || want == "" {
			t.Errorf("%s: %s\n%s", p.name, firstDifference(got, want), errs)
		}
	}
}

// TestRefused: what is wrong with a request is told.
func TestRefused(t *testing.T) {
	if _, err := Emit(Request{}); err == nil {
		t.Error("an empty request is no error")
	}
	b := newBook(nil)
	c, _, err := b.emit("func f[T any](x T) T { return x }", false)
	if err != nil {
		t.Fatal(err)
	}
	b.take(c)
	var r *Refusal
	if _, _, err := b.emit("f(1)", false); !errors.As(err, &r) {
		t.Errorf("a generic function without a home: %v", err)
	} else if got := fmt.Sprint(r); !strings.Contains(got, "1:1: the generic function f") {
		t.Errorf("the refusal says %q", got)
	}
}
