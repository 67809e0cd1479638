//go:build cgo

package main

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/transport"
)

// children gives the processes that the process pid started.
func children(t *testing.T, pid int) (out []int) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(lists) == 0 {
		t.Skip("no /proc with the children of a process")
	}
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err != nil {
			continue // a thread that has ended
		}
		for _, f := range strings.Fields(string(b)) {
			var n int
			if _, err := fmt.Sscan(f, &n); err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
	}
	return out
}

// The worker is killed from outside twenty times, in a cell and between cells:
// the cell says so, the declarations are back, the next cell is right.
func TestWorkerKilled(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	for i := range 20 {
		shows(t, c, fmt.Sprintf("func f() int { return %d }\nx := 1", i), "")
		inCell, id := i%2 == 0, ""
		if inCell {
			id = send(t, c, kerneltest.Shell, "execute_request", kerneltest.Request{Code: "display.Show(\"in\")\nfor {}"})
			shown(t, c, id)
		}
		workers := children(t, p.PID())
		if len(workers) != 1 {
			t.Fatalf("%d workers", len(workers))
		}
		if err := syscall.Kill(workers[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if inCell {
			a := finish(t, c, kerneltest.Shell, id)
			if got := a.Reply.Get("ename"); got != "WorkerLost" || len(a.Of("error")) != 1 {
				t.Fatalf("kill %d: %s", i, a.Reply.Content)
			}
		}
		shows(t, c, "f()", fmt.Sprintf("=[%d]", i))
		if a, err := c.Run("x", limit); err != nil || a.Status() != "error" {
			t.Fatalf("kill %d: a lost value is still there, or %v", i, err)
		}
	}
}

// Over ipc, and with no key, a kernel answers as over tcp.
func TestConnections(t *testing.T) {
	t.Setenv("GONDOLA_HISTORY", "off")
	for name, change := range map[string]func(*kerneltest.Connection){
		"ipc":    func(c *kerneltest.Connection) { c.Transport, c.IP = "ipc", filepath.Join(t.TempDir(), "k") },
		"no key": func(c *kerneltest.Connection) { c.Key = "" },
		"v6":     func(c *kerneltest.Connection) { c.IP = "::1" },
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := kerneltest.NewConnection()
			if err != nil {
				t.Fatal(err)
			}
			change(&conn)
			if conn.IP == "::1" {
				l, err := net.Listen("tcp", "[::1]:0")
				if err != nil {
					t.Skip("no IPv6 here: ", err)
				}
				l.Close()
			}
			path := filepath.Join(t.TempDir(), "connection.json")
			if err := conn.Write(path); err != nil {
				t.Fatal(err)
			}
			file, err := transport.ReadConnectionFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				ended <- serveKernel(kernelConfig{file: file, path: path, log: slog.New(slog.DiscardHandler),
					newEngine: func() engine.Engine { return enginetest.NewFake() }})
			}()
			c := connect(t, conn)
			shows(t, c, "1", "=[1]")
			if _, err := c.Ask(kerneltest.Control, "shutdown_request", struct{}{}, limit); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
