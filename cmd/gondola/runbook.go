package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/worker"
)

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
func (c *runCall) notebook(ctx context.Context, force <-chan struct{}, name string, nb *notebook.Notebook) int {
	if !c.has(name, nb) {
		return exitUsage
	}
	cfg := worker.Config{Dir: folder(name)}
	opt, code := c.inject(ctx, cfg, name, nb)
	if code >= 0 {
		return code
	}
	stored := nb.Texts()
	e, end := c.open(force, cfg)
	report := nb.Run(ctx, e, opt)
	end()
	code = runExits[report.Status]
	var differs []notebook.Difference
	if c.compare {
		if differs = nb.Compare(stored); len(differs) > 0 && code == exitOK {
			code = exitDiffers
		}
	}
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
	c.report(name, report, differs, nil)
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
func (c *runCall) report(
	name string, r notebook.Report, differs []notebook.Difference, line func(cell, line int) int,
) {
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
	for _, d := range differs {
		fmt.Fprintf(c.stderr, "%s: %v\n", base, d)
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
			Differs []notebook.Difference `json:"differs,omitempty"`
		}{name, r, differs})
	case line == nil:
		fmt.Fprintf(c.stderr, "%s: %s: %d of %d cells ran, %d skipped, %d failed, %.1f s\n",
			base, r.Status, r.Ran, r.Cells, r.Skipped, len(r.Errors), r.Seconds)
	}
}

// cells runs a Go file with cells and prints their outputs as text.
func (c *runCall) cells(ctx context.Context, force <-chan struct{}, name string, src *notebook.Source) int {
	if c.out != "" || c.page != "" {
		return c.notebook(ctx, force, name, src.Cells)
	}
	if !c.has(name, src.Cells) {
		return exitUsage
	}
	cfg := worker.Config{Dir: folder(name), Limits: worker.Limits{Text: -1}}
	opt, code := c.inject(ctx, cfg, name, src.Cells)
	if code >= 0 {
		return code
	}
	opt.To = &notebook.Printer{Stdout: c.stdout, Stderr: c.stderr}
	e, end := c.open(force, cfg)
	report := src.Cells.Run(ctx, e, opt)
	end()
	c.report(name, report, nil, src.Line)
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
