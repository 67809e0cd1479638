package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// interrupt answers interrupt_request at once; the cell ends when it does.
func (s *Server) interrupt(context.Context, *wire.Message) (wire.Content, error) {
	s.Interrupt()
	return wire.OKReply{For: "interrupt_reply", Status: "ok"}, nil
}

// Interrupt asks the running cell to stop, past the queue; without one it does
// nothing. The first call ends the context of the cell, which cannot be missed
// by a cell that is only just on its way to the engine; further ones reach the
// engine, which may use force.
func (s *Server) Interrupt() {
	s.mu.Lock()
	x := s.running
	again := x != nil && x.asked
	if x != nil {
		x.asked = true
	}
	s.mu.Unlock()
	switch {
	case x == nil:
	case again:
		s.cfg.Engine.Interrupt()
	default:
		x.cancel()
	}
}
