package kerneltest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Answer is everything that a request caused: the reply, and on iopub the
// messages from busy to idle.
type Answer struct {
	ID    string
	Reply *Message
	Pub   []*Message
}

// Request is the content of an execute_request. Leave a field nil for the
// protocol's default.
type Request struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    *bool             `json:"store_history,omitempty"`
	StopOnError     *bool             `json:"stop_on_error,omitempty"`
	UserExpressions map[string]string `json:"user_expressions,omitempty"`
	AllowStdin      bool              `json:"allow_stdin"`
}

// Caused gives a test for messages that the request with this id caused.
func Caused(id string) func(*Message) bool {
	return func(m *Message) bool { return m.Parent.MsgID == id }
}

// Ask sends a request and waits for its reply and its idle.
func (c *Client) Ask(ch Channel, kind string, content any, limit time.Duration) (*Answer, error) {
	id, err := c.Send(ch, kind, content)
	if err != nil {
		return nil, err
	}
	return c.Finish(ch, id, limit)
}

// Run runs a cell and waits for its reply and its idle.
func (c *Client) Run(code string, limit time.Duration) (*Answer, error) {
	return c.Ask(Shell, "execute_request", Request{Code: code}, limit)
}

// Finish waits for the reply and the idle of a request that was sent.
func (c *Client) Finish(ch Channel, id string, limit time.Duration) (*Answer, error) {
	end := time.Now().Add(limit)
	a := &Answer{ID: id}
	if err := c.UntilIdle(a, time.Until(end)); err != nil {
		return a, err
	}
	var err error
	a.Reply, err = c.Take(ch, time.Until(end), Caused(id))
	return a, err
}

// UntilIdle takes what the request of a causes on iopub, to its idle.
func (c *Client) UntilIdle(a *Answer, limit time.Duration) error {
	end := time.Now().Add(limit)
	for {
		m, err := c.Take(IOPub, time.Until(end), Caused(a.ID))
		if err != nil {
			return fmt.Errorf("no idle, after %s: %w", a.Types(), err)
		}
		a.Pub = append(a.Pub, m)
		if m.Header.MsgType == "status" && m.Get("execution_state") == "idle" {
			return nil
		}
	}
}

// Welcome waits for the welcome of the subscription.
func (c *Client) Welcome(limit time.Duration) error {
	_, err := c.Take(IOPub, limit, func(m *Message) bool { return m.Header.MsgType == "iopub_welcome" })
	return err
}

// Status is the status of the reply.
func (a *Answer) Status() string {
	if a.Reply == nil {
		return ""
	}
	return a.Reply.Get("status")
}

// Types lists the types on iopub in order.
func (a *Answer) Types() string {
	var t []string
	for _, m := range a.Pub {
		t = append(t, m.Header.MsgType)
	}
	return strings.Join(t, " ")
}

// Shown is what a reader sees, in order: text as it is, pictures and results in
// brackets, an error by its name.
func (a *Answer) Shown() string {
	var b strings.Builder
	for _, m := range a.Pub {
		switch m.Header.MsgType {
		case "stream":
			b.WriteString(m.Get("text"))
		case "display_data", "update_display_data":
			b.WriteString("[" + m.Text() + "]")
		case "execute_result":
			b.WriteString("=[" + m.Text() + "]")
		case "error":
			b.WriteString("!" + m.Get("ename"))
		}
	}
	return b.String()
}

// Of gives the messages of one type on iopub.
func (a *Answer) Of(kind string) []*Message {
	var out []*Message
	for _, m := range a.Pub {
		if m.Header.MsgType == kind {
			out = append(out, m)
		}
	}
	return out
}

// Decode reads the content of a message into v.
func (m *Message) Decode(v any) error { return json.Unmarshal(m.Content, v) }
