//go:build cgo

package transport

import (
	"log/slog"
	"sync"
	"syscall"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// owner is the one goroutine that touches a socket. It waits for two things at
// once: its socket, and an inproc pair over which senders wake it. What they
// want sent lies in a slice; ZeroMQ's poller takes no Go channel.
type owner struct {
	ch   wire.Channel
	soc  *zmq.Socket
	bell *zmq.Socket // PULL, owned by the goroutine too
	got  func(frames [][]byte)
	make func() (*zmq.Socket, error) // the socket anew, bound where it was
	file string                      // that an ipc socket has
	log  *slog.Logger

	mu      sync.Mutex
	ring    *zmq.Socket // PUSH of bell
	rung    bool        // the bell was rung and not yet heard
	queue   [][][]byte
	waiting int // bytes in queue
	dropped int
	drains  []chan struct{}
	renew   bool // the socket is to be bound anew
	ending  bool // nothing is taken any more
}

// own makes the owner of soc, not yet running.
func (s *Sockets) own(ch wire.Channel, soc *zmq.Socket) error {
	bell, err := s.ctx.NewSocket(zmq.PULL)
	if err != nil {
		return err
	}
	ring, err := s.ctx.NewSocket(zmq.PUSH)
	if err == nil {
		err = ring.SetLinger(0)
	}
	if err == nil {
		err = bell.Bind("inproc://" + string(ch))
	}
	if err == nil {
		err = ring.Connect("inproc://" + string(ch))
	}
	if err != nil {
		bell.Close()
		if ring != nil {
			ring.Close()
		}
		return err
	}
	o := &owner{ch: ch, soc: soc, bell: bell, ring: ring, log: s.cfg.Log}
	o.got = func(frames [][]byte) { s.cfg.Receive(ch, frames) }
	if ch == wire.IOPub {
		o.got = func(frames [][]byte) {
			if topic, ok := subscription(frames); ok { // at once: what is queued comes behind it
				o.send(s.cfg.Welcome(topic))
			}
		}
	}
	s.owners[ch] = o
	return nil
}

// run moves frames until end is called or the socket fails.
func (o *owner) run() {
	defer o.closeSockets()
	p := o.poller()
	for {
		ready, err := p.Poll(-1)
		if err != nil {
			o.log.Error("socket ends", "socket", o.ch, "err", err)
			o.stop()
			return
		}
		for _, r := range ready {
			if r.Socket == o.soc {
				o.receive(1)
			} else {
				o.heard()
			}
		}
		if o.serve() {
			return
		}
		switch renewed, err := o.renewed(); {
		case err != nil:
			o.log.Error("socket ends", "socket", o.ch, "err", err)
			o.stop()
			return
		case renewed:
			p = o.poller()
		}
	}
}

// poller looks at the socket and the bell.
func (o *owner) poller() *zmq.Poller {
	p := zmq.NewPoller()
	p.Add(o.soc, zmq.POLLIN)
	p.Add(o.bell, zmq.POLLIN)
	return p
}

// receive hands on at most n messages, all that are ready for n < 0.
func (o *owner) receive(n int) {
	for ; n != 0; n-- {
		frames, err := o.soc.RecvMessageBytes(zmq.DONTWAIT)
		if err != nil {
			if zmq.AsErrno(err) != zmq.Errno(syscall.EAGAIN) {
				o.log.Warn("message not received", "socket", o.ch, "err", err)
			}
			return
		}
		o.got(frames)
	}
}

// heard takes the calls of the bell; serve then looks at what they were for.
func (o *owner) heard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		if _, err := o.bell.RecvBytes(zmq.DONTWAIT); err != nil {
			break
		}
	}
	o.rung = false
}

// serve sends what is queued, then does the drains that were asked for, and
// says whether this was the end.
func (o *owner) serve() bool {
	for {
		o.mu.Lock()
		queue, drains, ending := o.queue, o.drains, o.ending
		o.queue, o.drains, o.waiting = nil, nil, 0
		o.mu.Unlock()
		for _, frames := range queue {
			if o.ch == wire.IOPub { // who has just subscribed is greeted before this reaches him
				o.receive(-1)
			}
			o.send(frames)
		}
		if len(drains) > 0 {
			o.receive(-1)
		}
		for _, d := range drains {
			close(d)
		}
		if ending || len(queue) == 0 && len(drains) == 0 {
			return ending
		}
	}
}

func (o *owner) send(frames [][]byte) {
	if _, err := o.soc.SendMessage(frames); err != nil {
		o.log.Warn("message not sent", "socket", o.ch, "err", err)
	}
}

// put queues frames and wakes the owner. With bounded set it refuses, and
// counts, what would pass the limit.
func (o *owner) put(frames [][]byte, bounded bool) bool {
	size := 0
	for _, f := range frames {
		size += len(f)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending {
		return false
	}
	limit := maxWaiting
	if size <= smallMessage {
		limit += reserve
	}
	if bounded && o.waiting+size > limit {
		o.dropped++
		return false
	}
	o.queue = append(o.queue, frames)
	o.waiting += size
	o.wake()
	return true
}

// wake rings the bell once until it is heard. The caller holds mu.
func (o *owner) wake() {
	if o.rung {
		return
	}
	if _, err := o.ring.SendBytes(nil, zmq.DONTWAIT); err != nil {
		o.log.Error("owner not woken", "socket", o.ch, "err", err)
		return
	}
	o.rung = true
}

// drain waits until the owner has handed on all that is ready now.
func (o *owner) drain() {
	done := make(chan struct{})
	o.mu.Lock()
	if o.ending {
		o.mu.Unlock()
		return
	}
	o.drains = append(o.drains, done)
	o.wake()
	o.mu.Unlock()
	<-done
}

// end lets the owner send what is queued and close its sockets.
func (o *owner) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ending {
		o.ending = true
		o.wake()
	}
}

// stop refuses everything from now on and lets nobody wait.
func (o *owner) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending = true
	o.queue = nil
	for _, d := range o.drains {
		close(d)
	}
	o.drains = nil
}

// droppedSoFar is how many messages found no room.
func (o *owner) droppedSoFar() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}

// closeSockets closes the socket and both ends of the bell.
func (o *owner) closeSockets() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ending = true
	o.soc.Close()
	o.bell.Close()
	o.ring.Close()
}
