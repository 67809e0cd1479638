package apmlgpu

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/apmlgpu/internal/cpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// noGPU is why there is no other choice than the CPU.
const noGPU = "this build has no GPU backend"

// choose returns the backend of a name and why it is not another: "" and
// "auto" take the best there is. The environment's GONDOLA_BACKEND stands for
// "".
func choose(op, name string) (backend.Backend, string, error) {
	if name == "" {
		name = os.Getenv("GONDOLA_BACKEND")
	}
	switch name {
	case "", "auto":
		return cpu.Backend{}, noGPU, nil
	case "cpu":
		return cpu.Backend{}, "", nil
	case "gpu":
		return nil, "", &Error{op, fmt.Errorf("%w: %s", ErrBackend, noGPU), `set Backend to "cpu" or "auto"`}
	}
	return nil, "", optionError(op, "Backend", fmt.Sprintf("%q", name), `"auto", "cpu" or "gpu"`)
}

// common are the options that every loss has.
type common struct {
	backend  string
	threads  int
	maxBytes int64
	context  context.Context
	reduce   Reduce
	sum      bool // zero Reduce means Sum
	noGrad   bool
	grad64   bool
	inTurn   bool // items of a batch one after the other, as Trace needs them
}

// resolve fills the defaults of common options, or refuses them.
func (c common) resolve(op string) (common, error) {
	switch {
	case c.threads < 0:
		return c, optionError(op, "Threads", c.threads, "a number of threads, or zero for all")
	case c.maxBytes < 0:
		return c, optionError(op, "MaxBytes", c.maxBytes, "a number of bytes, or zero for a quarter of the memory")
	case c.reduce != "" && c.reduce != Mean && c.reduce != Sum:
		return c, optionError(op, "Reduce", fmt.Sprintf("%q", c.reduce), `"mean" or "sum"`)
	}
	c.reduce = or(c.reduce, pick(c.sum, Sum, Mean))
	if c.threads == 0 {
		c.threads = runtime.GOMAXPROCS(0)
	}
	if c.maxBytes == 0 {
		c.maxBytes = defaultMaxBytes()
	}
	if c.context == nil {
		c.context = context.Background()
	}
	return c, nil
}

// open opens the pair on the chosen backend and begins its Stats.
func (c common) open(op string, x, y cloud.Cloud) (backend.Pair, Stats, error) {
	b, reason, err := choose(op, c.backend)
	if err != nil {
		return nil, Stats{}, err
	}
	p, err := b.Open(x, y, backend.Resources{Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context})
	return p, Stats{Backend: b.Name(), BackendReason: reason}, failed(op, err)
}

// goOn asks both ways in which a call is ended.
func (c common) goOn() error {
	if err := stop.Err(); err != nil {
		return err
	}
	return c.context.Err()
}
