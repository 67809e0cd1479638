package apmlgpu

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/apmlgpu/internal/cpu"
	"github.com/gondola-lab/gondola/apmlgpu/internal/gpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Why "auto" is the CPU, and what the GPU has no operations for. The kernels have
// run in an emulator alone: nobody gets them who did not ask.
const (
	autoIsCPU = "the GPU is used only where it is asked for by name"
	notOnGPU  = "the GPU computes APML, Sinkhorn and the losses of nearest neighbours only"
)

// used is the backend that [Use] has set, or nil.
var used atomic.Pointer[string]

// Use sets the backend of every later call that leaves its option Backend empty:
// "auto", "cpu" or "gpu"; "" goes by the environment's GONDOLA_BACKEND again, which
// is also what holds before the first Use. Use("gpu") opens the device.
//
// Errors: ErrBackend with the reason why there is no GPU, and ErrOption; the
// setting stays as it was then.
func Use(name string) error {
	const op = "apmlgpu.Use"
	if name != "" {
		c := common{backend: name, context: context.Background()}
		if _, _, err := c.choose(op, true); err != nil {
			return err
		}
	}
	used.Store(&name)
	return nil
}

// choose returns the backend of the option's name and why it is not another; ""
// goes by Use, and then by the environment. onGPU says that the GPU has what the
// call needs.
func (c common) choose(op string, onGPU bool) (backend.Backend, string, error) {
	name := c.backend
	if u := used.Load(); name == "" && u != nil {
		name = *u
	}
	if name == "" {
		name = os.Getenv("GONDOLA_BACKEND")
	}
	switch name {
	case "", "auto":
		return cpu.Backend{}, or(gpu.Lost(), autoIsCPU), nil
	case "cpu":
		return cpu.Backend{}, "", nil
	case "gpu":
		if !onGPU {
			return nil, "", failed(op, &backend.DeviceError{Reason: notOnGPU, Advice: `set Backend to "cpu" or "auto"`})
		}
		b, err := gpu.Open(c.context)
		if err != nil {
			return nil, "", failed(op, err)
		}
		return b, "", nil
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

// open opens the pair on the chosen backend and begins its Stats; onGPU is as in
// choose.
func (c common) open(op string, x, y cloud.Cloud, onGPU bool) (backend.Pair, Stats, error) {
	b, reason, err := c.choose(op, onGPU)
	if err != nil {
		return nil, Stats{}, err
	}
	s := Stats{Backend: b.Name(), BackendReason: reason}
	if d, ok := b.(interface{ Device() string }); ok {
		s.Device = d.Device()
	}
	p, err := b.Open(x, y, backend.Resources{Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context})
	return p, s, failed(op, err)
}

// goOn asks both ways in which a call is ended.
func (c common) goOn() error {
	if err := stop.Err(); err != nil {
		return err
	}
	return c.context.Err()
}
