package session

import (
	"errors"
	"go/types"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/front"
	"github.com/gondola-lab/gondola/kernel/yaegi"
)

// The Go runtime ends a program whose goroutines all wait for each other. This
// process has goroutines of its own, so it never does; a program is looked at
// instead. It is stuck when in one trace of all goroutines, for which the world
// stands still, each of its own waits in an operation of a channel or of package
// sync. That is so only if nothing else can wake one: no timer, no connection.
// So only programs are looked at that use no package but those below.

var errDeadlock = errors.New("all goroutines are asleep - deadlock!")

// wakeless are packages with which a goroutine is woken by another one of the
// program only; of those with a list, these names.
var wakeless = map[string][]string{
	"bytes": nil, "cmp": nil, "errors": nil, "fmt": nil, "maps": nil, "math": nil, "math/bits": nil, "math/rand": nil,
	"math/rand/v2": nil, "slices": nil, "sort": nil, "strconv": nil, "strings": nil, "sync": nil,
	"sync/atomic": nil, "unicode": nil, "unicode/utf8": nil,
	"context": {"Background", "WithCancel", "WithValue", "Canceled"},
	"runtime": {"GC", "GOARCH", "GOMAXPROCS", "GOOS", "Gosched", "NumCPU", "NumGoroutine"}, // no finalizers
	"os":      {"Args", "Exit", "Stdout", "Stderr"},
	"time":    {"Now", "Since", "Sleep"},
}

// unitFrames begins the functions of compiled cells in a trace; those of
// interpreted ones are called through package reflect.
const unitFrames = "gondola.session/"

// mayBeStuck reports whether nothing but its own goroutines wakes a goroutine
// of a program.
func mayBeStuck(c *front.Cell) bool {
	for _, o := range c.Info.Uses {
		if o.Pkg() == nil || o.Pkg().Path() == homePath || o.Parent() != o.Pkg().Scope() {
			continue
		}
		only, ok := wakeless[o.Pkg().Path()]
		if _, is := o.(*types.TypeName); !ok || only != nil && !is && !slices.Contains(only, o.Name()) {
			return false
		}
	}
	return true
}

// watchDeadlock ends the program when all its goroutines wait for ever, until
// the function that it returns is called. It is called before the program runs:
// what there is by then was left by others and wakes nobody of it.
func (r *run) watchDeadlock() (end func()) {
	done := make(chan struct{})
	earlier := goroutines(allStacks())
	go func() {
		pause := 100 * time.Millisecond
		for {
			select {
			case <-done:
				return
			case <-time.After(pause):
			}
			begun := time.Now()
			if stuck(allStacks(), earlier) {
				r.end(&yaegi.Fault{Value: errDeadlock, Text: errDeadlock.Error()})
				return
			}
			pause = max(pause, 50*time.Since(begun)) // the program stands still meanwhile
		}
	}()
	return func() { close(done) }
}

// allStacks is the trace of all goroutines of the process.
func allStacks() string {
	buf := make([]byte, 1<<16)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) || len(buf) >= 1<<26 {
			return string(buf[:n])
		}
		buf = make([]byte, 4*len(buf))
	}
}

// goroutines are the heads of a trace's goroutines, "goroutine 7", which no later
// one has.
func goroutines(text string) map[string]bool {
	all := map[string]bool{}
	for block := range strings.SplitSeq(text, "\n\n") {
		all[headOf(block)] = true
	}
	return all
}

func headOf(block string) string {
	head, _, _ := strings.Cut(strings.TrimSpace(block), " [")
	return head
}

// stuck reports whether in a trace of all goroutines the main one of the
// program is there and each one of the program waits for another. Those of
// earlier are not the program's.
func stuck(text string, earlier map[string]bool) bool {
	main := false
	for block := range strings.SplitSeq(text, "\n\n") {
		isMain := strings.Contains(block, "kernel/session.(*run).await.func1(")
		grouped := strings.Contains(block, "created by sync.(*WaitGroup).Go ") && // a function of the program, or not yet begun
			(strings.Contains(block, "\nreflect.") || strings.Contains(block, "\n"+unitFrames) || strings.Contains(block, " [runn"))
		ours := isMain || grouped || strings.Contains(block, "created by github.com/gondola-lab/gondola/kernel/cellapi.Go ")
		if !ours || earlier[headOf(block)] {
			continue
		}
		main = main || isMain
		if !waits(block) {
			return false
		}
	}
	return main
}

// waits reports whether a goroutine waits in an operation that its program
// called, and not in one of the runner's own.
func waits(block string) bool {
	head, frames, _ := strings.Cut(block, "]:\n")
	_, state, _ := strings.Cut(head, "[")
	state, _, _ = strings.Cut(state, ",") // "select, 2 minutes"
	switch state {
	case "select", "sync.WaitGroup.Wait", "sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock", "sync.Cond.Wait",
		"select (no cases)", "chan send", "chan receive", "chan send (nil chan)", "chan receive (nil chan)":
	default:
		return false
	}
	for line := range strings.SplitSeq(frames, "\n") {
		switch {
		case strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "sync."), strings.HasPrefix(line, "internal/sync."),
			strings.HasPrefix(line, "runtime."), strings.HasPrefix(line, "internal/runtime"):
		default:
			return strings.HasPrefix(line, "reflect.") || strings.HasPrefix(line, unitFrames)
		}
	}
	return false
}
