//go:build cgo

package transport

import (
	"errors"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	zmq "github.com/pebbe/zmq4"
)

// watch binds the sockets anew when libzmq holds too much. It keeps the frames
// of a message until the last has come, before any signature can be looked at,
// so a client whose message never ends fills the memory of the process. With
// the socket its connections go, and what they had sent; honest clients connect
// again by themselves.
func (s *Sockets) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	limit := uint64(rebindAbove)
	for {
		select {
		case <-s.ending:
			return
		case <-tick.C:
		}
		held := foreign()
		if held <= limit {
			limit = max(rebindAbove, min(limit, held+rebindAbove))
			continue
		}
		s.cfg.Log.Warn("sockets are bound anew: a client has filled them", "bytes", held)
		s.rebind()
		limit = held + rebindAbove // until the memory is seen to be free
	}
}

// rebind closes every socket and binds it again where it was.
func (s *Sockets) rebind() {
	for _, o := range s.owners {
		o.mu.Lock()
		o.renew = true
		o.mu.Unlock()
		o.ring()
	}
	s.beat.renew.Store(true)
}

// renewed binds the socket anew if that was asked for, and gives its new
// descriptor. What is sent meanwhile waits.
func (o *owner) renewed() (*os.File, error) {
	o.mu.Lock()
	old := o.soc
	if !o.renew || old == nil {
		o.mu.Unlock()
		return nil, nil
	}
	o.renew = false
	o.eye.Close()
	o.soc = nil
	o.mu.Unlock()
	soc, err := rebound(old, o.make, o.file)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.eye, err = descriptor(soc); err != nil {
		soc.Close()
		return nil, err
	}
	o.soc = soc
	o.flush()
	if o.ending {
		o.shut()
		return nil, nil
	}
	return o.eye, nil
}

// rebound closes old and makes its successor. ZeroMQ lets go of an address in
// its own time, and of the file of an ipc socket by removing it: a new one must
// not be there yet.
func rebound(old *zmq.Socket, make func() (*zmq.Socket, error), file string) (*zmq.Socket, error) {
	if err := errors.Join(old.SetLinger(0), old.Close()); err != nil {
		return nil, err
	}
	for end := time.Now().Add(unbound); ; time.Sleep(time.Millisecond) {
		if file != "" && time.Now().Before(end) {
			if _, err := os.Lstat(file); err == nil {
				continue
			}
		}
		soc, err := make()
		if err == nil || time.Now().After(end) {
			return soc, err
		}
	}
}

// foreign is the memory of this process that Go did not ask for, in bytes: that
// of libzmq. It is 0 where there is no /proc.
func foreign() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text))
	if len(f) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(f[1], 10, 64)
	if err != nil {
		return 0
	}
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	rss, ours := pages*uint64(os.Getpagesize()), m[0].Value.Uint64()-m[1].Value.Uint64()
	if rss < ours {
		return 0
	}
	return rss - ours
}
