package worker

import (
	"fmt"
	"strings"
	"syscall"
)

// crashed says whether the child ended as Go ends on a panic or a fatal error,
// so that what it wrote last on standard error is the report.
func (e ending) crashed() bool {
	if e.reason != "" {
		return false
	}
	return e.status.Exited() && e.status.ExitStatus() != 0 || e.status.Signaled() && e.status.Signal() != syscall.SIGKILL
}

// cause says in one line why a worker ended. Runtime throws stand on standard
// error only, so that is read first; the report has the frames.
func (e ending) cause() string {
	if e.reason != "" {
		return e.reason
	}
	if e.status.Signaled() && e.status.Signal() == syscall.SIGKILL {
		return "killed from outside; perhaps out of memory"
	}
	for _, text := range []string{e.stderr, e.report} {
		if c := named(text); c != "" {
			return c
		}
	}
	switch {
	case e.status.Signaled():
		return fmt.Sprintf("ended by signal %d: %v", int(e.status.Signal()), e.status.Signal())
	case e.status.ExitStatus() == 0:
		return "ended with exit status 0: compiled code called os.Exit"
	}
	return fmt.Sprintf("ended with exit status %d: compiled code called os.Exit", e.status.ExitStatus())
}

// named finds the line of a crash text that names the cause.
func named(text string) string {
	var signal, throw, panicked string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "fatal error: ") && throw == "":
			throw = line
		case strings.HasPrefix(line, "panic: ") && panicked == "":
			panicked = line
		case strings.HasPrefix(line, "SIG") && strings.Contains(line, ": ") && signal == "":
			signal = line
		case strings.HasPrefix(line, "[signal ") && signal == "":
			signal = strings.Trim(line, "[]")
		}
	}
	switch {
	case strings.Contains(throw, "stack overflow"):
		return "StackOverflow: " + limitOf(text)
	case strings.Contains(throw, "out of memory") || strings.Contains(throw, "cannot allocate memory"):
		return "OutOfMemory: " + strings.TrimPrefix(throw, "fatal error: ")
	case throw != "" && signal != "":
		return throw + " (" + signal + ")"
	case throw != "":
		return throw
	case panicked != "":
		return panicked
	}
	return signal
}

// limitOf is the runtime's own words on a stack that grew too far.
func limitOf(text string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "runtime: "); ok && strings.Contains(rest, "stack exceeds") {
			return strings.TrimSpace(rest)
		}
	}
	return "a goroutine's stack passed its limit"
}

// hostFrames are packages whose functions are no help to the writer of a cell.
var hostFrames = []string{"runtime.", "runtime/", "internal/", "reflect.", "syscall.", "panic(", "created by ",
	"github.com/traefik/yaegi/", "github.com/gondola-lab/gondola/kernel/"}

const mostFrames = 10

// frames lists the functions of the goroutine that crashed, the innermost
// first, as "f cell[3]:7". A folded recursion is one line.
func (e ending) frames() []string {
	text := e.report
	if !strings.Contains(text, "goroutine ") {
		text = e.stderr
	}
	_, text, found := strings.Cut(text, "goroutine ")
	if !found {
		return nil
	}
	text, _, _ = strings.Cut(text, "\n\n")
	lines := strings.Split(text, "\n")
	var out []string
	for i := 1; i+1 < len(lines); i++ {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue
		}
		name := lines[i]
		i++
		if hostFrame(name) {
			continue
		}
		if j := strings.LastIndexByte(name, '('); j > 0 {
			name = name[:j]
		}
		place, _, _ = strings.Cut(place, " +0x")
		line := "  " + name + " " + place
		if n := len(out); n > 0 && out[n-1] == line {
			continue
		}
		if out = append(out, line); len(out) == mostFrames {
			break
		}
	}
	return out
}

func hostFrame(name string) bool {
	for _, p := range hostFrames {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
