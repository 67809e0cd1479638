package cellapi

import (
	"runtime/debug"
	"sync/atomic"
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
func Go(f func()) {
	cell, known := CellOf()
	go func() {
		defer caught(cell)
		if known {
			defer Enter(cell)()
		}
		f()
	}()
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
