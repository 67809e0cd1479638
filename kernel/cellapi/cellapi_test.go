package cellapi

import (
	"context"
	"errors"
	"fmt"
	"log"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// poll is what a lowered loop asks at its head.
func poll() {
	if Raised() {
		End()
	}
}

// ended runs f in a goroutine of its own and returns what it panicked with.
func ended(f func()) (v any) {
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { v = recover() }()
		f()
	})
	wg.Wait()
	return v
}

func TestStopEndsItsCellOnly(t *testing.T) {
	in := make(chan int, 2)
	var out sync.WaitGroup
	got := map[int]any{}
	var mu sync.Mutex
	halt := make(chan bool)
	for _, cell := range []int{101, 102} {
		out.Go(func() {
			v := ended(func() {
				defer Enter(cell)()
				in <- cell
				for {
					select {
					case <-halt:
						return
					default:
						poll()
						runtime.Gosched()
					}
				}
			})
			mu.Lock()
			defer mu.Unlock()
			got[cell] = v
			if cell == 101 {
				close(halt)
			}
		})
	}
	<-in
	<-in
	if Stop(103, "nobody") {
		t.Error("a cell without goroutines was stopped")
	}
	if !Stop(101, "reason") {
		t.Error("a running cell was not stopped")
	}
	out.Wait()
	if s, ok := got[101].(*Stopped); !ok || s.Cell != 101 || s.Error() != "reason" {
		t.Errorf("cell 101 ended with %v", got[101])
	}
	if got[102] != nil {
		t.Errorf("cell 102 ended with %v", got[102])
	}
	if Raised() || Members(101) != 0 {
		t.Errorf("flag %v, %d members after the last goroutine", Raised(), Members(101))
	}
}

func TestGoroutinesBelongToTheirCell(t *testing.T) {
	cells := make(chan int)
	ended(func() {
		defer Enter(7)()
		Go(func() {
			c, _ := CellOf()
			Go(func() { d, _ := CellOf(); cells <- c*100 + d })
		})
	})
	if got := <-cells; got != 707 {
		t.Errorf("cells %d, want 7 and 7", got)
	}
	ended(func() {
		defer Enter(1)()
		leave := Enter(2)
		in, _ := CellOf()
		leave()
		after, _ := CellOf()
		if in != 2 || after != 1 {
			t.Errorf("cell %d inside, %d after", in, after)
		}
	})
	if _, ok := CellOf(); ok {
		t.Error("the test's goroutine belongs to a cell")
	}
}

func TestGuard(t *testing.T) {
	faults := make(chan Fault, 1)
	defer SetGuard(func(f Fault) { faults <- f })()
	ended(func() {
		defer Enter(9)()
		Go(func() { panic("boom") })
	})
	f := <-faults
	if f.Cell != 9 || f.Value != "boom" || !strings.Contains(f.Stack, "TestGuard") {
		t.Errorf("%+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, start := range map[string]func(f func()){
		"WaitGroup.Go":      WaitGroupGo(new(sync.WaitGroup)),
		"time.AfterFunc":    func(f func()) { AfterFunc(0, f) },
		"context.AfterFunc": func(f func()) { ContextAfterFunc(ctx, f) },
	} {
		ended(func() {
			defer Enter(9)()
			start(func() { panic(name) })
		})
		if f := <-faults; f.Cell != 9 || f.Value != name {
			t.Errorf("%s: %+v", name, f)
		}
	}
	done := make(chan bool)
	ended(func() {
		defer Enter(9)()
		Go(func() { defer close(done); panic(&Stopped{9, "stop"}) })
	})
	<-done
	if len(faults) != 0 {
		t.Errorf("a stop was told: %v", <-faults)
	}
}

func TestDefers(t *testing.T) {
	var order []int
	note := func(n int) func() { return func() { order = append(order, n) } }
	d := NewDefers()
	RunDefers(d, func() { d.Push(note(1)); d.Push(note(2)) })
	if !slices.Equal(order, []int{2, 1}) {
		t.Errorf("order %v", order)
	}
	order = nil
	d = NewDefers()
	v := ended(func() {
		RunDefers(d, func() {
			d.Push(note(1))
			d.Push(func() { panic("second") })
			d.Push(note(3))
			panic("first")
		})
	})
	if v != "second" || !slices.Equal(order, []int{3, 1}) {
		t.Errorf("panic %v, order %v", v, order)
	}
	d = NewDefers()
	if v := ended(func() { RunDefers(d, func() { d.Push(nil) }) }); v == nil {
		t.Error("a deferred nil function did not panic")
	}
}

func TestExit(t *testing.T) {
	var quiet strings.Builder
	old := log.Writer()
	log.SetOutput(&quiet)
	defer log.SetOutput(old)
	for want, f := range map[string]func(){
		"os.Exit(3)":       func() { Exit(3) },
		"log.Fatal":        func() { Fatal("a") },
		"log.Fatalf":       func() { Fatalf("%d", 1) },
		"log.Fatalln":      func() { Fatalln("b") },
		"runtime.Goexit()": Goexit,

		"(*log.Logger).Fatal":   func() { LoggerFatal(log.Default())("c") },
		"(*log.Logger).Fatalf":  func() { LoggerFatalf(log.Default())("%s", "d") },
		"(*log.Logger).Fatalln": func() { LoggerFatalln(log.Default())("e") },
	} {
		v := ended(f)
		var e *ExitError
		if err, ok := v.(error); !ok || !errors.As(err, &e) || e.Call != want || e.Error() != want+" is not run in a notebook" {
			t.Errorf("%s: %v", want, v)
		}
	}
	for _, text := range []string{"a\n", "1\n", "b\n", "c\n", "d\n", "e\n"} {
		if !strings.Contains(quiet.String(), text) {
			t.Errorf("log has no %q: %q", text, quiet.String())
		}
	}
	var codes []int
	defer SetExit(func(code int) { codes = append(codes, code) })()
	ended(func() { Exit(4) })
	ended(func() { Fatal("x") })
	if fmt.Sprint(codes) != "[4 1]" {
		t.Errorf("codes %v", codes)
	}
	if v := ended(Goexit); v != nil {
		t.Errorf("Goexit of a program: %v", v)
	}
}
