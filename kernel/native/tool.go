package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// toolError is a tool that ended with a complaint.
type toolError struct {
	name   string
	err    error
	output string // what it wrote to stderr, else to stdout
}

func (e *toolError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.name, e.err, firstLine(e.output))
}

func asTool(err error, e **toolError) bool { return errors.As(err, e) }

// run runs a tool and returns its standard output. The end of ctx kills the
// tool with all that it has started; the error is then the cause of that.
func (t *Toolchain) run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.WaitDelay = dir, t.env, killWait
	group(c)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case c.ProcessState == nil: // it did not start
		return nil, &Unavailable{"go", fmt.Sprintf("%s does not start: %v", filepath.Base(name), err),
			"see that " + name + " is there and there is memory for it"}
	}
	if errs.Len() == 0 {
		errs = out // the compiler complains there
	}
	return nil, &toolError{filepath.Base(name), err, errs.String()}
}

// full are the words of the system for a folder that takes no more files.
var full = []string{syscall.ENOSPC.Error(), syscall.EDQUOT.Error(), syscall.EROFS.Error(), "disk quota exceeded"}

// noRoom reports whether a tool, or a write of ours, failed for want of room, or
// of a folder: somebody may have emptied the cache.
func noRoom(err error) bool {
	for _, e := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.ENOENT, syscall.ENOTDIR,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var e *toolError
	if !errors.As(err, &e) {
		return false
	}
	for _, words := range full {
		if strings.Contains(strings.ToLower(e.output), words) {
			return true
		}
	}
	return false
}

// complaint is the line of a tool's output that tells most: the first that
// speaks of an error, else the last.
func complaint(text string) string {
	last := "no reason given"
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if strings.Contains(line, "error:") {
			return line
		}
		last = line
	}
	return last
}

// firstLine is the first line of a tool's output that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return "no reason given"
}
