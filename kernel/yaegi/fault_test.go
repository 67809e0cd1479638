package yaegi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/cellapi"
)

// TestFaults: a panic keeps what ran before it, and is told in Go's words with
// the line and the functions it came through.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ src, text, frames string }{
		{"a := 1\nb := 10 / (a - 1)", "runtime error: integer divide by zero", "cell[1]:2"},
		{"var m map[string]int\nm[\"k\"] = 1", "assignment to entry in nil map", "cell[1]:2"},
		{"xs := []int{1, 2, 3}\ni := 5\nxs[i]", "runtime error: index out of range", "cell[1]:3"},
		{"xs := []int{1, 2, 3}\ni := -1\nxs[i] = 2", "runtime error: index out of range", "cell[1]:3"},
		{"s := \"abc\"\ni := 3\ns[i]", "runtime error: index out of range", "cell[1]:3"},
		{"xs := []int{1, 2, 3}\ni := 5\nxs[1:i]", "runtime error: slice bounds out of range", "cell[1]:3"},
		{"s := \"abc\"\ni := 5\ns[i:]", "runtime error: slice bounds out of range", "cell[1]:3"},
		{"func f(i int) int {\n\txs := []int{1}\n\treturn xs[i]\n}\nf(4)", "runtime error: index out of range",
			"cell[1]:3 in f, cell[1]:5"},
		{"var p *int\n*p = 1", nilText, "cell[1]:2"},
		{"var p *int\nfmt.Println(*p)", nilText, "cell[1]:2"},
		{"var p *struct{ A int }\np.A", nilText, "cell[1]:2"},
		{"var p *string\n*p == \"x\"", nilText, "cell[1]:2"},
		{"var p *string\n*p += \"x\"", nilText, "cell[1]:2"},
		{"var p *string\n_ = *p", nilText, "cell[1]:2"},
		{"var p *int\n_ = *p", nilText, "cell[1]:2"},
		{"var p *bool\nif *p {\n}", nilText, "cell[1]:2"},
		{"var p *struct{ S string }\np.S + \"x\"", nilText, "cell[1]:2"},
		{"var p *[]string\nlen((*p)[0])", nilText, "cell[1]:2"},
		{"var p **string\n**p", nilText, "cell[1]:2"},
		{"var p *[2]string\np[1] == \"a\"", nilText, "cell[1]:2"},
		{"var p *[]int\nfor range *p {\n}", nilText, "cell[1]:2"},
		{"var p *func()\n(*p)()", nilText, "cell[1]:2"},
		{"var p *map[string]string\n(*p)[\"a\"]", nilText, "cell[1]:2"},
		{"var p *error\n*p == nil", nilText, "cell[1]:2"},
		{"var p *any\nswitch (*p).(type) {\n}", nilText, "cell[1]:2"},
		{"var p *string\nstrings.ToUpper(*p)", nilText, "cell[1]:2"},
		{"var p *string\nfor range *p {\n}", nilText, "cell[1]:2"},
		{"var p *string\nswitch *p {\ncase \"a\":\n}", nilText, "cell[1]:2"},
		{"var p *string\nx := []string{*p}", nilText, "cell[1]:2"},
		{"var p *string\nfunc() string { return *p }()", nilText, "cell[1]:2 in func, cell[1]:2"},
		{"var p *int\nfunc() int { return *p }()", nilText, "cell[1]:2 in func, cell[1]:2"},
		{"var p *int\nx := append([]int{}, *p)", nilText, "cell[1]:2"},
		{"var p *float64\nx := *p * 2", nilText, "cell[1]:2"},
		{"var p *int\nx := int8(*p)", nilText, "cell[1]:2"},
		{"var p *int\n[]int{1}[*p]", nilText, "cell[1]:2"},
		{"var p *int\np2 := &p\n**p2++", nilText, "cell[1]:3"},
		{"var f func()\nf()", nilText, "cell[1]:2"},
		{"var e error\ne.Error()", nilText, "cell[1]:2"},
		{"var v any = \"s\"\nv.(int)", "interface conversion: interface {} is string, not int", "cell[1]:2"},
		{"var v any\nv.(int)", "interface conversion: interface {} is nil, not int", "cell[1]:2"},
		{"var v any = 3\nv.(error)", "interface conversion: int is not error: missing method Error", "cell[1]:2"},
		{"reflect.ValueOf(3).Elem()", "reflect: call of reflect.Value.Elem on int Value", "cell[1]:1"},
		{"reflect.ValueOf(nil).Type()", "reflect: call of reflect.Value.Type on zero Value", "cell[1]:1"},
		{"reflect.ValueOf([]int{1}).Index(4)", "reflect: slice index out of range", "cell[1]:1"},
		{"reflect.ValueOf(strings.ToUpper).Call(nil)", "reflect: Call with too few input arguments", "cell[1]:1"},
		{"sort.Slice(5, func(i, j int) bool { return i < j })", "reflect: call of Swapper on int Value", "cell[1]:1"},
		{"sort.Slice([]int{1, 2}, func(i, j int) bool { var p *bool; return *p })", nilText, "cell[1]:1 in func, cell[1]:1"},
		{"panic(\"stop\")", "stop", "cell[1]:1"},
		{"panic(fmt.Errorf(\"e %d\", 1))", "e 1", "cell[1]:1"},
		{"c := make(chan int)\nclose(c)\nclose(c)", "close of closed channel", "cell[1]:3"},
		{"c := make(chan int)\nclose(c)\nc <- 1", "send on closed channel", "cell[1]:3"},
		{"n := -1\n_ = make([]int, n)", "runtime error: makeslice: len out of range", "cell[1]:2"},
		{"n := -1\n1 << n", "runtime error: negative shift amount", "cell[1]:2"},
		{"m := map[any]int{}\nm[[]int{1}] = 2", "runtime error: hash of unhashable type []int", "cell[1]:2"},
		{"var a, b any = []int{1}, []int{1}\na == b", "runtime error: comparing uncomparable type []int", "cell[1]:2"},
		{"os.Exit(3)", "os.Exit(3) is not run in a notebook", "cell[1]:1"},
		{"runtime.Goexit()", "runtime.Goexit() is not run in a notebook", "cell[1]:1"},
		{"strings.Repeat(\"x\", -1)", "strings: negative Repeat count", "cell[1]:1"},
		{"func f(n int) int {\n\tif n == 0 {\n\t\tpanic(\"deep\")\n\t}\n\treturn f(n-1)\n}\nf(2)", "deep",
			"cell[1]:3 in f, cell[1]:3 in f, cell[1]:3 in f, cell[1]:7"},
		{"f := func() {\n\tpanic(\"lit\")\n}\nf()", "lit", "cell[1]:2 in func, cell[1]:4"},
	} {
		o := newBook().run(tt.src)
		if o.fault == nil {
			t.Errorf("%q: no fault but %s", tt.src, o)
			continue
		}
		text := o.fault.Text
		var frames []string
		for _, f := range o.fault.Frames {
			s := fmt.Sprintf("%s:%d", f.File, f.Line)
			if f.Func != "" {
				s += " in " + f.Func
			}
			frames = append(frames, s)
		}
		if got := strings.Join(frames, ", "); text != tt.text || got != tt.frames {
			t.Errorf("%q:\n got %s | %s\nwant %s | %s", tt.src, text, got, tt.text, tt.frames)
		}
	}
}

