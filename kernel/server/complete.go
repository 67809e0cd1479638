package server

import (
	"context"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// complete answers complete_request, always with status ok: a list that could
// not be made is an empty one, for front ends have nothing to show an error in.
//
// Positions are code points on the wire and bytes in the engine; they are
// converted here and in inspect, and nowhere else.
func (s *Server) complete(ctx context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.CompleteRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	at := cell.ByteOffset(in.Code, in.CursorPos)
	c, err := s.cfg.Engine.Complete(ctx, in.Code, at)
	if err != nil {
		s.log.Info("no completion", "err", err)
		c.Items, c.Start, c.End = nil, at, at
	}
	start, end := cell.RuneOffset(in.Code, c.Start), cell.RuneOffset(in.Code, c.End)
	matches, types := wire.Strings{}, []wire.Object{}
	for _, it := range c.Items {
		matches = append(matches, it.Text)
		types = append(types, wire.Object{"text": it.Text, "type": it.Type, "start": start, "end": end,
			"signature": it.Signature})
	}
	return wire.CompleteReply{
		Status:      "ok",
		Matches:     matches,
		CursorStart: start,
		CursorEnd:   end,
		Metadata:    wire.Object{"_jupyter_types_experimental": types}, // JupyterLab's icons and signatures
	}, nil
}
