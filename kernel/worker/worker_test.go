package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

// The test binary is also the worker: it runs the fake of enginetest, and cells
// that do what user code does to a process.
func TestMain(m *testing.M) {
	if status, done := Main(newWild); done {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

type play = func(context.Context, engine.Cell, engine.Sink)

func newWild(lim Limits) engine.Engine {
	if lim.Engine == "broken" {
		panic("no such engine")
	}
	f := enginetest.NewFake()
	for code, do := range wild {
		f.On[code] = func(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
			do(ctx, c, s)
			return engine.Outcome{}
		}
	}
	f.On["reset f"] = enginetest.Script("gone f")
	f.On["restart"] = enginetest.Script("action restart")
	f.On["restart -f"] = enginetest.Script("action restart -f")
	f.On["replay 1"] = enginetest.Script("action replay 1\naction page kept")
	return f
}

func plain(s string) display.Bundle {
	return display.Bundle{Data: map[string]any{"text/plain": s}}
}

// wild are the cells of these tests that no fake plays.
var wild = map[string]play{
	"mixed": func(_ context.Context, c engine.Cell, s engine.Sink) {
		fmt.Println("a", c.Number)
		s.Display(engine.Display{Bundle: plain("b")})
		fmt.Println("c")
		fmt.Fprintln(os.Stderr, "d")
	},
	"comms": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		fmt.Println("before")
		fmt.Println(s.(engine.CommSink).Comm(engine.CommMessage{Kind: "msg", ID: "bad", Data: json.RawMessage("{")}) != nil)
		s.(engine.CommSink).Comm(engine.CommMessage{Kind: "open", ID: "c", Target: "t", Data: json.RawMessage(`{"a":1}`),
			Buffers: [][]byte{{0, 255}}})
		fmt.Println("after")
	},
	"many": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		for i := range 500 {
			fmt.Println("line", i)
			s.Display(engine.Display{Bundle: plain(fmt.Sprint(i))})
		}
	},
	"100 MB": func(context.Context, engine.Cell, engine.Sink) {
		line := []byte(strings.Repeat("0123456789", 99) + "012345678\n")
		for range 100_000 {
			os.Stdout.Write(line)
		}
		fmt.Println("the end")
	},
	"bytes": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		os.Stdout.WriteString("a\x00b\x00" + strings.Repeat("0", 15) + "00000002€")
		os.Stdout.WriteString("\xe2\x82")
		time.Sleep(5 * time.Millisecond)
		os.Stdout.WriteString("\xac\x00")
		s.Display(engine.Display{Bundle: plain("€")})
		os.Stdout.WriteString("\xff\n")
	},
	"close": func(context.Context, engine.Cell, engine.Sink) { os.Stdout.Close(); os.Stderr.Close() },
	"background": func(context.Context, engine.Cell, engine.Sink) {
		cmd := exec.Command("sleep", "1000")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		fmt.Println(cmd.Start())
	},
	"updates": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		for i := range 20_000 {
			s.Display(engine.Display{Bundle: plain(fmt.Sprint(i)), ID: "p", Update: true})
		}
	},
	"shown again": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		for i := range 4 {
			s.Display(engine.Display{Bundle: plain(fmt.Sprint(i)), ID: "p", Update: i < 3})
		}
	},
	"displays": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		s.Display(engine.Display{Bundle: plain(strings.Repeat("x", 2000))})
		for i := range 5 {
			s.Display(engine.Display{Bundle: plain(fmt.Sprint(i))})
		}
	},
	"nan": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		s.Display(engine.Display{Bundle: display.Bundle{Data: map[string]any{"text/plain": "t",
			"application/json": func() {}}}})
	},
	"number": func(_ context.Context, _ engine.Cell, s engine.Sink) {
		s.Result(display.Bundle{Data: map[string]any{"text/plain": "n",
			"application/json": map[string]any{"n": int64(9007199254740993)}}})
	},
	"looks bad": func(context.Context, engine.Cell, engine.Sink) {
		fmt.Fprint(os.Stderr, "panic: not really\nfatal")
		time.Sleep(2 * crashHold)
		fmt.Fprint(os.Stderr, " error: neither\n")
	},
	"pid":    func(_ context.Context, _ engine.Cell, s engine.Sink) { s.Result(plain(fmt.Sprint(os.Getpid()))) },
	"args":   func(_ context.Context, _ engine.Cell, s engine.Sink) { s.Result(plain(strings.Join(os.Args, " "))) },
	"env":    func(_ context.Context, _ engine.Cell, s engine.Sink) { s.Result(plain(os.Getenv(variable))) },
	"nested": func(_ context.Context, _ engine.Cell, s engine.Sink) { s.Result(plain(nested())) },
	"deaf": func(context.Context, engine.Cell, engine.Sink) {
		var n atomic.Int64
		for {
			n.Add(1)
		}
	},
	"engine": func(context.Context, engine.Cell, engine.Sink) { panic("a bug of ours") },
	"exit":   func(context.Context, engine.Cell, engine.Sink) { fmt.Println("bye"); os.Exit(3) },
	"exit 0": func(context.Context, engine.Cell, engine.Sink) { os.Exit(0) },
	"kill":   func(context.Context, engine.Cell, engine.Sink) { syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
	"abort":  func(context.Context, engine.Cell, engine.Sink) { syscall.Kill(os.Getpid(), syscall.SIGABRT); select {} },
	"segv":   func(context.Context, engine.Cell, engine.Sink) { syscall.Kill(os.Getpid(), syscall.SIGSEGV); select {} },
	"term":   func(context.Context, engine.Cell, engine.Sink) { syscall.Kill(os.Getpid(), syscall.SIGTERM); select {} },
	"shut":   func(context.Context, engine.Cell, engine.Sink) { syscall.Close(4); select {} },
	"panic":  func(context.Context, engine.Cell, engine.Sink) { go boom(); select {} },
	"map":    func(context.Context, engine.Cell, engine.Sink) { raceMap() },
	"stack":  func(context.Context, engine.Cell, engine.Sink) { go deep(0); select {} },
	"unlock": func(context.Context, engine.Cell, engine.Sink) { unlock() },
	"grow":   func(context.Context, engine.Cell, engine.Sink) { grow() },
	"huge":   func(context.Context, engine.Cell, engine.Sink) { huge() },
	"line": func(context.Context, engine.Cell, engine.Sink) {
		syscall.Write(fdUp, []byte("nonsense, not a frame"))
		select {}
	},
}