// TestFinished: only complete pieces count, so that names not reached do not
// exist.
func TestFinished(t *testing.T) {
	o := newBook().run("a := 1\nfmt.Println(\"one\")\nb := 10 / (a - 1)\nc := 3")
	if o.fault == nil || o.unit.Finished() != 2 || o.stdout != "one\n" {
		t.Errorf("finished %d, printed %q, fault %v", o.unit.Finished(), o.stdout, o.fault)
	}
}

// TestStop: a stop ends an endless loop at its poll and leaves the goroutines
// of other cells alone.
func TestStop(t *testing.T) {
	b := newBook()
	b.run("n := 0\ngo func() {\n\tfor {\n\t\tn++\n\t\ttime.Sleep(time.Millisecond)\n\t}\n}()")
	for _, src := range []string{
		"for {\n}",
		"func loop() {\n\tfor i := 0; ; i++ {\n\t}\n}\nloop()",
		"for {\n\ttime.Sleep(time.Millisecond)\n}",
		"<-make(chan int)",
		"make(chan int) <- 1",
		"select {}",
		"var c chan string\nselect {\ncase <-c:\ncase c <- \"a\":\n}",
		"for range make(chan bool) {\n}",
		"defer fmt.Println(\"deferred\")\nfor range time.Tick(time.Millisecond) {\n}",
		"func rec(n int) int { return rec(n + 1) }\nrec(0)",
	} {
		o := b.compile(src)
		if o.unit == nil {
			t.Fatalf("%q: %s", src, o)
		}
		cell := b.n
		time.AfterFunc(20*time.Millisecond, func() { cellapi.Stop(cell, "stopped by the test") })
		back := false
		if !within(t, src, func() {
			ended := make(chan bool)
			go func() { // a stop may end it from within, where the calls are deep
				defer close(ended)
				defer cellapi.Enter(cell)()
				o.fault = o.unit.Run()
				back = true
			}()
			<-ended
		}) {
			return
		}
		if back && (o.fault == nil || o.fault.Stopped() == nil || o.fault.Stopped().Reason != "stopped by the test") {
			t.Errorf("%q: %v", src, o.fault)
		}
	}
	if cellapi.Raised() {
		t.Error("the flag stays up")
	}
	before := b.run("n").unit.Shown()[0].Int()
	time.Sleep(20 * time.Millisecond)
	if after := b.run("n").unit.Shown()[0].Int(); after <= before {
		t.Errorf("the goroutine of the first cell stood still at %d", after)
	}
	cellapi.Stop(1, "end")
	if !within(t, "the goroutine of the first cell", func() {
		for cellapi.Members(1) > 0 {
			time.Sleep(time.Millisecond)
		}
	}) {
		return
	}
	if cellapi.Raised() {
		t.Error("the flag stays up after the last goroutine ended")
	}
}

// TestGoroutines: a panic in a goroutine is told to the guard with its cell.
func TestGoroutines(t *testing.T) {
	faults := make(chan *Fault, 1)
	defer cellapi.SetGuard(func(f cellapi.Fault) {
		fault := NewFault(f.Value)
		if f.Cell != 1 {
			t.Errorf("cell %d", f.Cell)
		}
		faults <- fault
	})()
	newBook().run("go func(s string) {\n\tpanic(s)\n}(\"boom\")")
	select {
	case f := <-faults:
		if f.Text != "boom" || len(f.Frames) == 0 || f.Frames[0].Line != 2 {
			t.Errorf("%+v", f)
		}
	case <-time.After(5 * time.Second):
		t.Error("no fault came")
	}
}

// TestExitIsReal: where it is set, os.Exit of a program reaches its function.
func TestExitIsReal(t *testing.T) {
	code := -1
	defer cellapi.SetExit(func(c int) { code = c })()
	newBook().run("os.Exit(3)")
	if code != 3 {
		t.Errorf("code %d", code)
	}
}
