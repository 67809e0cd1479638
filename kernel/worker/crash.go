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
	c := or(named(e.stderr), named(e.report))
	switch {
	case c == outOfMemory+gotNoMore && e.peak > 0:
		return outOfMemory + size(e.peak) + " in use, and " + gotNoMore + e.allowed()
	case strings.HasPrefix(c, outOfMemory):
		return c + e.allowed()
	case (c == "" && e.status.ExitStatus() == 2 || strings.HasPrefix(c, "SIG")) && e.limit > 0 && e.peak > e.limit/4*3:
		// A runtime that gets no memory in the middle of its own work may end
		// by any fault.
		return outOfMemory + size(e.peak) + " in use" + e.allowed()
	case c != "":
		return c
	case e.status.Signaled():
		return fmt.Sprintf("ended by signal %d: %v", int(e.status.Signal()), e.status.Signal())
	}
	return fmt.Sprintf("ended with exit status %d: compiled code called os.Exit", e.status.ExitStatus())
}

// called gives the status that compiled code, a package's too, gave to os.Exit.
func (e ending) called() (status int, ok bool) {
	plain := e.reason == "" && e.status.Exited() && named(e.stderr) == "" && named(e.report) == ""
	return e.status.ExitStatus(), plain
}

func (e ending) allowed() string {
	if e.limit <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s are allowed", size(e.limit))
}

const (
	outOfMemory = "OutOfMemory: "
	gotNoMore   = "the runtime got no more"
)

// named finds the line of a crash text that names the cause.
func named(text string) string {
	var signal, throw, panicked string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "fatal error: ") && throw == "":
			throw = line
		case strings.HasPrefix(line, "panic: ") && panicked == "":
			panicked, _, _ = strings.Cut(line, " [recovered")
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
		return outOfMemory + or(refused(text), gotNoMore)
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
	return or(told(text, "stack exceeds"), "a goroutine's stack passed its limit")
}

// refused is the runtime's own words on memory that it did not get, with what
// the cell asked for.
func refused(text string) string {
	words := told(text, "cannot allocate")
	var asked, used int64
	if _, after, ok := strings.Cut(words, "cannot allocate "); ok {
		if n, _ := fmt.Sscanf(after, "%d-byte block (%d in use)", &asked, &used); n == 2 {
			return fmt.Sprintf("%s asked for, %s in use", size(asked), size(used))
		}
	}
	return words
}

// told is the line of the runtime that has these words.
func told(text, words string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "runtime: "); ok && strings.Contains(rest, words) {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// hostFrames are packages whose functions are no help to the writer of a cell.
var hostFrames = []string{"runtime.", "runtime/", "internal/", "reflect.", "syscall.", "panic(", "created by ",
	"github.com/traefik/yaegi/", "github.com/gondola-lab/gondola/kernel/"}

const mostFrames = 10

// frames lists the functions of the goroutine that crashed, the innermost
// first; those of cells with their place. A folded recursion is one line.
func (e ending) frames() []string {
	text := e.report
	if !strings.Contains(text, "goroutine ") {
		text = e.stderr
	}
	_, text, _ = strings.Cut(text, "goroutine ")
	text, _, _ = strings.Cut(text, "\n\n")
	lines := strings.Split(text, "\n")
	var out []string
	for i := 1; i+1 < len(lines) && len(out) < mostFrames; i++ {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue
		}
		line := "  in " + lines[i]
		if j := strings.LastIndexByte(line, '('); j > 0 {
			line = line[:j]
		}
		if strings.HasPrefix(place, "cell[") { // files of the host say nothing to a person
			place, _, _ = strings.Cut(place, " +0x")
			line += " " + place
		}
		if !hostFrame(lines[i]) && (len(out) == 0 || out[len(out)-1] != line) {
			out = append(out, line)
		}
		i++
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
