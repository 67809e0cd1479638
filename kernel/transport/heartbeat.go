//go:build cgo

package transport

import (
	"log/slog"
	"sync/atomic"
	"syscall"

	zmq "github.com/pebbe/zmq4"
)

// heart is the socket of the heartbeat.
type heart struct {
	soc   *zmq.Socket
	make  func() (*zmq.Socket, error)
	file  string      // that an ipc socket has
	renew atomic.Bool // it is to be bound anew
}

// echo answers every heartbeat with its own frames until the context ends. It
// has a goroutine, and so in fact a thread, of its own: it answers during a
// long cell, and during a collection of garbage.
func (h *heart) echo(log *slog.Logger) {
	defer func() { h.soc.Close() }()
	for {
		if h.renew.Load() {
			soc, err := rebound(h.soc, h.make, h.file)
			if err != nil {
				log.Error("heartbeat ends", "err", err)
				return
			}
			h.soc = soc
			h.renew.Store(false)
		}
		frames, err := h.soc.RecvMessageBytes(0)
		if err == nil {
			_, err = h.soc.SendMessage(frames)
		}
		switch zmq.AsErrno(err) {
		case 0:
		case zmq.ETERM:
			return
		case zmq.EFSM: // an answer that went nowhere; the next receive resets it
		case zmq.Errno(syscall.EAGAIN), zmq.Errno(syscall.EHOSTUNREACH):
		default:
			log.Error("heartbeat ends", "err", err)
			return
		}
	}
}
