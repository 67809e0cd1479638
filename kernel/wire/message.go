// Package wire turns the frames of a ZeroMQ message into a Jupyter message and
// back. It knows the form of every message and the behaviour of none: it has no
// socket, no goroutine, no clock and no file.
package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Channel is one of the protocol's channels that carry messages.
type Channel string

// The four channels. The fifth socket, the heartbeat, carries no messages.
const (
	Shell   Channel = "shell"
	Control Channel = "control"
	Stdin   Channel = "stdin"
	IOPub   Channel = "iopub"
)

// Header is the first part of a message.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is a message as it was received. Its parts are the received bytes,
// so that fields we do not know survive.
type Message struct {
	Identities [][]byte // where a reply goes
	Header     Header   // RawHeader, read
	RawHeader  json.RawMessage
	Parent     json.RawMessage
	Metadata   json.RawMessage
	Content    json.RawMessage
	Buffers    [][]byte
}

// Size is the number of bytes that m holds.
func (m *Message) Size() int {
	n := len(m.RawHeader) + len(m.Parent) + len(m.Metadata) + len(m.Content)
	for _, b := range m.Buffers {
		n += len(b)
	}
	return n
}

// Decode reads the content into v. Fields that are absent or null keep what v
// has, or its documented default if it is a request of this package; unknown
// fields are ignored; a wrong type is a *BodyError.
func (m *Message) Decode(v any) error {
	if d, ok := v.(interface{ defaults() }); ok {
		d.defaults()
	}
	if err := json.Unmarshal(m.Content, v); err != nil {
		return &BodyError{m.Header.MsgType, err}
	}
	return nil
}

// Content is the body of a message that this kernel sends. Type is the
// msg_type of its header.
type Content interface{ Type() string }

// Session is our side of the conversation: it signs and counts what we send and
// checks what we receive. Its methods may be called from any goroutine.
type Session struct {
	ID  string        // new at each start; not the client's
	Key []byte        // empty: nothing is signed or checked
	Now func() string // the date of a header: UTC, ISO 8601, with a Z

	sent  atomic.Uint64
	seen  repeats
	signs sync.Pool // of hash.Hash: HMACs with the key
}

// ReplyType is the type of the reply to a request type: complete_request gives
// complete_reply.
func ReplyType(request string) string {
	return strings.TrimSuffix(request, "_request") + "_reply"
}

// Reply gives the frames of the reply to req, with its identities in front.
func (s *Session) Reply(req *Message, c Content) ([][]byte, error) {
	return s.encode(req.Identities, req.RawHeader, c, nil)
}

// Publish gives the frames of a publication on iopub that parent caused; nil
// means that no request did. The first frame is its topic.
func (s *Session) Publish(parent *Message, c Content, buffers ...[]byte) ([][]byte, error) {
	topic := c.Type()
	if t, ok := c.(interface{ topic() string }); ok {
		topic = t.topic()
	}
	var raw json.RawMessage
	if parent != nil {
		raw = parent.RawHeader
	}
	return s.encode([][]byte{[]byte("kernel." + s.ID + "." + topic)}, raw, c, buffers)
}

// Welcome gives the frames that greet a new subscription on iopub. The first is
// the subscription itself, else a subscriber with a filter would not get it.
func (s *Session) Welcome(subscription []byte) ([][]byte, error) {
	return s.encode([][]byte{subscription}, nil, IOPubWelcome{string(subscription)}, nil)
}

// header makes the header of the next message of type t.
func (s *Session) header(t string) Header {
	return Header{
		MsgID:    s.ID + "_" + strconv.FormatUint(s.sent.Add(1), 10),
		Session:  s.ID,
		Username: Username,
		Date:     s.Now(),
		MsgType:  t,
		Version:  Protocol,
	}
}

// Marshal is JSON as we send it: no HTML escaping and always valid UTF-8.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return valid(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// valid replaces bytes that are not UTF-8.
func valid(b []byte) []byte {
	if utf8.Valid(b) { // nearly always, and then nothing is copied
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}
