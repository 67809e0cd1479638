//go:build cgo

package transport

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// A message that never ends fills libzmq; bound anew, over tcp and ipc, the
// sockets have let go of it and of its client, and answer at the same place.
func TestRebind(t *testing.T) {
	ipc := ConnectionFile{Transport: "ipc", IP: filepath.Join(t.TempDir(), "k"), Shell: 1, Control: 2, Stdin: 3, IOPub: 4,
		Heartbeat: 5}
	for _, f := range []ConnectionFile{tcp(), ipc} { // the second may use the memory that the first has freed
		o := open(t, f)
		bad := dial(t, o.conn, kerneltest.Shell, "bad")
		before := foreign()
		endless := append([]byte{1, 200}, bytes.Repeat([]byte("x"), 200)...) // a frame with MORE
		for range 500 {
			if err := bad.Raw(bytes.Repeat(endless, 1000)); err != nil { // 200 kB each
				t.Fatal(err)
			}
		}
		for end := time.Now().Add(limit); f.Transport == "tcp" && foreign() < before+64<<20; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("100 MB of endless frames made %d bytes of memory", foreign()-before)
			}
		}
		o.rebind()
		for o.beat.renew.Load() { // the heartbeat looks up once in a while
			time.Sleep(time.Millisecond)
		}
		if _, err := bad.Recv(); err == nil {
			t.Error("the client that filled the socket is still connected")
		}
		for _, ch := range []kerneltest.Channel{kerneltest.Shell, kerneltest.Control, kerneltest.Stdin,
			kerneltest.Heartbeat} {
			s := again(t, o.conn, ch)
			if err := s.Send(nil, []byte("a")); err != nil {
				t.Fatal(err)
			}
			if got := recv(t, s); string(got[1]) != "a" {
				t.Errorf("%s %s: %q", f.Transport, ch, got)
			}
		}
		s := again(t, o.conn, kerneltest.IOPub)
		if err := s.Subscribe("topic"); err != nil {
			t.Fatal(err)
		}
		if got := recv(t, s); string(got[1]) != "welcome" {
			t.Errorf("%q", got)
		}
		o.Close(limit)
	}
}

// again connects to a socket that may just be bound.
func again(t *testing.T, c kerneltest.Connection, ch kerneltest.Channel) *kerneltest.Socket {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		s, err := c.Dial(ch, []byte("again"))
		if err == nil {
			t.Cleanup(func() { s.Close() })
			if err := s.Deadline(time.Now().Add(limit)); err != nil {
				t.Fatal(err)
			}
			return s
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
