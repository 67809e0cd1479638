package kerneltest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Flags of a ZMTP frame.
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// Socket is one ZMTP 3.0 connection with the NULL mechanism: a DEALER, SUB or
// REQ of one peer. It is our own, so that it can be told to speak wrongly.
type Socket struct {
	conn net.Conn
	r    *bufio.Reader
	mu   sync.Mutex // one message at a time
	w    *bufio.Writer
}

// patience bounds a handshake.
const patience = 10 * time.Second

// Dial connects a socket of kind (DEALER, SUB, REQ …) and shakes hands. An
// empty identity lets the peer choose.
func Dial(network, address, kind string, identity []byte) (*Socket, error) {
	conn, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return nil, err
	}
	s := &Socket{conn: conn, r: bufio.NewReaderSize(conn, 1<<16), w: bufio.NewWriterSize(conn, 1<<16)}
	conn.SetDeadline(time.Now().Add(patience))
	if err := s.handshake(kind, identity); err != nil {
		conn.Close()
		return nil, fmt.Errorf("handshake with %s: %w", address, err)
	}
	conn.SetDeadline(time.Time{})
	return s, nil
}

// greeting is the first thing that both peers send.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9] = 0xFF, 0x7F
	g[10], g[11] = 3, 0
	copy(g[12:32], "NULL")
	return g
}

// command is a command frame.
func command(name string, body []byte) []byte {
	return frame(flagCommand, append(append([]byte{byte(len(name))}, name...), body...))
}

// property is one entry of the metadata of READY.
func property(name, value string) []byte {
	p := append([]byte{byte(len(name))}, name...)
	p = binary.BigEndian.AppendUint32(p, uint32(len(value)))
	return append(p, value...)
}

// frame is body with its flags and length in front.
func frame(flags byte, body []byte) []byte {
	return append(frameHead(flags, uint64(len(body)), len(body) > 255), body...)
}

func frameHead(flags byte, length uint64, long bool) []byte {
	if !long {
		return []byte{flags, byte(length)}
	}
	return binary.BigEndian.AppendUint64([]byte{flags | flagLong}, length)
}

func (s *Socket) handshake(kind string, identity []byte) error {
	if _, err := s.conn.Write(greeting()); err != nil {
		return err
	}
	theirs := make([]byte, 64)
	if _, err := io.ReadFull(s.r, theirs); err != nil {
		return err
	}
	if theirs[0] != 0xFF || theirs[9] != 0x7F || theirs[10] < 3 {
		return fmt.Errorf("greeting % x is not ZMTP 3", theirs[:12])
	}
	ready := append(property("Socket-Type", kind), property("Identity", string(identity))...)
	if _, err := s.conn.Write(command("READY", ready)); err != nil {
		return err
	}
	flags, body, err := s.readFrame()
	if err != nil {
		return err
	}
	if flags&flagCommand == 0 || len(body) < 6 || string(body[:6]) != "\x05READY" {
		return fmt.Errorf("answered %q instead of READY", body)
	}
	return nil
}

// errLong says that a peer announced a frame that no test expects.
var errLong = errors.New("frame of more than 1 GiB")

func (s *Socket) readFrame() (flags byte, body []byte, err error) {
	if flags, err = s.r.ReadByte(); err != nil {
		return 0, nil, err
	}
	size := make([]byte, 1)
	if flags&flagLong != 0 {
		size = make([]byte, 8)
	}
	if _, err = io.ReadFull(s.r, size); err != nil {
		return 0, nil, err
	}
	n := uint64(size[0])
	if flags&flagLong != 0 {
		n = binary.BigEndian.Uint64(size)
	}
	if n > 1<<30 {
		return 0, nil, errLong
	}
	body = make([]byte, n)
	_, err = io.ReadFull(s.r, body)
	return flags, body, err
}

// Recv reads the next message; commands are passed over.
func (s *Socket) Recv() ([][]byte, error) {
	var frames [][]byte
	for {
		flags, body, err := s.readFrame()
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			continue
		}
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return frames, nil
		}
	}
}

// Send writes one message.
func (s *Socket) Send(frames ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range frames {
		flags := byte(flagMore)
		if i == len(frames)-1 {
			flags = 0
		}
		s.w.Write(frameHead(flags, uint64(len(f)), len(f) > 255)) // Flush has the error
		s.w.Write(f)
	}
	return s.w.Flush()
}

// Raw writes bytes as they are.
func (s *Socket) Raw(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.conn.Write(b)
	return err
}

// Subscribe asks a publisher for every message whose first frame begins with
// topic.
func (s *Socket) Subscribe(topic string) error { return s.Send(append([]byte{1}, topic...)) }

// Deadline bounds every Recv and Send to come.
func (s *Socket) Deadline(t time.Time) error { return s.conn.SetDeadline(t) }

// Close ends the connection; a Recv that waits returns an error.
func (s *Socket) Close() error { return s.conn.Close() }
