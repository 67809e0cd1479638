package session

import (
	"context"
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// noSink throws away what a cell shows.
type noSink struct{}

func (noSink) Stream(bool, string)    {}
func (noSink) Display(engine.Display) {}
func (noSink) Clear(bool)             {}
func (noSink) Result(display.Bundle)  {}

// BenchmarkExecute is a small cell from its text to its value, without the line
// to the worker and the sockets.
func BenchmarkExecute(b *testing.B) {
	for _, code := range []string{"1+1", "v+1", "w := v*2"} {
		b.Run("op=execute/cell="+code, func(b *testing.B) {
			s := NewWith(Auto, std.Set())
			defer s.Close()
			n := 0
			run := func(code string) {
				n++
				if out := s.Execute(context.Background(), engine.Cell{ID: uint64(n), Number: n, Code: code}, noSink{}); out.Err != nil {
					b.Fatal(out.Err.Value)
				}
			}
			run("v := 1")
			b.ReportAllocs()
			for b.Loop() {
				run(code)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
