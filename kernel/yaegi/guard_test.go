package yaegi

import (
	"fmt"
	"strings"
	"testing"
)

// TestDeepPanic: a panic below many calls of a function, of two that call each
// other, of one of an earlier cell and of a literal comes through all of them
// and is told as one below a single call.
func TestDeepPanic(t *testing.T) {
	const depth = 1500
	const fails = "\t\tvar xs []int\n\t\treturn xs[n]\n"
	for name, cells := range map[string][]string{
		"itself": {"func f(n int) int {\n\tif n == 0 {\n" + fails + "\t}\n\treturn f(n-1) + 1\n}"},
		"two": {"func f(n int) int {\n\tif n == 0 {\n" + fails + "\t}\n\treturn g(n)\n}\n" +
			"func g(n int) int { return f(n - 1) }"},
		"a literal": {"var f func(int) int\nf = func(n int) int {\n\tif n == 0 {\n" + fails + "\t}\n\treturn f(n-1) + 1\n}"},
		"two cells": {"var h func(int) int",
			"func f(n int) int {\n\tif n == 0 {\n" + fails + "\t}\n\treturn h(n - 1)\n}", "h = f"},
		"with defers": {"func f(n int) int {\n\tdefer func() {}()\n\tif n == 0 {\n" + fails + "\t}\n\treturn f(n-1) + 1\n}"},
	} {
		b := newBook()
		for _, c := range cells {
			if o := b.run(c); o.err != nil || o.fault != nil || o.refused != nil {
				t.Fatalf("%s: %s", name, o)
			}
		}
		var o outcome
		if !within(t, name, func() { o = b.run(fmt.Sprintf("f(%d)", depth)) }) {
			continue
		}
		if o.fault == nil || o.fault.Text != "runtime error: index out of range" || len(o.fault.Frames) < depth {
			t.Errorf("%s: %v, %d frames", name, o, len(o.fault.Frames))
		} else if f := o.fault.Frames[0]; f.Line < 4 || f.Line > 5 {
			t.Errorf("%s: the innermost frame is %+v", name, f)
		}
	}
}

// TestGuard: a guarded function gives its results, keeps the value of a panic,
// and says whether it began outside of the interpreter.
func TestGuard(t *testing.T) {
	b := newBook()
	b.run("func sum(n int, xs ...int) int {\n\tif n == 0 {\n\t\treturn len(xs)\n\t}\n" +
		"\treturn sum(n-1, append(xs, n)...)\n}")
	if o := b.run("sum(100, 1, 2)"); o.fault != nil || o.unit.Shown()[0].Int() != 102 {
		t.Errorf("variadic: %s", o)
	}
	for src, want := range map[string]string{
		"panic(&strconv.NumError{Func: \"f\", Num: \"x\", Err: io.EOF})": `strconv.f: parsing "x": EOF`,
		"sort.Slice(5, func(i, j int) bool { return i < j })":            "reflect: call of Swapper on int Value",
		"var p *int\n\t\t*p = 1":                                         nilText,
	} {
		b := newBook()
		b.run("func f(n int) {\n\tif n == 0 {\n\t\t" + src + "\n\t\treturn\n\t}\n\tf(n - 1)\n}")
		o := b.run("f(50)")
		if o.fault == nil || o.fault.Text != want {
			t.Errorf("%s: %v, want %s", src, o.fault, want)
		}
	}
	o := b.run("func bad(n int) {\n\tif n == 0 {\n\t\truntime.Goexit()\n\t}\n\tbad(n - 1)\n}\nbad(40)")
	if o.fault == nil || !strings.Contains(o.fault.Text, "Goexit") {
		t.Errorf("Goexit: %s", o)
	}
}
