// Package comm is the lines between code of a session and the pages of a front
// end. Either side opens one, under the name of a target that the other side
// knows; both send messages on it; either closes it. It knows nothing of what
// is said.
package comm

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Message is one message of a comm, in either direction.
type Message struct {
	Kind    string // Open, Data, Close or Lost
	ID      string
	Target  string          // of an Open: the name that it is opened under
	Data    json.RawMessage `json:",omitempty"` // a JSON object; empty means {}
	Meta    json.RawMessage `json:",omitempty"` // the same, of the message's metadata
	Buffers [][]byte        `json:",omitempty"`
}

// The kinds of messages. Lost has no comm: it says that the session has
// forgotten all that were open, which stay open on the pages.
const (
	Open  = "open"
	Data  = "msg"
	Close = "close"
	Lost  = "lost"
)

// The errors of this package.
var (
	ErrNoPage = errors.New("no front end is there to take it")
	ErrClosed = errors.New("the comm is closed")
)

// Output takes what is sent. It is called on the goroutine of the sender, from
// any goroutine; an error says that the message was not let out.
type Output interface{ Comm(m Message) error }

// Comm is one open line.
type Comm struct {
	id, target string

	mu        sync.Mutex
	onMessage func(Message)
	onClose   func()
	closed    bool
}

var open struct {
	sync.Mutex
	out     Output
	comms   map[string]*Comm
	targets map[string]func(*Comm, Message)
}

// SetOutput makes o take everything that is sent until restore is called, which
// puts back what was there before.
func SetOutput(o Output) (restore func()) {
	open.Lock()
	defer open.Unlock()
	before := open.out
	open.out = o
	return sync.OnceFunc(func() {
		open.Lock()
		defer open.Unlock()
		open.out = before
	})
}

// Dial opens a comm to the pages, which must know the target. Data and meta
// become JSON objects; nil is an empty one.
func Dial(target string, data, meta any, buffers ...[]byte) (*Comm, error) {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	c := &Comm{id: hex.EncodeToString(id), target: target}
	enter(c)
	if err := send(Message{Kind: Open, ID: c.id, Target: target, Buffers: buffers}, data, meta); err != nil {
		leave(c)
		return nil, err
	}
	return c, nil
}

// Handle lets pages open comms under a target until forget is called: f gets
// each with the message that opened it, before any other.
func Handle(target string, f func(c *Comm, first Message)) (forget func()) {
	open.Lock()
	defer open.Unlock()
	if open.targets == nil {
		open.targets = map[string]func(*Comm, Message){}
	}
	open.targets[target] = f
	return func() {
		open.Lock()
		defer open.Unlock()
		delete(open.targets, target)
	}
}

// ID is the name of the comm, the same on both sides.
func (c *Comm) ID() string { return c.id }

// Target is what it was opened under.
func (c *Comm) Target() string { return c.target }

// OnMessage sets who gets the messages of the pages. Those before are lost.
func (c *Comm) OnMessage(f func(Message)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onMessage = f
}

// OnClose sets who is told that a page has closed the comm.
func (c *Comm) OnClose(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onClose = f
}

// Send sends data, an object for JSON, to all pages. The error is ErrClosed,
// ErrNoPage, that of data that JSON cannot hold, or that of the front end.
func (c *Comm) Send(data any, buffers ...[]byte) error {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return ErrClosed
	}
	return send(Message{Kind: Data, ID: c.id, Buffers: buffers}, data, nil)
}

// Close closes the comm on all pages. Of one that is closed it does nothing.
func (c *Comm) Close() error {
	if !leave(c) {
		return nil
	}
	return send(Message{Kind: Close, ID: c.id}, nil, nil)
}

// Known says whether Deliver would find anybody for m.
func Known(m Message) bool {
	open.Lock()
	defer open.Unlock()
	if m.Kind == Open {
		return open.targets[m.Target] != nil
	}
	return open.comms[m.ID] != nil
}

// Deliver gives a message of a page to who handles it, on the goroutine of the
// caller, and says whether there was anybody.
func Deliver(m Message) bool {
	open.Lock()
	c, handle := open.comms[m.ID], open.targets[m.Target]
	open.Unlock()
	switch {
	case m.Kind == Open && handle != nil:
		c = &Comm{id: m.ID, target: m.Target}
		enter(c)
		handle(c, m)
	case m.Kind == Open || c == nil:
		return false
	case m.Kind == Close:
		leave(c)
		c.mu.Lock()
		f := c.onClose
		c.mu.Unlock()
		if f != nil {
			f()
		}
	default:
		c.mu.Lock()
		f := c.onMessage
		c.mu.Unlock()
		if f != nil {
			f(m)
		}
	}
	return true
}

// Reset forgets all open comms, and says so: on the pages they stay, without
// anybody behind them.
func Reset() error {
	open.Lock()
	comms := open.comms
	open.comms = nil
	open.Unlock()
	if len(comms) == 0 {
		return nil
	}
	for _, c := range comms {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
	}
	return send(Message{Kind: Lost}, nil, nil)
}

func enter(c *Comm) {
	open.Lock()
	defer open.Unlock()
	if open.comms == nil {
		open.comms = map[string]*Comm{}
	}
	open.comms[c.id] = c
}

// leave makes a comm a closed one and says whether it was open.
func leave(c *Comm) bool {
	open.Lock()
	defer open.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	was := !c.closed
	c.closed = true
	if open.comms[c.id] == c {
		delete(open.comms, c.id)
	}
	return was
}

func send(m Message, data, meta any) (err error) {
	if m.Data, err = object(data); err != nil {
		return err
	}
	if m.Meta, err = object(meta); err != nil {
		return err
	}
	open.Lock()
	out := open.out
	open.Unlock()
	if out == nil {
		return ErrNoPage
	}
	return out.Comm(m)
}

// object is v as a JSON object, nothing for nil.
func object(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if b[0] != '{' {
		return nil, fmt.Errorf("the data of a comm is an object, not %.40s", b)
	}
	return b, nil
}
