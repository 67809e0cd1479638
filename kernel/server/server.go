// Package server answers the requests of a notebook. It has no socket: a
// [Transport] brings frames and takes them. And it has no interpreter: an
// engine runs the cells. One file answers one request.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// Transport is what the server needs of the sockets. Send and Publish never
// wait.
type Transport interface {
	// Send sends frames on the socket of ch.
	Send(ch wire.Channel, frames [][]byte)
	// Publish sends frames on iopub; false says that there was no room.
	Publish(frames [][]byte) bool
	// Drain returns when everything that lay ready on ch was given to
	// [Server.Receive].
	Drain(ch wire.Channel)
}

// Config is what a server is made of.
type Config struct {
	Engine  engine.Engine
	Session *wire.Session
	Version string        // of this program, for kernel_info
	History *History      // nil: a new one in memory
	Serial  bool          // answer everything on shell in order, nothing beside a cell
	Pace    time.Duration // how long text waits for more. Zero means 50 ms
	Log     *slog.Logger  // nil: no log
}

// Server takes requests from [Server.Receive] on and answers them from
// [Server.Start] on.
type Server struct {
	cfg  Config
	log  *slog.Logger
	out  Transport
	rows map[string]row

	ctx  context.Context
	stop context.CancelFunc
	all  sync.WaitGroup // the loops

	cells   *inbox // in order: execute and comm messages
	beside  *inbox // answered beside a cell
	control *inbox // never waits

	comms  mirror        // of the open comms
	asking chan struct{} // full while a question is open or on its way

	mu      sync.Mutex    // guards what follows, and the order of busy and idle
	running *execution    // the cell that has been announced as busy
	prompt  *prompt       // waits for its answer, or nil
	count   int           // execution_count
	done    chan struct{} // closed after a shutdown's idle
	ending  bool          // a shutdown_request was taken
	over    bool          // done is closed
	cell    atomic.Uint64 // the last engine.Cell.ID
	dropped atomic.Int64  // publications without room, not yet said
	bad     badSignatures // what Receive refused
}

// row is how a type of message is answered.
type row struct {
	do    handler
	place place
}

// handler answers one request. The server sends busy before it and idle after
// it, sends what it returns as the reply, and makes an error into one.
type handler func(ctx context.Context, req *wire.Message) (wire.Content, error)

// place says which loop answers.
type place int

const (
	now    place = iota // beside a running cell, from what the server has
	ask                 // beside a running cell, by asking the engine
	queue               // in order
	urgent              // on the control loop, whatever socket it came from
)

// execution is the cell that runs.
type execution struct {
	req    *wire.Message
	cancel context.CancelFunc
	asked  bool // cancel was called
}

// New makes a server. It does nothing before Start.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Pace == 0 {
		cfg.Pace = pace
	}
	if cfg.History == nil {
		cfg.History = NewHistory(cfg.Session.ID, cfg.Session.Now)
	}
	s := &Server{cfg: cfg, log: cfg.Log, cells: newInbox(), beside: newInbox(), control: newInbox(),
		asking: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.rows = map[string]row{
		"kernel_info_request": {s.kernelInfo, now},
		"execute_request":     {s.execute, queue},
		"complete_request":    {s.complete, ask},
		"inspect_request":     {s.inspect, ask},
		"is_complete_request": {s.isComplete, now},
		"history_request":     {s.history, now},
		"comm_info_request":   {s.commInfo, now},
		"comm_open":           {s.commOpen, queue},
		"comm_msg":            {s.commMsg, queue},
		"comm_close":          {s.commClose, queue},
		"interrupt_request":   {s.interrupt, urgent},
		"shutdown_request":    {s.shutdown, urgent},
	}
	return s
}

// Start says "starting" and begins to answer over out.
func (s *Server) Start(out Transport) {
	s.out = out
	s.publish(nil, wire.Status{State: "starting"})
	s.all.Go(func() { s.loop(s.cells) })
	s.all.Go(func() { s.loop(s.control) })
	s.all.Go(func() { s.loop(s.beside) })
}

// Receive takes the frames of a message. It never waits, so that the owner of a
// socket may call it.
func (s *Server) Receive(ch wire.Channel, frames [][]byte) {
	m, err := s.cfg.Session.Decode(frames)
	if err != nil {
		s.bad.count(s.log, ch, err)
		return
	}
	if ch == wire.Stdin {
		s.answered(m)
		return
	}
	r, ok := s.rows[m.Header.MsgType]
	if !ok {
		r = row{s.unserved, now}
	}
	if asksForState(m) {
		r = row{s.commState, now}
	}
	it := &item{ch: ch, req: m, do: r.do, arrived: time.Now(), inOrder: r.place == queue}
	box := s.beside
	switch {
	case r.place == urgent, r.place == now && ch == wire.Control:
		box = s.control // it never waits, so nothing goes there that could
	case r.place == queue, s.cfg.Serial && ch == wire.Shell:
		box = s.cells
	}
	if !box.put(it) {
		it.do = refuse
		s.control.force(it)
	}
}

