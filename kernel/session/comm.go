package session

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// message gives a message of a page to who handles it, as a cell is run: one at
// a time, in the order in which they came, and stopped in the same way. A panic
// of the handler is its error.
func (s *Session) message(ctx context.Context, c engine.Cell, sink engine.Sink) (out engine.Outcome) {
	if !comm.Known(*c.Comm) {
		return engine.Outcome{Err: noComm(c.Comm)}
	}
	r, end := s.begin(ctx, c, sink)
	defer end()
	known := false
	if out.Err = r.guarded(func() { known = comm.Deliver(*c.Comm) }); out.Err == nil && !known {
		out.Err = noComm(c.Comm) // it was closed meanwhile
	}
	return out
}

// noComm refuses a message of a comm that nobody here takes.
func noComm(m *engine.CommMessage) *engine.CellError {
	value := "nothing in this session has opened comm " + m.ID
	if m.Kind == comm.Open {
		value = "nothing in this session takes comms of target " + m.Target
	}
	return &engine.CellError{Name: engine.NoComm, Value: value, Traceback: []string{engine.NoComm + ": " + value}}
}

// Comm implements comm.Output: the message goes where the caller's cell shows.
func (o *outputs) Comm(m comm.Message) error {
	if c, ok := o.caller().sink.(engine.CommSink); ok {
		return c.Comm(m)
	}
	return errNoComms
}
