package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/session"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// Exit codes that run adds.
const (
	exitTimeout = 4 // a time limit ended it
	exitLost    = 5 // the worker of a cell ended
)

// runExits gives the exit code of each status of a notebook.
var runExits = map[notebook.Status]int{notebook.OK: exitOK, notebook.Failed: exitFailed, notebook.Lost: exitLost,
	notebook.TimedOut: exitTimeout, notebook.Interrupted: exitInterrupted}

// runCall is one call of gondola run.
type runCall struct {
	out, page, dir, policy string
	memory                 int64 // limit of the worker; 0: the default
	inplace, json          bool
	timeout, total         time.Duration
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
	ctx, interrupts, stop := c.interruptible()
	defer stop()
	worst := exitOK
	for _, f := range files {
		code := c.file(ctx, interrupts, f)
		if worst == exitOK {
			worst = code
		}
		if ctx.Err() != nil { // of the whole call: a limit of one cell ends one notebook
			if errors.Is(context.Cause(ctx), notebook.ErrTimeout) {
				return exitTimeout
			}
			return exitInterrupted
		}
	}
	return worst
}

// parse reads flags before and between the files; -1 means go on.
func (c *runCall) parse(args []string) (files []string, code int) {
	if i := slices.Index(args, "--"); i >= 0 {
		args, c.rest = args[:i], args[i+1:]
	}
	f := newFlags("run", "[flags] FILE.ipynb|FILE.go|- ... [-- arguments of a program]", c.stdout, c.stderr)
	f.StringVar(&c.out, "o", "", "write the notebook with its outputs to `FILE`; - is the standard output")
	f.BoolVar(&c.inplace, "inplace", false, "write the outputs into the notebook itself")
	f.StringVar(&c.page, "html", "", "write a static page to `FILE`")
	f.StringVar(&c.policy, "engine", "auto", "where cells run: auto, interpret or native")
	f.DurationVar(&c.timeout, "timeout", 0, "limit of a cell, as 10m (default none)")
	f.DurationVar(&c.total, "total", 0, "limit of the whole call, as 1h (default none)")
	f.BoolVar(&c.opt.AllowErrors, "allow-errors", false, "go on behind a cell that fails")
	f.BoolVar(&c.json, "json", false, "print a line of JSON for each notebook")
	f.StringVar(&c.dir, "cwd", "", "`FOLDER` the cells run in (default the notebook's; of a program this one)")
	f.Func("mem-limit", "`SIZE` that the cells may use, as 4G (default 80 % of what there is)",
		func(s string) (err error) {
			c.memory, err = memorySize(s)
			return err
		})
	f.Func("skip", "leave out cells with one of these `TAGS`, as a,b", func(s string) error {
		c.opt.Skip = append(c.opt.Skip, strings.Split(s, ",")...)
		return nil
	})
	f.Func("cell", "run only these cells, by their `PLACES` in the notebook, as 3,7", c.only)
	if files, code = f.parse(args, -1); code >= 0 {
		return nil, code
	}
	c.opt.Timeout = c.timeout
	c.opt.Note = func(s string) { fmt.Fprintln(c.stderr, s) }
	return files, c.check(f, files)
}

func (c *runCall) only(list string) error {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no place of a cell", s)
		}
		c.opt.Only = append(c.opt.Only, n)
	}
	return nil
}

// check refuses calls that cannot be carried out, before anything runs.
func (c *runCall) check(f *flagSet, files []string) int {
	switch _, err := session.ParsePolicy(c.policy); {
	case err != nil:
		return f.wrong("--engine: %w", err)
	case len(files) == 0:
		return f.wrong("no file")
	case c.inplace && c.out != "":
		return f.wrong("-o or --inplace, not both")
	case len(files) > 1 && (c.out != "" || c.page != ""):
		return f.wrong("-o and --html take one file")
	case c.out == "-" && c.page == "-":
		return f.wrong("-o and --html: only one of them goes to the standard output")
	case c.timeout < 0 || c.total < 0:
		return f.wrong("a limit is negative")
	}
	for _, out := range []string{c.out, c.page} {
		if out == "" {
			continue
		}
		if !isFolder(filepath.Dir(out)) {
			return f.wrong("%s: its folder is not there", out)
		}
		if isFolder(out) {
			return f.wrong("%s: it is a folder; give a file in it", out)
		}
	}
	if c.dir != "" && !isFolder(c.dir) {
		return f.wrong("--cwd: %s is no folder", c.dir)
	}
	return -1
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// interruptible gives the context of the whole call. The first interrupt ends
// it; further ones come by the channel and mean force.
func (c *runCall) interruptible() (context.Context, <-chan os.Signal, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	done := func() {}
	if c.total > 0 {
		ctx, done = context.WithTimeoutCause(ctx, c.total,
			fmt.Errorf("%w of %v for the whole call", notebook.ErrTimeout, c.total))
	}
	first, more := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(first, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case s := <-first:
				if cancel(notebook.ErrInterrupted); n > 0 {
					more <- s
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, more, func() { signal.Stop(first); close(over); done(); cancel(nil) }
}

// file runs one file, by what is in it.
func (c *runCall) file(ctx context.Context, interrupts <-chan os.Signal, name string) int {
	data, err := c.read(name)
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
		return c.notebook(ctx, interrupts, name, nb)
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
		return c.cells(ctx, interrupts, name, src)
	case c.out != "" || c.inplace || c.page != "" || len(c.opt.Only) > 0 || len(c.opt.Skip) > 0:
		fmt.Fprintf(c.stderr, "%s: a program has no cells: -o, --inplace, --html, --cell and --skip are for notebooks\n",
			name)
		return exitUsage
	}
	return c.program(ctx, interrupts, name, src.Program)
}

func (c *runCall) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.stdin)
	}
	return os.ReadFile(name)
}

