package worker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Config says how to start the worker. The zero value is the kernel's.
type Config struct {
	Limits
	Args  []string // os.Args of the worker. Empty means the name of this program.
	Dir   string   // its folder. Empty means ours.
	Env   []string // K=V, added to ours
	Stdin *os.File // what compiled code reads at fd 0. Nil means nothing: end of file at once.
}

// Parent is the near end of the line: an engine whose cells run in a process of
// their own. It keeps what brings the declarations back when that process ends.
type Parent struct {
	cfg  Config
	dial dial       // the limits in force, of this worker and the next
	turn sync.Mutex // one cell, restart or replay at a time

	mu     sync.Mutex
	proc   *process // nil: none is up
	busy   bool     // a cell runs, or is on its way to the worker
	last   *running // ran last
	deaths []time.Time
	closed bool

	ledger   *ledger  // guarded by turn
	past     []past   // cells that were run, for %history; guarded by turn
	settings []string // of cells, in order, for the next worker; guarded by turn
	owed     bool     // the declarations are not in proc yet; guarded by turn
	urge     chan struct{}
	nextID   atomic.Uint64 // of cells that the parent makes itself, from the top
	wait     sync.WaitGroup
}

var _ engine.Engine = (*Parent)(nil)

// past is a cell that was run.
type past struct {
	number int
	code   string
}

// NewParent starts a worker and returns at once; the first cell waits for it.
func NewParent(cfg Config) *Parent {
	cfg.Limits = cfg.Limits.resolve()
	if len(cfg.Args) == 0 {
		cfg.Args = os.Args[:1]
	}
	p := &Parent{cfg: cfg, dial: dial{lim: cfg.Limits}, ledger: newLedger(), urge: make(chan struct{}, 16)}
	p.nextID.Store(1 << 63)
	p.turn.Lock() // before any cell
	p.wait.Go(func() {
		defer p.turn.Unlock()
		p.start() // an error is told to the first cell
	})
	return p
}

// Execute implements engine.Engine. A cell whose worker ends gets the error
// WorkerLost, with the cause and with what came back in the next worker.
func (p *Parent) Execute(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
	p.turn.Lock()
	defer p.turn.Unlock()
	out := p.execute(ctx, c, s)
	if !c.Silent && !c.Program && len(c.Code) <= keptText {
		p.past = append(p.past, past{c.Number, c.Code})
		p.past = p.past[max(0, len(p.past)-keptCells):]
	}
	return p.act(ctx, c, s, out)
}

// execute runs a cell in a worker that is up. One whose worker ended before it
// had begun runs in the next.
func (p *Parent) execute(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
	p.take(true)
	defer p.take(false)
	for {
		proc, err := p.up(ctx)
		if err != nil && ctx.Err() != nil {
			return engine.Outcome{Err: fault("Interrupted", "stopped while the worker was starting")}
		} else if err != nil {
			return engine.Outcome{Err: fault("WorkerLost", err.Error())}
		}
		r := proc.execute(c, s)
		p.mu.Lock()
		last := p.last
		p.last = r
		p.mu.Unlock()
		out, alive := p.await(ctx, proc, r)
		switch {
		case alive:
			if out.Code != "" {
				c.Code, out.Code = out.Code, ""
			}
			p.ledger.forget(out.Gone, c.Number)
			if c.Comm == nil && (len(out.Names) > 0 || out.Err == nil) {
				p.ledger.add(c, out.Names)
			}
			return out
		case r.begun || proc.end.reason != "":
			return engine.Outcome{Err: p.mourn(proc, c)}
		}
		p.mu.Lock()
		p.last = last
		p.mu.Unlock()
		p.bury(proc)
	}
}

// take makes the parent busy with a cell, before any of it can show, and takes
// the interrupts of earlier cells away; or free of it.
func (p *Parent) take(busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for busy && len(p.urge) > 0 {
		<-p.urge
	}
	p.busy = busy
}

