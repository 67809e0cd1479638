package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/internal/packs/gondola"
	"github.com/gondola-lab/gondola/internal/packs/gonum"
	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/session"
)

// benchCellsName is the benchmark that a benchmark starts: cells in a session
// of a process of their own, read as JSON.
const benchCellsName = "cells"

// cellAsk is one cell to time, or, with Complete, a question behind its text.
type cellAsk struct {
	Code     string
	Complete bool `json:",omitempty"`
	Heap     bool `json:",omitempty"` // tell the live heap after it
}

// cellTime is what became of it.
type cellTime struct {
	Seconds float64
	Value   string // its last value as text
	Said    string // what the session itself told, as %%time does
	Engine  string
	Heap    uint64 `json:",omitempty"`
}

// cellSink keeps what a cell shows.
type cellSink struct {
	mu          sync.Mutex
	value, said string
}

func (s *cellSink) Stream(_ bool, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said += text
}

func (s *cellSink) Display(engine.Display) {}
func (s *cellSink) Clear(bool)             {}

func (s *cellSink) Result(b display.Bundle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = fmt.Sprint(b.Data["text/plain"])
}

// runBenchCells runs the cells that it reads and writes a cellTime for each.
func runBenchCells(stdin io.Reader, stdout, stderr io.Writer) int {
	var asks []cellAsk
	if err := json.NewDecoder(stdin).Decode(&asks); err != nil {
		return fail(stderr, "bench", err)
	}
	s := session.NewWith(session.Auto, std.Set(), gonum.Set(), gondola.Set())
	defer s.Close()
	times := make([]cellTime, len(asks))
	for i, a := range asks {
		t := &times[i]
		begun := time.Now()
		if a.Complete {
			if _, err := s.Complete(context.Background(), a.Code, len(a.Code)); err != nil {
				return fail(stderr, "bench", err)
			}
			t.Seconds = time.Since(begun).Seconds()
			continue
		}
		var sink cellSink
		out := s.Execute(context.Background(), engine.Cell{ID: uint64(i + 1), Number: i + 1, Code: a.Code}, &sink)
		t.Seconds = time.Since(begun).Seconds()
		if out.Err != nil {
			return fail(stderr, "bench", fmt.Errorf("cell %d: %w", i+1, out.Err))
		}
		t.Value, t.Said, t.Engine = sink.value, sink.said, out.Engine
		if a.Heap {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // finalizers of the first let go
			runtime.ReadMemStats(&m)
			t.Heap = m.HeapAlloc
		}
	}
	if err := json.NewEncoder(stdout).Encode(times); err != nil {
		return fail(stderr, "bench", err)
	}
	return exitOK
}

// timeCells runs cells in a process of their own.
func timeCells(ctx context.Context, asks []cellAsk) ([]cellTime, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	in, err := json.Marshal(asks)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, "bench", benchCellsName)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), &out, &errs
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	var times []cellTime
	if err := json.Unmarshal(out.Bytes(), &times); err != nil {
		return nil, err
	}
	if len(times) != len(asks) {
		return nil, fmt.Errorf("%d answers to %d cells", len(times), len(asks))
	}
	return times, nil
}

// codes are cells without a wish.
func codes(texts ...string) (asks []cellAsk) {
	for _, t := range texts {
		asks = append(asks, cellAsk{Code: t})
	}
	return asks
}
