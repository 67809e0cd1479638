//go:build cgo

package transport

import (
	"log/slog"
	"syscall"

	zmq "github.com/pebbe/zmq4"
)

// echo answers every heartbeat with its own frames until the context ends. It
// has a goroutine, and so in fact a thread, of its own: it answers during a
// long cell, and during a collection of garbage.
func echo(soc *zmq.Socket, log *slog.Logger) {
	defer soc.Close()
	for {
		frames, err := soc.RecvMessageBytes(0)
		if err == nil {
			_, err = soc.SendMessage(frames)
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