// await waits for the end of a cell and presses it as far as it was asked to:
// a wish, a warning after a second, the kill.
func (p *Parent) await(ctx context.Context, proc *process, r *running) (out engine.Outcome, alive bool) {
	var warn, patience <-chan time.Time
	asked, warned, cancelled := false, false, ctx.Done()
	for {
		select {
		case out := <-r.done:
			return out, true
		case <-proc.dead:
			select {
			case out := <-r.done: // its last word was on the line
				return out, true
			default:
				return engine.Outcome{}, false
			}
		case <-cancelled:
			cancelled = nil
			if asked {
				continue
			}
		case <-p.urge:
			if warned {
				proc.kill("ended by a second interrupt: the cell did not stop")
			}
			if asked { // a key pressed twice is one wish: the variables are not lost before it is said
				continue
			}
		case <-warn:
			warned = true
			proc.out.say(r, fmt.Sprintf("cell [%d] does not stop; interrupt again to end the worker; %s would be lost\n",
				r.Number, p.ledger.atRisk()))
			continue
		case <-patience:
			proc.kill(fmt.Sprintf("ended because the cell did not stop within %v of an interrupt", p.dial.get().Patience))
			continue
		}
		asked = true
		proc.cancel(r)
		warn = time.After(warnAfter)
		if d := p.dial.get().Patience; d > 0 {
			patience = time.After(d)
		}
	}
}

// Interrupt implements engine.Engine: the first call for a cell asks, one
// after the warning ends the worker.
func (p *Parent) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy {
		return
	}
	select {
	case p.urge <- struct{}{}:
	default:
	}
}

// Complete implements engine.Engine; without a worker it offers nothing.
func (p *Parent) Complete(ctx context.Context, code string, at int) (engine.Completion, error) {
	var b completionBody
	none := engine.Completion{Start: at, End: at}
	proc := p.current()
	if proc == nil {
		return none, nil
	}
	if err := proc.ask(ctx.Done(), downComplete, questionBody{Code: code, At: at}, &b); err != nil {
		return none, unlessGone(err)
	}
	return b.Completion, asError(b.Err)
}

// Inspect implements engine.Engine; without a worker it finds nothing.
func (p *Parent) Inspect(ctx context.Context, code string, at, detail int) (engine.Inspection, error) {
	var b inspectionBody
	proc := p.current()
	if proc == nil {
		return engine.Inspection{}, nil
	}
	if err := proc.ask(ctx.Done(), downInspect, questionBody{code, at, detail}, &b); err != nil {
		return engine.Inspection{}, unlessGone(err)
	}
	return b.Inspection, asError(b.Err)
}

// current is the worker that answers now, or nil.
func (p *Parent) current() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == nil || !p.proc.isReady() {
		return nil
	}
	return p.proc
}

// Close ends the worker and everything that cells started.
func (p *Parent) Close() error {
	p.mu.Lock()
	p.closed = true // nothing starts from here on
	proc := p.proc
	p.mu.Unlock()
	if proc != nil {
		proc.kill("the kernel is shutting down")
	}
	p.wait.Wait()
	return nil
}

// act does what a cell wished of the parent; the rest is left to the caller.
func (p *Parent) act(ctx context.Context, c engine.Cell, s engine.Sink, out engine.Outcome) engine.Outcome {
	actions := out.Actions
	out.Actions = nil
	for _, a := range actions {
		var err *engine.CellError
		switch a.Kind {
		case "restart":
			err = p.restart(ctx, c.Number, strings.TrimSpace(a.Text) == "-f", s)
		case "replay":
			err = p.replay(ctx, a.Text, s)
		case "history":
			s.Stream(false, p.history(a.Text))
		case "setting":
			p.keep(a.Text)
		default:
			out.Actions = append(out.Actions, a)
		}
		if err != nil && out.Err == nil {
			out.Err = err
		}
	}
	return out
}

// replay runs kept cells again, their outputs under the current cell.
func (p *Parent) replay(ctx context.Context, list string, s engine.Sink) *engine.CellError {
	cells, err := p.ledger.chosen(list)
	if err != nil {
		return fault("Replay", err.Error())
	}
	for _, c := range cells {
		c.ID, c.Expressions = p.nextID.Add(1), nil
		out := p.execute(ctx, c, s)
		if out.Err != nil {
			return out.Err
		}
	}
	return nil
}

func unlessGone(err error) error {
	if err == errNoWorker {
		return nil
	}
	return err
}

func asError(s string) error {
	if s == "" {
		return nil
	}
	return fmt.Errorf("%s", s)
}
