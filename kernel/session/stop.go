package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/internal/stop"
	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

const (
	reasonInterrupt = "interrupt"
	reasonStack     = "stack overflow"
)

const (
	// patience is how long a cell that was asked to stop may stay in a call of
	// compiled code before its goroutine is left behind. Loops of the libraries
	// look at internal/stop at least every 50 ms.
	patience = 250 * time.Millisecond
	// unwinding is how long it may take to come back from interpreted calls,
	// of which there may be hundreds of thousands.
	unwinding = 30 * time.Second
)

// stop asks the goroutines of a run to end: at their next poll, or where a
// library looks at internal/stop. The first reason counts.
func (r *run) stop(reason string) {
	r.stopOnce.Do(func() {
		r.why.Store(&reason)
		stop.Set()
		cellapi.Stop(r.id, reason)
		close(r.stopped)
		r.cancel()
	})
}

// reason is why the run was stopped, or "".
func (r *run) reason() string {
	if p := r.why.Load(); p != nil {
		return *p
	}
	return ""
}

// enter makes the calling goroutine the main one of the run. A stop that came
// before it had a goroutine is told again.
func (r *run) enter() (leave func()) {
	leave = cellapi.Enter(r.id)
	if reason := r.reason(); reason != "" {
		cellapi.Stop(r.id, reason)
	}
	return leave
}

// await runs do in a goroutine of the cell and waits for its end. When the cell
// is stopped, do may not come back: the goroutine ends from deep inside, or it
// is in a call that does not return. Then it is left behind, and as a poll
// stands behind each such call it never runs another statement of the user.
// It returns false when the goroutine was left behind, also by a program that
// has ended otherwise: what do writes may not be read then.
func (r *run) await(do func()) bool {
	done, id := make(chan struct{}), make(chan int64, 1)
	go func() {
		defer close(done)
		defer r.enter()()
		id <- goid()
		do()
	}()
	select {
	case <-done:
		return true
	case r.fatal = <-r.ended:
		return false
	case <-r.stopped:
	}
	main := <-id
	pause := patience
	if r.reason() == reasonStack { // to look at so deep a stack takes longer than to come back
		pause = unwinding
	}
	for waited := pause; ; waited += pause {
		select {
		case <-done:
			return true
		case <-time.After(pause):
		}
		g, ok := look(main)
		if ok && g.comesBack() && waited < unwinding {
			pause *= 2
			continue
		}
		if ok {
			r.left = g.leftBehind()
		}
		return false
	}
}

// guarded runs do in a goroutine of the cell and turns a panic of it, and a
// stop, into an error.
func (r *run) guarded(do func()) *engine.CellError {
	f, back := (*yaegi.Fault)(nil), false
	switch done := r.await(func() { f, back = yaegi.Call(do), true }); {
	case !done || !back:
		return r.stoppedError(nil)
	case f != nil:
		return r.explain(f)
	}
	return nil
}

// goroutinePanicked tells of a panic in a goroutine that a cell started, on the
// error stream of the running or the last cell. It ends a program.
func (s *Session) goroutinePanicked(f cellapi.Fault) {
	own, running := s.outputs.of(f.Cell)
	fault := yaegi.NewFault(f.Value)
	if e := fault.Exit(); e != nil && e.Call == "runtime.Goexit()" {
		return // that is what the call is for: its deferred calls have run
	}
	if r := s.current.Load(); r != nil && r.id == f.Cell && r.cell.Program {
		r.end(fault)
		return
	}
	if running.sink == nil {
		return
	}
	words := fault.Text
	if fault.Kind == yaegi.Plain {
		words = panicText(f.Value)
	}
	lines := []string{fmt.Sprintf("panic: %s (in a goroutine of cell [%d])", words, own.number)}
	lines = append(lines, s.trace(framesOf(fault, own.number), "")...)
	if h := hint(f.Value); h != "" {
		lines = append(lines, h)
	}
	running.sink.Stream(true, strings.Join(lines, "\n")+"\n")
}

// tooDeep notes how many calls deep a goroutine of a run is that is being
// stopped.
func (s *Session) tooDeep(id int) {
	if r := s.current.Load(); r != nil && r.id == id {
		r.depth.Store(int64(yaegi.Depth()))
	}
}

// background counts the goroutines that cells have left running, in a
// sentence; "" for none.
func (s *Session) background() string {
	n := s.outputs.goroutines()
	switch n {
	case 0:
		return ""
	case 1:
		return "1 goroutine of an earlier cell runs in the background; %restart ends it"
	}
	return fmt.Sprintf("%d goroutines of earlier cells run in the background; %%restart ends them", n)
}

// endError is the error of a context that ended before the cell began.
func endError() *engine.CellError {
	return plainError("Interrupted", "stopped before it began")
}
