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
	done := make(chan struct{})
	limit += stacks()
	go func() {
		tick := time.NewTicker(stackEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if stacks() > limit {
				over()
				return
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
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
