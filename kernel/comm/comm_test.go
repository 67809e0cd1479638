package comm

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// page writes down what reaches it.
type page struct {
	said []string
	err  error
}

func (p *page) Comm(m Message) error {
	if p.err != nil {
		return p.err
	}
	p.said = append(p.said, fmt.Sprintf("%s %s %s %s %v", m.Kind, m.Target, m.Data, m.Meta, m.Buffers))
	return nil
}

func newPage(t *testing.T) *page {
	p := &page{}
	restore := SetOutput(p)
	t.Cleanup(func() {
		Reset()
		restore()
	})
	return p
}

// A comm of ours says what it is told to, and takes what pages say, until
// either side closes it.
func TestDial(t *testing.T) {
	p := newPage(t)
	c, err := Dial("t", map[string]int{"a": 1}, map[string]string{"version": "2"}, []byte{7})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	c.OnMessage(func(m Message) { got += string(m.Data) + fmt.Sprint(m.Buffers) })
	c.OnClose(func() { got += "closed" })
	if err := c.Send(struct{ B bool }{true}, []byte{0, 255}); err != nil {
		t.Error(err)
	}
	for _, m := range []Message{
		{Kind: Data, ID: c.ID(), Data: []byte(`{"x":1}`), Buffers: [][]byte{{1}}}, {Kind: Close, ID: c.ID()},
	} {
		if !Known(m) || !Deliver(m) {
			t.Errorf("%s: nobody takes it", m.Kind)
		}
	}
	if want := `{"x":1}[[1]]closed`; got != want {
		t.Errorf("the pages said %s, want %s", got, want)
	}
	want := `open t {"a":1} {"version":"2"} [[7]], msg  {"B":true}  [[0 255]]`
	if said := strings.Join(p.said, ", "); said != want {
		t.Errorf("said %s, want %s", said, want)
	}
	if Deliver(Message{Kind: Data, ID: c.ID()}) || Known(Message{Kind: Data, ID: c.ID()}) {
		t.Error("a closed comm takes a message")
	}
	if err := c.Send(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed comm sends: %v", err)
	}
	if err := c.Close(); err != nil || len(p.said) != 2 {
		t.Errorf("closed twice: %v, %v", err, p.said)
	}
}

// A page opens a comm under a target that is handled, and under no other.
func TestHandle(t *testing.T) {
	p := newPage(t)
	first := Message{Kind: Open, ID: "7", Target: "t", Data: []byte(`{}`)}
	if Known(first) || Deliver(first) {
		t.Error("an unknown target is taken")
	}
	forget := Handle("t", func(c *Comm, m Message) {
		c.OnMessage(func(m Message) { c.Send(map[string]string{"back": string(m.Data)}) })
		if m.ID != c.ID() || c.Target() != "t" {
			t.Errorf("opened as %s of %s", c.ID(), c.Target())
		}
	})
	defer forget()
	if !Known(first) || !Deliver(first) || !Deliver(Message{Kind: Data, ID: "7", Data: []byte(`{"a":2}`)}) {
		t.Fatal("nobody takes it")
	}
	if want := `msg  {"back":"{\"a\":2}"}  []`; len(p.said) != 1 || p.said[0] != want {
		t.Errorf("said %v, want %s", p.said, want)
	}
	forget()
	if Known(first) {
		t.Error("a forgotten target is known")
	}
}

// After a reset the pages are told once, and nothing is open any more.
func TestReset(t *testing.T) {
	p := newPage(t)
	c, err := Dial("t", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Reset(); err != nil {
			t.Error(err)
		}
	}
	if len(p.said) != 2 || !strings.HasPrefix(p.said[1], "lost ") || Known(Message{Kind: Data, ID: c.ID()}) ||
		!errors.Is(c.Send(nil), ErrClosed) {
		t.Errorf("said %v; sends %v", p.said, c.Send(nil))
	}
}

// What is not let out is an error, and opens nothing.
func TestRefused(t *testing.T) {
	p := newPage(t)
	for _, data := range []any{math.NaN(), []int{1}, 3} {
		if _, err := Dial("t", data, nil); err == nil {
			t.Errorf("%v is data of a comm", data)
		}
	}
	p.err = errors.New("full")
	if _, err := Dial("t", nil, nil); !errors.Is(err, p.err) {
		t.Errorf("opened where there is no room: %v", err)
	}
	open.Lock()
	n := len(open.comms)
	open.Unlock()
	if n != 0 {
		t.Errorf("%d comms are open, want none", n)
	}
	p.err = nil
	defer SetOutput(nil)()
	if _, err := Dial("t", nil, nil); !errors.Is(err, ErrNoPage) {
		t.Errorf("opened without a page: %v", err)
	}
}
