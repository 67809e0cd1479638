package session

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// goroutineState is what the runtime says of a goroutine: the word in the
// header of its trace, and the compiled function that interpreted code called.
type goroutineState struct {
	state string // "sleep", "chan receive", "running" …
	call  string // "time.Sleep", "apmlgpu.Chamfer"; "" when none
}

// look finds a goroutine among all of the process.
func look(id int64) (goroutineState, bool) { return parseStacks(allStacks(), id) }

// parseStacks reads the state of one goroutine from a trace of all of them.
func parseStacks(text string, id int64) (goroutineState, bool) {
	head := "goroutine " + strconv.FormatInt(id, 10) + " ["
	at := strings.Index(text, head)
	if at > 0 && text[at-1] != '\n' {
		if at = strings.Index(text, "\n"+head); at >= 0 {
			at++
		}
	}
	if at < 0 {
		return goroutineState{}, false
	}
	block, _, _ := strings.Cut(text[at+len(head):], "\n\n")
	state, frames, _ := strings.Cut(block, "]")
	state, _, _ = strings.Cut(state, ",") // "chan receive, 2 minutes"
	above := ""
	for line := range strings.SplitSeq(frames, "\n") {
		switch {
		case strings.HasPrefix(line, "\t"), line == ":", line == "":
		case strings.HasPrefix(line, "reflect.Value.call("), strings.HasPrefix(line, "reflect.Value.Call("):
			return goroutineState{state, functionName(above)}, true
		default:
			above = line
		}
	}
	return goroutineState{state, ""}, true
}

// functionName shortens a line of a trace to package and function.
func functionName(line string) string {
	if at := strings.LastIndexByte(line, '('); at > 0 {
		line = line[:at]
	}
	line = line[strings.LastIndexByte(line, '/')+1:]
	switch name, _, _ := strings.Cut(line, "."); name {
	case "reflect", "runtime", "yaegi", "cellapi":
		return "" // the runner's own way to a channel or a value
	}
	return strings.TrimSuffix(line, "[...]")
}

// comesBack tells whether a goroutine runs and is in no call of compiled code:
// it is on its way to a poll, or back from one.
func (g goroutineState) comesBack() bool {
	return g.call == "" && (g.state == "running" || g.state == "runnable")
}

// leftBehind says in one sentence what a goroutine does that did not stop.
func (g goroutineState) leftBehind() string {
	switch {
	case g.call != "":
		return fmt.Sprintf("a call of %s still runs in the background", g.call)
	case strings.HasPrefix(g.state, "chan ") || g.state == "select":
		return "a channel operation still waits in the background"
	}
	return "a statement still runs in the background"
}

// goid is the number of the calling goroutine, from the head of its trace.
func goid() int64 {
	var buf [40]byte
	head := string(buf[:runtime.Stack(buf[:], false)])
	number, _, _ := strings.Cut(strings.TrimPrefix(head, "goroutine "), " ")
	id, _ := strconv.ParseInt(number, 10, 64)
	return id
}
