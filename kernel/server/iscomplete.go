package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// isComplete answers is_complete_request from the text alone.
func (s *Server) isComplete(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.IsCompleteRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	status, indent := cell.Ready(in.Code)
	return wire.IsCompleteReply{Status: string(status), Indent: indent}, nil
}
