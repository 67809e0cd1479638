//go:build cgo

package transport

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const limit = 20 * time.Second

// opened is a set of sockets that echoes what it gets.
type opened struct {
	*Sockets
	conn kerneltest.Connection
}

// open binds to ports of the system's choice.
func open(t *testing.T, f ConnectionFile) *opened {
	t.Helper()
	o := &opened{}
	ready := make(chan struct{})
	s, err := Listen(&f, Config{
		Receive: func(ch wire.Channel, frames [][]byte) {
			<-ready
			o.Send(ch, frames)
		},
		Welcome: func(topic []byte) [][]byte { return [][]byte{topic, []byte("welcome")} },
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Sockets = s
	close(ready)
	o.conn = kerneltest.Connection{Transport: f.Transport, IP: f.IP, Shell: f.Shell, Control: f.Control, Stdin: f.Stdin,
		IOPub: f.IOPub, Heartbeat: f.Heartbeat}
	t.Cleanup(func() { o.Close(limit) })
	return o
}

func tcp() ConnectionFile { return ConnectionFile{Transport: "tcp", IP: "127.0.0.1"} }

func dial(t *testing.T, c kerneltest.Connection, ch kerneltest.Channel, id string) *kerneltest.Socket {
	t.Helper()
	s, err := c.Dial(ch, []byte(id))
	if err == nil {
		err = s.Deadline(time.Now().Add(limit))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func recv(t *testing.T, s *kerneltest.Socket) [][]byte {
	t.Helper()
	m, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every socket answers, over tcp and over ipc; the heartbeat with its own
// frames.
func TestEcho(t *testing.T) {
	ipc := ConnectionFile{Transport: "ipc", IP: filepath.Join(t.TempDir(), "k"), Shell: 1, Control: 2, Stdin: 3, IOPub: 4,
		Heartbeat: 5}
	for _, f := range []ConnectionFile{tcp(), ipc} {
		o := open(t, f)
		big := bytes.Repeat([]byte("x"), 1<<20)
		for _, ch := range []kerneltest.Channel{kerneltest.Shell, kerneltest.Control, kerneltest.Stdin,
			kerneltest.Heartbeat} {
			s := dial(t, o.conn, ch, "me")
			msg := [][]byte{{}, []byte("a"), big} // a REQ puts an empty frame first, so all do here
			if err := s.Send(msg...); err != nil {
				t.Fatal(err)
			}
			if got := recv(t, s); len(got) != 3 || string(got[1]) != "a" || len(got[2]) != 1<<20 {
				t.Errorf("%s %s: %d frames", f.Transport, ch, len(got))
			}
		}
	}
}

// A welcome comes for every subscription, also for one to a topic that another
// client, or the same one, has already, and reaches a subscriber with a filter.
func TestWelcome(t *testing.T) {
	o := open(t, tcp())
	a, b := dial(t, o.conn, kerneltest.IOPub, ""), dial(t, o.conn, kerneltest.IOPub, "")
	c := dial(t, o.conn, kerneltest.IOPub, "")
	for i, s := range []*kerneltest.Socket{a, b, c, c} { // in turn: the welcome of another would pass the filter too
		if err := s.Subscribe("topic"); err != nil {
			t.Fatal(err)
		}
		if got := recv(t, s); string(got[0]) != "topic" || string(got[1]) != "welcome" {
			t.Fatalf("subscription %d: %q", i, got)
		}
	}
	if err := b.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	for got := recv(t, b); string(got[0]) != ""; got = recv(t, b) { // before it those of c
	}
	if err := a.Send([]byte("neither 0 nor 1")); err != nil {
		t.Fatal(err)
	}
	o.Publish([][]byte{[]byte("topic.x"), []byte("still here")})
	for got := recv(t, a); string(got[1]) != "still here"; got = recv(t, a) {
	}
}

// A burst of publications arrives whole and in order beside a subscriber that
// never reads.
func TestBurst(t *testing.T) {
	o := open(t, tcp())
	good, mute := dial(t, o.conn, kerneltest.IOPub, ""), dial(t, o.conn, kerneltest.IOPub, "")
	for _, s := range []*kerneltest.Socket{mute, good} {
		if err := s.Subscribe("n"); err != nil {
			t.Fatal(err)
		}
	}
	recv(t, good) // its welcome: it is subscribed
	const n = 20_000
	body := bytes.Repeat([]byte("x"), 500)
	for i := range n {
		if !o.Publish([][]byte{[]byte("n"), fmt.Append(nil, i), body}) {
			t.Fatalf("message %d is dropped", i)
		}
	}
	for i := 0; i < n; {
		m := recv(t, good)
		if len(m) == 2 {
			continue // a welcome
		}
		if string(m[1]) != fmt.Sprint(i) {
			t.Fatalf("got %s, want %d", m[1], i)
		}
		i++
	}
	if o.Dropped() != 0 {
		t.Errorf("%d dropped", o.Dropped())
	}
}

// What would pass the limit is refused and counted; small messages have a
// reserve.
func TestBounded(t *testing.T) {
	o := &owner{} // it has no socket for the moment
	big := [][]byte{make([]byte, maxWaiting)}
	if !o.put(big, true) || o.put([][]byte{make([]byte, smallMessage+1)}, true) {
		t.Error("the limit is not where it should be")
	}
	if !o.put([][]byte{make([]byte, smallMessage)}, true) {
		t.Error("a small message is refused")
	}
	if !o.put(big, false) {
		t.Error("a reply is refused")
	}
	if o.droppedSoFar() != 1 {
		t.Errorf("%d dropped, want 1", o.droppedSoFar())
	}
}

// Drain hands on everything that lies ready, and waits for no owner that is
// gone. When frames that were sent lie ready is for the system to say, so a
// later try gives them more time.
func TestDrain(t *testing.T) {
	const n = 100
	for try := 1; ; try++ {
		got, o := drained(t, n, time.Duration(try)*20*time.Millisecond)
		if got < n && try < 10 {
			continue
		}
		if got != n {
			t.Errorf("%d of %d messages", got, n)
		}
		o.Close(limit)
		o.Drain(wire.Shell)
		o.Send(wire.Shell, [][]byte{[]byte("x")})
		if o.Publish([][]byte{[]byte("x")}) {
			t.Error("published after the end")
		}
		return
	}
}

// drained sends n messages while the owner of shell is held up by the first,
// waits, and gives how many a Drain has handed on.
func drained(t *testing.T, n int, wait time.Duration) (int, *Sockets) {
	t.Helper()
	var got atomic.Int64
	first, release := make(chan struct{}), make(chan struct{})
	f := tcp()
	o, err := Listen(&f, Config{Receive: func(wire.Channel, [][]byte) {
		if got.Load() == 0 {
			close(first)
			<-release
		}
		time.Sleep(time.Millisecond) // so that a Drain that does not wait is seen
		got.Add(1)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close(limit) })
	s := dial(t, kerneltest.Connection{Transport: f.Transport, IP: f.IP, Shell: f.Shell}, kerneltest.Shell, "me")
	for i := range n {
		if err := s.Send([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			<-first
		}
	}
	time.Sleep(wait)
	time.AfterFunc(time.Millisecond, func() { close(release) }) // the owner finds the wish when it comes back
	o.Drain(wire.Shell)
	return int(got.Load()), o
}

// What is queued at the end is still sent.
func TestCloseFlushes(t *testing.T) {
	o := open(t, tcp())
	s := dial(t, o.conn, kerneltest.IOPub, "")
	if err := s.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	recv(t, s)
	for i := range 100 {
		o.Publish([][]byte{fmt.Append(nil, i)})
	}
	o.Close(limit)
	for i := range 100 {
		if got := recv(t, s); string(got[0]) != fmt.Sprint(i) {
			t.Fatalf("%s, want %d", got[0], i)
		}
	}
}

// The port of another process is an error that names it.
func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := tcp()
	f.Stdin = l.Addr().(*net.TCPAddr).Port
	_, err = Listen(&f, Config{})
	var p *PortError
	if !errors.As(err, &p) || !p.Taken || p.Socket != "stdin" ||
		err.Error() != fmt.Sprintf("stdin port tcp://127.0.0.1:%d is in use", f.Stdin) {
		t.Errorf("%v", err)
	}
}

// Ports that are left to us are chosen and written into the file.
func TestPortsChosen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	text := file(func(f map[string]any) {
		for _, p := range []string{"shell", "control", "stdin", "iopub", "hb"} {
			f[p+"_port"] = 0
		}
	})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadConnectionFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Listen(f, Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(limit)
	conn, err := kerneltest.ReadConnection(path)
	if err != nil || conn.Shell == 0 || conn.Heartbeat == 0 {
		t.Fatalf("%+v, %v", conn, err)
	}
	hb := dial(t, conn, kerneltest.Heartbeat, "")
	if err := hb.Send(nil, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if got := recv(t, hb); string(got[1]) != "ping" {
		t.Errorf("%q", got)
	}
}
