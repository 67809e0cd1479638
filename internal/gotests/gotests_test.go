package main

import (
	"strings"
	"testing"
	"time"
)

func TestCut(t *testing.T) {
	f := &file{name: "x.go", text: `// run

package main

import "fmt"

func init() { fmt.Println("init", a) }

var (
	a = c + b // made last: 9
	b = f()   // 4
	c = f()   // 5
	d = 3
)

func f() int {
	d++
	return d
}

func main() { fmt.Println(T(a).String(), even(4)) }

func even(n int) bool { return n == 0 || odd(n-1) }

type T int

func odd(n int) bool { return n != 0 && even(n-1) }

func (t T) String() string { return fmt.Sprint(int(t)) }
`}
	cells, again, err := cut(f)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) int {
		for i, c := range cells {
			if strings.Contains(c, text) {
				return i
			}
		}
		t.Fatalf("no cell holds %q: %q", text, cells)
		return 0
	}
	for _, order := range [][]string{
		{"import", "d = 3", "func f()", "b = f()", "c = f()", "a = c", "func init", "func main"}, // the program's own order
		{"type T", "func main"},
		{"func even", "func main"},
	} {
		for i := range order[1:] {
			if at(order[i]) >= at(order[i+1]) {
				t.Errorf("%q is not before %q: %q", order[i], order[i+1], cells)
			}
		}
	}
	if at("func even") != at("func odd") || at("type T") != at("func (t T)") {
		t.Errorf("what needs each other is not in one cell: %q", cells)
	}
	if at("func main") != len(cells)-1 {
		t.Errorf("main is not last: %q", cells)
	}
	if !strings.HasPrefix(again, "func f()") {
		t.Errorf("again %q, want a function", again)
	}
}

func TestRefusedLine(t *testing.T) {
	for text, want := range map[string]string{
		"// errorcheck\n\npackage p\n\nimport \"fmt\" // ERROR \"imported and not used\"\n\nvar x int = \"a\" // ERROR \"x\"\n": "has a name without use there, which a cell may have",
		"// errorcheck\n\npackage p\n\nvar x = 1\n":         "is refused by the compiler behind the check of types",
		"// errorcheck\n\npackage p\n\nvar x int = \"a\"\n": "",
	} {
		if got := onlyLater(&file{name: "x.go", text: text}, 5); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A run in pieces judges every file once, and none after its time.
func TestKept(t *testing.T) {
	c := &config{gondola: "gotests_test.go", work: t.TempDir(), modes: []string{"cell"}, length: time.Hour}
	judged := result{&file{name: "a.go"}, []verdict{{"cell", "wrong", "line 1"}}}
	k, err := c.openKept()
	if err != nil {
		t.Fatal(err)
	}
	k.note(judged)
	k.close()
	if k, err = c.openKept(); err != nil {
		t.Fatal(err)
	}
	defer k.close()
	c.length = time.Nanosecond
	all := c.all([]*file{{name: "a.go"}, {name: "b.go"}}, k, time.Now().Add(-time.Minute))
	if unjudged(all) != 1 || len(all[0].verdicts) != 1 || all[0].verdicts[0] != judged.verdicts[0] {
		t.Errorf("%v", all)
	}
	c.modes = []string{"cut"}
	other, err := c.openKept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if _, ok := other.of(judged.file); ok {
		t.Error("what was judged in another mode stands")
	}
}

func TestJudgement(t *testing.T) {
	make := func(kinds ...string) (all []result) {
		for _, k := range kinds {
			all = append(all, result{verdicts: []verdict{{mode: "cell", kind: k, why: "why: so"}}})
		}
		return all
	}
	ok := make("right", "right", "refused", "left")
	if err := judgement(ok, []string{"cell"}); err != nil {
		t.Error(err)
	}
	if got := table(ok, []string{"cell"}, 4); !strings.Contains(got, "cell          3      2        1      0         1") ||
		!strings.Contains(got, "1  cell: why\n") {
		t.Errorf("table:\n%s", got)
	}
	for _, bad := range [][]result{make("right", "wrong"), make("refused", "refused", "right"), make("left"), nil} {
		if judgement(bad, []string{"cell"}) == nil {
			t.Errorf("%v passes", bad)
		}
	}
	if got := diff("a\nb", "a\nc"); got != `line 2 is "b", want "c"` {
		t.Error(got)
	}
}
