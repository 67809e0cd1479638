// Package stop is the one switch that interrupts long loops of the libraries.
// The session of a notebook sets it; in a program without a notebook nobody
// does, and Err always says go on.
package stop

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrStopped says that the running cell was asked to stop. It is also
// context.Canceled.
var ErrStopped error = stopped{}

type stopped struct{}

func (stopped) Error() string        { return "stopped by an interrupt" }
func (stopped) Is(target error) bool { return errors.Is(context.Canceled, target) }

var flag atomic.Bool

// Set asks every loop that looks at Err to end; Clear takes the wish back.
func Set() { flag.Store(true) }

// Clear lets later loops run.
func Clear() { flag.Store(false) }

// Err returns ErrStopped when the loop that asks should end, else nil. It costs
// one atomic load: ask once a block of rows or an iteration, at least every
// 50 ms of work.
func Err() error {
	if flag.Load() {
		return ErrStopped
	}
	return nil
}
