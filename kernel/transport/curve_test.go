//go:build cgo

package transport

import (
	"errors"
	"testing"
	"time"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// With CURVE keys a client that knows the server's is answered, with our pair
// as its own or, as a front end's heartbeat, with a fresh one; one that knows
// another key, or speaks in the clear, is not.
func TestCurve(t *testing.T) {
	if !zmq.HasCurve() {
		t.Skip("this libzmq has no CURVE")
	}
	f := tcp()
	var err error
	if f.Public, f.Secret, err = zmq.NewCurveKeypair(); err != nil {
		t.Fatal(err)
	}
	public, secret, err := zmq.NewCurveKeypair()
	if err != nil {
		t.Fatal(err)
	}
	o := open(t, f)
	for _, tt := range []struct {
		name, server, public, secret string
		ch                           kerneltest.Channel
		in                           bool
	}{
		{"our pair", f.Public, f.Public, f.Secret, kerneltest.Shell, true},
		{"a fresh pair", f.Public, public, secret, kerneltest.Heartbeat, true},
		{"another server", public, f.Public, f.Secret, kerneltest.Shell, false},
	} {
		if got := curved(t, o.conn, tt.ch, tt.server, tt.public, tt.secret, tt.in); got != tt.in {
			t.Errorf("%s is let in: %v, want %v", tt.name, got, tt.in)
		}
	}
	if s, err := o.conn.Dial(kerneltest.Shell, nil); err == nil {
		s.Close()
		t.Error("a client in the clear is let in")
	}
}

// curved says whether a client with these keys is answered.
func curved(t *testing.T, conn kerneltest.Connection, ch kerneltest.Channel, server, public, secret string,
	patient bool) bool {
	t.Helper()
	ctx, err := zmq.NewContext()
	if err != nil {
		t.Fatal(err)
	}
	defer ctx.Term()
	kind := zmq.DEALER
	if ch == kerneltest.Heartbeat {
		kind = zmq.REQ
	}
	c, err := ctx.NewSocket(kind)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	wait := limit
	if !patient {
		wait = 500 * time.Millisecond // an answer that must not come
	}
	_, address := conn.Address(ch)
	err = errors.Join(c.SetLinger(0), c.SetCurveServerkey(server), c.SetCurvePublickey(public),
		c.SetCurveSecretkey(secret), c.SetRcvtimeo(wait), c.Connect("tcp://"+address))
	if err == nil {
		_, err = c.Send("hello", 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Recv(0)
	return err == nil && got == "hello"
}
