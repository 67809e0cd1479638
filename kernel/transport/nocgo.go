//go:build !cgo

package transport

import (
	"time"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// Sockets cannot be opened without cgo; Listen says so.
type Sockets struct{}

// Listen returns ErrNoZeroMQ.
func Listen(*ConnectionFile, Config) (*Sockets, error) { return nil, ErrNoZeroMQ }

// The methods exist so that callers compile; nobody has a Sockets to call.
func (*Sockets) Send(wire.Channel, [][]byte) {}
func (*Sockets) Publish([][]byte) bool       { return false }
func (*Sockets) Drain(wire.Channel)          {}
func (*Sockets) Dropped() int                { return 0 }
func (*Sockets) Close(time.Duration)         {}

// LibraryVersion is empty: there is no libzmq.
func LibraryVersion() string { return "" }
