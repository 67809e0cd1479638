package session

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/cell"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// shellGrace is how long a command has from the wish to stop to the kill.
const shellGrace = 500 * time.Millisecond

// setting hands a setting to the process around the engine, so that it outlives
// this one.
func (r *run) setting(text string) {
	r.actions = append(r.actions, engine.Action{Kind: "setting", Text: text})
}

// Set implements engine.Setter.
func (s *Session) Set(setting string) error {
	s.cells.Lock()
	defer s.cells.Unlock()
	name, value, _ := strings.Cut(setting, " ")
	switch name {
	case "engine":
		p, err := ParsePolicy(value)
		if err == nil {
			s.policy = p
		}
		return err
	case "autoimport":
		next := s.now.Load().clone()
		next.noAuto = value == "off"
		s.now.Store(next)
		return nil
	case "build":
		d, err := time.ParseDuration(value)
		if err == nil {
			s.buildLimit = d
		}
		return err
	case "cd":
		return os.Chdir(value)
	case "env":
		k, v, _ := strings.Cut(value, "=")
		return os.Setenv(k, v)
	}
	return fmt.Errorf("%s is no setting", name)
}

// command is !COMMAND: a status that is not zero is a line, no error.
func (r *run) command(text string) error {
	if text == "" {
		return errors.New("!: it needs a command")
	}
	err := r.shell("sh", "-c", text)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.sink.Stream(true, fmt.Sprintf("!%s: %v\n", text, exit))
		return nil
	}
	return err
}

// script runs the text of a cell by a shell; a status that is not zero is an
// error.
func script(shell string) func(*run, cell.Directive) error {
	return func(r *run, d cell.Directive) error {
		args := append([]string{"-c", d.Body, shell}, strings.Fields(d.Args)...)
		err := r.shell(shell, args...)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return plainError("ShellError", fmt.Sprintf("%%%%%s: %v", shell, exit))
		}
		return err
	}
}

// shell runs a command over the descriptors of this process, so that what it
// writes stands in its place among the output. It leads a process group, which
// ends with the cell when that is stopped.
func (r *run) shell(name string, args ...string) error {
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("%s is not there: %w", name, err)
	}
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := duplicate(1)
	if err != nil {
		return err
	}
	defer out.Close()
	errs, err := duplicate(2)
	if err != nil {
		return err
	}
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = cmd.Wait()
	}()
	select {
	case <-done:
		return err
	case <-r.stopped:
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	select {
	case <-done:
	case <-time.After(shellGrace):
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // also what it left behind
	<-done
	return r.stoppedError(nil)
}

// duplicate is a copy of a descriptor of this process as a file.
func duplicate(fd int) (*os.File, error) {
	c, err := syscall.Dup(fd)
	if err != nil {
		return nil, fmt.Errorf("descriptor %d: %w", fd, err)
	}
	syscall.CloseOnExec(c)
	return os.NewFile(uintptr(c), fmt.Sprint("copy of ", fd)), nil
}

// cd changes the folder of the process and tells it.
func (r *run) cd(args string) error {
	before, err := os.Getwd()
	if err != nil {
		before = ""
	}
	to := args
	switch {
	case args == "-" && r.s.lastDir == "":
		return errors.New("%cd -: there is no folder before this one")
	case args == "-":
		to = r.s.lastDir
	case args == "":
		to = "~"
	}
	if to, err = file(to); err != nil {
		return fmt.Errorf("%%cd: %w", err)
	}
	if err := os.Chdir(to); err != nil {
		return fmt.Errorf("%%cd: %w", err)
	}
	r.s.lastDir = before
	now, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("%%cd: %w", err)
	}
	r.setting("cd " + now)
	r.say("%s", now)
	return nil
}

func (r *run) pwd(args string) error {
	if args != "" {
		return fmt.Errorf("%%pwd %s: it takes nothing", args)
	}
	now, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("%%pwd: %w", err)
	}
	r.say("%s", now)
	return nil
}

// file is the path that a person wrote: quotes around it come off, ~ is the
// home.
func file(text string) (string, error) {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	if text == "" {
		return "", errors.New("it needs a file")
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(home, rest), nil
	}
	return text, nil
}
