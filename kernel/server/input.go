package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// prompt is a question that waits for its answer. One can be open at a time.
type prompt struct {
	req    *wire.Message // the cell that asks
	id     string        // of the input_request
	answer chan string   // holds one
}

var (
	errCellOver = errors.New("the cell that asks is over: its front end takes no question any more")
	errAnswer   = errors.New("the front end sent an answer that is no text")
)

// Ask implements engine.Asker: input_request goes to the front end that sent
// the cell, by the identities of its request, for clients use one identity on
// shell and stdin. A cell that came with allow_stdin false is refused at once:
// to wait would hang every program that runs notebooks.
func (k *sink) Ask(ctx context.Context, text string, secret bool) (string, error) {
	if !k.stdin {
		return "", engine.ErrNoInput
	}
	k.mu.Lock()
	over := k.over
	k.flush()
	k.mu.Unlock()
	if over {
		return "", errCellOver
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(k.s.ctx, cancel)()
	return k.s.ask(ctx, k.req, wire.InputRequest{Prompt: text, Password: secret})
}

// ask sends a question and waits for its answer. What lies in the socket by
// then answers an earlier one.
func (s *Server) ask(ctx context.Context, req *wire.Message, c wire.InputRequest) (string, error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	frames, err := s.cfg.Session.Reply(req, c)
	if err != nil {
		return "", err
	}
	p := &prompt{req: req, id: sentID(req, frames), answer: make(chan string, 1)}
	s.out.Drain(wire.Stdin)
	s.setPrompt(p)
	defer s.setPrompt(nil)
	s.out.Send(wire.Stdin, frames)
	select {
	case text, ok := <-p.answer:
		if !ok {
			return "", errAnswer
		}
		return text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *Server) setPrompt(p *prompt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = p
}

// sentID is the id of a message that was made for the front end of req.
func sentID(req *wire.Message, frames [][]byte) string {
	var h wire.Header
	if i := len(req.Identities) + 2; i < len(frames) { // behind delimiter and signature
		json.Unmarshal(frames[i], &h) // our own header
	}
	return h.MsgID
}

// answered takes an input_reply to the prompt that waits. One that is not for
// it is dropped: of another front end, to an earlier question, or to none.
func (s *Server) answered(m *wire.Message) {
	if m.Header.MsgType != "input_reply" {
		s.log.Info("message ignored", "socket", wire.Stdin, "type", m.Header.MsgType)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.prompt
	if p == nil || !slices.EqualFunc(p.req.Identities, m.Identities, bytes.Equal) {
		s.log.Info("a stale answer is dropped")
		return
	}
	var parent wire.Header
	json.Unmarshal(m.Parent, &parent) // clients may leave it empty
	if parent.MsgID != "" && parent.MsgID != p.id {
		s.log.Info("a stale answer is dropped")
		return
	}
	s.prompt = nil
	var in wire.InputReply
	if err := m.Decode(&in); err != nil {
		s.log.Warn("an answer does not decode", "err", err)
		close(p.answer)
		return
	}
	p.answer <- in.Value
}
