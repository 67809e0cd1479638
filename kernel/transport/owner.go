//go:build cgo

package transport

import (
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// owner guards a socket. ZeroMQ wants that one thread uses a socket at a time
// and that a lock stands between two of them: whoever holds mu may. So a
// sender's message is in ZeroMQ's hands when put returns, without another
// goroutine, and a receiver waits on the descriptor of the socket as Go waits
// for any file, without a thread that sleeps in C.
type owner struct {
	ch   wire.Channel
	got  func(frames [][]byte)       // nil for iopub
	hail func(topic []byte) [][]byte // greets a subscription to iopub; nil for the others
	make func() (*zmq.Socket, error) // the socket anew, bound where it was
	file string                      // that an ipc socket has
	log  *slog.Logger
	news chan struct{} // holds one when there may be something to do
	quit chan struct{} // closed at the end

	taking sync.Mutex // messages are handed on one by one, in their order

	mu      sync.Mutex
	soc     *zmq.Socket // nil while it is bound anew, and after the end
	eye     *os.File    // its descriptor
	queue   [][][]byte  // to be sent, while there is no socket
	waiting int         // bytes in queue
	dropped int
	renew   bool // the socket is to be bound anew
	ending  bool // nothing is taken any more
}

// own makes the owner of soc, not yet running.
func (s *Sockets) own(ch wire.Channel, soc *zmq.Socket) error {
	o := &owner{ch: ch, soc: soc, log: s.cfg.Log, news: make(chan struct{}, 1), quit: make(chan struct{})}
	if ch == wire.IOPub {
		o.hail = s.cfg.Welcome
	} else {
		o.got = func(frames [][]byte) { s.cfg.Receive(ch, frames) }
	}
	var err error
	if o.eye, err = descriptor(soc); err == nil {
		s.owners[ch] = o
	}
	return err
}

// descriptor is a copy of the descriptor of a socket. It becomes readable, once,
// when ZeroMQ has something to tell where it had nothing before.
func descriptor(soc *zmq.Socket) (*os.File, error) {
	fd, err := soc.GetFd()
	if err != nil {
		return nil, err
	}
	syscall.ForkLock.RLock()
	copied, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(copied)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(copied), "zmq")
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		f.Close()
		return nil, fmt.Errorf("its descriptor cannot be waited for: %w", err)
	}
	return f, nil
}

// watch rings whenever the descriptor tells something, until it is closed.
func (o *owner) watch(eye *os.File) {
	raw, err := eye.SyscallConn()
	if err == nil {
		err = raw.Read(func(uintptr) bool { o.ring(); return false })
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.soc != nil && o.eye == eye { // else it was closed
		o.log.Error("socket is deaf", "socket", o.ch, "err", err)
	}
}

// ring lets run look.
func (o *owner) ring() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// run hands on what arrives until end is called.
func (o *owner) run() {
	var eyes sync.WaitGroup
	defer eyes.Wait()
	o.mu.Lock()
	eye := o.eye
	o.mu.Unlock()
	for {
		eyes.Go(func() { o.watch(eye) })
		var err error
		if eye, err = o.serve(); err != nil {
			o.log.Error("socket ends", "socket", o.ch, "err", err)
			o.end()
			return
		}
		if eye == nil {
			return
		}
	}
}

// serve hands on what arrives, until the socket is bound anew and has another
// descriptor; nil is the end.
func (o *owner) serve() (*os.File, error) {
	for {
		select {
		case <-o.news:
		case <-o.quit:
			return nil, nil
		}
		if eye, err := o.renewed(); err != nil || eye != nil {
			return eye, err
		}
		for o.receive() {
		}
	}
}

// receive hands on one message and says whether there was one.
func (o *owner) receive() bool {
	if o.hail != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.greet()
		return false
	}
	o.taking.Lock()
	defer o.taking.Unlock()
	o.mu.Lock()
	frames := o.take()
	o.mu.Unlock()
	if frames == nil {
		return false
	}
	o.got(frames)
	return true
}

// take reads a message, or nil. The caller holds mu.
func (o *owner) take() [][]byte {
	if o.soc == nil {
		return nil
	}
	frames, err := o.soc.RecvMessageBytes(zmq.DONTWAIT)
	if err == nil {
		return frames
	}
	if zmq.AsErrno(err) != zmq.Errno(syscall.EAGAIN) {
		o.log.Warn("message not received", "socket", o.ch, "err", err)
	}
	return nil
}

// greet answers the subscriptions that lie ready on iopub. The caller holds mu.
func (o *owner) greet() {
	for frames := o.take(); frames != nil; frames = o.take() {
		if topic, ok := subscription(frames); ok {
			o.send(o.hail(topic))
		}
	}
}

// send gives frames to ZeroMQ, which never waits here: it drops what a peer
// does not take. The caller holds mu and looks for what came meanwhile: ZeroMQ
// may have noticed it, and the descriptor tells nothing twice.
func (o *owner) send(frames [][]byte) {
	if _, err := o.soc.SendMessage(frames); err != nil {
		o.log.Warn("message not sent", "socket", o.ch, "err", err)
	}
}

// put sends frames. While the socket is bound anew they wait; with bounded set
// what would pass the limit then is refused, and counted.
func (o *owner) put(frames [][]byte, bounded bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending {
		return false
	}
	if o.soc == nil {
		return o.keep(frames, bounded)
	}
	if o.hail != nil { // who has just subscribed is greeted before this reaches him
		o.greet()
	}
	o.send(frames)
	o.look()
	return true
}

// look rings if something has arrived. The caller holds mu.
func (o *owner) look() {
	if events, err := o.soc.GetEvents(); err != nil || events&zmq.POLLIN != 0 {
		o.ring()
	}
}

// keep queues frames. The caller holds mu.
func (o *owner) keep(frames [][]byte, bounded bool) bool {
	size := 0
	for _, f := range frames {
		size += len(f)
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
	return true
}

// flush sends what is queued. The caller holds mu.
func (o *owner) flush() {
	queue := o.queue
	o.queue, o.waiting = nil, 0
	for _, frames := range queue {
		o.send(frames)
	}
}

// drain returns when all that was ready has been handed on.
func (o *owner) drain() {
	for o.receive() {
	}
}

// end refuses everything from now on and closes the socket, which sends what it
// has.
func (o *owner) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ending {
		return
	}
	o.ending = true
	close(o.quit)
	if o.soc != nil { // else renewed closes the next one
		o.shut()
	}
}

// shut closes the socket. The caller holds mu.
func (o *owner) shut() {
	o.soc.Close()
	o.eye.Close()
	o.soc = nil
}

// droppedSoFar is how many messages found no room.
func (o *owner) droppedSoFar() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}
