package kerneltest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"syscall"
	"time"
)

// Case is one way to treat a kernel badly. Do returns an error only if the
// kernel answered wrongly; that it is still alive is for the caller to ask,
// with a client of its own.
type Case struct {
	Name string
	Do   func(Connection) error
}

// Raw lists the cases of clients that break ZMTP itself.
func Raw() []Case {
	ready := property("Socket-Type", "DEALER")
	return []Case{
		{"connects and says nothing", raw()},
		{"HTTP", raw([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))},
		{"junk", raw(bytes.Repeat([]byte("\x01junk\xfe\x00\x80\xff?"), 9))},
		{"greeting, then nothing", raw(greeting())},
		{"name of a property longer than READY", raw(greeting(), command("READY", []byte("\xffSocket-Type")))},
		{"truncated property", raw(greeting(), command("READY", ready[:len(ready)-3]))},
		{"value of 2³²−1 bytes", raw(greeting(), command("READY",
			append(append([]byte{11}, "Socket-Type"...), 0xFF, 0xFF, 0xFF, 0xFF, 'D')))},
		{"empty command in the handshake", raw(greeting(), frame(flagCommand, nil))},
		{"command name longer than its body", raw(greeting(), frame(flagCommand, []byte("\xc8READY")))},
		{"socket type PULL", raw(greeting(), command("READY", property("Socket-Type", "PULL")))},
		{"empty message", spoken(frame(0, nil))},
		{"empty command after the handshake", spoken(frame(flagCommand, nil))},
		{"PING", spoken(command("PING", []byte("\x00\x0acontext")))},
		{"a million frames that never end", spoken(bytes.Repeat(frame(flagMore, []byte("x")), 1_000_000))},
		{"frame of 40 GB", spoken(frameHead(0, 40<<30, true))},
		{"frame of 2⁴⁹ bytes", spoken(frameHead(0, 1<<49, true))},
		{"frame of 2⁶² bytes", spoken(frameHead(0, 1<<62, true))},
		{"frame of 2⁶⁴−1 bytes", spoken(frameHead(0, math.MaxUint64, true))},
		{"reserved flag bits", spoken(append([]byte{0xF8}, frame(0, []byte("x"))...))},
	}
}

// stay is how long a hostile client keeps its connection, reading.
const stay = 50 * time.Millisecond

// raw sends bytes to every socket right after the connect.
func raw(parts ...[]byte) func(Connection) error {
	return func(c Connection) error {
		for _, ch := range []Channel{Shell, Control, IOPub, Stdin, Heartbeat} {
			network, address := c.Address(ch)
			conn, err := net.DialTimeout(network, address, patience)
			if err != nil {
				return err
			}
			for _, p := range parts {
				conn.Write(p) // a peer that hangs up is right
			}
			conn.SetReadDeadline(time.Now().Add(stay))
			io.Copy(io.Discard, conn)
			conn.Close()
		}
		return nil
	}
}

// spoken sends bytes to every socket after a handshake.
func spoken(b []byte) func(Connection) error {
	return func(c Connection) error {
		for _, ch := range []Channel{Shell, Control, IOPub, Stdin, Heartbeat} {
			s, err := c.Dial(ch, nil)
			if err != nil {
				return err
			}
			s.conn.SetDeadline(time.Now().Add(patience))
			s.Raw(b) // a peer that hangs up is right
			s.conn.SetReadDeadline(time.Now().Add(stay))
			io.Copy(io.Discard, s.r)
			s.Close()
		}
		return nil
	}
}

// Wrong lists the cases of clients that speak ZMTP and break the protocol of
// notebooks, or only use it up.
func Wrong() []Case {
	return []Case{
		{"no delimiter", unanswered(func(c *Client) [][]byte { _, f := c.Frames("kernel_info_request", nil); return f[1:] })},
		{"four parts", unanswered(func(c *Client) [][]byte { _, f := c.Frames("kernel_info_request", nil); return f[:5] })},
		{"wrong signature", unanswered(func(c *Client) [][]byte {
			_, f := c.Frames("kernel_info_request", nil)
			f[1] = bytes.Repeat([]byte("0"), len(f[1]))
			return f
		})},
		{"message sent twice", twice},
		{"header that is none", headers},
		{"content of 50 MB", large},
		{"unknown type", unknown},
		{"10 000 requests and no read", deaf},
		{"a subscriber that never reads", mute},
		{"two clients with one identity", twins},
		{"descriptors used up", many},
	}
}

// with runs do with a client of its own.
func with(do func(*Client) error) func(Connection) error {
	return func(conn Connection) error {
		c, err := Connect(conn)
		if err != nil {
			return err
		}
		defer c.Close()
		return errors.Join(c.Welcome(patience), do(c))
	}
}

// unanswered sends frames that must be dropped: a good request behind them is
// the first to be answered.
func unanswered(frames ...func(*Client) [][]byte) func(Connection) error {
	return with(func(c *Client) error {
		for _, ch := range []Channel{Shell, Control} {
			for _, f := range frames {
				if err := c.Socket(ch).Send(f(c)...); err != nil {
					return err
				}
			}
			a, err := c.Ask(ch, "kernel_info_request", struct{}{}, patience)
			if err != nil {
				return err
			}
			if a.Status() != "ok" {
				return fmt.Errorf("%s: status %q", ch, a.Status())
			}
			if rest := c.Waiting(ch); len(rest) > 0 {
				return fmt.Errorf("%s: answered %s to a message that must be dropped", ch, rest[0].Header.MsgType)
			}
		}
		return nil
	})
}

