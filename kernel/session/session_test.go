//go:build linux

package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/internal/packs/std"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// newTestSession is a session over the standard library.
func newTestSession(t *testing.T) *Session {
	t.Helper()
	s := NewWith(Auto, std.Set())
	t.Cleanup(func() { s.Close() })
	return s
}

// mustRun executes cells one after another, numbered from first, and fails the
// test at the first that fails.
func mustRun(t *testing.T, s *Session, first int, cells ...string) answer {
	t.Helper()
	var a answer
	for i, code := range cells {
		if a = runCell(t, s, first+i, code); a.out.Err != nil {
			t.Fatalf("cell %d: %s", first+i, a.failure())
		}
	}
	return a
}

// Our own transcripts must all be right where cells can be compiled.
func TestOwnTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := compiles(t)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			v, why := judge(t, Auto, parseTranscript(string(text)))
			if v == "wrong" || v == "refused" && all {
				t.Errorf("%s: %s", v, why)
			}
		})
	}
}

// interruptAfter runs a cell and interrupts it after a while.
func interruptAfter(t *testing.T, s *Session, n int, code string, d time.Duration) answer {
	t.Helper()
	timer := time.AfterFunc(d, s.Interrupt)
	defer timer.Stop()
	return runCell(t, s, n, code)
}

// waitStep waits until a cell has set GONDOLA_TEST_STEP: the environment is the
// session's too.
func waitStep(step string) {
	for os.Getenv("GONDOLA_TEST_STEP") != step {
		time.Sleep(time.Millisecond)
	}
}

func TestEndlessLoopStopsFiftyTimesAndKeepsVariables(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, "n := 0\nname := \"kept\"\nxs := []int{1, 2, 3}")
	t.Setenv("GONDOLA_TEST_STEP", "0")
	for i := range 50 {
		step := strconv.Itoa(i + 1)
		go func() {
			waitStep(step)
			s.Interrupt()
		}()
		a := runCell(t, s, 2+i, "n++\nos.Setenv(\"GONDOLA_TEST_STEP\", fmt.Sprint(n))\nfor {\n}")
		if a.out.Err == nil || a.out.Err.Name != "Interrupted" || !strings.HasPrefix(a.out.Err.Value, "stopped after 0.") {
			t.Fatalf("interrupt %d: %s", i, a.failure())
		}
	}
	if a := mustRun(t, s, 60, "fmt.Sprintln(n, name, xs)"); a.result != "50 kept [1 2 3]\n" {
		t.Errorf("after 50 interrupts: %q", a.result)
	}
}

// A goroutine that is left behind never runs another statement of the user, not
// even when its call comes back at last.
func TestBlockedCellsAreLeftBehind(t *testing.T) {
	if raceOn {
		t.Skip("how far a goroutine came that is left behind is read while it may still go on: the race is meant")
	}
	for _, tt := range []struct{ code, release, want string }{
		{"time.Sleep(600 * time.Millisecond)\nn = 2", "", "a call of time.Sleep still runs in the background"},
		{"mu.Lock()\nmu.Lock()\nn = 2", "mu.Unlock()", "a call of sync.(*Mutex).Lock still runs in the background"},
	} {
		s := newTestSession(t)
		mustRun(t, s, 1, "n := 1\nc := make(chan int)\nvar mu sync.Mutex")
		a := interruptAfter(t, s, 2, tt.code, 20*time.Millisecond)
		if a.out.Err == nil || a.out.Err.Name != "Interrupted" || !strings.Contains(a.out.Err.Value, tt.want) {
			t.Errorf("%q: %s, want %q", tt.code, a.failure(), tt.want)
		}
		if text := s.background(); text != "1 goroutine of an earlier cell runs in the background; %restart ends it" {
			t.Errorf("%q: background is %q", tt.code, text)
		}
		mustRun(t, s, 3, "n += 10", tt.release)
		for end := time.Now().Add(5 * time.Second); s.background() != "" && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if text := s.background(); text != "" {
			t.Errorf("%q: after its call came back: %s", tt.code, text)
		}
		if a := mustRun(t, s, 5, "n"); a.result != "11" {
			t.Errorf("%q: n is %s after the stop, want 11", tt.code, a.result)
		}
	}
}

