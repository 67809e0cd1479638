package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// history answers history_request. An unknown way of access is an error reply.
func (s *Server) history(_ context.Context, req *wire.Message) (wire.Content, error) {
	var in wire.HistoryRequest
	if err := req.Decode(&in); err != nil {
		return nil, err
	}
	var found []past
	h := s.cfg.History
	switch in.Access {
	case "range":
		found = h.span(in.Session, in.Start, in.Stop)
	case "tail":
		found = h.search("*", false, in.N)
	case "search":
		found = h.search(in.Pattern, in.Unique, in.N)
	default:
		return nil, fmt.Errorf("hist_access_type %q: range, tail and search are known", in.Access)
	}
	reply := wire.HistoryReply{Status: "ok", History: []wire.HistoryEntry{}}
	for _, p := range found {
		e := wire.HistoryEntry{Session: p.session, Line: p.line, In: p.in, WithOut: in.Output}
		if p.out != "" {
			e.Out = &p.out
		}
		reply.History = append(reply.History, e)
	}
	return reply, nil
}

// History is the cells that ran, in this session and, if it has a file, in
// others. Its methods may be called from any goroutine.
type History struct {
	id  string        // of this session, in the file
	now func() string // the time of a cell
	log *slog.Logger

	mu      sync.Mutex
	unread  string // the file, until it is read
	path    string // the file, then; empty: in memory only
	session int    // number of this session: one above the last in the file
	cells   []past // oldest first, at most historyCells
}

// past is a cell that ran.
type past struct {
	session, line int
	in, out       string
}

// NewHistory returns an empty history in memory.
func NewHistory(id string, now func() string) *History {
	return &History{id: id, now: now, log: slog.New(slog.DiscardHandler), session: 1}
}

// Add enters a cell of this session, unless it is longer than any that runs. Of
// its result the first 4 KiB are kept.
func (h *History) Add(line int, in, out string) {
	if len(in) > historyIn {
		return
	}
	if len(out) > historyOut {
		out = strings.ToValidUTF8(out[:historyOut], "")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	h.cells = append(h.cells, past{h.session, line, in, out})
	if n := len(h.cells) - historyCells; n > 0 {
		clear(h.cells[:n]) // their texts are not held until append makes room
		h.cells = h.cells[n:]
	}
	h.store(line, in, out)
}

// span gives the cells of one session with start ≤ line < stop. Session 0 is
// this one, −1 the one before.
func (h *History) span(session, start int, stop *int) []past {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	if session <= 0 {
		session += h.session
	}
	var out []past
	for _, p := range h.cells {
		if p.session == session && p.line >= start && (stop == nil || p.line < *stop) {
			out = append(out, p)
		}
	}
	return out
}

// search gives the last n cells whose text matches the pattern, oldest first;
// of equal ones only the last if unique is set.
func (h *History) search(pattern string, unique bool, n *int) []past {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.load()
	var out []past
	seen := map[string]bool{}
	for _, p := range slices.Backward(h.cells) {
		if n != nil && len(out) >= *n {
			break
		}
		if unique && seen[p.in] || !glob(pattern, p.in) {
			continue
		}
		seen[p.in] = true
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// glob says whether all of text matches the pattern, in which * stands for any
// text and ? for one letter. Its time is at most the product of the lengths.
func glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, from := -1, 0 // the last * and the place in t where it ends
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, from = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