// Welcome gives the message that greets a subscription on iopub.
func (s *Server) Welcome(subscription []byte) [][]byte {
	frames, err := s.cfg.Session.Welcome(subscription)
	if err != nil {
		s.log.Error("no welcome", "err", err)
	}
	return frames
}

// Done is closed when a shutdown was asked for and answered.
func (s *Server) Done() <-chan struct{} { return s.done }

// Shutdown ends the server as a shutdown_request does, but answers nobody.
func (s *Server) Shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		close(s.done)
	}
}

// Close ends the loops. It waits for the cell that runs, so close its engine
// first.
func (s *Server) Close() {
	s.Shutdown()
	s.stop()
	s.all.Wait()
}

// loop serves box until the server is closed.
func (s *Server) loop(box *inbox) {
	for {
		it := box.take(s.ctx.Done())
		if it == nil {
			return
		}
		if box == s.beside && it.ch == wire.Shell {
			s.waitForCell(it)
		}
		s.serve(it)
		box.served()
	}
}

// waitForCell gives a short cell the time to end before it is answered beside.
func (s *Server) waitForCell(it *item) {
	select {
	case <-s.cells.quiet():
		return
	default:
	}
	t := time.NewTimer(time.Until(it.arrived.Add(besideAfter)))
	defer t.Stop()
	select {
	case <-s.cells.quiet():
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// serve answers one request: busy, what the handler publishes, the reply, idle.
func (s *Server) serve(it *item) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.busy(it, cancel)
	defer s.idle(it)
	reply, err := s.call(ctx, it)
	if err != nil {
		reply = errorReply(it.req, err)
	}
	if reply == nil {
		return
	}
	frames, err := s.cfg.Session.Reply(it.req, reply)
	if err != nil {
		s.log.Error("reply does not encode", "type", reply.Type(), "err", err)
		if frames, err = s.cfg.Session.Reply(it.req, errorReply(it.req, err)); err != nil {
			return
		}
	}
	s.out.Send(it.ch, frames)
}

// busy announces that it is being served. A cell is entered here as the running
// one, so that no interrupt after its busy is lost.
func (s *Server) busy(it *item, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it.inOrder {
		s.running = &execution{req: it.req, cancel: cancel}
	}
	s.publish(it.req, wire.Status{State: "busy"})
}

// idle announces that it has been served. Beside a running cell some front ends
// would take this idle for the cell's: busy is said again.
func (s *Server) idle(it *item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && s.running.req == it.req {
		s.running = nil
	}
	s.publish(it.req, wire.Status{State: "idle"})
	if s.running != nil && !quietTypes[it.req.Header.MsgType] {
		s.publish(s.running.req, wire.Status{State: "busy"})
	}
	if it.req.Header.MsgType == "shutdown_request" && s.ending && !s.over {
		s.over = true
		close(s.done)
	}
}

// quietTypes are the requests whose status front ends do not take for the
// kernel's.
var quietTypes = map[string]bool{
	"kernel_info_request": true, "comm_info_request": true,
	"interrupt_request": true, "shutdown_request": true, "debug_request": true,
}

// call runs the handler; a panic of ours is an error like others.
func (s *Server) call(ctx context.Context, it *item) (reply wire.Content, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("handler panicked", "type", it.req.Header.MsgType, "panic", p, "stack", string(debug.Stack()))
			reply, err = nil, &internalError{fmt.Sprint(p)}
		}
	}()
	if it.aborted != "" {
		return s.abortedReply(it.aborted), nil
	}
	return it.do(ctx, it.req)
}

// internalError is a broken promise of our own.
type internalError struct{ what string }

func (e *internalError) Error() string { return e.what + "; please report this" }

// errorReply makes the reply of status error. A message that is no request gets
// none.
func errorReply(req *wire.Message, err error) wire.Content {
	if !strings.HasSuffix(req.Header.MsgType, "_request") {
		return nil
	}
	return wire.ErrorReply{For: wire.ReplyType(req.Header.MsgType), Status: "error", Ename: ename(err),
		Evalue: err.Error()}
}

// ename is the name of an error of the server.
func ename(err error) string {
	var body *wire.BodyError
	var internal *internalError
	switch {
	case errors.As(err, &body):
		return "BodyError"
	case errors.As(err, &internal):
		return "InternalError"
	case errors.Is(err, errUnserved):
		return "NotSupported"
	default:
		return "Error"
	}
}
