package notebook

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Options say how to run a notebook. The zero value runs all cells until one
// fails.
type Options struct {
	Timeout     time.Duration // of a cell. Zero means none.
	AllowErrors bool          // go on behind a cell that fails
	Skip        []string      // tags of cells that are left out
	Only        []int         // numbers of the cells to run, from 1 over all cells. Empty means all.
	To          engine.Sink   // takes the outputs of all cells. Nil means the notebook.
	Timing      bool          // write into each cell that ran when it began and ended
	Note        func(string)  // takes a line for the person, without its newline. Nil means nobody.
}

// Status is how a run ended; the worst that any cell met.
type Status string

// The statuses, from good to bad.
const (
	OK          Status = "ok"
	Failed      Status = "failed"      // a cell failed
	Lost        Status = "lost"        // the worker of a cell ended
	TimedOut    Status = "timeout"     // a cell, or the whole run, passed its limit
	Interrupted Status = "interrupted" // the caller ended the run
)

// Report is what a run found.
type Report struct {
	Status  Status    `json:"status"`
	Cells   int       `json:"cells"`   // code cells with a text
	Ran     int       `json:"ran"`     // of them
	Skipped int       `json:"skipped"` // by a tag, or not chosen
	Errors  []Failure `json:"errors"`
	Seconds float64   `json:"seconds"`
}

// Failure is a cell that failed.
type Failure struct {
	Cell      int      `json:"cell"` // place in the notebook, from 1
	ID        string   `json:"id"`
	Number    int      `json:"number"` // execution count
	Line      int      `json:"line"`   // in the cell; 0: not known
	Name      string   `json:"ename"`
	Value     string   `json:"evalue"`
	Traceback []string `json:"-"` // without colours
}

// String is "cell 7 (id 3f2a, [5]) line 3: undefined: eps".
func (f Failure) String() string {
	at := fmt.Sprintf("cell %d (id %s, [%d])", f.Cell, f.ID, f.Number)
	if f.Line > 0 {
		at += fmt.Sprintf(" line %d", f.Line)
	}
	value, _, _ := strings.Cut(f.Value, "\n")
	if f.Name != "CompileError" {
		value = f.Name + ": " + value
	}
	return at + ": " + value
}

// grace is the time from the wish to stop at a time limit to the kill.
const grace = 5 * time.Second

// Causes of a context that ends a run.
var (
	ErrTimeout     = errors.New("time limit")
	ErrInterrupted = errors.New("interrupted")
)

// Run runs the code cells of nb, in order, and puts their outputs and counts in
// place. Outputs of cells that it does not reach are taken out: what the
// notebook shows is of this run. The end of ctx stops it; its cause may be
// [ErrTimeout].
func (nb *Notebook) Run(ctx context.Context, e engine.Engine, opt Options) Report {
	start := time.Now()
	r := &run{nb: nb, engine: e, opt: opt, shelf: &shelf{ids: map[string][]map[string]any{}},
		report: Report{Status: OK, Errors: []Failure{}}}
	var chosen []int
	for i, c := range nb.Cells {
		c.ran = false
		if c.Kind != "code" || strings.TrimSpace(c.Source) == "" {
			continue
		}
		r.report.Cells++
		if r.leftOut(i, c) {
			r.report.Skipped++
			continue
		}
		c.Count, c.Outputs = 0, nil
		chosen = append(chosen, i)
	}
	for _, i := range chosen {
		if ctx.Err() != nil {
			r.worse(ended(ctx))
			break
		}
		if !r.cell(ctx, i) {
			break
		}
	}
	r.shelf.settle(nb)
	r.report.Seconds = time.Since(start).Seconds()
	return r.report
}

type run struct {
	nb     *Notebook
	engine engine.Engine
	opt    Options
	shelf  *shelf
	number int // of the last cell that ran
	report Report
}

func (r *run) note(format string, args ...any) {
	if r.opt.Note != nil {
		r.opt.Note(fmt.Sprintf(format, args...))
	}
}

