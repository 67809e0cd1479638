package cpu

import (
	"sync"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// ledger counts the work memory of a pair and the time of its stages. Memory is
// asked for before it is allocated, by counts; what is given back may be
// collected from then on.
type ledger struct {
	limit int64

	mu       sync.Mutex
	reserved int64 // for stages to come
	alive    int64
	peak     int64
	stages   []backend.Stage
	now      int // index of the running stage, −1 for none
	since    time.Time
	seen     func(stage string, alive int64) // tests: at whatever the ledger is told; nil: none
}

func newLedger(limit int64) *ledger { return &ledger{limit: limit, now: -1} }

// enter ends the running stage and begins, or goes on with, the named one; ""
// begins none.
func (l *ledger) enter(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	t := time.Now()
	if l.now >= 0 {
		l.stages[l.now].Seconds += t.Sub(l.since).Seconds()
	}
	l.since, l.now = t, -1
	if name == "" {
		return
	}
	for k := range l.stages {
		if l.stages[k].Name == name {
			l.now = k
		}
	}
	if l.now < 0 {
		l.stages = append(l.stages, backend.Stage{Name: name})
		l.now = len(l.stages) - 1
	}
	l.mark()
	l.look()
}

// mark keeps the largest numbers; mu is held.
func (l *ledger) mark() {
	l.peak = max(l.peak, l.alive)
	if l.now >= 0 {
		l.stages[l.now].Bytes = max(l.stages[l.now].Bytes, l.alive)
	}
}

// take counts bytes as alive, or refuses them.
func (l *ledger) take(what string, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes < 0 || bytes > l.limit-l.alive-l.reserved {
		return l.refuse(what, float64(bytes))
	}
	l.alive += bytes
	l.mark()
	l.look()
	return nil
}

// reserve keeps bytes for later, which use then counts as alive, or refuses them; a
// negative number ends that.
func (l *ledger) reserve(what string, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes > l.limit-l.alive-l.reserved {
		return l.refuse(what, float64(bytes))
	}
	l.reserved += bytes
	return nil
}

// use makes bytes that were reserved alive; a negative number makes them reserved
// again.
func (l *ledger) use(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	l.alive, l.reserved = l.alive+bytes, l.reserved-bytes
	l.mark()
}

// refuse says that bytes more than those alive are too many; mu is held, or nobody
// else is at work.
func (l *ledger) refuse(what string, bytes float64) error {
	return &backend.MemoryError{What: what, Need: int64(min(float64(l.alive+l.reserved)+bytes, 9e18)), Limits: l.limit}
}

// left is how much could be taken now.
func (l *ledger) left() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit - l.alive - l.reserved
}

// drop gives bytes back.
func (l *ledger) drop(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	l.alive -= bytes
}

// look shows what is alive to a test; mu is held.
func (l *ledger) look() {
	if l.seen != nil && l.now >= 0 {
		l.seen(l.stages[l.now].Name, l.alive)
	}
}

func (l *ledger) spent() backend.Spent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return backend.Spent{Stages: append([]backend.Stage(nil), l.stages...), PeakBytes: l.peak, Alive: l.alive}
}
