package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// frame is a place in a cell; fn is "" for the statements of the cell.
type frame struct {
	fn         string
	cell, line int
	col        int // in code points, 0 when not known
	times      int // that the same frame stood there in a row, at least 1
}

func (f frame) String() string {
	text := fmt.Sprintf("cell [%d]:%d", f.cell, f.line)
	if f.fn != "" {
		text += " in " + f.fn
	}
	if f.times > 1 {
		text += fmt.Sprintf(" (%s times)", grouped(f.times))
	}
	return text
}

// explain is what a person reads of a panic: Go's words, the failing line with
// its text, the user's frames, and the advice of the value at last.
func (r *run) explain(f *yaegi.Fault) *engine.CellError {
	frames := framesOf(f, r.cell.Number)
	words, isRuntime := runtimeError(f.Value, f.Text)
	_, noRoom := f.Value.(*yaegi.OutOfMemory)
	e := &engine.CellError{Name: "Panic", Value: words}
	switch exit := f.Exit(); {
	case f.Stopped() != nil:
		return r.stoppedError(frames)
	case f.Kind == yaegi.Internal:
		return r.internal(f.Raw, frames)
	case exit != nil:
		e.Name, e.Value = "Exit", exit.Error()
		e.Traceback = []string{e.Error()}
	case f.Value == errDeadlock:
		e.Name, e.Value = "Deadlock", errDeadlock.Error()
		e.Traceback = []string{"fatal error: " + e.Value}
	case noRoom:
		e.Name, e.Value = "OutOfMemory", f.Text
		e.Traceback = []string{"OutOfMemory: " + e.Value}
	case isRuntime:
		e.Name = "RuntimeError"
		if len(frames) > 0 && (f.Kind == yaegi.Index || f.Kind == yaegi.Slice) {
			e.Value = r.withNumbers(words, &frames[0])
		}
		e.Traceback = []string{"panic: " + strings.Replace(f.Text, words, e.Value, 1)}
	default:
		e.Value = panicText(f.Value)
		if _, ok := f.Value.(error); ok {
			e.Name = fmt.Sprintf("%T", f.Value)
		}
		e.Traceback = []string{"panic: " + e.Value}
	}
	e.Traceback = append(e.Traceback, r.s.trace(frames, r.asked)...)
	if h := hint(f.Value); h != "" {
		e.Traceback = append(e.Traceback, h)
	}
	return e
}

// frames are the runner's frames with the numbers of their cells; number is
// that of frames without a file.
func frames(list []yaegi.Frame, number int) []frame {
	out := make([]frame, len(list))
	for i, f := range list {
		n, ok := cellNumber(f.File)
		if !ok {
			n = number
		}
		out[i] = frame{fn: f.Func, cell: n, line: f.Line}
	}
	return out
}

// stoppedError is the end of a cell that was asked to stop.
func (r *run) stoppedError(frames []frame) *engine.CellError {
	frames = fold(frames)
	if r.reason() == reasonStack {
		e := &engine.CellError{Name: "StackOverflow", Value: "the calls of this cell are too deep"}
		if n := r.depth.Load(); n > 0 {
			e.Value = grouped(int(n)) + " calls deep"
			if f := r.recursive(); f != "" {
				e.Value = grouped(int(n)) + " calls of " + f + " deep"
			}
		}
		e.Traceback = append([]string{"StackOverflow: " + e.Value}, r.s.trace(frames, r.asked)...)
		e.Traceback = append(e.Traceback, "give the recursion an end, or write it as a loop")
		return e
	}
	e := &engine.CellError{Name: "Interrupted", Value: "stopped after " + seconds(time.Since(r.begun))}
	if r.left != "" {
		e.Value += "; " + r.left
	}
	e.Traceback = append([]string{"Interrupted: " + e.Value}, r.s.trace(frames, r.asked)...)
	return e
}

// internal is a fault of ours: a panic that the user's program cannot have.
func (r *run) internal(what string, frames []frame) *engine.CellError {
	e := &engine.CellError{Name: "InternalError", Value: "a fault of gondola, report it: " + what}
	e.Traceback = append([]string{"InternalError: " + e.Value}, r.s.trace(frames, r.asked)...)
	return e
}

// trace renders frames: the first with the text of its line, all but the first
// and the last twenty of long ones left out. asked is the user expression whose
// statements these are, "" for those of a cell.
func (s *Session) trace(frames []frame, asked string) []string {
	frames = fold(frames)
	var out []string
	frames = slices.DeleteFunc(frames, func(f frame) bool { return f.line == 0 }) // a call that nobody wrote, of main
	for i, f := range frames {
		if len(frames) > 40 && i == 20 {
			out = append(out, fmt.Sprintf("… %s frames", grouped(len(frames)-40)))
		}
		if len(frames) > 40 && i >= 20 && i < len(frames)-20 {
			continue
		}
		out = append(out, f.String())
		text, ok := s.line(f.cell, f.line)
		if asked != "" && f.fn == "" {
			text, ok = asked, true
		}
		if ok && i == 0 {
			out = append(out, "    "+strings.TrimRight(text, " \t\r"))
			if f.col > 0 {
				out = append(out, "    "+caret(text, f.col))
			}
		}
	}
	return out
}

// caret is a line with ^ under column col of line; tabs stay tabs.
func caret(line string, col int) string {
	var b strings.Builder
	for _, c := range line {
		if col--; col == 0 {
			break
		}
		if c != '\t' {
			c = ' '
		}
		b.WriteRune(c)
	}
	return b.String() + "^"
}

// fold joins frames of one function that follow each other; the line of the
// innermost stands for all.
func fold(frames []frame) []frame {
	var out []frame
	for _, f := range frames {
		f.times = max(f.times, 1)
		if n := len(out); n > 0 && out[n-1].fn == f.fn && out[n-1].cell == f.cell && f.fn != "" {
			out[n-1].times += f.times
			continue
		}
		out = append(out, f)
	}
	return out
}

// line is one line of the text of a cell.
func (s *Session) line(cell, n int) (string, bool) {
	s.textMu.Lock()
	defer s.textMu.Unlock()
	text, ok := s.texts[cell]
	if !ok || n < 1 {
		return "", false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if n--; n == 0 {
			return line, true
		}
	}
	return "", false
}

// seconds is a duration as a person says it: "3.2 s".
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// grouped writes a number with its thousands apart: 224 000.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + " " + s[at:]
	}
	return s
}

// recursive names the function that calls itself among those which the cell
// can reach; "" when there is none, or not only one.
func (r *run) recursive() string {
	st := r.s.now.Load().clone()
	for _, e := range r.fresh {
		st.names[e.name] = e
	}
	reach := func(from []string) map[string]bool {
		seen := map[string]bool{}
		for len(from) > 0 {
			n := from[0]
			from = from[1:]
			if e := st.names[n]; e != nil && e.kind == "func" && !seen[n] {
				seen[n] = true
				from = append(from, e.uses...)
			}
		}
		return seen
	}
	if r.tree == nil { // a handler of a comm
		return ""
	}
	var start, found []string
	for id := range r.tree.Info.Uses {
		start = append(start, id.Name)
	}
	for n := range reach(start) {
		calls := 0
		eachWord(st.names[n].source, func(_ int, word string) bool {
			if word == n {
				calls++
			}
			return true
		})
		if calls > 1 || reach(st.names[n].uses)[n] {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}