// leftOut says whether a cell is not to run, and tells it for a tag of the caller.
func (r *run) leftOut(i int, c *Cell) bool {
	if len(r.opt.Only) > 0 && !slices.Contains(r.opt.Only, i+1) {
		return true
	}
	for _, t := range c.Tags() {
		if t == "skip-execution" {
			return true
		}
		if slices.Contains(r.opt.Skip, t) {
			r.note("cell %d (id %s) is left out: it has the tag %s", i+1, c.ID, t)
			return true
		}
	}
	return false
}

// cell runs one cell; false ends the run.
func (r *run) cell(ctx context.Context, i int) bool {
	c := r.nb.Cells[i]
	r.number++
	r.report.Ran++
	c.Count, c.ran = r.number, true
	defer c.stamp(r.opt.Timing, time.Now())
	s := &collector{shelf: r.shelf, cell: c}
	ctx, cancel := limited(ctx, r.opt.Timeout)
	defer cancel()
	var to engine.Sink = s
	if r.opt.To != nil {
		to = r.opt.To
	}
	out := Execute(ctx, r.engine, engine.Cell{ID: uint64(r.number), Number: r.number, Code: c.Source}, to)
	mayFail := slices.Contains(c.Tags(), "raises-exception")
	if out.Err == nil && mayFail {
		out.Err = &engine.CellError{Name: "NotFailed", Value: "the cell has the tag raises-exception and did not fail"}
	} else if out.Err == nil {
		return true
	} else {
		s.failed(out.Err)
		if mayFail && out.Err.Name != "WorkerLost" && ctx.Err() == nil {
			return true
		}
	}
	r.report.Errors = append(r.report.Errors, failure(i, c, out.Err))
	switch {
	case ctx.Err() != nil:
		r.worse(ended(ctx))
		return false
	case out.Err.Name == "WorkerLost":
		r.worse(Lost)
	case !r.opt.AllowErrors || out.Err.Name == "NotFailed":
		r.worse(Failed)
	}
	return r.opt.AllowErrors
}

// Execute runs one cell. Where the end of ctx does not stop it, grace later the
// engine is asked by force.
func Execute(ctx context.Context, e engine.Engine, c engine.Cell, s engine.Sink) engine.Outcome {
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		if errors.Is(context.Cause(ctx), ErrInterrupted) {
			return // a person decides about the force
		}
		select {
		case <-done:
		case <-time.After(grace):
			e.Interrupt()
		}
	}()
	return e.Execute(ctx, c, s)
}

// limited gives ctx a limit; zero is none.
func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("%w of %v", ErrTimeout, d))
}

// ended is the status of a run that the end of ctx has stopped.
func ended(ctx context.Context) Status {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return TimedOut
	}
	return Interrupted
}

var severity = []Status{OK, Failed, Lost, TimedOut, Interrupted}

func (r *run) worse(s Status) {
	if slices.Index(severity, s) > slices.Index(severity, r.report.Status) {
		r.report.Status = s
	}
}

var (
	ansi  = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	place = regexp.MustCompile(`^cell \[\d+\]:(\d+):\d+: `)
)

// Plain takes the colours out of a traceback.
func Plain(traceback []string) []string {
	out := make([]string, len(traceback))
	for i, s := range traceback {
		out[i] = ansi.ReplaceAllString(s, "")
	}
	return out
}

func failure(i int, c *Cell, e *engine.CellError) Failure {
	f := Failure{Cell: i + 1, ID: c.ID, Number: c.Count, Name: e.Name, Value: e.Value, Traceback: Plain(e.Traceback)}
	if m := place.FindStringSubmatch(f.Value); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
		f.Value = f.Value[len(m[0]):]
		return f
	}
	inTrace := regexp.MustCompile(fmt.Sprintf(`cell ?\[%d\]:(\d+)`, c.Count))
	for _, line := range f.Traceback {
		if m := inTrace.FindStringSubmatch(line); m != nil {
			f.Line, _ = strconv.Atoi(m[1])
			break
		}
	}
	return f
}
