//go:build linux

package session

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// picture is all that a session tells of its names.
func picture(t *testing.T, s *Session) string {
	t.Helper()
	st := s.now.Load()
	var b strings.Builder
	for _, n := range slices.Sorted(maps.Keys(st.names)) {
		e := st.names[n]
		fmt.Fprintf(&b, "%s %s %p %v %s\n", n, e.kind, e.obj, e.store, e.broken)
		for _, m := range e.methods {
			fmt.Fprintf(&b, "\t%s %d %s\n", m.name, m.cell, m.broken)
		}
	}
	fmt.Fprintln(&b, st.imports, st.dots, st.lost)
	for _, code := range []string{"", "x", "fmt.Prin", "f", "p."} {
		c, err := s.Complete(t.Context(), code, len(code))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, code, c.Items)
	}
	return b.String()
}

// failing are cells that do not compile, each with parts that would.
var failing = []string{
	"x := 1\ny := nope", "import \"no/such\"\nx := 3", "func f() int { return \"s\" }", "type P struct{ a nope }",
	"type P struct{ X int }\nfunc (p P) M() int { return p.Y }", "func (p P) M() {}\nfunc (p P) M() {}",
	"const k = 1 << 100\nvar z int = k", "x = \"s\"", "import m \"math\"\nm.Nope()", "type Q[T any] struct{ a U }",
	"func f() string { return \"\" }\ng() + nope", "type f int\nvar v f = nope", "%nosuch\nx := 9",
}

// A cell that does not compile changes nothing, and says the same each time.
func TestFailedCellChangesNothing(t *testing.T) {
	s := newTestSession(t)
	setup := []string{"import str \"strings\"\nx := 1\nfunc f() int { return x }\nfunc g() int { return f() }", "const k = 2\nvar p *int"}
	if compiles(t) {
		setup = append(setup, "type P struct{ X int }\nfunc (p P) M() int { return p.X }\nq := P{1}")
	}
	mustRun(t, s, 1, setup...)
	before := picture(t, s)
	for i, code := range failing {
		first := runCell(t, s, 10+i, code)
		if first.out.Err == nil || first.stdout != "" || len(first.out.Names) != 0 {
			t.Errorf("%q: %s, stdout %q, names %v", code, first.failure(), first.stdout, first.out.Names)
		}
		if now := picture(t, s); now != before {
			t.Errorf("%q has changed the session\n%s\nit was\n%s", code, now, before)
		}
		if second := runCell(t, s, 10+i, code); second.failure() != first.failure() {
			t.Errorf("%q fails once so:\n%s\nand once so:\n%s", code, first.failure(), second.failure())
		}
	}
}

// What a session tells does not depend on the order of maps.
func TestOrderIsFixed(t *testing.T) {
	cells := []string{
		"a, b, c, d := 1, 2, 3, 4\nfunc f1() int { return a }\nfunc f2() int { return b + f1() }\nfunc f3() int { return f2() }",
		"func f4() int { return f1() + d }\nfunc f5() int { return f4() + a }",
		"var a, d = \"s\", 2.5", "f5()", "%whos", "a, d := 5, 6", "f5() + f3()",
	}
	want := ""
	for range 5 {
		s := newTestSession(t)
		var b strings.Builder
		for i, code := range cells {
			a := runCell(t, s, i+1, code)
			fmt.Fprintln(&b, i+1, a.stdout, a.stderr, a.result, a.failure(), a.out.Names)
		}
		if got := b.String(); want == "" {
			want = got
		} else if got != want {
			t.Fatalf("one run says\n%s\nanother\n%s", want, got)
		}
	}
}

// Ten thousand interpreted cells cost no memory.
func TestTenThousandCellsKeepTheHeapFlat(t *testing.T) {
	if raceOn {
		t.Skip("the race detector keeps memory of its own")
	}
	s := newTestSession(t)
	sink := &sheet{}
	run := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			code := fmt.Sprintf("n := %d\nxs := []int{n, %d}\nfunc sum() (t int) {\n\tfor _, x := range xs {\n\t\tt += x\n\t}\n\treturn t\n}\nm := sum() + n", i, i)
			if out := s.Execute(t.Context(), engine.Cell{ID: uint64(i), Number: i, Code: code}, sink); out.Err != nil {
				t.Fatalf("cell %d: %v", i, out.Err)
			}
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := run(1, 100)
	after := run(100, 10_000)
	if float64(after) > 1.1*float64(before) {
		t.Errorf("heap %d KiB after 100 cells, %d KiB after 10,000", before>>10, after>>10)
	}
}
