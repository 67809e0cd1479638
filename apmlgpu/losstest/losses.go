package losstest

import (
	"context"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// loss is one that the suite judges, on a backend.
type loss struct {
	name     string
	call     func(x, y cloud.Cloud, c call) (apmlgpu.Result, error)
	batch    func(xs, ys cloud.Batch, c call) (apmlgpu.BatchResult, error)
	degree   float64 // L(s x, s y) = s^degree L(x, y), its lengths in units of s too
	metric   bool    // it has no gradient
	loose    bool    // several plans may cost the least: its gradient is that of any of them
	fixed    bool    // it has directions of its own, which do not turn with the clouds
	proven   bool    // its certificate holds to the rounding of the largest cost
	entropic bool    // it ends at a tolerance, by rounds
	oracle   definition
	wrong    []string // mistakes of the oracle that the suite must see
}

// call are the options that every loss has.
type call struct {
	threads  int
	maxBytes int64
	context  context.Context
	reduce   apmlgpu.Reduce
	unit     float64 // of lengths among the other options; 0: 1
}

// length is v in the unit of the call.
func (c call) length(v float64) float64 {
	if c.unit == 0 {
		return v
	}
	return v * c.unit
}

// losses is the list of the suite: a new loss has its row here.
func losses(backend string) []loss {
	apml := func(c call) apmlgpu.APMLOptions {
		return apmlgpu.APMLOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
			Context: c.context, Reduce: c.reduce}
	}
	rows := append([]loss{row("apml", apmlgpu.APML, apmlgpu.APMLBatch, apml, 1)}, chamferLosses(backend)...)
	return append(append(rows, emdLosses(backend)...), sinkhornLosses(backend)...)
}

// row is one loss by its two functions and its options.
func row[O any](name string, one func(x, y cloud.Cloud, o O) (apmlgpu.Result, error),
	all func(xs, ys cloud.Batch, o O) (apmlgpu.BatchResult, error), options func(c call) O, degree float64) loss {
	return loss{
		name: name, degree: degree,
		call:  func(x, y cloud.Cloud, c call) (apmlgpu.Result, error) { return one(x, y, options(c)) },
		batch: func(xs, ys cloud.Batch, c call) (apmlgpu.BatchResult, error) { return all(xs, ys, options(c)) },
	}
}

// defined is the row with the definition of the loss, and the mistakes that its
// cases must show.
func (l loss) defined(d definition, wrong ...string) loss {
	l.oracle, l.wrong = d, wrong
	return l
}

// must is the call with one thread; a failure ends the test.
func (l loss) must(t *testing.T, x, y cloud.Cloud) apmlgpu.Result {
	t.Helper()
	r, err := l.call(x, y, call{threads: 1})
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	return r
}
