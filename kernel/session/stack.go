package session

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	stackLimit = 256 << 20 // bytes of all stacks at which a cell is stopped, or less: stackBound
	stackMax   = 4 << 30   // bytes of one stack at which the runtime ends the process: the watch must come first
	stackEvery = 5 * time.Millisecond
	stackBytes = "/memory/classes/heap/stacks:bytes"
)

// stackBound is stackLimit, or an eighth of the memory that the process may
// take: a stack that grows is copied to one of twice its size, and both must fit
// before the watch has looked again.
func stackBound() uint64 {
	if most := debug.SetMemoryLimit(-1); most > 0 {
		return min(stackLimit, uint64(most)/8)
	}
	return stackLimit
}

var raiseStack = sync.OnceFunc(func() { debug.SetMaxStack(stackMax) })

// watchStack calls over once when the stacks of the process hold more bytes than
// limit above what they hold now, until the function that it returns is called.
// What they hold now may be the stack of a goroutine that was left behind.
func watchStack(limit uint64, over func()) (end func()) {
	raiseStack()
	limit += stacks()
	w := &stackWatch{}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(stackEvery, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.ended:
		case stacks() > limit:
			w.ended = true
			over()
		default:
			w.timer.Reset(stackEvery)
		}
	})
	return w.end
}

// stackWatch is a timer and no goroutine: most cells are over before it rings.
type stackWatch struct {
	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

// end waits for a look that goes on.
func (w *stackWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.timer.Stop()
}

// stacks is the memory of all stacks, 0 where the runtime does not tell.
func stacks() uint64 {
	sample := []metrics.Sample{{Name: stackBytes}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
