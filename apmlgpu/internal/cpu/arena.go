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

	mu     sync.Mutex
	alive  int64
	peak   int64
	stages []backend.Stage
	now    int // index of the running stage, −1 for none
	since  time.Time
}

func newLedger(limit int64) *ledger { return &ledger{limit: limit, now: -1} }

// enter ends the running stage and begins, or goes on with, the named one; ""
// begins none.
func (l *ledger) enter(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
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
	if bytes < 0 || bytes > l.limit-l.alive {
		return l.refuse(what, float64(bytes))
	}
	l.alive += bytes
	l.mark()
	return nil
}

// refuse says that bytes more than those alive are too many; mu is held, or nobody
// else is at work.
func (l *ledger) refuse(what string, bytes float64) error {
	return &backend.MemoryError{What: what, Need: int64(min(float64(l.alive)+bytes, 9e18)), Limits: l.limit}
}

// left is how much could be taken now.
func (l *ledger) left() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit - l.alive
}

// drop gives bytes back.
func (l *ledger) drop(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alive -= bytes
}

func (l *ledger) spent() backend.Spent {
	l.mu.Lock()
	defer l.mu.Unlock()
	return backend.Spent{Stages: append([]backend.Stage(nil), l.stages...), PeakBytes: l.peak, Alive: l.alive}
}
