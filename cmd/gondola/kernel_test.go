//go:build cgo

package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// asKernel makes the test binary a kernel: real sockets, a real worker and the
// engine of the product in it.
const asKernel = "GONDOLA_TEST_KERNEL"

func init() {
	if os.Getenv(asKernel) == "" {
		return
	}
	if status, done := worker.Main(newEngine); done {
		os.Exit(status)
	}
	countGoroutines()
	os.Exit(runKernel(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const limit = 30 * time.Second

// startKernel starts the test binary as a kernel, by the command in front if
// there is one.
func startKernel(t *testing.T, front ...string) *kerneltest.Peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := kerneltest.Start(kerneltest.Spec{Argv: append(front, self, "-f", "{connection_file}")}, os.Stderr,
		asKernel+"=1", "GONDOLA_HISTORY=off")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// connect is a client of a kernel that is up.
func connect(t *testing.T, conn kerneltest.Connection) *kerneltest.Client {
	t.Helper()
	c, err := kerneltest.ConnectWithin(conn, limit)
	if err == nil {
		err = c.Welcome(limit)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		for _, f := range c.Faults() {
			t.Error("against the protocol:", f)
		}
	})
	return c
}

// shows runs a cell and compares what a reader sees.
func shows(t *testing.T, c *kerneltest.Client, code, want string) *kerneltest.Answer {
	t.Helper()
	a, err := c.Run(code, limit)
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	if got := a.Shown(); got != want {
		t.Fatalf("%s: shows %q, want %q", code, got, want)
	}
	return a
}

func send(t *testing.T, c *kerneltest.Client, ch kerneltest.Channel, kind string, content any) string {
	t.Helper()
	id, err := c.Send(ch, kind, content)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func finish(t *testing.T, c *kerneltest.Client, ch kerneltest.Channel, id string) *kerneltest.Answer {
	t.Helper()
	a, err := c.Finish(ch, id, limit)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shown waits for a display of a cell that goes on.
func shown(t *testing.T, c *kerneltest.Client, id string) {
	t.Helper()
	_, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool {
		return m.Parent.MsgID == id && m.Header.MsgType == "display_data"
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A thousand cells of print, display, print: nothing is lost, late or out of
// order, and nothing comes after an idle.
func TestThousandCells(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	for i := range 1000 {
		code := fmt.Sprintf("fmt.Println(\"a%d\")\ndisplay.Show(\"d%d\")\nfmt.Println(\"b%d\")", i, i, i)
		a := shows(t, c, code, fmt.Sprintf("a%d\n[d%d]b%d\n", i, i, i))
		if got := a.Types(); got != "status execute_input stream display_data stream status" {
			t.Fatalf("cell %d: %s", i, got)
		}
		if n := a.Reply.Int("execution_count"); n != i+1 {
			t.Fatalf("cell %d is counted as %d", i, n)
		}
	}
	if _, err := c.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, limit); err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Waiting(kerneltest.IOPub) {
		if m.Parent.MsgID != "" {
			t.Fatalf("%s came after the idle of its cell", m.Header.MsgType)
		}
	}
}

// for {} is stopped by a message and by SIGINT, fifty times; variables keep
// their values and the kernel lives.
func TestInterrupt(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	shows(t, c, "x := 7", "")
	for i := range 50 {
		id := send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: "display.Show(\"in\")\nfor {}"})
		shown(t, c, id)
		if i%5 == 0 {
			if err := p.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		} else if a, err := c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit); err != nil ||
			a.Status() != "ok" {
			t.Fatalf("interrupt_reply %v, %v", a.Reply, err)
		}
		if a := finish(t, c, kerneltest.Shell, id); a.Reply.Get("ename") != "Interrupted" {
			t.Fatalf("interrupt %d: %s", i, a.Reply.Content)
		}
		shows(t, c, "x", "=[7]")
	}
}

// Beside a running cell control and shell answer, and after the idle of a
// completion the kernel is said to be busy again.
func TestBesideCell(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	shows(t, c, "alpha := 1", "")
	id := send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: "display.Show(\"in\")\nfor {}"})
	shown(t, c, id)
	for _, ch := range []kerneltest.Channel{kerneltest.Control, kerneltest.Shell} {
		for kind, content := range map[string]any{
			"kernel_info_request": struct{}{},
			"comm_info_request":   struct{}{},
			"history_request":     map[string]any{"hist_access_type": "tail", "n": 1},
			"complete_request":    map[string]any{"code": "alp", "cursor_pos": 3},
			"inspect_request":     map[string]any{"code": "alpha", "cursor_pos": 2},
			"is_complete_request": map[string]any{"code": "alpha"},
		} {
			a, err := c.Ask(ch, kind, content, limit)
			if err != nil {
				t.Fatalf("%s on %s: %v", kind, ch, err)
			}
			if kind == "complete_request" {
				if !strings.Contains(string(a.Reply.Content), `"matches":["alpha"]`) {
					t.Errorf("%s", a.Reply.Content)
				}
				again, err := c.Take(kerneltest.IOPub, limit, func(m *kerneltest.Message) bool {
					return m.Parent.MsgID == id && m.Header.MsgType == "status"
				})
				if err != nil || again.Get("execution_state") != "busy" {
					t.Errorf("after a completion beside a cell: %v, %v", again, err)
				}
			}
		}
	}
	beats(t, p.Conn)
	if _, err := c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit); err != nil {
		t.Fatal(err)
	}
	finish(t, c, kerneltest.Shell, id)
}

