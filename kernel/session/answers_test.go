//go:build linux

package session

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

func TestUserExpressionsHaveTheirOwnFate(t *testing.T) {
	s := newTestSession(t)
	sink := &sheet{}
	c := engine.Cell{ID: 1, Number: 1, Code: "x := 20\nxs := []int{1}", Expressions: map[string]string{
		"value": "x + 1", "wrong": "nope", "late": "xs[x]", "statement": "x := 3", "none": `fmt.Sprint()`,
	}}
	out := s.Execute(t.Context(), c, sink)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	text := func(k string) string {
		if e := out.Expressions[k].Err; e != nil {
			return e.Error()
		}
		s, _ := out.Expressions[k].Bundle.Data["text/plain"].(string)
		return s
	}
	for k, want := range map[string]string{
		"value": "21", "wrong": "undefined: nope", "late": "index out of range [20] with length 1", "statement": "not an expression", "none": "",
	} {
		if got := text(k); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("expression %s gives %q, want %q", k, got, want)
		}
	}
	if trace := strings.Join(out.Expressions["late"].Err.Traceback, "\n"); !strings.HasSuffix(trace, "cell [1]:1\n    xs[x]\n    ^") {
		t.Errorf("the trace of an expression shows another line:\n%s", trace)
	}
	if len(sink.results) != 0 {
		t.Errorf("expressions gave %d results of the cell", len(sink.results))
	}
	if a := mustRun(t, s, 2, "x"); a.result != "20" {
		t.Errorf("x is %s after the expressions, want 20", a.result)
	}
}

func TestOutcomeHasTheNamesOfTheCell(t *testing.T) {
	s := newTestSession(t)
	a := mustRun(t, s, 1, "import str \"strings\"\nimport . \"sort\"\nconst k = 2\nx := []int{k}\nfunc f() int { return len(x) * k }\n_ = str.ToUpper")
	got := map[string]engine.Name{}
	for _, n := range a.out.Names {
		got[n.Name] = n
	}
	for _, want := range []engine.Name{
		{Name: "str", Kind: "import", Type: "strings", Cell: 1},
		{Name: ". sort", Kind: "import", Type: "sort", Cell: 1},
		{Name: "k", Kind: "const", Type: "untyped int", Cell: 1},
		{Name: "x", Kind: "var", Type: "[]int", Cell: 1, Uses: []string{"k"}},
		{Name: "f", Kind: "func", Type: "func() int", Cell: 1, Uses: []string{"k", "x"}},
	} {
		n := got[want.Name]
		if n.Kind != want.Kind || n.Type != want.Type || n.Cell != want.Cell || !slices.Equal(n.Uses, want.Uses) {
			t.Errorf("name %+v, want %+v", n, want)
		}
	}
	if len(got) != 5 {
		t.Errorf("names are %v", slices.Collect(maps.Keys(got)))
	}
	if a := runCell(t, s, 2, "y := 1\nnope"); len(a.out.Names) != 0 {
		t.Errorf("a cell that does not compile has names %v", a.out.Names)
	}
}

