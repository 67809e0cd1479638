package kerneltest

import (
	"fmt"
	"io"
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

// StartUp starts the kernel of spec and times it from the start of the process
// to its kernel_info_reply, by a client that tries to connect every 2 ms.
func StartUp(spec Spec) (time.Duration, error) {
	p, err := Start(spec, io.Discard)
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