// Twenty cells behind one that fails are aborted; what is sent after its reply
// runs.
func TestStopOnError(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	var ids []string
	for i := range 21 {
		code := fmt.Sprint(i)
		if i == 0 {
			code = "display.Show(\"in\")\nfor {}" // the others are sent while it runs
		}
		ids = append(ids, send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: code}))
	}
	shown(t, c, ids[0])
	if _, err := c.Ask(kerneltest.Control, "interrupt_request", struct{}{}, limit); err != nil {
		t.Fatal(err)
	}
	finish(t, c, kerneltest.Shell, ids[0])
	for _, id := range ids[1:] {
		a := finish(t, c, kerneltest.Shell, id)
		if a.Reply.Get("ename") != "Aborted" || a.Types() != "status status" {
			t.Errorf("%s: %s", a.Types(), a.Reply.Content)
		}
	}
	shows(t, c, "5", "=[5]")
}

// Two clients at once: each gets its own replies, both see everything.
func TestTwoClients(t *testing.T) {
	p := startKernel(t)
	a, b := connect(t, p.Conn), connect(t, p.Conn)
	var all sync.WaitGroup
	for _, c := range []*kerneltest.Client{a, b} {
		all.Go(func() {
			for i := range 100 {
				if got, err := c.Run(fmt.Sprint(i), limit); err != nil || got.Shown() != fmt.Sprintf("=[%d]", i) {
					t.Errorf("cell %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	for _, c := range []*kerneltest.Client{a, b} {
		if _, err := c.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, limit); err != nil {
			t.Fatal(err) // behind its idle nothing of the cells is on its way
		}
		results := 0
		for _, m := range c.Waiting(kerneltest.IOPub) {
			if m.Header.MsgType == "execute_result" {
				results++
			}
		}
		if results != 100 {
			t.Errorf("%d results of the other client are seen, want 100", results)
		}
		if rest := c.Waiting(kerneltest.Shell); len(rest) != 0 {
			t.Errorf("%d replies too many", len(rest))
		}
	}
}

// Two thousand requests at once are all answered, in order.
func TestManyQueued(t *testing.T) {
	c := connect(t, startKernel(t).Conn)
	var ids []string
	for i := range 2000 {
		ids = append(ids, send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: fmt.Sprint(i)}))
	}
	for i, id := range ids {
		if a := finish(t, c, kerneltest.Shell, id); a.Shown() != fmt.Sprintf("=[%d]", i) ||
			a.Reply.Int("execution_count") != i+1 {
			t.Fatalf("cell %d shows %q, count %d", i, a.Shown(), a.Reply.Int("execution_count"))
		}
	}
}

// The measure of interrupts gives a time for each and sees that values are kept.
func TestInterruptMeasure(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	for _, how := range []string{"message", "signal"} {
		times, err := kerneltest.Interrupts(p, c, kerneltest.Spec{Language: "go", Interrupt: how}, 3)
		if err != nil || len(times) != 3 || !(times[0] > 0) {
			t.Errorf("%s: %v, %v", how, times, err)
		}
	}
	if _, err := kerneltest.Interrupts(p, c, kerneltest.Spec{Language: "forth"}, 3); err == nil {
		t.Error("a language without a known loop is measured")
	}
}
