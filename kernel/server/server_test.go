package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// held is a fake whose cell "hold" shows that it runs, then does work, then
// waits until it is released, and ends with what the test sends.
type held struct {
	*enginetest.Fake
	release chan engine.Outcome
}

func newHeld(work func(engine.Sink)) *held {
	h := &held{enginetest.NewFake(), make(chan engine.Outcome)}
	h.On["hold"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		s.Display(engine.Display{Bundle: plain("in")})
		if work != nil {
			work(s)
		}
		return <-h.release
	}
	return h
}

func plain(s string) display.Bundle { return display.Bundle{Data: map[string]any{"text/plain": s}} }

var boom = engine.Outcome{Err: &engine.CellError{Name: "Panic", Value: "boom"}}

// execute is a step that runs code without waiting for its end.
func execute(code string) string { return fmt.Sprintf(`+shell execute_request {"code":%q}`, code) }

// Twenty cells wait behind one that fails: all are aborted, in order, and the
// comm messages between them are not.
func TestAbortQueued(t *testing.T) {
	h := newHeld(nil)
	p := newTape(Config{Engine: h})
	defer p.end(t)
	p.step(t, execute("hold"))
	p.step(t, "until display_data")
	for i := range 20 {
		p.step(t, execute(fmt.Sprint(i)))
		p.step(t, `+shell comm_open {"comm_id":"c"}`)
	}
	h.release <- boom
	p.await(t)
	got := p.String()
	if n := strings.Count(got, `"evalue":"not run: cell [1] failed"`); n != 20 {
		t.Errorf("%d cells are aborted, want 20:\n%s", n, got)
	}
	if n := strings.Count(got, "comm_close"); n != 20 {
		t.Errorf("%d comms are answered, want 20", n)
	}
	if strings.Contains(got, "execute_result") {
		t.Errorf("an aborted cell ran:\n%s", got)
	}
	p.step(t, execute("7"))
	p.await(t)
	if !strings.Contains(p.String(), `execute_result {"data":{"text/plain":"7"},"execution_count":2`) {
		t.Errorf("a cell that came later did not run as [2]:\n%s", p)
	}
}

// An interrupt is not lost on a cell that is announced and not yet with the
// engine.
func TestInterruptEarly(t *testing.T) {
	f := enginetest.NewFake()
	f.On["wait"] = enginetest.Script("wait")
	p := newTape(Config{Engine: f})
	defer p.end(t)
	p.hook = func(kind string) {
		if kind == "execute_input" {
			p.s.Interrupt()
		}
	}
	p.step(t, execute("wait"))
	p.await(t)
	if !strings.Contains(p.String(), `"ename":"Interrupted"`) {
		t.Errorf("%s", p)
	}
}

// Without stop_on_error the cells behind a failure run.
func TestNoAbort(t *testing.T) {
	h := newHeld(nil)
	p := newTape(Config{Engine: h})
	defer p.end(t)
	p.step(t, `+shell execute_request {"code":"hold","stop_on_error":false}`)
	p.step(t, "until display_data")
	p.step(t, execute("7"))
	h.release <- boom
	p.await(t)
	if !strings.Contains(p.String(), `execute_result {"data":{"text/plain":"7"}`) {
		t.Errorf("the cell behind did not run:\n%s", p)
	}
}

// Requests that need no cell are answered beside one; with Serial they wait.
func TestBeside(t *testing.T) {
	for _, serial := range []bool{false, true} {
		h := newHeld(nil)
		p := newTape(Config{Engine: h, Serial: serial})
		p.step(t, execute("hold"))
		p.step(t, "until display_data")
		asks := []string{"kernel_info", "comm_info", "complete", "inspect", "is_complete", "history"}
		for _, a := range asks {
			p.step(t, "+shell "+a+"_request")
			if !serial {
				p.step(t, "until "+a+"_reply")
			}
		}
		p.step(t, "+control interrupt_request")
		p.step(t, "until interrupt_reply")
		before := p.String()
		h.release <- engine.Outcome{}
		p.await(t)
		for _, a := range asks {
			if got := strings.Contains(before, a+"_reply"); got == serial {
				t.Errorf("serial %v: %s answered beside the cell: %v", serial, a, got)
			}
			if !strings.Contains(p.String(), a+"_reply") {
				t.Errorf("serial %v: %s is not answered", serial, a)
			}
		}
		p.end(t)
	}
}

// An engine that does not answer a question holds up no interrupt, and the
// question gets an empty answer in the end.
func TestEngineHangs(t *testing.T) {
	f := enginetest.NewFake()
	asked, release := make(chan bool, 1), make(chan bool)
	f.Completion = func(string, int) (engine.Completion, error) {
		asked <- true
		<-release
		return engine.Completion{}, errors.New("too late")
	}
	p := newTape(Config{Engine: f})
	defer p.end(t)
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	p.step(t, "+control complete_request")
	<-asked
	for _, kind := range []string{"interrupt", "kernel_info"} {
		p.step(t, "+control "+kind+"_request")
		p.step(t, "until "+kind+"_reply")
	}
	free()
	p.await(t)
	if !strings.Contains(p.String(), `complete_reply {"cursor_end":0,"cursor_start":0,"matches":[]`) {
		t.Errorf("%s", p)
	}
}

