package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// answer is what a program prints and ends with.
type answer struct {
	Out, Err string
	Code     int // −1: by a signal, or not in time
	Late     bool
}

// reference is what a program does when the plain compiler builds it, kept on
// disk. Refused says why it is none to compare with, as "does not build alone".
type reference struct {
	answer
	Refused string
}

// plain builds a program with the plain compiler and runs it twice, from the
// folder of the tests, as go run would: what differs between the two runs is
// nobody's to say.
func (c *config) plain(f *file) (*reference, error) {
	sum := sha256.Sum256([]byte(runtime.Version() + f.name + f.text))
	kept := filepath.Join(c.work, "plain", hex.EncodeToString(sum[:12])+".json")
	ref := &reference{}
	if b, err := os.ReadFile(kept); err == nil && json.Unmarshal(b, ref) == nil {
		return ref, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "gotests-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "program")
	build, err := c.command(c.root, nil, "go", "build", "-o", bin, f.name)
	if err != nil {
		return nil, err
	}
	switch {
	case build.Late:
		return nil, fmt.Errorf("%s: the compiler was not done in time", f.name)
	case build.Code != 0:
		ref.Refused = "does not build alone: " + lineOf(build.Err)
	default:
		first, err := c.command(c.root, nil, bin)
		if err != nil {
			return nil, err
		}
		second, err := c.command(c.root, nil, bin)
		if err != nil {
			return nil, err
		}
		ref.answer = *first
		switch {
		case first.Late || second.Late:
			ref.Refused = "is not over in time"
		case first.Code != 0:
			ref.Refused = fmt.Sprintf("ends with %d by itself: %s", first.Code, lineOf(first.Err))
		case *first != *second:
			ref.Refused = "prints something else in each run"
		}
	}
	b, err := json.Marshal(ref)
	if err != nil {
		return nil, err
	}
	return ref, os.WriteFile(kept, b, 0o644)
}

// lineOf is the first line that says something.
func lineOf(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return "no words"
}

// command runs a program to its end or to the limit, with nothing to read.
func (c *config) command(dir string, env []string, name string, args ...string) (*answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), env...), time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	a := &answer{out.String(), errs.String(), 0, ctx.Err() != nil}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		a.Code = exit.ExitCode()
	} else if err != nil && !a.Late {
		return nil, err
	}
	return a, nil
}
