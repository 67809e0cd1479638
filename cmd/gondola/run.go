package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// Exit codes that run adds.
const (
	exitTimeout = 4 // a time limit ended it
	exitLost    = 5 // the worker of a cell ended
	exitDiffers = 6 // --check: a text is not the stored one
)

// runExits gives the exit code of each status of a notebook.
var runExits = map[notebook.Status]int{notebook.OK: exitOK, notebook.Failed: exitFailed, notebook.Lost: exitLost,
	notebook.TimedOut: exitTimeout, notebook.Interrupted: exitInterrupted}

// runCall is one call of gondola run.
type runCall struct {
	out, page, dir, policy string
	memory                 int64 // limit of the worker; 0: the default
	inplace, json, compare bool
	timeout, total         time.Duration
	jobs                   int // files that run at once
	params                 []notebook.Param
	opt                    notebook.Options
	rest                   []string // the arguments of a program
	stdin                  io.Reader
	stdout, stderr         io.Writer
}

// runRun is gondola run: notebooks and Go files, each over a worker of its own.
func runRun(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := &runCall{stdin: stdin, stdout: stdout, stderr: stderr}
	files, code := c.parse(args)
	if code >= 0 {
		return code
	}
	ctx, force, stop := c.interruptible()
	defer stop()
	if c.jobs > 1 && len(files) > 1 {
		return c.together(ctx, force, files)
	}
	worst := exitOK
	for _, f := range files {
		code := c.file(ctx, force, f)
		if worst == exitOK {
			worst = code
		}
		if ctx.Err() != nil { // of the whole call: a limit of one cell ends one notebook
			break
		}
	}
	return callExit(ctx, worst)
}

// callExit is the exit code of a call whose files gave worst.
func callExit(ctx context.Context, worst int) int {
	switch {
	case ctx.Err() == nil:
		return worst
	case errors.Is(context.Cause(ctx), notebook.ErrTimeout):
		return exitTimeout
	}
	return exitInterrupted
}

// together runs files beside one another, each over a worker of its own. What
// each prints comes whole and in the order of the files.
func (c *runCall) together(ctx context.Context, force <-chan struct{}, files []string) int {
	type job struct {
		out, errs bytes.Buffer
		code      int
		over      chan struct{}
	}
	all := make([]*job, len(files))
	places := make(chan struct{}, c.jobs)
	for i := range files {
		all[i] = &job{over: make(chan struct{})}
	}
	go func() {
		for i, f := range files {
			places <- struct{}{}
			go func() {
				defer func() { <-places; close(all[i].over) }()
				if ctx.Err() != nil {
					return
				}
				one := *c
				one.stdin, one.stdout, one.stderr = nil, &all[i].out, &all[i].errs
				one.opt.Note = func(s string) { fmt.Fprintln(one.stderr, s) }
				all[i].code = one.file(ctx, force, f)
			}()
		}
	}()
	worst := exitOK
	for _, j := range all {
		<-j.over
		c.stdout.Write(j.out.Bytes())
		c.stderr.Write(j.errs.Bytes())
		if worst == exitOK {
			worst = j.code
		}
	}
	return callExit(ctx, worst)
}

// interruptible gives the context of the whole call. The first interrupt ends
// it; the second closes the channel and means force.
func (c *runCall) interruptible() (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	done := func() {}
	if c.total > 0 {
		ctx, done = context.WithTimeoutCause(ctx, c.total,
			fmt.Errorf("%w of %v for the whole call", notebook.ErrTimeout, c.total))
	}
	signals, force := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over := make(chan struct{})
	go func() {
		for n := 1; ; n++ {
			select {
			case <-signals:
				if cancel(notebook.ErrInterrupted); n == 2 {
					close(force)
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, force, func() { signal.Stop(signals); close(over); done(); cancel(nil) }
}

// file runs one file, by what is in it.
func (c *runCall) file(ctx context.Context, force <-chan struct{}, name string) int {
	data, err := readFile(name, c.stdin)
	if err != nil {
		fmt.Fprintf(c.stderr, "gondola run: %v\n", err)
		return exitUsage
	}
	if strings.HasSuffix(name, ".ipynb") || name == "-" && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		nb, err := notebook.Read(data)
		if err == nil && nb.Language() != "" && nb.Language() != "go" {
			err = fmt.Errorf("its language is %s, not go", nb.Language())
		}
		if err != nil {
			fmt.Fprintf(c.stderr, "%s: %v\n", name, err)
			return exitUsage
		}
		return c.notebook(ctx, force, name, nb)
	}
	src, err := notebook.ReadSource(data)
	switch {
	case err != nil:
		fmt.Fprintf(c.stderr, "%s: %v\n", name, err)
		return exitUsage
	case src.Cells != nil:
		if c.inplace {
			fmt.Fprintf(c.stderr, "%s: --inplace is for notebooks; -o writes a notebook of these cells\n", name)
			return exitUsage
		}
		if c.compare {
			fmt.Fprintf(c.stderr, "%s: --check is for notebooks; a Go file stores no outputs\n", name)
			return exitUsage
		}
		return c.cells(ctx, force, name, src)
	case c.out != "" || c.inplace || c.page != "" || len(c.opt.Only) > 0 || len(c.opt.Skip) > 0 || c.compare ||
		len(c.params) > 0:
		fmt.Fprintf(c.stderr, "%s: a program has no cells: -o, --inplace, --html, --cell, --skip, --check and -p are "+
			"for notebooks\n", name)
		return exitUsage
	}
	return c.program(ctx, force, name, src.Program)
}

// forceEvery is how often a worker is asked to end once a second interrupt came.
const forceEvery = 50 * time.Millisecond

// open starts a worker; the close of force is handed to it. ctx of
// the whole call and the limits of its cells are for the runs.
func (c *runCall) open(force <-chan struct{}, cfg worker.Config) (engine.Engine, func()) {
	cfg.Limits.Engine, cfg.Limits.Memory = c.policy, c.memory
	if c.dir != "" {
		cfg.Dir = c.dir
	}
	e := worker.NewParent(cfg)
	over := make(chan struct{})
	go func() {
		var again <-chan time.Time
		for {
			select {
			case <-force: // which a worker uses as soon as it has warned
				force, again = nil, time.Tick(forceEvery)
			case <-again:
				e.Interrupt()
			case <-over:
				return
			}
		}
	}()
	return e, func() { close(over); e.Close() }
}
