//go:build cgo

package transport

import (
	"log/slog"
	"testing"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// A subscription that lies ready is greeted before what is queued goes out: a
// client takes the first message on iopub for the welcome.
func TestWelcomeFirst(t *testing.T) {
	ctx, err := zmq.NewContext()
	if err != nil {
		t.Fatal(err)
	}
	f := tcp()
	s := &Sockets{ctx: ctx, owners: map[wire.Channel]*owner{}, cfg: Config{Log: slog.New(slog.DiscardHandler),
		Welcome: func(topic []byte) [][]byte { return [][]byte{topic, []byte("welcome")} }}}
	defer s.abandon()
	if err := s.open(&f); err != nil {
		t.Fatal(err)
	}
	c := dial(t, kerneltest.Connection{Transport: f.Transport, IP: f.IP, IOPub: f.IOPub}, kerneltest.IOPub, "")
	if err := c.Subscribe(""); err != nil {
		t.Fatal(err)
	}
	o := s.owners[wire.IOPub]
	p := zmq.NewPoller()
	p.Add(o.soc, zmq.POLLIN)
	if ready, err := p.Poll(limit); err != nil || len(ready) != 1 {
		t.Fatal("no subscription came: ", err)
	}
	o.put([][]byte{[]byte("status"), []byte("starting")}, false)
	o.serve()
	for _, want := range []string{"welcome", "starting"} {
		if got := recv(t, c); string(got[1]) != want {
			t.Fatalf("%q came, want %s", got, want)
		}
	}
}