// twice sends one message two times: one answer.
func twice(conn Connection) error {
	return with(func(c *Client) error {
		id, f := c.Frames("kernel_info_request", struct{}{})
		if err := errors.Join(c.Socket(Shell).Send(f...), c.Socket(Shell).Send(f...)); err != nil {
			return err
		}
		if _, err := c.Finish(Shell, id, patience); err != nil {
			return err
		}
		if _, err := c.Ask(Shell, "kernel_info_request", struct{}{}, patience); err != nil {
			return err
		}
		if rest := c.Waiting(Shell); len(rest) > 0 {
			return errors.New("a recorded message was answered again")
		}
		return nil
	})(conn)
}

// headers sends signed messages whose header cannot be one.
func headers(conn Connection) error {
	var all []func(*Client) [][]byte
	for _, h := range []string{"", "{", "null", "[]", `"x"`, "7", "{}", `{"msg_type":7}`,
		`{"msg_type":["execute_request"]}`,
		`{"msg_type":null,"msg_id":1}`, "\xff\xfe", "[[[[[[[[", `{"msg_type":""}`} {
		all = append(all, func(c *Client) [][]byte { return c.Sign([]byte(h), []byte("{}"), []byte("{}"), []byte("{}")) })
	}
	return unanswered(all...)(conn)
}

// large sends content of 50 MB in a field that nobody knows.
func large(conn Connection) error {
	return with(func(c *Client) error {
		filler := string(bytes.Repeat([]byte("x"), 50<<20))
		a, err := c.Ask(Shell, "kernel_info_request", map[string]string{"filler": filler}, 60*time.Second)
		if err == nil && a.Status() != "ok" {
			err = fmt.Errorf("status %q", a.Status())
		}
		return err
	})(conn)
}

// unknown sends types that nobody serves: a request gets an error reply, the
// rest busy and idle alone; wrong types of fields get an error reply.
func unknown(conn Connection) error {
	return with(func(c *Client) error {
		for _, r := range []struct {
			kind    string
			content any
		}{
			{"no_such_request", struct{}{}},
			{"create_subshell_request", struct{}{}},
			{"execute_request", map[string]any{"code": 7}},
			{"execute_request", []int{1}},
			{"complete_request", map[string]any{"code": "x", "cursor_pos": "one"}},
			{"history_request", map[string]any{"hist_access_type": "none"}},
		} {
			a, err := c.Ask(Shell, r.kind, r.content, patience)
			if err != nil {
				return fmt.Errorf("%s: %w", r.kind, err)
			}
			if a.Status() != "error" || a.Reply.Get("ename") == "" {
				return fmt.Errorf("%s: reply %s", r.kind, a.Reply.Content)
			}
		}
		a := &Answer{}
		var err error
		if a.ID, err = c.Send(Shell, "no_such_message", struct{}{}); err != nil {
			return err
		}
		if err := c.UntilIdle(a, patience); err != nil {
			return err
		}
		if got := a.Types(); got != "status status" {
			return fmt.Errorf("no_such_message: %s", got)
		}
		return nil
	})(conn)
}

// flood is how many requests the deaf and the mute client cause.
const flood = 10_000

// deaf sends requests and reads no answer.
func deaf(conn Connection) error {
	s, err := conn.Dial(Shell, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	c := &Client{Conn: conn, Session: "deaf"}
	for range flood {
		_, f := c.Frames("kernel_info_request", struct{}{})
		if err := s.Send(f...); err != nil {
			return err
		}
	}
	return nil
}

// mute subscribes and never reads, beside a client that must get everything.
func mute(conn Connection) error {
	s, err := conn.Dial(IOPub, nil)
	if err == nil {
		if tcp, ok := s.conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(4 << 10)
		}
	}
	if err == nil {
		err = s.Subscribe("")
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return with(func(c *Client) error {
		var ids []string
		for range flood / 4 {
			id, err := c.Send(Control, "kernel_info_request", struct{}{})
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		for _, id := range ids {
			if _, err := c.Finish(Control, id, 30*time.Second); err != nil {
				return err
			}
		}
		return nil
	})(conn)
}

// twins connects twice with one identity: the newest gets the replies.
func twins(conn Connection) error {
	old, err := conn.Dial(Shell, []byte("twin"))
	if err != nil {
		return err
	}
	defer old.Close()
	return with(func(c *Client) error {
		if _, err := c.Ask(Shell, "kernel_info_request", struct{}{}, patience); err != nil {
			return err // the kernel has seen the older twin by now
		}
		twin, err := conn.Dial(Shell, []byte("twin"))
		if err != nil {
			return err
		}
		defer twin.Close()
		_, f := c.Frames("kernel_info_request", struct{}{})
		if err := twin.Send(f...); err != nil {
			return err
		}
		twin.conn.SetReadDeadline(time.Now().Add(patience))
		got, err := twin.Recv()
		if err == nil && !slices.ContainsFunc(got,
			func(b []byte) bool { return bytes.Contains(b, []byte("kernel_info_reply")) }) {
			err = fmt.Errorf("the newer client with an identity got %q", got)
		}
		return err
	})(conn)
}

// many opens connections until descriptors run out, here or there, or 700 are
// open, and leaves.
func many(conn Connection) error {
	network, address := conn.Address(Shell)
	for range 700 {
		c, err := net.DialTimeout(network, address, time.Second)
		if errors.Is(err, syscall.EMFILE) || err != nil && isTimeout(err) {
			return nil
		} else if err != nil {
			return err
		}
		defer c.Close()
	}
	return nil
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
