package cpu

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gondola-lab/gondola/internal/stop"
)

// crew runs work in chunks on some goroutines and ends it when it is asked to.
// Chunks have sizes that depend on the input alone, never on the number of
// threads, so a sum over them has the same order on 1 and on 64.
type crew struct {
	threads int
	ctx     context.Context
	release func() bool // ends the watch of ctx
	halted  atomic.Bool
	stopped atomic.Bool // the cell's stop, not the context, has halted it
	look    func()      // tests: at every question whether to end; nil: none
}

// mostThreads bounds what a call may ask for: every goroutine has its buffers.
const mostThreads = 256

func newCrew(ctx context.Context, threads int) *crew {
	c := &crew{threads: min(max(threads, 1), mostThreads), ctx: ctx}
	c.release = context.AfterFunc(ctx, func() { c.halted.Store(true) })
	return c
}

// halt says that the work should end. It costs two atomic loads: ask it once a
// row.
func (c *crew) halt() bool {
	if c.look != nil {
		c.look()
	}
	if c.halted.Load() {
		return true
	}
	if stop.Err() != nil {
		c.stopped.Store(true)
		c.halted.Store(true)
		return true
	}
	return false
}

// err is the reason of a halt, or nil.
func (c *crew) err() error {
	switch {
	case c.stopped.Load():
		return stop.ErrStopped
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case c.halt():
		return c.err()
	}
	return nil
}

// each calls f for the chunks [lo, hi) of [0, n), size long but for the last;
// k is the number of the chunk. It waits for all of them. After a halt some
// chunks were not done, and it returns the reason.
func (c *crew) each(n, size int, f func(k, lo, hi int)) error {
	chunks := (n + size - 1) / size
	return c.run(chunks, func(_, k int) { f(k, k*size, min(k*size+size, n)) })
}

// run calls f for every k in [0, chunks), in any order and side by side; w is
// the number of the goroutine, below threads, for what it may use again.
func (c *crew) run(chunks int, f func(w, k int)) error {
	threads := min(c.threads, chunks)
	if threads <= 1 {
		for k := range chunks {
			if c.halt() {
				break
			}
			f(0, k)
		}
		return c.err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range threads {
		wg.Go(func() {
			for !c.halt() {
				k := int(next.Add(1)) - 1
				if k >= chunks {
					return
				}
				f(w, k)
			}
		})
	}
	wg.Wait()
	return c.err()
}
