package yaegi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/lower"
)

// Frame is a function of a cell that a panic went through.
type Frame struct {
	Func string // "" for the statements of the cell, "f.func" for a literal in f
	File string // "cell[3]"
	Line int
}

// Fault is how the statements of a cell failed.
type Fault struct {
	Value  any       // of the panic
	Raw    string    // its text as it came
	Text   string    // in Go's words where Raw is the interpreter's, without numbers; see Explain
	Kind   Kind      // what Text is about
	Frames []Frame   // of interpreted functions, innermost first
	Stack  []uintptr // of the goroutine at the panic, from where it began, as runtime.Callers has it
}

// traces collects, by goroutine, the functions that a panic goes through: the
// interpreter writes a line for each, innermost first.
var traces = struct {
	sync.Mutex
	frames map[string][]Frame
	writer string // goroutine of the last line
	trust  int    // lines that are taken as its own without asking again
}{frames: map[string][]Frame{}}

// maxFrames bounds the trace of a deep recursion.
const maxFrames = 1_000_000

// trace is the error stream of an interpreter. Of its lines only the names of
// functions are read, their places are wrong; lines come from the slots.
type trace struct {
	functions map[string]lower.Function
	slots     map[string]*int32 // by function of the text
}

func newTrace(p *lower.Program, tab map[string]reflect.Value) *trace {
	t := &trace{functions: map[string]lower.Function{}, slots: map[string]*int32{}}
	for _, f := range p.Functions {
		t.functions[f.Go] = f
		if v, ok := tab[f.Slot]; ok {
			t.slots[f.Go], _ = v.Interface().(*int32)
		}
	}
	return t
}

// Write takes one line: "cell[3]:5:2: panic: main.f_1(...)".
func (t *trace) Write(line []byte) (int, error) {
	_, name, ok := strings.Cut(string(line), "panic: main.")
	if !ok {
		return len(line), nil
	}
	name, _, _ = strings.Cut(name, "(")
	name, _, _ = strings.Cut(name, ".") // a literal is a function of its own in the text
	f, ok := t.functions[name]
	if !ok {
		return len(line), nil
	}
	frame := Frame{Func: f.Name, File: f.File}
	if slot := t.slots[name]; slot != nil {
		frame.Line = int(*slot)
	}
	traces.Lock()
	defer traces.Unlock()
	id := writer()
	if len(traces.frames[id]) < maxFrames {
		traces.frames[id] = append(traces.frames[id], frame)
	}
	return len(line), nil
}

// writer is the number of the goroutine that writes. To ask costs time that
// grows with the depth of its stack, 30 ms at 200 000 calls, so the answer
// stands for as many lines as make it cheap: the panic of a deep recursion
// writes a line for each call. The traces are locked.
func writer() string {
	if traces.trust > 0 {
		traces.trust--
		return traces.writer
	}
	asked := time.Now()
	traces.writer = goroutine()
	traces.trust = int(time.Since(asked) / (20 * time.Microsecond))
	return traces.writer
}

// TakeTrace returns the functions that the last panic of the calling goroutine
// went through, innermost first, and forgets them.
func TakeTrace() []Frame {
	id := goroutine()
	traces.Lock()
	defer traces.Unlock()
	f := traces.frames[id]
	delete(traces.frames, id)
	traces.trust = 0
	return f
}

func goroutine() string {
	var buf [40]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	id, _, _ := bytes.Cut(b, []byte(" "))
	return string(id)
}

// Call runs f and returns the panic that it ended with, or nil.
func Call(f func()) (fault *Fault) {
	TakeTrace()
	done := false
	defer func() {
		if done {
			return
		}
		v := recover()
		if v == nil {
			return // runtime.Goexit in a program
		}
		fault = NewFault(v)
	}()
	f()
	done = true
	return nil
}

// NewFault describes a panic of the calling goroutine with its value.
func NewFault(v any) *Fault {
	relay, ok := v.(*relayed)
	if ok {
		v = relay.value
	}
	raw := textOf(v)
	kind, text := Explain(v, raw)
	if ok && relay.outside || !ok && strings.HasPrefix(raw, "reflect") && beganOutside() {
		kind, text = Plain, raw
	}
	stack := panicStack()
	if ok {
		stack = relay.stack
	}
	return &Fault{Value: v, Raw: raw, Text: text, Kind: kind, Frames: TakeTrace(), Stack: stack}
}

// panicStack is the stack below the panic that is being recovered, nil where
// there is none.
func panicStack() []uintptr {
	pcs := make([]uintptr, 256)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) && n < deepest {
		pcs = make([]uintptr, 16*len(pcs))
		n = runtime.Callers(2, pcs)
	}
	for i, pc := range pcs[:n] {
		if f := runtime.FuncForPC(pc - 1); f != nil && f.Name() == "runtime.gopanic" {
			return pcs[i+1 : n]
		}
	}
	return nil
}

// deepest bounds the stack that beganOutside looks at.
const deepest = 1 << 16

// beganOutside says whether the panic that is being recovered began in compiled
// code that a cell called, such as sort.Slice with a number, and not in the
// interpreter's own work, which is made of reflect's calls too. The frames of
// the panic are still on the stack.
func beganOutside() bool {
	pc := make([]uintptr, deepest)
	n := runtime.Callers(1, pc)
	if n == deepest {
		return false
	}
	began, known, answer := 0, false, false
	for frames, more := runtime.CallersFrames(pc[:n]), n > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if began > 0 {
			began++
		}
		switch {
		case f.Function == "runtime.gopanic": // one passed on stands above the one that it was
			began, known, answer = 1, false, false
		case began == 0 || known:
		case f.Function == "reflect.Value.call" && began > 2: // a call that itself is wrong is the interpreter's
			known, answer = true, true
		case strings.HasPrefix(f.Function, "github.com/traefik/yaegi/"):
			known = true
		}
	}
	return answer
}

// textOf is what the runtime would print of a panic value.
func textOf(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T whose text cannot be made", v)
		}
	}()
	switch v := v.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

// Stopped returns the stop that ended the cell, or nil.
func (f *Fault) Stopped() *cellapi.Stopped {
	s, _ := f.Value.(*cellapi.Stopped)
	return s
}

// Exit returns the call that would have ended the process, or nil.
func (f *Fault) Exit() *cellapi.ExitError {
	var e *cellapi.ExitError
	if err, ok := f.Value.(error); ok && errors.As(err, &e) {
		return e
	}
	return nil
}
