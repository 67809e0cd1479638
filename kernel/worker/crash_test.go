package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

func boom() { panic(fmt.Errorf("boom %d", 3)) }

func deep(n int) int { var a [64]int; a[n%64] = n; return deep(n+1) + a[(n+1)%64] }

func raceMap() {
	m := map[int]int{}
	for range 8 {
		go func() {
			for {
				m[1]++
			}
		}()
	}
	select {}
}

func unlock() { var mu sync.Mutex; mu.Unlock() }

var kept [][]byte

func grow() {
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		time.Sleep(5 * time.Millisecond)
	}
}

func huge() {
	b := make([]byte, 64<<30)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	kept = append(kept, b)
}

// What a person reads of texts as Go 1.26 writes them.
func TestCause(t *testing.T) {
	exit := func(n int) syscall.WaitStatus { return syscall.WaitStatus(n << 8) }
	const trace = "\ngoroutine 7 [running]:\nruntime.throw({0x1, 0x2})\n\t/go/src/runtime/panic.go:1 +0x4\nmain.f(0x3)\n\tcell[3]:7 +0x1f\n" +
		"main.f(0x2)\n\tcell[3]:7 +0x1f\nlib.(*T).Run(...)\n\t/home/x/lib.go:3\ncreated by main.g in goroutine 1\n\tcell[2]:1 +0x1\n\ngoroutine 1 [running]:\nmain.h()\n\tcell[1]:1 +0x1\n"
	for _, tt := range []struct {
		end   ending
		cause string
	}{
		{ending{status: exit(2), stderr: "panic: boom [recovered, repanicked]\n"}, "panic: boom"},
		{ending{status: exit(2), stderr: "fatal error: all goroutines are asleep - deadlock!\n"},
			"fatal error: all goroutines are asleep - deadlock!"},
		{ending{status: exit(2), stderr: "runtime: goroutine stack exceeds 4294967296-byte limit\nfatal error: stack overflow\n"},
			"StackOverflow: goroutine stack exceeds 4294967296-byte limit"},
		{ending{status: exit(2), stderr: "runtime: out of memory: cannot allocate 68719476736-byte block (3866624 in use)\nfatal error: out of memory\n"},
			"OutOfMemory: 68.7 GB asked for, 3.9 MB in use"},
		{ending{status: exit(2), stderr: "SIGSEGV: segmentation violation\nPC=0x1 m=0 sigcode=1 addr=0x0\nsignal arrived during cgo execution\n"}, "SIGSEGV: segmentation violation"},
		{ending{status: exit(2), report: "fatal error: unexpected signal\n[signal SIGBUS: bus error code=0x2 addr=0x7]\n"},
			"fatal error: unexpected signal (signal SIGBUS: bus error code=0x2 addr=0x7)"},
		{ending{status: exit(2), stderr: "fatal error: runtime: out of memory\n", peak: 390e6, limit: 400e6},
			"OutOfMemory: 390.0 MB in use, and the runtime got no more, 400.0 MB are allowed"},
		{ending{status: exit(2), stderr: "fatal error: runtime: out of memory\n"}, "OutOfMemory: the runtime got no more"},
		{ending{status: exit(2), stderr: "SIGSEGV: segmentation violation\n", peak: 390e6, limit: 400e6},
			"OutOfMemory: 390.0 MB in use, 400.0 MB are allowed"},
		{ending{status: exit(2), stderr: "SIGSEGV: segmentation violation\n", peak: 90e6, limit: 400e6},
			"SIGSEGV: segmentation violation"},
		{ending{status: exit(2), stderr: "panic: boom\n", peak: 390e6, limit: 400e6}, "panic: boom"},
		{ending{status: exit(3)}, "ended with exit status 3: compiled code called os.Exit"},
		{ending{status: 9}, "killed from outside; perhaps out of memory"},
		{ending{status: 9, reason: "ours"}, "ours"},
	} {
		if got := tt.end.cause(); got != tt.cause {
			t.Errorf("%q: %q, want %q", tt.end.stderr, got, tt.cause)
		}
	}
	got := strings.Join(ending{report: "fatal error: x\n" + trace}.frames(), "\n")
	if want := "  in main.f cell[3]:7\n  in lib.(*T).Run"; got != want {
		t.Errorf("frames\n%s\nwant\n%s", got, want)
	}
}

