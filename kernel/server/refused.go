package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// refuse answers a request that found the queue full.
func refuse(context.Context, *wire.Message) (wire.Content, error) {
	return nil, fmt.Errorf("%d requests or %d MB wait already", maxQueued, maxQueuedBytes>>20)
}

// badSignatures counts messages that were refused, and logs them once a minute.
type badSignatures struct {
	mu    sync.Mutex
	n     int
	after time.Time
}

func (b *badSignatures) count(log *slog.Logger, ch wire.Channel, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	if t := time.Now(); t.After(b.after) {
		b.after = t.Add(logEvery)
		log.Warn("message dropped", "socket", ch, "err", err, "dropped", b.n)
	}
}
