package session

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/internal/stop"
	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// run is one execution of a cell.
type run struct {
	s     *Session
	id    int // unique in the process, for cellapi: a cell number may come again
	cell  engine.Cell
	sink  engine.Sink
	begun time.Time
	times timings

	stopOnce sync.Once
	stopped  chan struct{}
	why      atomic.Pointer[string]
	cancel   context.CancelFunc // of ctx, for what is built
	depth    atomic.Int64       // calls, where it was stopped for their number
	fatal    *yaegi.Fault       // how a program ended
	ended    chan *yaegi.Fault  // how a program ended while its main function still ran; nil for a cell
	left     string             // what a goroutine that was left behind does
	alone    bool               // nothing but its own goroutines wakes a goroutine of a program

	next    atomic.Pointer[state] // the session with the names of what runs
	tree    *front.Cell           // what runs
	fresh   []*entry              // its names
	ranOn   string                // "interpreted" or "native", "" while nothing has run
	ctx     context.Context
	forced  string // the magic that asked for native code, or ""
	noPoll  bool   // native code without polls
	plugins int    // that the cell loaded
	cached  bool   // all of them were in the cache
	actions []engine.Action
	names   []engine.Name
	gone    []string        // names that %reset took out
	warned  []string        // of what was built again without a cell
	asked   string          // the user expression that is evaluated
	counts  bool            // allocations are counted
	used    memory          // by what ran, then
	running map[string]bool // files of %run that run now
	lines   string          // the text of the cell with files of %run behind it, or ""
	files   string          // the text of the cell with files in the place of %run, or ""
}

// lastRun numbers the runs of all sessions of the process.
var lastRun atomic.Int64

// timings is where the time of a cell went.
type timings struct{ check, lower, build, run time.Duration }

// begin makes c the running cell. The function that it returns ends it.
func (s *Session) begin(ctx context.Context, c engine.Cell, sink engine.Sink) (*run, func()) {
	r := &run{s: s, id: int(lastRun.Add(1)), cell: c, sink: sink, begun: time.Now(), stopped: make(chan struct{}), cached: true}
	r.ctx, r.cancel = context.WithCancel(ctx)
	s.outputs.open(r.id, target{sink, c.Number})
	if c.Comm == nil {
		s.remember(c.Number, c.Code)
	}
	stop.Clear()
	s.current.Store(r)
	cancelled := context.AfterFunc(ctx, func() { r.stop(reasonInterrupt) })
	watched := watchStack(s.stackLimit, func() { r.stop(reasonStack) })
	restore := func() {}
	if c.Program {
		restore = r.program()
	}
	return r, func() {
		r.cancel()
		restore()
		watched()
		cancelled()
		s.current.Store(nil)
		if r.reason() == reasonStack {
			runtime.GC() // new goroutines begin with the stack that the last collection saw on average
		}
		if r.left == "" { // else the call that goes on may still ask
			stop.Clear()
		}
	}
}

// Execute runs one cell to its end.
func (s *Session) Execute(ctx context.Context, c engine.Cell, sink engine.Sink) (out engine.Outcome) {
	s.cells.Lock()
	defer s.cells.Unlock()
	if c.Comm != nil {
		return s.message(ctx, c, sink)
	}
	r, end := s.begin(ctx, c, sink)
	defer end()
	defer func() {
		if v := recover(); v != nil { // a fault of ours must not end the worker
			out.Err = r.internal(fmt.Sprint(v), nil)
			out.Err.Traceback = append(out.Err.Traceback, strings.Split(string(debug.Stack()), "\n")...)
		}
		out.Names, out.Gone, out.Actions, out.Engine = r.names, r.gone, r.actions, r.ranOn
		out.Code = r.files
	}()
	if out.Err = r.execute(); out.Err == nil {
		out.Expressions = r.expressions()
	}
	return out
}

// execute runs the magics and the code of a cell in their order. A cell of
// several pieces is checked to its end before anything runs.
func (r *run) execute() *engine.CellError {
	if r.cell.Program {
		return r.piece(r.cell.Code, true)
	}
	blanked, list := cell.Directives(r.cell.Code)
	if len(list) > 0 && list[0].Whole {
		return r.cellMagic(blanked, list)
	}
	return r.segments(blanked, list)
}

// segments runs the stretches of a cell in their order.
func (r *run) segments(blanked string, list []cell.Directive) *engine.CellError {
	segs := segments(blanked, list)
	if err := r.rehearse(segs); err != nil {
		return err
	}
	last := -1
	for i, seg := range segs {
		if seg.code != "" {
			last = i
		}
	}
	for i, seg := range segs {
		var err *engine.CellError
		switch {
		case seg.magic == nil:
			err = r.piece(seg.code, i == last)
		default:
			err = r.magic(*seg.magic, seg.code, i == last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rehearse finds unknown magics, and checks and lowers the code of a cell that
// has several pieces one after another, so that none runs when a later one
// does not compile.
func (r *run) rehearse(segs []segment) *engine.CellError {
	st, pieces := r.s.now.Load(), 0
	for _, seg := range segs {
		if seg.magic != nil {
			if _, err := find(*seg.magic); err != nil {
				return r.magicError(*seg.magic, err)
			}
		}
		if seg.code != "" {
			pieces++
		}
	}
	if pieces < 2 {
		return nil
	}
	for _, seg := range segs {
		if seg.magic != nil && seg.magic.Name == "run" {
			return nil // what follows may use the names of the file
		}
		if seg.code == "" {
			continue
		}
		p, err := r.s.plan(r.cell.Number, seg.code, st, false)
		if err != nil {
			return r.compileError(err)
		}
		if _, err := r.choose(p); err != nil {
			return err
		}
		st = p.next
	}
	return nil
}

// piece runs Go text of the cell: check, lower, build, run, commit. With show
// set its value is the result of the cell.
func (r *run) piece(src string, show bool) *engine.CellError {
	p, err := r.plan(src)
	if err != nil {
		return err
	}
	if done, err := r.constant(p, show); done {
		return err
	}
	c, err := r.choose(p)
	if err != nil {
		return err
	}
	b, err := r.build(p, c)
	if err != nil {
		return err
	}
	if r.reason() != "" {
		return r.stoppedError(nil)
	}
	r.next.Store(p.next)
	r.alone = r.cell.Program && mayBeStuck(p.cell)
	end := r.run(b)
	if err := r.commit(b, end); err != nil {
		return err
	}
	for _, w := range append(p.warnings, r.warned...) {
		r.sink.Stream(true, w+"\n")
	}
	if show && !r.cell.Silent && !r.cell.Program {
		return r.show(p, end.values)
	}
	return nil
}

// show gives the value of the cell to the sink, when there is one to show.
func (r *run) show(p *plan, values []any) *engine.CellError {
	b, ok, err := r.bundle(p, values)
	if err == nil && ok {
		r.sink.Result(b)
		r.keep(p, values)
	}
	return err
}

// plan checks Go text of the cell against the session.
func (r *run) plan(src string) (*plan, *engine.CellError) {
	defer r.clock(&r.times.check)()
	p, err := r.s.plan(r.cell.Number, src, r.s.now.Load(), r.cell.Program)
	if err != nil {
		return nil, r.compileError(err)
	}
	return p, nil
}

// clock adds the time until the function it returns is called to a total.
func (r *run) clock(total *time.Duration) func() {
	t := time.Now()
	return func() { *total += time.Since(t) }
}
