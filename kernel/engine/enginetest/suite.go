package enginetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Option changes what [Run] can see.
type Option int

// NoText leaves out the text of stdout and stderr: an engine that writes to
// the real descriptors and has no process around it.
const NoText Option = 1

const patience = 20 * time.Second // a bound for a hang, not a measure

// Run judges an engine: what the contract of package engine promises, one
// subtest a promise, each with a new engine.
func Run(t *testing.T, newEngine func(t *testing.T) engine.Engine, opts ...Option) {
	for name, test := range map[string]func(k *bench){
		"Order": order, "Result": result, "Error": failed, "Compile": compile, "Interrupt": interrupt, "Context": cancelled,
		"IdleInterrupt": idle, "Late": late, "Redefine": redefine, "Silent": silent, "Expressions": expressions,
		"Names": names, "Beside": beside, "Declare": declare, "Input": input, "InputStopped": inputStopped, "NoInput": noInput,
	} {
		t.Run(name, func(t *testing.T) {
			k := &bench{T: t, e: newEngine(t)}
			for _, o := range opts {
				k.noText = k.noText || o == NoText
			}
			defer func() {
				if err := k.e.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}()
			test(k)
		})
	}
}

// bench is one engine under test, with the counter of its cells.
type bench struct {
	*testing.T
	e      engine.Engine
	n      int
	noText bool
}

func (k *bench) cell(code string) engine.Cell {
	k.n++
	return engine.Cell{ID: uint64(k.n), Number: k.n, Code: code}
}

func (k *bench) run(code string) (*Recorder, engine.Outcome) {
	k.Helper()
	r := &Recorder{}
	return r, k.e.Execute(context.Background(), k.cell(code), r)
}

// ok runs a cell that must not fail.
func (k *bench) ok(code string) *Recorder {
	k.Helper()
	r, out := k.run(code)
	if out.Err != nil {
		k.Fatalf("%q: %v\n%s", code, out.Err, strings.Join(out.Err.Traceback, "\n"))
	}
	return r
}

// value runs an expression and compares its result.
func (k *bench) value(code, want string) {
	k.Helper()
	if got := k.ok(code).Text("result"); got != want {
		k.Errorf("%q: result %q, want %q", code, got, want)
	}
}

// fails runs a cell that must fail with this name and words.
func (k *bench) fails(code, name, words string) engine.Outcome {
	k.Helper()
	_, out := k.run(code)
	if out.Err == nil {
		k.Fatalf("%q: no error, want %s", code, name)
	}
	if out.Err.Name != name || !strings.Contains(out.Err.Value, words) {
		k.Errorf("%q: error %v, want %s with %q", code, out.Err, name, words)
	}
	if len(out.Err.Traceback) == 0 {
		k.Errorf("%q: no traceback", code)
	}
	return out
}

func order(k *bench) {
	r := k.ok("fmt.Println(\"a\")\ndisplay.Show(\"b\")\nfmt.Println(\"c\")\ndisplay.ShowID(\"id\", \"d\")\n" +
		"display.Update(\"id\", \"e\")\nfmt.Fprintln(os.Stderr, \"f\")\n7")
	want := "stdout a\n\ndisplay b\nstdout c\n\ndisplay d\nupdate e\nstderr f\n\nresult 7\n"
	if k.noText {
		want = "display b\ndisplay d\nupdate e\nresult 7\n"
	}
	if got := r.String(); got != want {
		k.Errorf("events:\n%swant:\n%s", got, want)
	}
	for _, e := range r.Events() {
		if (e.Kind == "update" || e.Text == "d") && e.ID != "id" {
			k.Errorf("%s %s has id %q", e.Kind, e.Text, e.ID)
		}
	}
}

func result(k *bench) {
	if r := k.ok("x := 2"); r.Text("result") != "" {
		k.Errorf("a definition has the result %q", r.Text("result"))
	}
	k.value("x", "2")
	if r := k.ok(""); len(r.Events()) != 0 {
		k.Errorf("an empty cell shows %v", r)
	}
}

func failed(k *bench) {
	k.ok("x := 2")
	r, out := k.run("y := 3\ndisplay.Show(\"before\")\npanic(\"boom\")")
	if out.Err == nil || out.Err.Name != "Panic" || !strings.Contains(out.Err.Value, "boom") {
		k.Fatalf("error %v, want Panic with boom", out.Err)
	}
	if got := r.String(); got != "display before\n" {
		k.Errorf("events %q, want the display before the panic only", got)
	}
	k.value("x", "2")
	k.value("y", "3") // a cell that panics keeps what it reached
}

func compile(k *bench) {
	r := &Recorder{}
	out := k.e.Execute(context.Background(), k.cell("z := 1\ndisplay.Show(\"ran\")\nnope"), r)
	if out.Err == nil || out.Err.Name != "CompileError" ||
		!strings.Contains(strings.Join(out.Err.Traceback, "\n"), "undefined: nope") {
		k.Fatalf("error %v, want CompileError with undefined: nope", out.Err)
	}
	if len(r.Events()) != 0 {
		k.Errorf("a cell that does not compile shows %v", r)
	}
	if len(out.Names) != 0 {
		k.Errorf("a cell that does not compile leaves %v", out.Names)
	}
	k.fails("z", "CompileError", "undefined: z")
	if r, _ := k.run("fmt.Println(\"on\")"); !k.noText && r.Text("stdout") != "on\n" {
		k.Errorf("the next cell prints %q", r.Text("stdout"))
	}
}

