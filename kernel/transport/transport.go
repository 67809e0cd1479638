// Package transport holds the kernel's five ZeroMQ sockets. It moves frames and
// knows no request: a receiver that it is given reads them. It is the only
// importer of pebbe/zmq4, and so of libzmq.
package transport

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// ErrNoZeroMQ says that this binary cannot open a socket.
var ErrNoZeroMQ = errors.New("built without cgo: no ZeroMQ; gondola doctor tells what a build with it needs")

// Config is what a [Sockets] needs beside the connection file.
type Config struct {
	// Receive is given every message, by the goroutine that owns its socket.
	// It must not block: while it runs, that socket neither reads nor sends.
	Receive func(ch wire.Channel, frames [][]byte)

	// Welcome gives the message that greets a subscription on iopub.
	Welcome func(subscription []byte) [][]byte

	// Path is the connection file, for the ports that it left to us. Empty:
	// they are not written down.
	Path string

	Log *slog.Logger // nil: no log
}

// PortError says that a socket could not be bound.
type PortError struct {
	Socket   string // shell, control, stdin, iopub or hb
	Endpoint string // as ZeroMQ has it: tcp://127.0.0.1:5555
	Taken    bool   // another process has it
	Err      error
}

func (e *PortError) Error() string {
	if e.Taken {
		return fmt.Sprintf("%s port %s is in use", e.Socket, e.Endpoint)
	}
	return fmt.Sprintf("%s port %s: %v", e.Socket, e.Endpoint, e.Err)
}

func (e *PortError) Unwrap() error { return e.Err }

// Hint returns the advice.
func (e *PortError) Hint() string {
	if e.Taken {
		return "end the program that has the port, or write another one, or 0, into the connection file"
	}
	return "check transport, ip and ports of the connection file"
}
