package session

import (
	"fmt"

	"github.com/gondola-lab/gondola/kernel/cellapi"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// program makes the run that of a program, which ends, unlike a cell, by
// os.Exit and by a panic in any of its goroutines, and reads its input itself. The
// function that it returns takes that back.
func (r *run) program() (restore func()) {
	r.ended = make(chan *yaegi.Fault, 1)
	input := cellapi.SetInput(nil)
	exit := cellapi.SetExit(func(code int) {
		r.end(yaegi.NewFault(&cellapi.ExitError{Call: fmt.Sprintf("os.Exit(%d)", code), Code: code}))
		select {} // no deferred call runs
	})
	return func() { exit(); input() }
}

// end is the end of a program while its goroutines still run: none of them
// runs another statement. The first end counts.
func (r *run) end(f *yaegi.Fault) {
	select {
	case r.ended <- f:
	default:
	}
	cellapi.Freeze(r.id)
}

// goexit waits for the end of a program whose main goroutine has ended by
// runtime.Goexit: another one ends it.
func (r *run) goexit() {
	select {
	case r.fatal = <-r.ended:
	case <-r.stopped:
	}
}
