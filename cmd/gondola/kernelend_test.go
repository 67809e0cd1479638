//go:build cgo

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// A shutdown, also for a restart and beside a cell, by message and by signals:
// reply, idle, and the process ends with status 0.
func TestShutdown(t *testing.T) {
	for _, how := range []string{"message", "restart", "beside", "SIGTERM", "SIGHUP"} {
		t.Run(how, func(t *testing.T) {
			p := startKernel(t)
			c := connect(t, p.Conn)
			shows(t, c, "1", "=[1]")
			if how == "beside" {
				shown(t, c, send(t, c, kerneltest.Shell, "execute_request",
					kerneltest.Request{Code: "display.Show(\"in\")\nfor {}"}))
			}
			var err error
			switch how {
			case "SIGTERM":
				err = p.Signal(syscall.SIGTERM)
			case "SIGHUP":
				err = p.Signal(syscall.SIGHUP)
			default:
				var a *kerneltest.Answer
				a, err = c.Ask(kerneltest.Control, "shutdown_request", map[string]bool{"restart": how == "restart"}, limit)
				if err == nil && !strings.Contains(string(a.Reply.Content), fmt.Sprintf(`"restart":%v`, how == "restart")) {
					t.Errorf("reply %s", a.Reply.Content)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if code, err := p.Exit(limit); err != nil || code != 0 {
				t.Errorf("status %d, %v", code, err)
			}
		})
	}
}

// A kernel whose parent process has gone leaves too.
func TestParentGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The shell starts the kernel in the background and waits to be killed.
	p, err := kerneltest.Start(kerneltest.Spec{Argv: []string{"/bin/sh", "-c", `"$0" -f "$1" & sleep 1000`, self,
		"{connection_file}"}},
		os.Stderr, asKernel+"=1", "GONDOLA_HISTORY=off", "JPY_PARENT_PID=1")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	c := connect(t, p.Conn)
	shows(t, c, "1", "=[1]")
	if err := p.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		_, err := p.Conn.Dial(kerneltest.Heartbeat, nil)
		return err != nil
	}
	for end := time.Now().Add(limit); !gone(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the kernel stays without its parent")
		}
	}
}

// A second kernel on the connection file of one that runs refuses by the name
// of the port, and the first goes on.
func TestKernelTwice(t *testing.T) {
	p := startKernel(t)
	c := connect(t, p.Conn)
	shows(t, c, "kept := 7", "")
	var stderr strings.Builder
	want := fmt.Sprintf("tcp://127.0.0.1:%d is in use", p.Conn.Shell)
	if got := runKernel([]string{"-f", p.File}, nil, nil, &stderr); got != 3 || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, %q; want 3, %q", got, stderr.String(), want)
	}
	shows(t, c, "kept", "=[7]")
}

// What keeps a kernel from starting has its exit status and its words.
func TestKernelRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, change func(*kerneltest.Connection)) string {
		c, err := kerneltest.NewConnection()
		if err != nil {
			t.Fatal(err)
		}
		change(&c)
		path := filepath.Join(dir, name)
		if err := c.Write(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	for _, tt := range []struct {
		args   []string
		status int
		words  string
	}{
		{nil, 2, "-f FILE is missing"},
		{[]string{"-f", filepath.Join(dir, "none.json")}, 2, "no such file"},
		{[]string{"-f", write("md5", func(c *kerneltest.Connection) { c.Scheme = "hmac-md5" })}, 2,
			`signature_scheme is "hmac-md5"`},
		{[]string{"-f", write("taken", func(c *kerneltest.Connection) { c.IOPub = port })}, 3,
			fmt.Sprintf("iopub port tcp://127.0.0.1:%d is in use", port)},
		{[]string{"-mem-limit", "lots", "-f", "x"}, 2, `size "lots"`},
		{[]string{"-f", "x", "more"}, 2, `unexpected argument "more"`},
		{[]string{"-unknown"}, 2, "flag provided but not defined"},
	} {
		var stderr strings.Builder
		if got := runKernel(tt.args, nil, nil, &stderr); got != tt.status || !strings.Contains(stderr.String(), tt.words) {
			t.Errorf("%q: status %d, %q; want %d, %q", tt.args, got, stderr.String(), tt.status, tt.words)
		}
	}
}

// Where too few files may be opened a kernel says so: it would start, and never
// answer.
func TestKernelNeedsFiles(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 48; exec "$0" -f none.json`, self)
	cmd.Env = append(os.Environ(), asKernel+"=1")
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != 3 || !strings.Contains(string(out), "may open 48 files here, a kernel needs 64") {
		t.Errorf("status %d, %s", got, out)
	}
}

func TestMemorySize(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "7": 7, "4G": 4 << 30, "4GiB": 4 << 30, "512m": 512 << 20, "1T": 1 << 40,
		"2KB": 2048} {
		if got, err := memorySize(s); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	bad := []string{"0", "-1", "x", "G", "B", "99999999999T", "1.5G", " "}
	if i := slices.IndexFunc(bad, func(s string) bool { _, err := memorySize(s); return err == nil }); i >= 0 {
		t.Errorf("%q is taken", bad[i])
	}
}
