package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// child is the far end of the line.
type child struct {
	up     *outlet
	engine engine.Engine
	jobs   chan job // for goroutine B: cells and declarations, in order

	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc // of cells that are queued or run
}

type job struct {
	ctx context.Context
	frame
}

// serve is goroutine A: it reads the line until the parent is gone, and never
// runs user code.
func serve(down io.Reader, up io.Writer, crash *os.File, newEngine func(Limits) engine.Engine) error {
	line := bufio.NewReaderSize(down, lineBuffer)
	f, err := readFrame(line)
	if err != nil {
		return err
	}
	var start startBody
	if err := f.unmarshal(&start); err != nil || f.kind != downStart {
		return fmt.Errorf("%w: the line begins with type %q", errFrame, f.kind)
	}
	out, err := newOutlet(start, up)
	if err != nil {
		return err
	}
	settle(start.Limits, crash)
	display.Resume(start.Shown)
	c := &child{up: out, jobs: make(chan job, 1024), cancels: map[uint64]context.CancelFunc{}}
	var ready readyBody
	if c.engine, err = open(newEngine, start.Limits); err != nil {
		ready.Err = err.Error()
	}
	if err := c.up.send(upReady, 0, ready); err != nil || ready.Err != "" {
		return err
	}
	go c.work()
	for {
		f, err := readFrame(line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = c.take(f)
		}
		if err != nil {
			return err
		}
	}
}

// open makes the engine; a panic in it is an error.
func open(newEngine func(Limits) engine.Engine, lim Limits) (e engine.Engine, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the engine does not start: %v", v)
		}
	}()
	return newEngine(lim), nil
}

// take hands one frame on and returns at once.
func (c *child) take(f frame) error {
	switch f.kind {
	case downExecute, downDeclare:
		ctx, cancel := context.WithCancel(context.Background())
		c.mu.Lock()
		c.cancels[f.id] = cancel
		c.mu.Unlock()
		c.jobs <- job{ctx, f}
	case downCancel:
		c.mu.Lock()
		if cancel := c.cancels[f.id]; cancel != nil {
			cancel()
		}
		c.mu.Unlock()
	case downComplete, downInspect:
		go c.answer(f) // goroutine C
	case downSizes:
		go c.sizes(f.id)
	case downAnswer:
		return c.up.answered(f)
	default:
		return fmt.Errorf("%w: type %q is not known", errFrame, f.kind)
	}
	return nil
}

// work is goroutine B: one cell at a time.
func (c *child) work() {
	for j := range c.jobs {
		c.job(j)
	}
}

// job runs one cell and tells its end, also when compiled code has ended this
// goroutine by Goexit: then another takes its place.
func (c *child) job(j job) {
	out, back := engine.Outcome{Err: fault("Exit", "runtime.Goexit ended the goroutine of the cell")}, false
	defer func() {
		c.up.flush(j.id) // updates that were held back
		c.mu.Lock()
		c.cancels[j.id]()
		delete(c.cancels, j.id)
		c.mu.Unlock()
		c.up.outcome(j.id, out)
		if !back {
			go c.work()
		}
	}()
	out = c.run(j)
	back = true
}

// run gives a job to the engine; a panic of it is an error of the cell.
func (c *child) run(j job) (out engine.Outcome) {
	defer func() {
		if v := recover(); v != nil {
			out = engine.Outcome{Err: fault("InternalError", fmt.Sprintf("%v; please report", v))}
			out.Err.Traceback = append(out.Err.Traceback, string(debug.Stack()))
		}
	}()
	if j.kind == downDeclare {
		var body declareBody
		if err := j.unmarshal(&body); err != nil {
			return engine.Outcome{Err: fault("InternalError", err.Error())}
		}
		return c.declare(j.ctx, body)
	}
	var cell engine.Cell
	if err := j.unmarshal(&cell); err != nil {
		return engine.Outcome{Err: fault("InternalError", err.Error())}
	}
	c.up.send(upBegun, j.id, nil)
	return c.engine.Execute(j.ctx, cell, &sink{c.up, j.id, len(cell.Expressions) > 0})
}

// declare takes back what earlier workers had: settings first, for they say how
// declarations are read. The error names a setting that cannot be had again.
func (c *child) declare(ctx context.Context, body declareBody) (out engine.Outcome) {
	var failed *engine.CellError
	if s, ok := c.engine.(engine.Setter); ok {
		for _, text := range body.Settings {
			if err := s.Set(text); err != nil && failed == nil {
				failed = fault("Setting", err.Error())
			}
		}
	}
	if d, ok := c.engine.(engine.Declarer); ok {
		out = d.Declare(ctx, body.Cells, body.Lost)
	} else {
		out.Err = fault("InternalError", "this engine brings no declarations back")
	}
	if out.Err == nil {
		out.Err = failed
	}
	return out
}

// sizes tells what holds memory, beside a running cell.
func (c *child) sizes(id uint64) {
	var list []engine.Size
	if s, ok := c.engine.(engine.Sizer); ok {
		guarded(func() error { list = s.Sizes(); return nil }) // a fault here is no reason to end
	}
	c.up.send(upSizes, id, list)
}

// answer asks the engine beside a running cell.
func (c *child) answer(f frame) {
	var q questionBody
	err := f.unmarshal(&q)
	if f.kind == downComplete {
		var b completionBody
		if err == nil {
			err = guarded(func() (err error) {
				b.Completion, err = c.engine.Complete(context.Background(), q.Code, q.At)
				return err
			})
		}
		b.Err = words(err)
		c.up.send(upCompletion, f.id, b)
		return
	}
	var b inspectionBody
	if err == nil {
		err = guarded(func() (err error) {
			b.Inspection, err = c.engine.Inspect(context.Background(), q.Code, q.At, q.Detail)
			return err
		})
	}
	b.Err = words(err)
	c.up.send(upInspection, f.id, b)
}

// guarded turns a panic of the engine into an error.
func guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v", v)
		}
	}()
	return f()
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// fault is an error of a cell with itself as traceback.
func fault(name, value string) *engine.CellError {
	return &engine.CellError{Name: name, Value: value, Traceback: []string{name + ": " + value}}
}
