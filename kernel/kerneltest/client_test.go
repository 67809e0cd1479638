package kerneltest

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// peer answers one connection as a ZeroMQ peer would, then with raw bytes.
func peer(t *testing.T, raw []byte) (network, address string, got <-chan []byte) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan []byte, 1)
	go func() {
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Write(greeting())
		conn.Write(command("READY", property("Socket-Type", "ROUTER")))
		conn.Write(raw)
		conn.(*net.TCPConn).CloseWrite()
		all, _ := io.ReadAll(conn) // the client's close ends it
		out <- all
	}()
	return "tcp", l.Addr().String(), out
}

// The handshake says what ZMTP 3.0 wants; messages come whole, commands between
// them are passed over, long frames too.
func TestSocket(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 300)
	raw := bytes.Join([][]byte{command("PING", nil), frame(flagMore, []byte("a")), frame(0, long), frame(0, nil)}, nil)
	network, address, got := peer(t, raw)
	s, err := Dial(network, address, "DEALER", []byte("me"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][][]byte{{[]byte("a"), long}, {{}}} {
		m, err := s.Recv()
		if err != nil || len(m) != len(want) || !bytes.Equal(bytes.Join(m, nil), bytes.Join(want, nil)) {
			t.Fatalf("%q, %v", m, err)
		}
	}
	if err := s.Send([]byte("hello"), long); err != nil {
		t.Fatal(err)
	}
	s.Close()
	want := "\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL" + strings.Repeat("\x00", 48) +
		"\x04\x2b\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x02me" +
		"\x01\x05hello\x02\x00\x00\x00\x00\x00\x00\x01\x2c" + string(long)
	if g := <-got; string(g) != want {
		t.Errorf("sent %q\nwant %q", g, want)
	}
}

// A client sees what a kernel sends against the protocol.
func TestFaults(t *testing.T) {
	c := &Client{Conn: Connection{Key: "k"}, Session: "s"}
	header := []byte(`{"msg_id":"1","session":"s","date":"d","msg_type":"x","version":"5.5"}`)
	empty := []byte("{}")
	signed := func(parts ...[]byte) [][]byte { return append([][]byte{[]byte("topic")}, c.Sign(parts...)...) }
	tampered := signed(header, empty, empty, []byte(`{"a":1}`))
	tampered[6] = []byte(`{"a":2}`)
	for _, tt := range []struct {
		name   string
		frames [][]byte
		fault  string // empty: none
	}{
		{"good", signed(header, empty, empty, empty), ""},
		{"no delimiter", [][]byte{header}, "1 frames"},
		{"tampered", tampered, "wrong signature"},
		{"content is a list", signed(header, empty, empty, []byte("[]")), "no object"},
		{"not UTF-8", signed(header, empty, empty, []byte("{\"a\":\"\xff\"}")), "no object in UTF-8"},
		{"no date", signed([]byte(`{"msg_id":"1","session":"s","msg_type":"x","version":"5.5"}`), empty, empty, empty),
			"incomplete"},
		{"header is not JSON", signed([]byte("x"), empty, empty, empty), "header"},
	} {
		if _, fault := c.decode(IOPub, tt.frames); (tt.fault == "") != (fault == "") || !strings.Contains(fault, tt.fault) {
			t.Errorf("%s: %q, want %q", tt.name, fault, tt.fault)
		}
	}
}

func TestQuantile(t *testing.T) {
	times := []time.Duration{4, 1, 3, 2}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.99: 4, 1: 4} {
		if got := Quantile(times, q); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("the median of nothing")
	}
}
