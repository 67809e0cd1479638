package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// commOpen answers comm_open. No target is known, and the protocol's answer to
// an unknown one is a comm_close, on iopub like every message of a comm.
func (s *Server) commOpen(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.CommOpen
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	s.publish(req, wire.CommClose{CommID: in.CommID})
	return nil, nil
}

// commIgnore takes comm_msg and comm_close of a comm that is not open.
func (s *Server) commIgnore(context.Context, *wire.Message) (wire.Content, error) { return nil, nil }

// commInfo answers comm_info_request: no comm is open.
func (s *Server) commInfo(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.CommInfoRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	return wire.CommInfoReply{Status: "ok"}, nil
}
