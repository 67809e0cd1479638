//go:build linux

package session

import (
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// A program whose goroutines all wait for ever ends as the Go runtime ends it;
// one that anything else may wake goes on.
func TestDeadlock(t *testing.T) {
	for _, tt := range []struct {
		name, imports, main, stdout string
		stuck                       bool
	}{
		{"send", `"fmt"`, `defer fmt.Println("no"); fmt.Println("a"); make(chan int) <- 1`, "a\n", true},
		{"nothing", ``, `select {}`, "", true},
		{"group", `"sync"`, `var wg sync.WaitGroup; c := make(chan int); for i := range 3 { wg.Go(func() { c <- i }) }; wg.Wait()`, "", true},
		{"lock", `"sync"`, `var mu sync.Mutex; mu.Lock(); mu.Lock()`, "", true},
		{"range", `"fmt"`, `c := make(chan int); go func() { c <- 1 }(); for v := range c { fmt.Println(v) }`, "1\n", true},
		{"condition", `"sync"`, `var mu sync.Mutex; mu.Lock(); sync.NewCond(&mu).Wait()`, "", true},
		{"sleep", "\"fmt\"\n\"time\"", `c := make(chan int); go func() { time.Sleep(400 * time.Millisecond); c <- 2 }(); fmt.Println(<-c)`, "2\n", false},
		{"timer", "\"fmt\"\n\"time\"", `<-time.After(400 * time.Millisecond); fmt.Println("late")`, "late\n", false},
		{"work", `"fmt"`, `c := make(chan int); go func() { n := 0; for i := range 2_000_000 { n += i % 2 }; c <- n }(); fmt.Println(<-c)`, "1000000\n", false},
	} {
		code := "package main\n\nimport (\n" + tt.imports + "\n)\n\nfunc main() {\n" + tt.main + "\n}\n"
		a := execute(t, newTestSession(t), engine.Cell{ID: 1, Number: 1, Code: code, Program: true})
		want := ""
		if tt.stuck {
			want = "Deadlock: all goroutines are asleep - deadlock!\nfatal error: all goroutines are asleep - deadlock!"
		}
		if a.stdout != tt.stdout || a.failure() != want {
			t.Errorf("%s: stdout %q, error %q; want %q, %q", tt.name, a.stdout, a.failure(), tt.stdout, want)
		}
	}
}

// A goroutine that waits for the runner's own lock is on its way.
func TestStuckKnowsTheRunnersOwnWaits(t *testing.T) {
	const main = "goroutine 7 [select]:\nreflect.rselect({0xc0, 0x2})\n\t/go/select.go:1\nreflect.Select({0xc0})\n\t/go/value.go:1\n" +
		"github.com/gondola-lab/gondola/kernel/session.(*run).await.func1()\n\t/s.go:1\ncreated by x in goroutine 1\n\t/s.go:2\n"
	other := func(state, frame string) string {
		return "\ngoroutine 9 [" + state + "]:\n" + frame + "(0x1)\n\t/f.go:1\nreflect.Value.call({0x1})\n\t/r.go:1\n" +
			"created by github.com/gondola-lab/gondola/kernel/cellapi.Go in goroutine 7\n\t/g.go:1\n"
	}
	for _, tt := range []struct {
		text string
		want bool
	}{
		{main, true},
		{"goroutine 7 [select]:\nmain.other()\n\t/f.go:1\n", false}, // the main one has ended
		{main + other("sync.Mutex.Lock, 2 minutes", "sync.(*Mutex).Lock"), true},
		{main + other("sync.Mutex.Lock", "sync.(*Mutex).Lock(...)\n\t/m.go:1\ngithub.com/gondola-lab/gondola/kernel/cellapi.CellOf"), false},
		{main + other("sleep", "time.Sleep"), false},
		{main + other("runnable", "sync.(*Mutex).Lock"), false},
		{main + other("IO wait", "internal/poll.(*FD).Read"), false},
		{main + other("select", "io.(*pipe).read"), false},
		{main + other("chan send", "gondola.session/c1.main.func2"), true},
		{main + other("select (no cases)", "gondola.session/c1.main.func2"), true},
		{main + other("chan receive", "github.com/gondola-lab/gondola/kernel/cellapi.Wait"), false},
		{main + other("sleep", "time.Sleep(...)\n\t/t.go:1\ngondola.session/c1.main.func2"), false},
	} {
		if got := stuck(tt.text, nil); got != tt.want {
			t.Errorf("stuck is %v, want %v, of\n%s", got, tt.want, tt.text)
		}
	}
	if text := main + other("sleep", "time.Sleep"); !stuck(text, goroutines(other("runnable", "f"))) {
		t.Error("a goroutine that was there before keeps a program from being stuck")
	}
	if stuck(main, goroutines(main)) {
		t.Error("the main goroutine of an earlier program is taken for this one's")
	}
}

// A goroutine that an earlier program left asleep wakes nobody of the next.
func TestDeadlockBesideAnEarlierProgram(t *testing.T) {
	program := func(imports, main string) engine.Cell {
		code := "package main\n\nimport (\n" + imports + "\n)\n\nfunc main() {\n" + main + "\n}\n"
		return engine.Cell{ID: 1, Number: 1, Program: true, Code: code}
	}
	sleeper := program(`"time"`, `go func() { time.Sleep(time.Hour) }(); time.Sleep(time.Millisecond)`)
	if a := execute(t, newTestSession(t), sleeper); a.failure() != "" {
		t.Fatal(a.failure())
	}
	if a := execute(t, newTestSession(t), program(``, `select {}`)); a.out.Err == nil || a.out.Err.Name != "Deadlock" {
		t.Errorf("error %q, want Deadlock", a.failure())
	}
}
