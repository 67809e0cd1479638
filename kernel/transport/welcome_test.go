//go:build cgo

package transport

import (
	"log/slog"
	"testing"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// still is a set of sockets that nobody reads.
func still(t *testing.T) (*Sockets, kerneltest.Connection) {
	ctx, err := zmq.NewContext()
	if err != nil {
		t.Fatal(err)
	}
	f := tcp()
	s := &Sockets{ctx: ctx, owners: map[wire.Channel]*owner{}, cfg: Config{Log: slog.New(slog.DiscardHandler),
		Welcome: func(topic []byte) [][]byte { return [][]byte{topic, []byte("welcome")} }}}
	t.Cleanup(s.abandon)
	if err := s.open(&f); err != nil {
		t.Fatal(err)
	}
	return s, kerneltest.Connection{Transport: f.Transport, IP: f.IP, IOPub: f.IOPub, Shell: f.Shell}
}

// arrived waits until something lies ready in the socket of o.
func arrived(t *testing.T, o *owner) {
	p := zmq.NewPoller()
	p.Add(o.soc, zmq.POLLIN)
	if ready, err := p.Poll(limit); err != nil || len(ready) != 1 {
		t.Fatal("nothing has come: ", err)
	}
}

// A subscription that lies ready is greeted before what is sent goes out: a
// client takes the first message on iopub for the welcome.
func TestWelcomeFirst(t *testing.T) {
	s, conn := still(t)
	c := dial(t, conn, kerneltest.IOPub, "")
	if err := c.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	o := s.owners[wire.IOPub]
	arrived(t, o)
	if !o.put([][]byte{[]byte("status"), []byte("starting")}, false) {
		t.Fatal("refused")
	}
	for _, want := range []string{"welcome", "starting"} {
		if got := recv(t, c); string(got[1]) != want {
			t.Fatalf("%q came, want %s", got, want)
		}
	}
}

// Whoever sends looks at what has come: a call of ZeroMQ may have noticed it,
// and its descriptor tells nothing twice.
func TestSendLooks(t *testing.T) {
	s, conn := still(t)
	if err := dial(t, conn, kerneltest.Shell, "me").Send([]byte("a request")); err != nil {
		t.Fatal(err)
	}
	o := s.owners[wire.Shell]
	arrived(t, o)
	o.put([][]byte{[]byte("nobody"), []byte("a reply")}, false)
	select {
	case <-o.news:
	default:
		t.Error("nobody is told of the request")
	}
}
