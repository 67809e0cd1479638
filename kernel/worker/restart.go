package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gondola-lab/gondola/kernel/comm"
	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// start launches a worker and a watcher of its end. The caller has the turn.
func (p *Parent) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the kernel is shutting down")
	}
	proc, err := launch(p.cfg, &p.dial)
	if err != nil {
		return fmt.Errorf("the worker does not start: %w", err)
	}
	p.proc = proc
	p.wait.Go(func() {
		<-proc.dead
		proc.people.Wait()
		p.fell(proc)
	})
	return nil
}

// up returns a worker that is ready and has the declarations. The caller has
// the turn.
func (p *Parent) up(ctx context.Context) (*process, error) {
	for {
		proc, err := p.ready(ctx)
		if err != nil || !p.owed {
			return proc, err
		}
		p.declare(ctx, proc, p.lastNumber())
		if !proc.over() {
			return proc, nil
		}
		p.drop(proc) // the declarations ended it: now they are lost, and the next one is asked for none
	}
}

// ready returns a worker whose engine is up, and starts one where none is.
func (p *Parent) ready(ctx context.Context) (*process, error) {
	proc := p.now()
	if proc != nil && proc.over() { // it ended between cells, and fell waits for our turn
		p.bury(proc)
		proc = p.now()
	}
	if proc == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
		proc = p.now()
	}
	wait := time.NewTimer(startWait)
	defer wait.Stop()
	select {
	case <-proc.ready:
	case <-proc.dead:
	case <-wait.C:
		proc.kill("it is not ready after " + startWait.String())
		<-proc.dead
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := proc.refusal(); err != nil { // its last word, if it is gone already
		proc.kill(err.Error())
		p.drop(proc)
		return nil, fmt.Errorf("the worker does not start: %w", err)
	}
	if proc.over() {
		p.drop(proc)
		return nil, fmt.Errorf("the worker does not start: %s", proc.end.cause())
	}
	return proc, nil
}

func (p *Parent) now() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.proc
}

// over says whether the process has ended and all its output is out.
func (p *process) over() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// drop forgets a worker; the next cell starts another.
func (p *Parent) drop(proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.proc == proc {
		p.proc = nil
	}
}

func (p *Parent) lastNumber() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return 0
	}
	return p.last.Number
}

// fell looks after a worker that has ended. If a cell ran, Execute does that.
func (p *Parent) fell(proc *process) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	mine := p.proc == proc && !p.closed
	p.mu.Unlock()
	if mine {
		p.bury(proc)
	}
}

// bury replaces a worker that ended between cells and tells it under the last
// one, if there was one.
func (p *Parent) bury(proc *process) {
	where := p.lastNumber()
	summary := p.revive(proc, where)
	p.mu.Lock()
	last := p.last
	p.mu.Unlock()
	if last != nil {
		text := "WorkerLost: " + proc.end.cause() + "\n"
		if h := proc.end.holders(); h != "" {
			text += h + "\n"
		}
		last.sink.Stream(true, text+summary+"\n")
		commsLost(last.sink)
	}
}

// mourn is the error of a cell whose worker ended. A new worker is up, with the
// declarations, when it returns. A program may end by os.Exit wherever it likes.
func (p *Parent) mourn(proc *process, c engine.Cell) *engine.CellError {
	if status, ok := proc.end.called(); ok && c.Program {
		p.drop(proc) // it is over: nothing comes back
		return fault("Exit", fmt.Sprintf("os.Exit(%d)", status))
	}
	e := fault("WorkerLost", proc.end.cause())
	e.Traceback = append(e.Traceback, proc.end.frames()...)
	if h := proc.end.holders(); h != "" {
		e.Traceback = append(e.Traceback, h)
	}
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if !closed {
		e.Traceback = append(e.Traceback, p.revive(proc, c.Number))
	}
	return e
}

// revive starts the next worker and gives it the declarations. It returns the
// summary of what came back.
func (p *Parent) revive(old *process, where int) string {
	p.drop(old)
	p.ledger.gone = nil
	p.ledger.die(where)
	p.owed = true
	if p.tooOften() {
		return fmt.Sprintf("%d workers ended within %v: the next cell starts a new one. %s", rapidDeath, rapidTime,
			p.ledger.summary())
	}
	if err := p.start(); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	if _, err := p.up(ctx); err != nil {
		return err.Error() + ". " + p.ledger.summary()
	}
	return p.ledger.summary()
}

// tooOften notes one end more.
func (p *Parent) tooOften() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.deaths = append(p.deaths, now)
	n := len(p.deaths)
	return n >= rapidDeath && now.Sub(p.deaths[n-rapidDeath]) < rapidTime
}

// declare brings the declarations into a new worker. One that ends over it, or
// does not answer, takes them with it: then all is lost, and said to be.
func (p *Parent) declare(ctx context.Context, proc *process, where int) {
	p.owed = false
	cells, lost := p.ledger.die(where)
	if len(cells) == 0 && len(lost) == 0 && len(p.settings) == 0 {
		return
	}
	id := p.nextID.Add(1)
	r := proc.out.begin(engine.Cell{ID: id, Number: where}, silence{})
	if proc.down.send(downDeclare, id, declareBody{p.settings, cells, lost}) != nil {
		proc.kill("")
	}
	wait := time.NewTimer(replayWait)
	defer wait.Stop()
	var out engine.Outcome
	select {
	case out = <-r.done:
	case <-proc.dead:
	case <-wait.C:
		proc.kill("the declarations did not come back within " + replayWait.String())
		<-proc.dead
	case <-ctx.Done():
		proc.kill("the declarations were not waited for")
		<-proc.dead
	}
	p.ledger.settle(out.Names, where)
	if out.Err != nil && out.Err.Name == "Setting" {
		p.ledger.complaint = "; not set again: " + out.Err.Value
	}
}

// restart is %restart: a new worker with the declarations, or an empty one.
func (p *Parent) restart(ctx context.Context, where int, empty bool, s engine.Sink) *engine.CellError {
	if empty {
		p.ledger = newLedger()
		p.settings = nil
	}
	if proc := p.now(); proc != nil {
		proc.kill("restarted")
		<-proc.dead
		p.drop(proc)
	}
	p.ledger.gone = nil
	p.ledger.die(where)
	p.owed = true
	if _, err := p.up(ctx); err != nil {
		return fault("WorkerLost", err.Error())
	}
	s.Stream(true, "new worker. "+p.ledger.summary()+"\n")
	commsLost(s)
	return nil
}

// commsLost says that nobody is behind the comms of the last worker.
func commsLost(s engine.Sink) {
	if c, ok := s.(engine.CommSink); ok {
		c.Comm(engine.CommMessage{Kind: comm.Lost}) // of this kind none is refused
	}
}

// silence is the sink of what nobody asked to see.
type silence struct{}

func (silence) Stream(bool, string)    {}
func (silence) Display(engine.Display) {}
func (silence) Clear(bool)             {}
func (silence) Result(display.Bundle)  {}