// A channel operation ends with its cell and leaves nothing behind.
func TestBlockedChannelsEnd(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, "n := 1\nc := make(chan int)")
	for i, code := range []string{"<-c", "c <- 1", "select {\ncase <-c:\n}", "for range c {\n}"} {
		a := interruptAfter(t, s, 2+i, code+"\nn = 2", 20*time.Millisecond)
		if a.out.Err == nil || a.out.Err.Name != "Interrupted" || strings.Contains(a.out.Err.Value, "background") {
			t.Errorf("%q: %s", code, a.failure())
		}
	}
	if a := mustRun(t, s, 9, "n"); a.result != "1" || s.background() != "" {
		t.Errorf("n is %s, background %q", a.result, s.background())
	}
}

func TestStopSparesGoroutinesOfOtherCells(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, `var count int64
quit := false
go func() {
	for !quit {
		atomic.AddInt64(&count, 1)
		time.Sleep(time.Millisecond)
	}
}()`)
	a := interruptAfter(t, s, 2, "for {\n}", 20*time.Millisecond)
	if a.out.Err == nil || a.out.Err.Name != "Interrupted" {
		t.Fatalf("the loop was not interrupted: %s", a.failure())
	}
	a = mustRun(t, s, 3, "before := atomic.LoadInt64(&count)\ntime.Sleep(50 * time.Millisecond)\natomic.LoadInt64(&count) > before")
	if a.result != "true" {
		t.Error("the goroutine of cell 1 ended with the interrupt of cell 2")
	}
	mustRun(t, s, 4, "quit = true")
}

func TestRecursionIsStoppedAndStateKept(t *testing.T) {
	s := newTestSession(t)
	s.stackLimit = 64 << 20
	mustRun(t, s, 1, "x := 42\nfunc deep(n int) int { return deep(n+1) + 1 }")
	a := runCell(t, s, 2, "x++\ndeep(0)")
	if a.out.Err == nil || a.out.Err.Name != "StackOverflow" || !strings.HasSuffix(a.out.Err.Value, " calls of deep deep") {
		t.Fatalf("endless recursion: %s", a.failure())
	}
	if a := mustRun(t, s, 3, "x"); a.result != "43" {
		t.Errorf("x is %s after the overflow, want 43", a.result)
	}
}

// A thousand new bodies of one function, and two names defined in turn, leave
// nothing behind.
func TestRedefinitionKeepsTheHeapFlat(t *testing.T) {
	s := newTestSession(t)
	step := func(from, to int) {
		sink := &sheet{}
		for i := from; i < to; i++ {
			for _, code := range []string{"func f() int { return a + 1 }", "a := 1", "func g() int { return f() * 2 }\nb := g()"} {
				if out := s.Execute(t.Context(), engine.Cell{ID: uint64(i), Number: i, Code: code}, sink); out.Err != nil {
					t.Fatalf("step %d: %v", i, out.Err)
				}
			}
		}
	}
	mustRun(t, s, 1, "a := 0")
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	step(2, 500) // the texts that are kept for traces are full
	before := heap()
	step(500, 1500)
	if after := heap(); after > before+3000*200 { // a kept checker's package is 1 500 bytes a cell
		t.Errorf("heap %d KiB before 3000 cells, %d KiB after", before>>10, after>>10)
	}
}

func TestExitEndsNothing(t *testing.T) {
	s := newTestSession(t)
	for i, tt := range []struct{ code, want string }{
		{"os.Exit(3)", "Exit: os.Exit(3) is not run in a notebook"},
		{"runtime.Goexit()", "Exit: runtime.Goexit() is not run in a notebook"},
	} {
		a := runCell(t, s, i+1, tt.code)
		if a.out.Err == nil || a.out.Err.Error() != tt.want {
			t.Errorf("%s: %s, want %s", tt.code, a.failure(), tt.want)
		}
	}
	a := runCell(t, s, 5, `log.Fatal("no way")`)
	if a.out.Err == nil || a.out.Err.Name != "Exit" || !strings.Contains(a.stderr, "no way") {
		t.Errorf("log.Fatal: %s, stderr %q", a.failure(), a.stderr)
	}
}

func TestPoliciesHaveNames(t *testing.T) {
	for _, name := range []string{"auto", "interpret", "native"} {
		if p, err := ParsePolicy(name); err != nil || string(p) != name {
			t.Errorf("ParsePolicy(%s) = %q, %v", name, p, err)
		}
	}
	if _, err := ParsePolicy("fast"); err == nil || !strings.Contains(err.Error(), "auto, interpret, native") {
		t.Errorf("ParsePolicy(fast): %v", err)
	}
}