// forceEvery is how often a worker is asked to end once a second interrupt came.
const forceEvery = 50 * time.Millisecond

// open starts a worker; an interrupt beyond the first is handed to it. ctx of
// the whole call and the limits of its cells are for the runs.
func (c *runCall) open(interrupts <-chan os.Signal, cfg worker.Config) (engine.Engine, func()) {
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
			case <-interrupts: // force, which a worker uses as soon as it has warned
				again = time.Tick(forceEvery)
			case <-again:
				e.Interrupt()
			case <-over:
				return
			}
		}
	}()
	return e, func() { close(over); e.Close() }
}

// folder is where the cells of a file run.
func folder(name string) string {
	if name == "-" {
		return ""
	}
	return filepath.Dir(name)
}

// has says whether all cells that were asked for are there.
func (c *runCall) has(name string, nb *notebook.Notebook) bool {
	for _, n := range c.opt.Only {
		if n > len(nb.Cells) {
			fmt.Fprintf(c.stderr, "%s: --cell %d: it has %d cells\n", name, n, len(nb.Cells))
			return false
		}
	}
	return true
}

// notebook runs a notebook and writes what was asked for, also when it failed.
func (c *runCall) notebook(ctx context.Context, interrupts <-chan os.Signal, name string, nb *notebook.Notebook) int {
	if !c.has(name, nb) {
		return exitUsage
	}
	e, end := c.open(interrupts, worker.Config{Dir: folder(name)})
	report := nb.Run(ctx, e, c.opt)
	end()
	code := runExits[report.Status]
	for _, w := range []struct {
		file string
		data func() []byte
	}{{c.target(name), nb.Bytes}, {c.page, func() []byte { return nb.HTML(filepath.Base(name)) }}} {
		if w.file == "" {
			continue
		}
		if err := replace(w.file, w.data(), c.stdout); err != nil {
			fmt.Fprintf(c.stderr, "gondola run: %v\n", err)
			code = max(code, exitFailed)
		}
	}
	c.report(name, report, nil)
	return code
}

// target is where the notebook is written, or "".
func (c *runCall) target(name string) string {
	if c.inplace {
		return name
	}
	return c.out
}

// report prints the failures, then a line of what was done.
func (c *runCall) report(name string, r notebook.Report, line func(cell, line int) int) {
	base := filepath.Base(name)
	for _, f := range r.Errors {
		if line != nil && f.Line > 0 {
			f.Line = line(f.Cell-1, f.Line)
		}
		fmt.Fprintf(c.stderr, "%s: %v\n", base, f)
		for _, l := range f.Traceback {
			fmt.Fprintln(c.stderr, l)
		}
	}
	if r.Status == notebook.TimedOut {
		fmt.Fprintf(c.stderr, "%s: stopped at a time limit\n", base)
	}
	switch {
	case c.json:
		enc := json.NewEncoder(c.stdout)
		enc.SetEscapeHTML(false)
		enc.Encode(struct {
			File string `json:"file"`
			notebook.Report
		}{name, r})
	case line == nil:
		fmt.Fprintf(c.stderr, "%s: %s: %d of %d cells ran, %d skipped, %d failed, %.1f s\n",
			base, r.Status, r.Ran, r.Cells, r.Skipped, len(r.Errors), r.Seconds)
	}
}

// cells runs a Go file with cells and prints their outputs as text.
func (c *runCall) cells(ctx context.Context, interrupts <-chan os.Signal, name string, src *notebook.Source) int {
	if c.out != "" || c.page != "" {
		return c.notebook(ctx, interrupts, name, src.Cells)
	}
	if !c.has(name, src.Cells) {
		return exitUsage
	}
	e, end := c.open(interrupts, worker.Config{Dir: folder(name), Limits: worker.Limits{Text: -1}})
	opt := c.opt
	opt.To = &notebook.Printer{Stdout: c.stdout, Stderr: c.stderr}
	report := src.Cells.Run(ctx, e, opt)
	end()
	c.report(name, report, src.Line)
	return runExits[report.Status]
}

// replace writes a file beside its place and renames it, so that a reader sees
// the old or the new one. A device such as /dev/null is written as it is, and
// "-" is the standard output.
func replace(name string, data []byte, stdout io.Writer) error {
	mode := os.FileMode(0o644)
	if name == "-" || name == "/dev/stdout" {
		_, err := stdout.Write(data)
		return err
	}
	if st, err := os.Stat(name); err == nil {
		if !st.Mode().IsRegular() {
			return os.WriteFile(name, data, mode)
		}
		mode = st.Mode().Perm()
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gondola-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Chmod(mode); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