// stopped runs `for {}` and calls stop until the cell is over.
func (k *bench) stopped(ctx context.Context, stop func()) {
	k.Helper()
	k.ok("x := 2")
	done := make(chan engine.Outcome, 1)
	r := &Recorder{}
	go func() { done <- k.e.Execute(ctx, k.cell("display.Show(\"in\")\nfor {}"), r) }()
	if !r.Await("display", patience) {
		k.Fatal("the cell did not start")
	}
	stop()
	select {
	case out := <-done:
		if out.Err == nil || out.Err.Name != "Interrupted" {
			k.Errorf("a stopped cell ends with %v, want Interrupted", out.Err)
		}
	case <-time.After(patience):
		k.Fatal("for {} does not stop")
	}
	k.value("x", "2")
}

func interrupt(k *bench) { k.stopped(context.Background(), k.e.Interrupt) }

func cancelled(k *bench) {
	ctx, cancel := context.WithCancel(context.Background())
	k.stopped(ctx, cancel)
}

func idle(k *bench) {
	k.e.Interrupt()
	k.e.Interrupt()
	k.value("1", "1")
	k.e.Interrupt()
	k.value("2", "2")
}

func late(k *bench) {
	first := k.ok("go func() { time.Sleep(100 * time.Millisecond); display.Show(\"late\") }()")
	second := k.ok("display.Show(\"early\")")
	if !first.Await("display", patience) {
		k.Fatal("a display after the end of its cell is lost")
	}
	if got := first.Text("display"); got != "late" {
		k.Errorf("the first cell shows %q", got)
	}
	if got := second.Text("display"); got != "early" {
		k.Errorf("the second cell shows %q: the late output of the first went there", got)
	}
}

func redefine(k *bench) {
	k.ok("x := 1")
	k.ok("x := \"a\"")
	k.value("x", "a")
	k.ok("func f() int { return 1 }")
	k.value("f()", "1")
	k.ok("func f() int { return 2 }")
	k.value("f()", "2")
}

func silent(k *bench) {
	c := k.cell("x := 4\nx")
	c.Silent = true
	r := &Recorder{}
	if out := k.e.Execute(context.Background(), c, r); out.Err != nil {
		k.Fatal(out.Err)
	}
	if r.Text("result") != "" {
		k.Errorf("a silent cell has the result %q", r.Text("result"))
	}
	k.value("x", "4")
}

func expressions(k *bench) {
	c := k.cell("x := 5")
	c.Expressions = map[string]string{"good": "x", "bad": "nope"}
	out := k.e.Execute(context.Background(), c, &Recorder{})
	if out.Err != nil {
		k.Fatalf("an expression that fails must not fail the cell: %v", out.Err)
	}
	if g := out.Expressions["good"]; g.Err != nil || plain(g.Bundle) != "5" {
		k.Errorf("good: %v, %v", g.Bundle, g.Err)
	}
	if b := out.Expressions["bad"]; b.Err == nil || !strings.Contains(b.Err.Value, "nope") {
		k.Errorf("bad: %v, want an error", b)
	}
}

func names(k *bench) {
	_, out := k.run("x := 5")
	if len(out.Names) != 1 || out.Names[0].Name != "x" || out.Names[0].Kind != "var" || out.Names[0].Type != "int" ||
		out.Names[0].Cell != 1 {
		k.Errorf("x := 5 gives the names %+v", out.Names)
	}
	_, out = k.run("func f() int { return x }")
	if len(out.Names) != 1 || out.Names[0].Name != "f" || out.Names[0].Kind != "func" || out.Names[0].Cell != 2 {
		k.Fatalf("func f gives the names %+v", out.Names)
	}
	if u := out.Names[0].Uses; len(u) != 1 || u[0] != "x" {
		k.Errorf("f uses %v, want x", u)
	}
}

// beside asks while a cell runs: the answers must not wait for its end.
func beside(k *bench) {
	k.ok("xylophone := 1")
	done := make(chan struct{})
	r := &Recorder{}
	go func() {
		defer close(done)
		k.e.Execute(context.Background(), k.cell("display.Show(\"in\")\nfor {}"), r)
	}()
	if !r.Await("display", patience) {
		k.Fatal("the cell did not start")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := k.e.Complete(ctx, "1 + xylo", 8)
	if err != nil || len(c.Items) != 1 || c.Items[0].Text != "xylophone" || c.Start != 4 || c.End != 8 {
		k.Errorf("Complete beside a cell: %+v, %v", c, err)
	}
	in, err := k.e.Inspect(ctx, "xylophone", 9, 0)
	if err != nil || !in.Found || !strings.Contains(in.Text, "int") {
		k.Errorf("Inspect beside a cell: %+v, %v", in, err)
	}
	if in, err = k.e.Inspect(ctx, "nope", 4, 0); err != nil || in.Found {
		k.Errorf("Inspect of an unknown name: %+v, %v", in, err)
	}
	k.e.Interrupt()
	select {
	case <-done:
	case <-time.After(patience):
		k.Fatal("for {} does not stop")
	}
}

func declare(k *bench) {
	d, ok := k.e.(engine.Declarer)
	if !ok {
		k.Skip("the engine keeps its declarations itself")
	}
	cells := []engine.Cell{k.cell("x := 1\nfunc f() int { return 2 }\ndisplay.Show(\"ran\")"),
		k.cell("func g() int { return x }")}
	out := d.Declare(context.Background(), cells, map[string]string{"x": "lost in [3]", "g": "lost in [3], uses x"})
	if out.Err != nil || len(out.Names) != 1 || out.Names[0].Name != "f" {
		k.Fatalf("Declare: %+v, %v; want f alone", out.Names, out.Err)
	}
	k.n++
	k.value("f()", "2")
	k.fails("x", "CompileError", "undefined: x (lost in [3])")
	k.fails("g()", "CompileError", "undefined: g (lost in [3], uses x)")
	k.ok("x := 3")
	k.value("x", "3")
}
