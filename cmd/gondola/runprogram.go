package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/gondola-lab/gondola/kernel/notebook"
	"github.com/gondola-lab/gondola/kernel/worker"
)

// program runs a Go program: its bytes, its arguments, its exit code.
func (c *runCall) program(ctx context.Context, force <-chan struct{}, name, text string) int {
	in, err := programInput(c.stdin, name)
	if err != nil {
		fmt.Fprintf(c.stderr, "gondola run: %v\n", err)
		return exitMissing
	}
	if in != nil {
		defer in.Close()
	}
	e, end := c.open(force, worker.Config{Args: append([]string{name}, c.rest...), Stdin: in,
		Limits: worker.Limits{Text: -1}})
	defer end()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("%w of %v", notebook.ErrTimeout, c.timeout))
		defer cancel()
	}
	p := &notebook.Printer{Stdout: c.stdout, Stderr: c.stderr}
	failed, code := notebook.RunProgram(ctx, e, name, text, p)
	if failed != nil && failed.Name != "Exit" {
		for _, line := range failed.Traceback {
			fmt.Fprintln(c.stderr, line)
		}
	}
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), notebook.ErrTimeout):
		fmt.Fprintf(c.stderr, "gondola run: %v\n", context.Cause(ctx))
		return exitTimeout
	case ctx.Err() != nil:
		return exitInterrupted
	case failed != nil && failed.Name == "WorkerLost":
		return exitLost
	case p.Err() != nil && code == exitOK:
		fmt.Fprintf(c.stderr, "gondola run: %v\n", p.Err())
		return exitFailed
	}
	return code
}

// programInput is what the program reads at fd 0: our own, or, where that is a
// terminal or no file, a pipe from it: a process outside the terminal's group
// may not read a terminal. "-" was read as the program itself.
func programInput(stdin io.Reader, name string) (*os.File, error) {
	f, isFile := stdin.(*os.File)
	if name == "-" || stdin == nil {
		return nil, nil
	}
	if isFile {
		if st, err := f.Stat(); err == nil && st.Mode()&os.ModeCharDevice == 0 {
			fd, err := syscall.Dup(int(f.Fd())) // the caller closes what it gets
			return os.NewFile(uintptr(fd), "stdin"), err
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		io.Copy(w, stdin) // ends with the input, or with us
		w.Close()
	}()
	return r, nil
}
