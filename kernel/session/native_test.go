//go:build linux

package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/native"
)

func TestNativeLoopIsInterruptedAndStateKept(t *testing.T) {
	needsCompiler(t)
	s := newTestSession(t)
	mustRun(t, s, 1, "type C struct{ n int }\nc := C{1}", "%%native\nfunc spin() {\n\tfor {\n\t\tc.n++\n\t}\n}")
	t.Setenv("GONDOLA_TEST_STEP", "")
	go func() {
		waitStep("on") // it is built
		time.Sleep(20 * time.Millisecond)
		s.Interrupt()
	}()
	a := runCell(t, s, 3, "os.Setenv(\"GONDOLA_TEST_STEP\", \"on\")\nspin()\nc.n = -1")
	if a.out.Err == nil || a.out.Err.Name != "Interrupted" {
		t.Fatalf("the loop was not interrupted: %s", a.failure())
	}
	if a := mustRun(t, s, 4, "c.n > 1"); a.result != "true" || s.background() != "" {
		t.Errorf("c.n > 1 is %s, background %q", a.result, s.background())
	}
}

func TestManyPluginsAreToldOfOnce(t *testing.T) {
	needsCompiler(t)
	s := newTestSession(t)
	s.mostPlugins = native.Loaded() + 1
	for i, want := range []bool{false, true, false} {
		a := runCell(t, s, i+1, fmt.Sprintf("type T%d struct{ n int }", i))
		if a.out.Err != nil || strings.Contains(a.stderr, "plugins of native code are loaded; %restart frees their memory") != want {
			t.Errorf("cell %d: error %q, stderr %q; want a warning: %v", i+1, a.failure(), a.stderr, want)
		}
	}
}

func TestNativeRecursionIsStoppedAndStateKept(t *testing.T) {
	needsCompiler(t)
	s := newTestSession(t)
	s.stackLimit = 64 << 20
	mustRun(t, s, 1, "x := 42", "%%native\nfunc deep(n int) int { return deep(n+1) + 1 }")
	a := runCell(t, s, 3, "x++\ndeep(0)")
	if a.out.Err == nil || a.out.Err.Name != "StackOverflow" || !strings.HasSuffix(a.out.Err.Value, " calls of deep deep") {
		t.Fatalf("endless recursion: %s", a.failure())
	}
	if a := mustRun(t, s, 4, "x"); a.result != "43" {
		t.Errorf("x is %s after the overflow, want 43", a.result)
	}
}

// Without a toolchain a cell that needs one says so, with the construct and its
// place; all others run.
func TestWithoutToolchain(t *testing.T) {
	s := newTestSession(t)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GONDOLA_CACHE", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	a := runCell(t, s, 1, "x := 1\nfunc f[T any](v T) T { return v }")
	if a.out.Err == nil || a.out.Err.Name != "Unsupported" ||
		!strings.HasPrefix(a.out.Err.Value, "cell [1]:2:6: a generic function needs the Go toolchain: ") ||
		!strings.HasSuffix(a.out.Err.Value, "(gondola doctor)") {
		t.Errorf("a generic function: %s", a.failure())
	}
	if a := runCell(t, s, 2, "x"); !strings.Contains(a.failure(), "undefined: x") {
		t.Errorf("the refused cell has left x: %s", a.failure())
	}
	if a := mustRun(t, s, 3, "y := 2\ny + 1"); a.result != "3" {
		t.Errorf("y + 1 is %s", a.result)
	}
	a = execute(t, s, engine.Cell{ID: 4, Number: 4, Program: true,
		Code: "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(7) }\n"})
	if a.stdout != "7\n" || a.out.Engine != "interpreted" {
		t.Errorf("a program: stdout %q, on %s, %s", a.stdout, a.out.Engine, a.failure())
	}
}

// A worker that starts anew takes types, methods and generics back, and builds
// nothing that was built before.
func TestDeclareBringsTypesBack(t *testing.T) {
	needsCompiler(t)
	cells := []string{
		"type P struct{ x int }\nfunc (p P) Twice() int { return 2 * p.x }",
		"func (p P) Neg() P { return P{-p.x} }",
		"p := P{3}\nfunc twice() int { return p.Twice() }",
		"func Map[T, U any](xs []T, f func(T) U) (out []U) {\n\tfor _, x := range xs {\n\t\tout = append(out, f(x))\n\t}\n\treturn out\n}",
		"q := P{4}\ntype Q struct{ P }\nfmt.Println(\"never again\")",
	}
	first := newTestSession(t)
	mustRun(t, first, 1, cells...)
	first.Close()
	s := newTestSession(t)
	var list []engine.Cell
	for i, text := range cells {
		list = append(list, engine.Cell{ID: uint64(i + 1), Number: i + 1, Code: text})
	}
	lost := map[string]string{"p": "lost", "q": "lost", "twice": "it uses p, lost"}
	a := answer{}
	a.stdout, _ = capture(t, func() { a.out = s.Declare(t.Context(), list, lost) })
	var names []string
	for _, n := range a.out.Names {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	if want := []string{"Map", "P", "P.Neg", "P.Twice", "Q"}; !slices.Equal(names, want) || a.stdout != "" {
		t.Errorf("declared %v, want %v; stdout %q", names, want, a.stdout)
	}
	a = mustRun(t, s, 6, "Map([]Q{{P{5}}}, func(q Q) int { return q.Neg().Twice() })")
	if a.result != "[-10]" {
		t.Errorf("result %q", a.result)
	}
	if a := runCell(t, s, 7, "twice()"); !strings.Contains(a.failure(), "undefined: twice (it uses p, lost)") {
		t.Errorf("twice: %s", a.failure())
	}
}
