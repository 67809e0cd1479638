// Package kerneltest judges kernels from outside: a raw ZeroMQ client that can
// speak wrongly on purpose, hostile cases, kernels started from their
// kernelspecs, and measurements. It shares no code with wire and transport, for
// it judges them.
package kerneltest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
)

// Connection is a connection file.
type Connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     int    `json:"shell_port"`
	Control   int    `json:"control_port"`
	Stdin     int    `json:"stdin_port"`
	IOPub     int    `json:"iopub_port"`
	Heartbeat int    `json:"hb_port"`
	Key       string `json:"key"`
	Scheme    string `json:"signature_scheme"`
}

// NewConnection makes a connection on loopback with free ports and a new key.
func NewConnection() (Connection, error) {
	c := Connection{Transport: "tcp", IP: "127.0.0.1", Key: rand.Text(), Scheme: "hmac-sha256"}
	for _, p := range []*int{&c.Shell, &c.Control, &c.Stdin, &c.IOPub, &c.Heartbeat} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return c, err
		}
		defer l.Close() // all stay open until the last is known, so that no two are equal
		*p = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (Connection, error) {
	var c Connection
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	return c, err
}

// Write writes the connection file.
func (c Connection) Write(path string) error {
	b, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// Channel names one of the sockets.
type Channel string

// The sockets of a kernel.
const (
	Shell     Channel = "shell"
	Control   Channel = "control"
	Stdin     Channel = "stdin"
	IOPub     Channel = "iopub"
	Heartbeat Channel = "hb"
)

// Dial connects a socket of the kind that suits ch.
func (c Connection) Dial(ch Channel, identity []byte) (*Socket, error) {
	kind := map[Channel]string{IOPub: "SUB", Heartbeat: "REQ"}[ch]
	if kind == "" {
		kind = "DEALER"
	}
	network, address := c.Address(ch)
	return Dial(network, address, kind, identity)
}

// Address gives network and address of a socket, as package net has them.
func (c Connection) Address(ch Channel) (network, address string) {
	port := map[Channel]int{Shell: c.Shell, Control: c.Control, Stdin: c.Stdin, IOPub: c.IOPub, Heartbeat: c.Heartbeat}[ch]
	if c.Transport == "ipc" {
		return "unix", fmt.Sprintf("%s-%d", c.IP, port)
	}
	return "tcp", net.JoinHostPort(c.IP, strconv.Itoa(port))
}
