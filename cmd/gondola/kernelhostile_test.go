//go:build cgo

package main

import (
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// After each hostile case a good client gets its answer.
func TestHostile(t *testing.T) {
	p := startKernel(t)
	good := connect(t, p.Conn)
	cases := append(kerneltest.Raw(), kerneltest.Wrong()...)
	if len(cases) != 19+11 {
		t.Errorf("%d cases, want 19 and 11", len(cases))
	}
	for _, h := range cases {
		t.Run(h.Name, func(t *testing.T) {
			if err := h.Do(p.Conn); err != nil {
				t.Error(err)
			}
			shows(t, good, "1", "=[1]")
			shows(t, connect(t, p.Conn), "2", "=[2]")
			if a, err := good.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, limit); err != nil ||
				a.Status() != "ok" {
				t.Errorf("control: %v", err)
			}
			beats(t, p.Conn)
		})
	}
}

// A kernel that may have 128 descriptors serves again after 700 connections
// that wanted one.
func TestDescriptors(t *testing.T) {
	p := startKernel(t, "/bin/sh", "-c", `ulimit -n 128; exec "$0" "$@"`)
	good := connect(t, p.Conn)
	shows(t, good, "1", "=[1]")
	for _, h := range kerneltest.Wrong() {
		if h.Name != "descriptors used up" {
			continue
		}
		if err := h.Do(p.Conn); err != nil {
			t.Error(err)
		}
	}
	shows(t, good, "2", "=[2]")
	shows(t, connect(t, p.Conn), "3", "=[3]")
}

// beats asks for a heartbeat.
func beats(t *testing.T, conn kerneltest.Connection) {
	t.Helper()
	s, err := conn.Dial(kerneltest.Heartbeat, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Deadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	if err := s.Send(nil, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Recv(); err != nil || len(got) != 2 || string(got[1]) != "ping" {
		t.Fatalf("heartbeat %q, %v", got, err)
	}
}
