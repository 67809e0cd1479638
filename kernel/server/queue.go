package server

import (
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// item is a request that waits for its turn.
type item struct {
	ch      wire.Channel
	req     *wire.Message
	do      handler
	arrived time.Time
	inOrder bool   // it is a cell, or is served as one
	aborted string // not empty: it is not run, and this is why
}

// inbox is a queue of requests with one reader. A writer never waits: the owner
// of a socket must not.
type inbox struct {
	ring chan struct{} // holds one when there may be an item

	mu    sync.Mutex
	items []*item
	bytes int
	busy  bool          // an item was taken and not yet served
	calm  chan struct{} // closed while nothing waits and nothing is being served
}

func newInbox() *inbox {
	b := &inbox{ring: make(chan struct{}, 1), calm: make(chan struct{})}
	close(b.calm)
	return b
}

// put adds an item, unless the queue is full.
func (b *inbox) put(it *item) bool { return b.add(it, maxQueued, maxQueuedBytes) }

// force adds an item even to a full queue.
func (b *inbox) force(it *item) { b.add(it, 1<<30, 1<<60) }

func (b *inbox) add(it *item, items, bytes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.items) >= items || b.bytes+it.req.Size() > bytes {
		return false
	}
	if len(b.items) == 0 && !b.busy {
		b.calm = make(chan struct{})
	}
	b.items = append(b.items, it)
	b.bytes += it.req.Size()
	select {
	case b.ring <- struct{}{}:
	default:
	}
	return true
}

// take waits for the next item; nil when done is closed first.
func (b *inbox) take(done <-chan struct{}) *item {
	for {
		b.mu.Lock()
		if len(b.items) > 0 {
			it := b.items[0]
			b.items[0] = nil
			b.items = b.items[1:]
			b.bytes -= it.req.Size()
			b.busy = true
			b.mu.Unlock()
			return it
		}
		b.mu.Unlock()
		select {
		case <-b.ring:
		case <-done:
			return nil
		}
	}
}

// served says that the item taken last is done with.
func (b *inbox) served() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = false
	if len(b.items) == 0 {
		close(b.calm)
	}
}

// quiet is closed when nothing waits and nothing is being served.
func (b *inbox) quiet() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calm
}

// abort marks every execute_request that waits; messages of another type stay
// as they are.
func (b *inbox) abort(why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, it := range b.items {
		if it.req.Header.MsgType == "execute_request" {
			it.aborted = why
		}
	}
}

// abortQueue aborts the cells that were sent before the failure of the one that
// runs could be known. What lies in the socket counts as sent; what comes later
// runs.
func (s *Server) abortQueue(why string) {
	s.out.Drain(wire.Shell)
	s.cells.abort(why)
}
