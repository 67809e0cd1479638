package kerneltest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Header is the header of a message.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is a message that a kernel sent.
type Message struct {
	Channel   Channel
	Front     [][]byte // frames before the delimiter: on iopub the topic
	Header    Header
	RawParent json.RawMessage
	Parent    Header
	Content   json.RawMessage
	Buffers   [][]byte
}

// Get gives the text of a field of the content; empty if it is absent or no
// text.
func (m *Message) Get(field string) string {
	var all map[string]any
	json.Unmarshal(m.Content, &all) // what is not an object has no fields
	s, _ := all[field].(string)
	return s
}

// Int gives a number of the content, −1 if it is absent.
func (m *Message) Int(field string) int {
	var all map[string]any
	json.Unmarshal(m.Content, &all)
	if f, ok := all[field].(float64); ok {
		return int(f)
	}
	return -1
}

// Text gives the text/plain of a display or a result.
func (m *Message) Text() string {
	var c struct {
		Data map[string]any `json:"data"`
	}
	json.Unmarshal(m.Content, &c)
	s, _ := c.Data["text/plain"].(string)
	return s
}

// Client is a front end: the message sockets of one kernel and everything that
// came over them and was not yet taken.
type Client struct {
	Conn    Connection
	Session string

	sockets map[Channel]*Socket
	sent    atomic.Uint64
	all     sync.WaitGroup

	mu     sync.Mutex
	inbox  map[Channel][]*Message
	news   chan struct{} // closed and replaced when something arrives
	faults []string
}

// Connect opens the sockets, subscribes to everything and reads from then on.
func Connect(conn Connection) (*Client, error) {
	c := &Client{Conn: conn, Session: rand.Text(), sockets: map[Channel]*Socket{},
		inbox: map[Channel][]*Message{}, news: make(chan struct{})}
	for _, ch := range []Channel{IOPub, Control, Stdin, Shell} {
		s, err := conn.Dial(ch, []byte(c.Session))
		if err == nil && ch == IOPub {
			err = s.Subscribe("")
		}
		if err != nil {
			c.Close()
			return nil, err
		}
		c.sockets[ch] = s
		c.all.Go(func() { c.read(ch, s) })
	}
	return c, nil
}

// ConnectWithin tries to connect, every 2 ms, until it succeeds or the time is
// over: a kernel that was just started has no sockets yet.
func ConnectWithin(conn Connection, limit time.Duration) (*Client, error) {
	for end := time.Now().Add(limit); ; time.Sleep(2 * time.Millisecond) {
		c, err := Connect(conn)
		if err == nil || time.Now().After(end) {
			return c, err
		}
	}
}

// Close closes the sockets and waits for their readers.
func (c *Client) Close() {
	for _, s := range c.sockets {
		s.Close()
	}
	c.all.Wait()
}

// Socket gives the socket of ch, to speak wrongly.
func (c *Client) Socket(ch Channel) *Socket { return c.sockets[ch] }

// Faults lists what the kernel sent against the protocol.
func (c *Client) Faults() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.faults)
}

func (c *Client) read(ch Channel, s *Socket) {
	for {
		frames, err := s.Recv()
		if err != nil {
			return
		}
		m, fault := c.decode(ch, frames)
		c.mu.Lock()
		if fault != "" {
			c.faults = append(c.faults, fault)
		}
		if m != nil {
			c.inbox[ch] = append(c.inbox[ch], m)
			close(c.news)
			c.news = make(chan struct{})
		}
		c.mu.Unlock()
	}
}

var delimiter = []byte("<IDS|MSG>")

// decode reads a message of the kernel and says what is wrong with it.
func (c *Client) decode(ch Channel, frames [][]byte) (*Message, string) {
	i := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Equal(f, delimiter) })
	if i < 0 || len(frames) < i+6 {
		return nil, fmt.Sprintf("%s: %d frames, delimiter at %d", ch, len(frames), i)
	}
	parts := frames[i+2 : i+6]
	m := &Message{Channel: ch, Front: frames[:i], RawParent: parts[1], Content: parts[3], Buffers: frames[i+6:]}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return nil, fmt.Sprintf("%s: header %q: %v", ch, parts[0], err)
	}
	json.Unmarshal(m.RawParent, &m.Parent) // checked below, with the other parts
	if string(frames[i+1]) != sign(c.Conn.Key, parts) {
		return m, fmt.Sprintf("%s %s: wrong signature", ch, m.Header.MsgType)
	}
	for _, p := range parts {
		if !json.Valid(p) || p[0] != '{' || !utf8.Valid(p) {
			return m, fmt.Sprintf("%s %s: part %.200q is no object in UTF-8", ch, m.Header.MsgType, p)
		}
	}
	if m.Header.MsgID == "" || m.Header.Session == "" || m.Header.Date == "" || m.Header.Version == "" {
		return m, fmt.Sprintf("%s %s: header %s is incomplete", ch, m.Header.MsgType, parts[0])
	}
	return m, ""
}

func sign(key string, parts [][]byte) string {
	if key == "" {
		return ""
	}
	h := hmac.New(sha256.New, []byte(key))
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Frames makes the signed frames of a request and its id.
func (c *Client) Frames(kind string, content any) (id string, frames [][]byte) {
	id = c.Session + "_" + strconv.FormatUint(c.sent.Add(1), 10)
	header, _ := json.Marshal(Header{id, c.Session, "kerneltest", time.Now().UTC().Format(time.RFC3339Nano), kind, "5.5"})
	body, err := json.Marshal(content)
	if err != nil {
		panic("kerneltest: content: " + err.Error())
	}
	return id, c.Sign(header, []byte("{}"), []byte("{}"), body)
}

// Sign puts delimiter and signature before the four parts.
func (c *Client) Sign(parts ...[]byte) [][]byte {
	return append([][]byte{delimiter, []byte(sign(c.Conn.Key, parts))}, parts...)
}

// Send sends a request and gives its id.
func (c *Client) Send(ch Channel, kind string, content any) (string, error) {
	id, frames := c.Frames(kind, content)
	return id, c.sockets[ch].Send(frames...)
}

// Take waits for the first message on ch that suits and takes it out.
func (c *Client) Take(ch Channel, limit time.Duration, suits func(*Message) bool) (*Message, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		c.mu.Lock()
		if i := slices.IndexFunc(c.inbox[ch], suits); i >= 0 {
			m := c.inbox[ch][i]
			c.inbox[ch] = slices.Delete(c.inbox[ch], i, i+1)
			c.mu.Unlock()
			return m, nil
		}
		n, news := len(c.inbox[ch]), c.news
		c.mu.Unlock()
		select {
		case <-news:
		case <-timer.C:
			return nil, fmt.Errorf("%s: nothing that suits in %v; %d other messages wait", ch, limit, n)
		}
	}
}

// Waiting gives what arrived on ch and was not taken.
func (c *Client) Waiting(ch Channel) []*Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.inbox[ch])
}
