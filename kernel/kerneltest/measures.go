package kerneltest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Words are the cells of a measure in one language.
type Words struct {
	Lines    string   // a cell that prints %d lines, each its number
	Pictures string   // a cell that shows %d displays
	Setup    string   // a cell before Complete
	Complete []string // texts whose end is to be completed
	Loop     string   // a cell that prints "in" and never ends
}

// Speech has the words of the languages that can be measured.
var Speech = map[string]Words{
	"go": {
		Lines:    "for i := range %d {\n\tfmt.Println(i)\n}",
		Pictures: "for i := range %d {\n\tdisplay.Show(i)\n}",
		Setup:    "theWords := strings.NewReader(\"x\")",
		Complete: []string{"fmt.Pri", "theWords."},
		Loop:     endless["go"][0],
	},
	"python": {
		Lines:    "for i in range(%d):\n    print(i)",
		Pictures: "from IPython.display import display\nfor i in range(%d): display(i)",
		Setup:    "import os, io\nthe_words = io.StringIO('x')",
		Complete: []string{"os.pat", "the_words."},
		Loop:     endless["python"][0],
	},
}

// Lines times a cell that prints n lines, from its send to its idle and reply.
// All of them must have come, in order.
func Lines(c *Client, w Words, n int) (time.Duration, error) {
	t := time.Now()
	a, err := c.Run(fmt.Sprintf(w.Lines, n), 2*time.Minute)
	took := time.Since(t)
	if err != nil {
		return 0, err
	}
	got := strings.Split(strings.TrimSuffix(a.Shown(), "\n"), "\n")
	for i, line := range got {
		if line != strconv.Itoa(i) {
			return 0, fmt.Errorf("line %d is %.80q", i, line)
		}
	}
	if len(got) != n {
		return 0, fmt.Errorf("%d of %d lines have come", len(got), n)
	}
	return took, nil
}

// Completions times n completions of every text of w, from the send to the
// reply and the idle. Each must offer something.
func Completions(c *Client, w Words, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		for _, code := range w.Complete {
			t := time.Now()
			a, err := c.Ask(Shell, "complete_request", map[string]any{"code": code, "cursor_pos": len(code)}, time.Minute)
			if err != nil {
				return times, err
			}
			times = append(times, time.Since(t))
			var in struct {
				Matches []string `json:"matches"`
			}
			if err := a.Reply.Decode(&in); err != nil || len(in.Matches) == 0 {
				return times, fmt.Errorf("%q: reply %.300s", code, a.Reply.Content)
			}
		}
	}
	return times, nil
}

// Beside times n completions beside a cell that never ends, and stops it.
func Beside(c *Client, w Words, n int) ([]time.Duration, error) {
	id, err := c.Send(Shell, "execute_request", Request{Code: w.Loop})
	if err == nil {
		_, err = c.Take(IOPub, time.Minute, func(m *Message) bool {
			return m.Parent.MsgID == id && m.Header.MsgType == "stream"
		})
	}
	if err != nil {
		return nil, err
	}
	times, err := Completions(c, w, n)
	if _, e := c.Send(Control, "interrupt_request", struct{}{}); err == nil {
		err = e
	}
	if _, e := c.Finish(Shell, id, time.Minute); err == nil {
		err = e
	}
	return times, err
}

// Comms times n messages to a comm that is not open, from the send to the idle.
func Comms(c *Client, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		t := time.Now()
		id, err := c.Send(Shell, "comm_msg", map[string]any{"comm_id": "none", "data": map[string]any{}})
		if err == nil {
			err = c.UntilIdle(&Answer{ID: id}, time.Minute)
		}
		if err != nil {
			return times, err
		}
		times = append(times, time.Since(t))
	}
	return times, nil
}

// Pictures sends cells at once that show n displays in all, each cell a
// thousand, and counts those that came, in order, before their cell's idle.
func Pictures(c *Client, w Words, n int) (int, error) {
	const each = 1000
	var ids []string
	for range n / each {
		id, err := c.Send(Shell, "execute_request", Request{Code: fmt.Sprintf(w.Pictures, each)})
		if err != nil {
			return 0, err
		}
		ids = append(ids, id)
	}
	came := 0
	for _, id := range ids {
		a, err := c.Finish(Shell, id, 2*time.Minute)
		if err != nil {
			return came, err
		}
		for i, m := range a.Of("display_data") {
			if m.Text() != strconv.Itoa(i) {
				return came, fmt.Errorf("display %d shows %.80q", i, m.Text())
			}
			came++
		}
	}
	return came, nil
}

// Mute subscribes to everything on iopub and never reads, until it is closed.
func Mute(conn Connection) (io.Closer, error) {
	s, err := conn.Dial(IOPub, nil)
	if err == nil {
		err = s.Subscribe("")
	}
	return s, err
}

// FirstResult starts the kernel of spec and times it from the start of the
// process to the result of 1+1. The client connects every 2 ms until it can, and
// sends the cell when its subscription was seen to work.
func FirstResult(spec Spec, env ...string) (time.Duration, error) {
	p, err := Start(spec, io.Discard, env...)
	if err != nil {
		return 0, err
	}
	defer p.Stop()
	c, err := ConnectWithin(p.Conn, time.Minute)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for end := time.Now().Add(time.Minute); ; {
		if _, err = c.Ask(Shell, "kernel_info_request", struct{}{}, 50*time.Millisecond); err == nil {
			break
		} else if time.Now().After(end) {
			return 0, err
		}
	}
	a, err := c.Run("1+1", time.Minute)
	if err == nil && a.Shown() != "=[2]" {
		err = fmt.Errorf("1+1 shows %q", a.Shown())
	}
	return time.Since(p.Started), err
}

// Memory is the resident memory of a kernel and of all its descendants, in
// bytes. It reads /proc.
func (p *Peer) Memory() (int64, error) {
	total := int64(0)
	for _, pid := range append(p.Descendants(), p.PID()) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			return 0, err
		}
		f := strings.Fields(string(b))
		if len(f) < 2 {
			return 0, fmt.Errorf("/proc/%d/statm is %q", pid, b)
		}
		pages, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			return 0, err
		}
		total += pages * int64(os.Getpagesize())
	}
	return total, nil
}

// Descendants are the processes below a kernel, by /proc; none where there is
// no /proc.
func (p *Peer) Descendants() []int { return descendants(p.PID()) }

func descendants(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is right
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue // a thread that has ended
		}
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(append(out, n), descendants(n)...)
			}
		}
	}
	return out
}

// Notebook is the text of a notebook of code cells.
func Notebook(language string, cells []string) ([]byte, error) {
	kernel := map[string]string{"go": "gondola", "python": "python3"}[language]
	type cell struct {
		Kind     string         `json:"cell_type"`
		ID       string         `json:"id"`
		Count    *int           `json:"execution_count"`
		Metadata map[string]any `json:"metadata"`
		Outputs  []any          `json:"outputs"`
		Source   string         `json:"source"`
	}
	var all []cell
	for i, text := range cells {
		all = append(all, cell{"code", fmt.Sprintf("cell-%d", i), nil, map[string]any{}, []any{}, text})
	}
	return json.Marshal(map[string]any{"cells": all, "nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{
		"kernelspec": map[string]string{"name": kernel, "display_name": kernel, "language": language}}})
}