// Every way to end a worker is an answer, and the next cell works, with the
// declarations of the cells before.
func TestCrash(t *testing.T) {
	closed := "the cell closed the file by which the worker answers"
	if runtime.GOOS != "linux" { // where it is not known whether a process ends
		closed = "WorkerLost"
	}
	for _, tt := range []struct {
		code  string
		words []string
	}{
		{"exit", []string{"exit status 3", "os.Exit"}},
		{"exit 0", []string{"exit status 0"}},
		{"kill", []string{"killed from outside; perhaps out of memory"}},
		{"abort", []string{"SIGABRT"}},
		{"segv", []string{"SIGSEGV"}},
		{"term", []string{"terminated"}},
		{"panic", []string{"panic: boom 3"}},
		{"map", []string{"fatal error: concurrent map"}},
		{"unlock", []string{"fatal error: sync: unlock of unlocked mutex"}},
		{"line", []string{"the line broke"}},
		{"shut", []string{closed}},
	} {
		t.Run(tt.code, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, Config{})
			l.ok("func f() int { return 7 }")
			text := l.dies(tt.code, append(tt.words, "Kept: 1 function. Lost: nothing")...)
			if strings.Contains(text, "runtime.") {
				t.Errorf("frames of the host in\n%s", text)
			}
			l.value("f()", "7")
		})
	}
}

// The text of a crash is the traceback's alone; text before it is shown.
func TestCrashText(t *testing.T) {
	l := newLab(t, Config{})
	r, out := l.run("exit")
	if r.Text("stdout") != "bye\n" || out.Err == nil {
		t.Errorf("stdout %q, error %v", r.Text("stdout"), out.Err)
	}
	if r, _ = l.run("panic"); r.Text("stderr") != "" {
		t.Errorf("stderr beside the error: %q", r.Text("stderr"))
	}
	if got, want := l.ok("looks bad").Text("stderr"), "panic: not really\nfatal error: neither\n"; got != want {
		t.Errorf("text of a cell that lives: %q, want %q", got, want)
	}
}

func TestStackOverflow(t *testing.T) {
	if testing.Short() {
		t.Skip("grows a stack of 4 GiB")
	}
	l := newLab(t, Config{Limits: Limits{Memory: 600e6}})
	l.dies("stack", "WorkerLost") // the watch or the runtime, whichever is first
	l.value("1", "1")
}

func TestMemory(t *testing.T) {
	l := newLab(t, Config{Limits: Limits{Memory: 400e6}})
	l.dies("grow", "OutOfMemory: ", "400.0 MB are allowed")
	l.dies("huge", "OutOfMemory: ", "400.0 MB are allowed")
	l.value("1", "1")
}

// The variables are lost and said to be; what used them too; the rest is back.
func TestLost(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("xs := 3\nfunc f() int { return 2 }")
	l.ok("func g() int { return xs }")
	l.dies("exit", "Kept: 1 function.", "Lost: xs int ([1]), g func ([2], uses xs)", "%replay runs the cells again")
	l.value("f()", "2")
	_, out := l.run("g()")
	if want := "undefined: g (lost with the worker in [3], uses xs; made in [2]: %replay 2)"; out.Err == nil ||
		!strings.Contains(out.Err.Value, want) {
		t.Errorf("use of a lost name: %v, want %q", out.Err, want)
	}
	l.ok("replay 1")
	l.value("xs", "3")
	l.dies("kill", "Kept: 1 function. Lost: xs int ([1])")
}

// Twenty kills from outside, between cells: declarations back, next cell right.
func TestKilledOften(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("func f() int { return 7 }")
	for i := range 20 {
		var pid int
		fmt.Sscan(l.ok("pid").Text("result"), &pid)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		l.value("f()", "7")
		if t.Failed() {
			t.Fatalf("after kill %d", i+1)
		}
	}
}

// A death between cells is told under the last cell.
func TestKilledIdle(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("x := 1")
	r := l.ok("pid")
	var pid int
	fmt.Sscan(r.Text("result"), &pid)
	syscall.Kill(pid, syscall.SIGKILL)
	if !r.Await("stderr", time.Minute) || !strings.Contains(r.Text("stderr"), "killed from outside") ||
		!strings.Contains(r.Text("stderr"), "Lost: x int ([1])") {
		t.Errorf("stderr of the last cell: %q", r.Text("stderr"))
	}
	l.value("2", "2")
}

