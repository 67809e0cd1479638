// Package gpu computes the operations of a pair on a GPU, by the kernels of
// package cuda. What it does not compute it refuses by name.
package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/cuda"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Backend opens pairs on one device.
type Backend struct {
	device *cuda.Device
	info   cuda.Info
	limit  int64 // bytes of device memory
}

// openWait is how long a driver may take to start: it can hang.
const openWait = time.Minute

// Open makes the device ready, the first time, and says why not.
func Open(ctx context.Context) (*Backend, error) {
	type answer struct {
		device *cuda.Device
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		d, err := cuda.Open()
		done <- answer{d, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return nil, refused(a.err)
		}
		return describe(a.device)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(openWait):
		return nil, &backend.DeviceError{Reason: fmt.Sprintf("the NVIDIA driver has not answered for %v", openWait),
			Advice: "look at nvidia-smi and at the kernel's log"}
	}
}

func describe(d *cuda.Device) (*Backend, error) {
	info, err := d.Info()
	if err != nil {
		return nil, refused(err)
	}
	limit, err := cuda.Limit(os.Getenv("GONDOLA_GPU_MEM"), info.Total)
	if err != nil {
		return nil, &backend.DeviceError{Reason: err.Error()}
	}
	return &Backend{d, info, limit}, nil
}

// lost is why the device is of no use any more in this process, or nil.
var lost atomic.Pointer[string]

// Lost says why the device has failed for good in this process; "" where it has not.
func Lost() string {
	if reason := lost.Load(); reason != nil {
		return *reason
	}
	return ""
}

// refused turns an error of package cuda into one of the contract.
func refused(err error) error {
	var e *cuda.Error
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(err, cuda.ErrLost):
		lost.CompareAndSwap(nil, &e.Reason)
	case errors.Is(err, cuda.ErrMemory):
		return &backend.MemoryError{What: "the GPU", Need: int64(e.Need), Limits: int64(e.Free)}
	}
	return &backend.DeviceError{Reason: e.Reason, Advice: e.Advice}
}

// unable says what the GPU does not compute.
func unable(format string, args ...any) error {
	return &backend.DeviceError{Reason: "the GPU does not compute " + fmt.Sprintf(format, args...),
		Advice: `set Backend to "cpu"`}
}

// Name returns "gpu".
func (b *Backend) Name() string { return "gpu" }

// Device is the name of the device with its index.
func (b *Backend) Device() string { return fmt.Sprintf("%s (%d)", b.info.Name, b.info.Index) }

// Info describes the device.
func (b *Backend) Info() cuda.Info { return b.info }

// pair is two clouds made ready; they cross to the device with each operation.
type pair struct {
	b        *Backend
	x, y     *side
	ctx      context.Context
	stopping func()
	maxBytes int64
	spent    backend.Spent
	now      string
	since    time.Time
	near     *cuda.Nearest
}

// stopEvery is how often a call asks whether the cell was stopped.
const stopEvery = 20 * time.Millisecond

// Open makes both clouds ready. Clouds of more than three coordinates, and
// coordinates that span more than float32 can scale, are refused.
func (b *Backend) Open(x, y cloud.Cloud, r backend.Resources) (backend.Pair, error) {
	if x.D > 3 {
		return nil, unable("clouds of %d coordinates a point, three at most", x.D)
	}
	p := &pair{b: b, maxBytes: min(r.MaxBytes, b.limit)}
	p.Enter("copy")
	defer p.Enter("")
	k := exponent(x, y)
	var err error
	if p.x, err = newSide(x, k); err != nil {
		return nil, err
	}
	if p.y, err = newSide(y, k); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context)
	p.ctx = ctx
	done := make(chan struct{})
	go func() { // the cell's stop has no channel
		defer close(done)
		tick := time.NewTicker(stopEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if stop.Err() != nil {
					cancel()
					return
				}
			}
		}
	}()
	p.stopping = func() { cancel(); <-done }
	return p, nil
}

// failed is refused, where the reason may be the cell's stop.
func (p *pair) failed(err error) error {
	if err != nil && p.ctx.Err() != nil && stop.Err() != nil {
		return stop.ErrStopped
	}
	return refused(err)
}

// Enter begins a stage of the work by its name; "" ends it.
func (p *pair) Enter(stage string) {
	t := time.Now()
	for k := range p.spent.Stages {
		if s := &p.spent.Stages[k]; s.Name == p.now {
			s.Seconds += t.Sub(p.since).Seconds()
		}
	}
	p.now, p.since = stage, t
	if stage == "" {
		return
	}
	for _, s := range p.spent.Stages {
		if s.Name == stage {
			return
		}
	}
	p.spent.Stages = append(p.spent.Stages, backend.Stage{Name: stage})
}

// holds notes the device memory that is held in the stage that runs.
func (p *pair) holds(bytes int64) {
	p.spent.PeakBytes = max(p.spent.PeakBytes, bytes)
	for k := range p.spent.Stages {
		if s := &p.spent.Stages[k]; s.Name == p.now {
			s.Bytes = max(s.Bytes, bytes)
		}
	}
}

// Spent is the cost of all operations so far; its bytes are those of the device.
func (p *pair) Spent() backend.Spent { return p.spent }

// Close ends the watch of the stop.
func (p *pair) Close() { p.stopping() }

// Points tells of the different points of a side.
func (p *pair) Points(ofY bool) (index []int32, times []float64) {
	s := p.x
	if ofY {
		s = p.y
	}
	times = make([]float64, s.n)
	for i := range times {
		times[i] = s.times(i)
	}
	return s.points(), times
}

// Nearest finds the nearest of every point, exactly; both ways at once, since the
// device needs the clouds once only.
func (p *pair) Nearest(swapped bool) (backend.Neighbours, error) {
	defer p.Enter("")
	p.Enter("nearest")
	if p.near == nil {
		n, err := p.b.device.Nearest(p.ctx, p.x.x, p.y.x, p.maxBytes)
		if err != nil {
			return backend.Neighbours{}, p.failed(err)
		}
		p.near = &n
	}
	s, o, index, square := p.x, p.y, p.near.X, p.near.SquareX
	if swapped {
		s, o, index, square = p.y, p.x, p.near.Y, p.near.SquareY
	}
	out := backend.Neighbours{Index: make([]int32, s.size), Square: make([]float64, s.size)}
	for i := range out.Index {
		out.Index[i] = -1
	}
	unit := s.unit * s.unit
	for i := range s.n {
		s.copies(i, func(original int) {
			out.Index[original], out.Square[original] = o.rep[index[i]], square[i]*unit
		})
	}
	return out, nil
}

// logit is ℓ = ln((K−1)/(1−p)) for a side of so many points; 0 for K = 1.
func logit(total int, p float64) float64 {
	if total < 2 {
		return 0
	}
	return math.Log(float64(total-1) / (1 - p))
}
