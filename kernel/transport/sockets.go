//go:build cgo

package transport

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	zmq "github.com/pebbe/zmq4"

	"github.com/gondola-lab/gondola/kernel/wire"
)

// Sockets is an open set of the five sockets. Its methods may be called from
// any goroutine and none but Drain and Close waits.
type Sockets struct {
	cfg    Config
	ctx    *zmq.Context
	owners map[wire.Channel]*owner
	beat   *heart
	all    sync.WaitGroup // the owners
	echo   sync.WaitGroup // the heartbeat and the watch
	close  sync.Once
	ending chan struct{} // closed by Close
	gone   chan struct{} // closed when the context has ended
}

// Listen opens and binds the sockets of f and starts their owners. A port of 0
// in f is replaced by the one that was chosen.
func Listen(f *ConnectionFile, cfg Config) (*Sockets, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if f.Public != "" && !zmq.HasCurve() {
		return nil, errors.New("the connection file has CURVE keys and this libzmq was built without CURVE")
	}
	ctx, err := zmq.NewContext()
	if err != nil {
		return nil, err
	}
	s := &Sockets{cfg: cfg, ctx: ctx, owners: map[wire.Channel]*owner{}, ending: make(chan struct{}),
		gone: make(chan struct{})}
	if err := s.open(f); err != nil {
		s.abandon()
		return nil, err
	}
	for _, o := range s.owners {
		s.all.Go(o.run)
	}
	s.echo.Go(func() { s.beat.echo(cfg.Log) })
	s.echo.Go(s.watch)
	return s, nil
}

// open makes and binds every socket of f.
func (s *Sockets) open(f *ConnectionFile) error {
	chosen := false
	for _, p := range f.ports() {
		kind := zmq.ROUTER
		switch p.name {
		case "iopub":
			kind = zmq.XPUB
		case "hb":
			kind = zmq.REP
		}
		make := func() (*zmq.Socket, error) { return s.socket(kind, f, p) }
		soc, err := make()
		if err != nil {
			return err
		}
		if p.name == "hb" {
			s.beat = &heart{soc: soc, make: make, file: f.file(*p.port)}
		} else if err := s.own(wire.Channel(p.name), soc); err != nil {
			soc.Close()
			return fmt.Errorf("%s socket: %w", p.name, err)
		} else {
			o := s.owners[wire.Channel(p.name)]
			o.make, o.file = make, f.file(*p.port)
		}
		chosen = chosen || p.chosen
	}
	if chosen && s.cfg.Path != "" {
		return writePorts(s.cfg.Path, f)
	}
	return nil
}

// socket makes a bound socket for a port of f.
func (s *Sockets) socket(kind zmq.Type, f *ConnectionFile, p named) (*zmq.Socket, error) {
	soc, err := s.ctx.NewSocket(kind)
	if err != nil {
		return nil, fmt.Errorf("%s socket: %w", p.name, err)
	}
	if err := options(soc, kind, f); err != nil {
		soc.Close()
		return nil, fmt.Errorf("%s socket: %w", p.name, err)
	}
	if err := bind(soc, f, p); err != nil {
		soc.Close()
		return nil, err
	}
	return soc, nil
}

// options sets everything that must stand before the bind.
func options(soc *zmq.Socket, kind zmq.Type, f *ConnectionFile) error {
	errs := []error{
		soc.SetLinger(linger), soc.SetMaxmsgsize(maxFrame), soc.SetHandshakeIvl(handshake), soc.SetSndhwm(sendMark),
	}
	switch kind {
	case zmq.ROUTER: // after a reconnect with one identity the newest peer gets the replies
		errs = append(errs, soc.SetRouterHandover(true))
	case zmq.XPUB: // else a second subscription is hidden, and its client gets no welcome
		errs = append(errs, soc.SetXpubVerbose(1))
	case zmq.REP: // so that its goroutine looks up now and then
		errs = append(errs, soc.SetRcvtimeo(watchEvery))
	}
	if f.v6() {
		errs = append(errs, soc.SetIpv6(true))
	}
	if f.Public != "" {
		errs = append(errs, curve(soc, f.Public, f.Secret))
	}
	return errors.Join(errs...)
}

// bind gives soc its address and finds the port that the system chose.
func bind(soc *zmq.Socket, f *ConnectionFile, p named) error {
	endpoint := f.endpoint(*p.port)
	if err := soc.Bind(endpoint); err != nil {
		taken := zmq.AsErrno(err) == zmq.Errno(syscall.EADDRINUSE)
		return &PortError{p.name, endpoint, taken, err}
	}
	if *p.port != 0 {
		return nil
	}
	last, err := soc.GetLastEndpoint()
	if err != nil {
		return &PortError{p.name, endpoint, false, err}
	}
	*p.port, err = strconv.Atoi(strings.TrimRight(last[strings.LastIndexByte(last, ':')+1:], "\x00"))
	return err
}

// Send queues frames for the socket of ch.
func (s *Sockets) Send(ch wire.Channel, frames [][]byte) { s.owners[ch].put(frames, false) }

// Publish queues frames for iopub and says whether there was room for them.
func (s *Sockets) Publish(frames [][]byte) bool { return s.owners[wire.IOPub].put(frames, true) }

// Drain returns when everything that lay ready on the socket of ch has been
// given to Receive.
func (s *Sockets) Drain(ch wire.Channel) { s.owners[ch].drain() }

// Dropped is how many publications found no room.
func (s *Sockets) Dropped() int { return s.owners[wire.IOPub].droppedSoFar() }

// Close sends what is queued, closes the sockets and returns when all of it has
// left, or after patience.
func (s *Sockets) Close(patience time.Duration) {
	s.close.Do(func() {
		close(s.ending)
		for _, o := range s.owners {
			o.end()
		}
		go func() {
			s.all.Wait() // first: the end of the context would refuse what they still send
			s.ctx.Term() // ends the heartbeat's wait; returns when every socket is closed and empty
			s.echo.Wait()
			close(s.gone)
		}()
	})
	select {
	case <-s.gone:
	case <-time.After(patience):
	}
}

// abandon closes what a failed Listen had opened.
func (s *Sockets) abandon() {
	for _, o := range s.owners {
		o.end()
	}
	if s.beat != nil {
		s.beat.soc.Close()
	}
	s.ctx.Term()
}
