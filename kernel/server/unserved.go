package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gondola-lab/gondola/kernel/wire"
)

var errUnserved = errors.New("not supported")

// unserved answers every type without a row: a request (debug, subshells, one
// of a later protocol) by an error reply, anything else by busy and idle alone.
func (s *Server) unserved(_ context.Context, req *wire.Message) (wire.Content, error) {
	if !strings.HasSuffix(req.Header.MsgType, "_request") {
		s.log.Info("message ignored", "type", req.Header.MsgType)
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %w", req.Header.MsgType, errUnserved)
}
