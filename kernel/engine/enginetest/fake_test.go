package enginetest

import (
	"context"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

func TestFake(t *testing.T) {
	Run(t, func(*testing.T) engine.Engine { return NewFake() })
}

// A script plays every step, in order, and ends where it says.
func TestScript(t *testing.T) {
	f := NewFake()
	f.On["plot()"] = Script(`
		stdout "a\n"
		display#p one
		update#p two
		clear wait
		name x var int
		action page help
		expression k v
		result 3
		error Panic: boom
		stdout never`)
	r := &Recorder{}
	out := f.Execute(context.Background(), engine.Cell{Number: 4, Code: "plot()"}, r)
	if got, want := r.String(), "stdout a\n\ndisplay one\nupdate two\nclear \nresult 3\n"; got != want {
		t.Errorf("events:\n%swant:\n%s", got, want)
	}
	if out.Err == nil || out.Err.Name != "Panic" || out.Err.Value != "boom" {
		t.Errorf("error %v", out.Err)
	}
	if len(out.Names) != 1 || out.Names[0].Name != "x" || out.Names[0].Type != "int" || out.Names[0].Cell != 4 {
		t.Errorf("names %+v", out.Names)
	}
	if len(out.Actions) != 1 || out.Actions[0] != (engine.Action{Kind: "page", Text: "help"}) ||
		plain(out.Expressions["k"].Bundle) != "v" {
		t.Errorf("actions %v, expressions %v", out.Actions, out.Expressions)
	}
}

// late comes after the end of the cell, to its own sink; wait ends by Interrupt.
func TestScriptLateAndWait(t *testing.T) {
	f := NewFake()
	f.On["late"] = Script("stdout now\nlate\ndisplay after")
	f.On["wait"] = Script("display in\nwait")
	r := &Recorder{}
	f.Execute(context.Background(), engine.Cell{Code: "late"}, r)
	if !r.Await("display", time.Minute) || r.String() != "stdout now\ndisplay after\n" {
		t.Errorf("events %q", r)
	}
	w, done := &Recorder{}, make(chan engine.Outcome)
	go func() { done <- f.Execute(context.Background(), engine.Cell{Code: "wait"}, w) }()
	w.Await("display", time.Minute)
	f.Interrupt()
	if out := <-done; out.Err == nil || out.Err.Name != "Interrupted" {
		t.Errorf("wait ends with %v", out.Err)
	}
}
