package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// inspect answers inspect_request. A name that is not found is no error.
func (s *Server) inspect(ctx context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.InspectRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	i, err := s.cfg.Engine.Inspect(ctx, in.Code, cell.ByteOffset(in.Code, in.CursorPos), in.DetailLevel)
	if err != nil {
		s.log.Info("no inspection", "err", err)
		i.Found = false
	}
	reply := wire.InspectReply{Status: "ok", Found: i.Found}
	if i.Found {
		reply.Data = wire.Object{"text/plain": i.Text}
		if i.Markdown != "" {
			reply.Data["text/markdown"] = i.Markdown
		}
	}
	return reply, nil
}