func nested() string {
	p := NewParent(Config{})
	defer p.Close()
	return p.Execute(context.Background(), engine.Cell{ID: 1}, silence{}).Err.Value
}

// lab is a parent with a counter of cells.
type lab struct {
	*testing.T
	*Parent
	n int
}

func newLab(t *testing.T, cfg Config) *lab {
	l := &lab{T: t, Parent: NewParent(cfg)}
	t.Cleanup(func() { l.Parent.Close() })
	return l
}

func (l *lab) run(code string) (*enginetest.Recorder, engine.Outcome) {
	l.n++
	r := &enginetest.Recorder{}
	return r, l.Execute(context.Background(), engine.Cell{ID: uint64(l.n), Number: l.n, Code: code}, r)
}

func (l *lab) ok(code string) *enginetest.Recorder {
	l.Helper()
	r, out := l.run(code)
	if out.Err != nil {
		l.Fatalf("%q: %v\n%s", code, out.Err, strings.Join(out.Err.Traceback, "\n"))
	}
	return r
}

// dies runs a cell that must end its worker, with these words in the traceback.
func (l *lab) dies(code string, words ...string) string {
	l.Helper()
	_, out := l.run(code)
	if out.Err == nil || out.Err.Name != "WorkerLost" {
		l.Fatalf("%q: %v, want WorkerLost", code, out.Err)
	}
	text := strings.Join(out.Err.Traceback, "\n")
	for _, w := range words {
		if !strings.Contains(text, w) {
			l.Errorf("%q: the traceback lacks %q:\n%s", code, w, text)
		}
	}
	return text
}

func (l *lab) value(code, want string) {
	l.Helper()
	if got := l.ok(code).Text("result"); got != want {
		l.Errorf("%q: result %q, want %q", code, got, want)
	}
}
