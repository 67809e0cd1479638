package losstest

import (
	"context"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// loss is one that the suite judges, on a backend.
type loss struct {
	name   string
	call   func(x, y cloud.Cloud, c call) (apmlgpu.Result, error)
	batch  func(xs, ys cloud.Batch, c call) (apmlgpu.BatchResult, error)
	degree float64 // L(s x, s y) = s^degree L(x, y)
}

// call are the options that every loss has.
type call struct {
	threads  int
	maxBytes int64
	context  context.Context
	reduce   apmlgpu.Reduce
}

// losses is the list of the suite: a new loss has its row here.
func losses(backend string) []loss {
	apml := func(c call) apmlgpu.APMLOptions {
		return apmlgpu.APMLOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
			Context: c.context, Reduce: c.reduce}
	}
	chamfer := func(c call) apmlgpu.ChamferOptions {
		return apmlgpu.ChamferOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
			Context: c.context, Reduce: c.reduce}
	}
	return []loss{
		row("apml", apmlgpu.APML, apmlgpu.APMLBatch, apml, 1),
		row("chamfer", apmlgpu.Chamfer, apmlgpu.ChamferBatch, chamfer, 2),
		row("chamfer-l1", apmlgpu.ChamferL1, apmlgpu.ChamferL1Batch, chamfer, 1),
	}
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

// must is the call with one thread; a failure ends the test.
func (l loss) must(t *testing.T, x, y cloud.Cloud) apmlgpu.Result {
	t.Helper()
	r, err := l.call(x, y, call{threads: 1})
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	return r
}
