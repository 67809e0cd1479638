//go:build cgo

package transport

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// A message that arrives while others are sent on its socket is handed on: a
// send may take the one sign of it that ZeroMQ gives.
func TestNothingSleeps(t *testing.T) {
	o := open(t, tcp())
	asks, other := dial(t, o.conn, kerneltest.Shell, "asks"), dial(t, o.conn, kerneltest.Shell, "other")
	if err := other.Send([]byte("here")); err != nil {
		t.Fatal(err)
	}
	recv(t, other)
	var all sync.WaitGroup
	stop := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				o.Send(wire.Shell, [][]byte{[]byte("other"), []byte("x")})
			}
		}
	})
	all.Go(func() {
		for m := recv(t, other); string(m[0]) == "x"; m = recv(t, other) {
		}
	})
	for i := range 2000 {
		if err := asks.Send(fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
		if got := recv(t, asks); string(got[0]) != fmt.Sprint(i) {
			t.Fatalf("%s came back, want %d", got[0], i)
		}
	}
	close(stop)
	o.Send(wire.Shell, [][]byte{[]byte("other"), []byte("the end")})
	all.Wait()
}
