package kerneltest

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// Quantile gives the q-quantile of times, 0 ≤ q ≤ 1; zero of none.
func Quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(times))
	return s[min(len(s)-1, int(q*float64(len(s))))]
}

// Ready waits until a kernel answers: it repeats kernel_info_request every half
// second until one came back whole, as front ends do, for the subscription may
// be younger than the first answer.
func (c *Client) Ready(limit time.Duration) error {
	var err error
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if _, err = c.Ask(Shell, "kernel_info_request", struct{}{}, 500*time.Millisecond); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not ready in %v: %w", limit, err)
}

// RoundTrip times n cells, each from its send to its idle and its reply.
func RoundTrip(c *Client, code string, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		t := time.Now()
		a, err := c.Run(code, time.Minute)
		if err != nil {
			return times, err
		}
		if a.Status() != "ok" {
			return times, fmt.Errorf("%q: reply %s", code, a.Reply.Content)
		}
		times = append(times, time.Since(t))
	}
	return times, nil
}

// endless are an endless loop that prints "in" first, a variable, and the
// variable's value, by language.
var endless = map[string][3]string{
	"go":     {"fmt.Println(\"in\")\nfor {}", "kept := 7", "kept"},
	"python": {"print('in', flush=True)\nwhile True: pass", "kept = 7", "kept"},
}

// Interrupts stops an endless loop n times and times each stop from the wish to
// the cell's idle. A variable must keep its value.
func Interrupts(p *Peer, c *Client, spec Spec, n int) ([]time.Duration, error) {
	code, ok := endless[spec.Language]
	if !ok {
		return nil, fmt.Errorf("no endless loop in the language %q", spec.Language)
	}
	if _, err := c.Run(code[1], time.Minute); err != nil {
		return nil, err
	}
	var times []time.Duration
	for range n {
		id, err := c.Send(Shell, "execute_request", Request{Code: code[0]})
		if err == nil {
			_, err = c.Take(IOPub, time.Minute, func(m *Message) bool {
				return m.Parent.MsgID == id && m.Header.MsgType == "stream"
			})
		}
		if err != nil {
			return times, err
		}
		t := time.Now()
		if spec.Interrupt == "message" {
			_, err = c.Send(Control, "interrupt_request", struct{}{})
		} else {
			err = p.Signal(os.Interrupt)
		}
		if err == nil {
			err = c.UntilIdle(&Answer{ID: id}, time.Minute)
		}
		if err != nil {
			return times, err
		}
		times = append(times, time.Since(t))
	}
	a, err := c.Run(code[2], time.Minute)
	if err == nil && a.Shown() != "=[7]" {
		err = fmt.Errorf("after %d interrupts a variable shows %q", n, a.Shown())
	}
	return times, err
}

// StartUp starts the kernel of spec and times it from the start of the process
// to its kernel_info_reply, by a client that tries to connect every 2 ms.
func StartUp(spec Spec, env ...string) (time.Duration, error) {
	p, err := Start(spec, io.Discard, env...)
	if err != nil {
		return 0, err
	}
	defer p.Stop()
	const limit = time.Minute
	for {
		s, err := p.Conn.Dial(Shell, nil)
		if err == nil {
			defer s.Close()
			c := &Client{Conn: p.Conn, Session: "start-up"}
			_, f := c.Frames("kernel_info_request", struct{}{})
			if err := s.Send(f...); err != nil {
				return 0, err
			}
			s.conn.SetReadDeadline(p.Started.Add(limit))
			_, err := s.Recv()
			return time.Since(p.Started), err
		}
		if code, gone := p.ended(); gone {
			return 0, fmt.Errorf("the kernel ended with status %d", code)
		}
		if time.Since(p.Started) > limit {
			return 0, fmt.Errorf("no kernel_info_reply in %v: %w", limit, err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// ended says whether the process is over, and its status.
func (p *Peer) ended() (int, bool) {
	select {
	case <-p.exit:
		return p.cmd.ProcessState.ExitCode(), true
	default:
		return 0, false
	}
}