// A worker that starts anew takes the declarations back and runs nothing.
func TestDeclareBringsBackWhatNeedsNoValue(t *testing.T) {
	s := newTestSession(t)
	lost := map[string]string{"xs": "lost with the worker in [7]; made in [3]: %replay 3"}
	out := s.Declare(t.Context(), []engine.Cell{
		{ID: 9, Number: 1, Code: "import . \"math\""},
		{ID: 1, Number: 2, Code: "import str \"strings\"\nconst k = 2\nfunc double(v int) int { return k * v }\nfmt.Println(\"never\")"},
		{ID: 2, Number: 3, Code: "xs := []int{1}\nfunc first() int { return xs[0] }; func up(s string) string { return str.ToUpper(s) }\n" +
			"func most() float64 { return Sqrt(81) }"},
		{ID: 3, Number: 4, Code: "func main() { panic(\"never\") }\nfunc init() { panic(\"never\") }"},
		{ID: 4, Number: 5, Code: "func twice() int { return first() * 2 }"},
	}, lost)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	var names []string
	for _, n := range out.Names {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	if want := []string{". math", "double", "k", "main", "most", "str", "up"}; !slices.Equal(names, want) {
		t.Errorf("declared %v, want %v", names, want)
	}
	if a := mustRun(t, s, 8, `fmt.Sprint(double(4), up("a"), most())`); a.result != "8A9" || a.stdout != "" {
		t.Errorf("result %q, stdout %q", a.result, a.stdout)
	}
	for code, want := range map[string]string{
		"xs":      "undefined: xs (lost with the worker in [7]; made in [3]: %replay 3)",
		"first()": "undefined: first (it uses xs, lost with the worker in [7]; made in [3]: %replay 3)",
		"twice()": "undefined: twice",
	} {
		if a := runCell(t, s, 9, code); !strings.Contains(a.failure(), want) {
			t.Errorf("%s: %s, want %s", code, a.failure(), want)
		}
	}
	if a := mustRun(t, s, 10, "xs := []int{7}", "xs[0]"); a.result != "7" {
		t.Errorf("xs made again is %q", a.result)
	}
}

// A goroutine that outlives its cell shows where its cell shows.
func TestLateDisplayKeepsItsCell(t *testing.T) {
	s := newTestSession(t)
	first := runCell(t, s, 1, `go func() {
	time.Sleep(60 * time.Millisecond)
	panic("late")
}()`)
	second := runCell(t, s, 2, "time.Sleep(150 * time.Millisecond)")
	if first.out.Err != nil || second.out.Err != nil {
		t.Fatal(first.failure(), second.failure())
	}
	if !strings.Contains(second.stderr, "late") || !strings.Contains(second.stderr, "in a goroutine of cell [1]") {
		t.Errorf("stderr of the running cell is %q", second.stderr)
	}
}

func TestMagicTime(t *testing.T) {
	s := newTestSession(t)
	a := mustRun(t, s, 1, "func f() int { return 3 }", "%time f()")
	if a.result != "3" || !strings.HasPrefix(a.stdout, "wall ") || !strings.Contains(a.stdout, "interpreted, ") {
		t.Errorf("%%time: result %q, stdout %q", a.result, a.stdout)
	}
	a = mustRun(t, s, 3, "%timeit -n 10 -r 2 fmt.Println(f())")
	if !strings.Contains(a.stdout, "(2 runs of 10 loops, interpreted)") || strings.Contains(a.stdout, "3\n3") {
		t.Errorf("%%timeit: stdout %q", a.stdout)
	}
	a = runCell(t, s, 4, "%timeit nope()")
	if a.out.Err == nil || !strings.Contains(a.failure(), "cell [4]:1:9: undefined: nope") {
		t.Errorf("%%timeit of a wrong statement: %s", a.failure())
	}
	a = mustRun(t, s, 5, "%%time\ny := f()\ny + 1")
	if a.result != "4" || !strings.HasPrefix(a.stdout, "wall ") {
		t.Errorf("%%%%time: result %q, stdout %q", a.result, a.stdout)
	}
	a = interruptAfter(t, s, 6, "%timeit time.Sleep(600 * time.Millisecond)", 20*time.Millisecond)
	if a.out.Err == nil || a.out.Err.Name != "Interrupted" {
		t.Errorf("%%timeit interrupted: %s", a.failure())
	}
}

func TestMagicWhos(t *testing.T) {
	s := newTestSession(t)
	a := mustRun(t, s, 1, "grid := [][]int{{1, 2}, {3, 4}, {5, 6}}\nm := map[string]int{\"a\": 1}\nconst k = 1 << 3\nvar np *int", "%whos")
	for _, want := range []string{"3×2", "map of 1", "[][]int", "8", "nil"} {
		if !strings.Contains(a.stdout, want) {
			t.Errorf("%%whos lacks %q:\n%s", want, a.stdout)
		}
	}
	if a := mustRun(t, s, 3, "%who g*"); a.stdout != "grid\n" {
		t.Errorf("%%who g* says %q", a.stdout)
	}
	a = mustRun(t, s, 4, "%help time", "%replay 3 5-7", "%restart -f")
	if len(a.out.Actions) != 1 || a.out.Actions[0] != (engine.Action{Kind: "restart", Text: "-f"}) {
		t.Errorf("%%restart -f asks for %v", a.out.Actions)
	}
}

// In a goroutine runtime.Goexit does what it does in a program.
func TestGoexitEndsAGoroutine(t *testing.T) {
	s := newTestSession(t)
	a := mustRun(t, s, 1, `done := make(chan int)
go func() {
	defer close(done)
	runtime.Goexit()
}()
<-done
time.Sleep(20 * time.Millisecond)
1`)
	if a.result != "1" || a.stderr != "" {
		t.Errorf("result %q, stderr %q", a.result, a.stderr)
	}
}
