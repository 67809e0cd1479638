package cellapi

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Fault is a panic in a goroutine that a cell started.
type Fault struct {
	Cell  int    // the cell whose go statement it was; 0 when not known
	Value any    // the value of the panic
	Stack string // Go's stack at the panic
}

// Guard is told of each panic that ended a goroutine of a cell. It is nil or
// returns quickly; it is called in the goroutine that ended.
type Guard func(f Fault)

var guard atomic.Pointer[Guard]

// SetGuard sets who is told of panics in goroutines of cells and returns a
// function that sets the one before again. With none, the panic goes on and
// ends the process, as in a program.
func SetGuard(g Guard) (restore func()) {
	old := guard.Swap(&g)
	return func() { guard.Store(old) }
}

// Go runs f in a goroutine that belongs to the cell of the caller. A panic in
// it is told to the [Guard]; a stop of the cell ends it without a word.
func Go(f func()) { go guarded(f)() }

// guarded is f as the function of a goroutine that belongs to the cell of the
// caller.
func guarded(f func()) func() {
	cell, known := CellOf()
	return func() {
		defer caught(cell)
		if known {
			defer Enter(cell)()
		}
		f()
	}
}

// WaitGroupGo stands in cells for the method Go of *sync.WaitGroup: the
// goroutine is one of [Go].
func WaitGroupGo(wg *sync.WaitGroup) func(f func()) {
	return func(f func()) { wg.Go(guarded(f)) }
}

// AfterFunc stands in cells for time.AfterFunc: the goroutine is one of [Go].
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, guarded(f)) }

// ContextAfterFunc stands in cells for context.AfterFunc: the goroutine is one
// of [Go].
func ContextAfterFunc(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, guarded(f))
}

// caught is deferred by a goroutine of a cell: it keeps a stop, and where a
// guard is set any panic, from ending the process.
func caught(cell int) {
	v := recover()
	if v == nil {
		return
	}
	if _, ok := v.(*Stopped); ok {
		return
	}
	g := guard.Load()
	if g == nil || *g == nil {
		panic(v)
	}
	(*g)(Fault{cell, v, string(debug.Stack())})
}