func TestRestartActions(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("x := 1\nfunc f() int { return 7 }")
	if r := l.ok("restart"); !strings.Contains(r.Text("stderr"), "Kept: 1 function. Lost: x int ([1])") {
		t.Errorf("restart says %q", r.Text("stderr"))
	}
	l.value("f()", "7")
	_, out := l.run("replay 1")
	if len(out.Actions) != 1 || out.Actions[0] != (engine.Action{Kind: "page", Text: "kept"}) {
		t.Errorf("actions left for the caller: %v", out.Actions)
	}
	l.value("x", "1")
	l.ok("restart -f")
	if _, out := l.run("f()"); out.Err == nil || out.Err.Name != "CompileError" {
		t.Errorf("f() in an empty session: %v", out.Err)
	}
}

// What was forgotten does not come back with the cell that made it.
func TestForgotten(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("func f() int { return 1 }\nfunc g() int { return 2 }")
	l.ok("reset f")
	l.dies("exit", "Kept: 1 function. Lost: nothing")
	l.value("g()", "2")
	if _, out := l.run("f()"); out.Err == nil ||
		!strings.Contains(out.Err.Value, "undefined: f (forgotten in [2]; made in [1]: %replay 1)") {
		t.Errorf("f() after the reset and the end: %v", out.Err)
	}
}

func TestReplayUnknown(t *testing.T) {
	l := newLedger()
	l.add(engine.Cell{Number: 3, Code: "a"}, nil)
	l.add(engine.Cell{Number: 5, Code: "b"}, nil)
	for _, tt := range []struct {
		list string
		want int // cells; -1: an error
	}{{"", 2}, {"3", 1}, {"3 5-7", 2}, {"4-9", 1}, {"9", -1}, {"x", -1}} {
		cells, err := l.chosen(tt.list)
		if got := len(cells); (err != nil) != (tt.want < 0) || err == nil && got != tt.want {
			t.Errorf("replay %q: %d cells, %v; want %d", tt.list, got, err, tt.want)
		}
	}
}

// A cell that does not stop is killed by a second interrupt, after a warning;
// before it further ones change nothing.
func TestSecondInterrupt(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("x := 1")
	r := &enginetest.Recorder{}
	done := make(chan engine.Outcome)
	go func() { done <- l.Execute(context.Background(), engine.Cell{ID: 99, Number: 9, Code: "deaf"}, r) }()
	for running := false; !running; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		running = l.busy
		l.mu.Unlock()
	}
	for range 20 {
		l.Interrupt()
		time.Sleep(2 * time.Millisecond)
	}
	if !r.Await("stderr", time.Minute) || !strings.Contains(r.Text("stderr"),
		"cell [9] does not stop; interrupt again to end the worker; x would be lost") {
		t.Errorf("stderr %q", r.Text("stderr"))
	}
	l.Interrupt()
	if out := <-done; out.Err == nil || out.Err.Name != "WorkerLost" ||
		!strings.Contains(out.Err.Value, "second interrupt") {
		t.Errorf("the cell ends with %v", out.Err)
	}
	l.value("1", "1")
}

func TestPatience(t *testing.T) {
	l := newLab(t, Config{Limits: Limits{Patience: 50 * time.Millisecond}})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	out := l.Execute(ctx, engine.Cell{ID: 1, Number: 1, Code: "deaf"}, silence{})
	if out.Err == nil || !strings.Contains(out.Err.Value, "did not stop within 50ms") {
		t.Errorf("the cell ends with %v", out.Err)
	}
}

func TestNoStart(t *testing.T) {
	l := newLab(t, Config{Limits: Limits{Engine: "broken"}})
	for range 2 {
		if _, out := l.run("1"); out.Err == nil || !strings.Contains(out.Err.Value, "no such engine") {
			t.Errorf("an engine that does not start: %v", out.Err)
		}
	}
	l = newLab(t, Config{Dir: "/does/not/exist"})
	if _, out := l.run("1"); out.Err == nil ||
		!strings.Contains(out.Err.Value, "the worker does not start: its folder /does/not/exist is not there") {
		t.Errorf("a folder that is not there: %v", out.Err)
	}
	if err := mayStart(); err != nil {
		t.Error(err)
	}
	t.Setenv(variable, "1")
	if err := mayStart(); err == nil || errors.Is(err, errNoWorker) {
		t.Errorf("a main without worker.Main: %v", err)
	}
}