// Text without a newline is seen while its cell still runs.
func TestPace(t *testing.T) {
	h := newHeld(func(s engine.Sink) { s.Stream(false, "half a line") })
	p := newTape(Config{Engine: h, Pace: time.Millisecond})
	defer p.end(t)
	p.step(t, execute("hold"))
	p.step(t, "until stream")
	h.release <- engine.Outcome{}
}

// A burst of text goes out at 64 KiB, whole.
func TestBurst(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	h := newHeld(func(s engine.Sink) {
		for range 2000 {
			s.Stream(false, line)
		}
	})
	p := newTape(Config{Engine: h})
	defer p.end(t)
	p.step(t, execute("hold"))
	p.step(t, "until stream")
	h.release <- engine.Outcome{}
	p.await(t)
	if n := strings.Count(p.String(), "x\\n"); n != 2000 {
		t.Errorf("%d lines of 2000 arrive", n)
	}
	if n := strings.Count(p.String(), " stream "); n != 4 { // 3 × 64 KiB and the rest
		t.Errorf("%d stream messages, want 4", n)
	}
}

// Of many updates of one picture the first goes out at once, and the newest
// before the reply.
func TestUpdates(t *testing.T) {
	h := newHeld(func(s engine.Sink) {
		for i := range 100 {
			s.Display(engine.Display{Bundle: plain(fmt.Sprint("step ", i)), ID: "p", Update: true})
		}
	})
	p := newTape(Config{Engine: h})
	defer p.end(t)
	p.step(t, execute("hold"))
	h.release <- engine.Outcome{}
	p.await(t)
	got := p.String()
	if n := strings.Count(got, "update_display_data"); n != 2 || !strings.Contains(got, `"step 0"`) ||
		!strings.Contains(got, `"step 99"`) {
		t.Errorf("%d updates:\n%s", n, got)
	}
	if strings.Index(got, `"step 99"`) > strings.Index(got, "execute_reply") {
		t.Errorf("the newest update comes after the reply:\n%s", got)
	}
}

// A display of a goroutine that outlives its cell keeps that cell's header.
func TestLate(t *testing.T) {
	f := enginetest.NewFake()
	f.On["late"] = enginetest.Script("late\ndisplay after")
	p := newTape(Config{Engine: f})
	defer p.end(t)
	p.step(t, execute("late"))
	p.step(t, "until display_data")
	if !strings.Contains(p.String(), "iopub m1 display_data") {
		t.Errorf("late output:\n%s", p)
	}
}

// What JSON cannot hold is left out with a line that says so; a panic of the
// engine is an error of the cell. The server lives.
func TestBroken(t *testing.T) {
	f := enginetest.NewFake()
	f.On["nan"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		s.Result(display.Bundle{Data: map[string]any{"text/plain": "NaN", "application/json": math.NaN()},
			Meta: map[string]any{"c": make(chan int)}})
		return engine.Outcome{Expressions: map[string]engine.Expressed{"e": {Bundle: display.Bundle{Data: map[string]any{"x": math.Inf(1)}}}}}
	}
	f.On["panic"] = func(context.Context, engine.Cell, engine.Sink) engine.Outcome { panic("broken promise") }
	p := newTape(Config{Engine: f})
	defer p.end(t)
	for _, code := range []string{"nan", "panic", "1"} {
		p.step(t, execute(code))
		p.await(t)
	}
	for _, want := range []string{
		`"text/plain":"NaN\n(application/json is not shown: json: unsupported value: NaN)`,
		`(x is not shown: json: unsupported value: +Inf)`,
		`error {"ename":"InternalError","evalue":"broken promise; please report this"`,
		`execute_result {"data":{"text/plain":"1"}`,
	} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("no %s in:\n%s", want, p)
		}
	}
}

// What found no room on iopub is counted and said.
func TestDropped(t *testing.T) {
	h := newHeld(nil)
	p := newTape(Config{Engine: h})
	defer p.end(t)
	h.On["show"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		p.setFull(true)
		for range 3 {
			s.Display(engine.Display{Bundle: plain("lost")})
		}
		p.setFull(false)
		return engine.Outcome{}
	}
	p.step(t, execute("show"))
	p.await(t)
	if !strings.Contains(p.String(), "… 3 messages not shown") {
		t.Errorf("the loss is not said:\n%s", p)
	}
}

func (p *tape) setFull(full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = full
}

// A request that finds the queue full gets an error reply, the ones before it
// their answers.
func TestQueueFull(t *testing.T) {
	h := newHeld(nil)
	p := newTape(Config{Engine: h})
	defer p.end(t)
	p.step(t, execute("hold"))
	p.step(t, "until display_data")
	for range maxQueued {
		p.step(t, `+shell comm_msg`)
	}
	p.step(t, execute("one too many"))
	p.step(t, "until execute_reply")
	if !strings.Contains(p.String(), `"evalue":"10000 requests or 256 MB wait already"`) {
		t.Errorf("%s", p.lines[len(p.lines)-1])
	}
	h.release <- engine.Outcome{}
	p.await(t)
}

// The parent of an answer is the header as it was received.
func TestParentVerbatim(t *testing.T) {
	p := newTape(Config{Engine: enginetest.NewFake()})
	defer p.end(t)
	frames := p.request("kernel_info_request", "{}")
	m, err := p.client.Decode(frames)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := p.s.cfg.Session.Reply(m, wire.OKReply{For: "x_reply", Status: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(reply[4]); got != string(frames[3]) {
		t.Errorf("parent %s, want %s", got, frames[3])
	}
	p.s.Receive(wire.Shell, frames)
	p.await(t)
}
