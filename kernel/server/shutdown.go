package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// shutdown answers shutdown_request. Done is closed after its idle; the process
// then ends whatever runs. A restart is the same: the front end starts a new
// process.
func (s *Server) shutdown(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.ShutdownRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	return wire.ShutdownReply{Status: "ok", Restart: in.Restart}, nil
}
