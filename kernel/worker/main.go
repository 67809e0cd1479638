// Package worker is the two ends of the line to the process that runs user
// code. Its near end, [Parent], is an engine.Engine that survives whatever a
// cell does; its far end, [Main], runs the engine that the program makes.
package worker

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"github.com/gondola-lab/gondola/kernel/engine"
)

const (
	variable = "GONDOLA_WORKER" // set by the parent for its child, and by nobody else

	fdDown, fdUp, fdCrash = 3, 4, 5
)

// inWorker is set in a child: it may not have a child of its own.
var inWorker atomic.Bool

// Main must be the first call of main. In a process that [NewParent] started it
// becomes the worker: it runs the engine that newEngine makes until the parent
// is gone, and returns true with the status to exit with. Else it returns false
// at once.
func Main(newEngine func(lim Limits) engine.Engine) (status int, done bool) {
	if os.Getenv(variable) == "" {
		return 0, false
	}
	os.Unsetenv(variable) // what the cells start is no worker
	inWorker.Store(true)
	for fd := fdDown; fd <= fdCrash; fd++ {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) != nil {
			fmt.Fprintf(os.Stderr, "%s is set by gondola itself for its worker; unset it\n", variable)
			return 2, true
		}
		syscall.CloseOnExec(fd) // else a child of a cell would hold the line open
	}
	if err := serve(os.NewFile(fdDown, "down"), os.NewFile(fdUp, "up"), os.NewFile(fdCrash, "crash"),
		newEngine); err != nil {
		fmt.Fprintf(os.Stderr, "fatal error: worker: %v\n", err)
		return 1, true
	}
	return 0, true
}

// mayStart says why this process may not have a worker.
func mayStart() error {
	if inWorker.Load() {
		return errors.New("a worker starts no worker")
	}
	if os.Getenv(variable) != "" {
		return errors.New("main does not call worker.Main first")
	}
	return nil
}

// settle sets the limits of this process, the child.
func settle(lim Limits, crash *os.File) {
	offerFirst()
	debug.SetMaxStack(4 << 30) // the engine's own watch acts long before
	if lim.Memory > 0 {
		allow(lim.Memory)
	}
	// A refusal costs the frames of a crash, not its cause.
	debug.SetCrashOutput(crash, debug.CrashOptions{})
}
