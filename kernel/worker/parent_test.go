package worker

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine { return NewParent(Config{}) })
}

// A thousand cells of print, display, print: nothing lost, late or out of order.
func TestOrder(t *testing.T) {
	l := newLab(t, Config{})
	for i := range 1000 {
		r := l.ok("mixed")
		var out []string
		for _, e := range r.Events() {
			if e.Kind != "stderr" { // beside the others: the two text pipes meet at marks only
				out = append(out, e.Kind+" "+e.Text)
			}
		}
		want := fmt.Sprintf("stdout a %d\n|display b|stdout c\n", i+1)
		if got := strings.Join(out, "|"); got != want || r.Text("stderr") != "d\n" {
			t.Fatalf("cell %d: %q, stderr %q; want %q", i+1, got, r.Text("stderr"), want)
		}
	}
}

func TestManyDisplays(t *testing.T) {
	events := newLab(t, Config{}).ok("many").Events()
	if len(events) != 1000 {
		t.Fatalf("%d events, want 1000", len(events))
	}
	for i := range 500 {
		if a, b := events[2*i], events[2*i+1]; a.Text != fmt.Sprintf("line %d\n", i) || b.Text != fmt.Sprint(i) {
			t.Fatalf("at %d: %q, %q", i, a.Text, b.Text)
		}
	}
}

// 100 MB of text: head, a line that counts, tail; the cell after it is whole.
func TestMuchText(t *testing.T) {
	l := newLab(t, Config{})
	text := l.ok("100 MB").Text("stdout")
	if n := len(text); n > 1<<20 || n < 800<<10 {
		t.Errorf("%d bytes shown, want 832 KiB", n)
	}
	if !strings.Contains(text, "\n… 99.1 MB, 99 ") || !strings.HasSuffix(text, "\nthe end\n") {
		t.Errorf("no line that counts, or no end: %.100q", text[768<<10:])
	}
	if got := l.ok("mixed").Text("stdout"); got != "a 2\nc\n" {
		t.Errorf("the next cell prints %q", got)
	}
	all := &counter{}
	if out := newLab(t, Config{Limits: Limits{Text: -1}}).Execute(t.Context(), engine.Cell{ID: 1, Code: "100 MB"},
		all); out.Err != nil {
		t.Error(out.Err)
	}
	if want := 100_000*1000 + len("the end\n"); all.bytes != want {
		t.Errorf("without a cap: %d bytes, want %d", all.bytes, want)
	}
}

type counter struct {
	silence
	bytes int
}

func (c *counter) Stream(_ bool, text string) { c.bytes += len(text) }

// Zero bytes, a mark with a wrong nonce, half runes: all pass unchanged.
func TestBytes(t *testing.T) {
	r := newLab(t, Config{}).ok("bytes")
	var got []string
	for _, e := range r.Events() {
		got = append(got, e.Text)
	}
	want := []string{"a\x00b\x00" + strings.Repeat("0", 15) + "00000002€€\x00", "€", "\xff\n"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// Marks do not need the descriptors of the cell, nor the end of what it started.
func TestDescriptors(t *testing.T) {
	l := newLab(t, Config{})
	l.ok("background")
	l.ok("close")
	r := &enginetest.Recorder{}
	r, out := l.run("display.Show(\"on\")")
	if out.Err != nil || r.Text("display") != "on" {
		t.Errorf("after close: %v, %v", r, out.Err)
	}
	done := make(chan bool)
	go func() { l.Close(); done <- true }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("a child of a cell keeps the parent from closing")
	}
}

// Of many updates in a tight loop few go out; the last does, before the end.
func TestUpdatePacing(t *testing.T) {
	events := newLab(t, Config{}).ok("updates").Events()
	if n := len(events); n < 2 || n > 2000 {
		t.Errorf("%d updates of 20,000 went out", n)
	}
	if got := events[len(events)-1].Text; got != "19999" {
		t.Errorf("the last update is %s", got)
	}
}

// An update that was held back never comes after what was shown later.
func TestUpdateThenShow(t *testing.T) {
	if got := newLab(t, Config{}).ok("shown again").String(); !strings.HasSuffix(got, "update 2\ndisplay 3\n") {
		t.Errorf("events %q: the display is not last, or the newest update is lost", got)
	}
}

func TestDisplayCaps(t *testing.T) {
	r := newLab(t, Config{Limits: Limits{BundleBytes: 1000, Displays: 3}}).ok("displays")
	want := "stdout … a display of 2.0 kB is not shown: 1.0 kB are allowed\n\ndisplay 0\ndisplay 1\ndisplay 2\n" +
		"stdout … 2 more displays are not shown: 3 or 64.0 MB are allowed in a cell\n\n"
	if got := r.String(); got != want {
		t.Errorf("events:\n%swant:\n%s", got, want)
	}
}

// A bundle that JSON cannot hold shows its texts; numbers pass unchanged.
func TestBundles(t *testing.T) {
	l := newLab(t, Config{})
	if got := l.ok("nan").Text("display"); !strings.HasPrefix(got, "t\n(a format is left out: json: unsupported type") {
		t.Errorf("display %q", got)
	}
	events := l.ok("number").Events()
	if got := fmt.Sprint(events[0].Bundle.Data["application/json"]); got != "map[n:9007199254740993]" {
		t.Errorf("number %s", got)
	}
}

func TestProcess(t *testing.T) {
	l := newLab(t, Config{Args: []string{"prog", "-x", "1"}})
	l.value("args", "prog -x 1")
	l.value("env", "")
	l.value("nested", "the worker does not start: a worker starts no worker")
	if _, out := l.run("engine"); out.Err == nil || out.Err.Name != "InternalError" ||
		!strings.Contains(out.Err.Value, "a bug of ours") {
		t.Errorf("a panic of the engine: %v", out.Err)
	}
	l.value("1", "1")
}

// Close beside a running cell ends both.
func TestCloseBeside(t *testing.T) {
	l := newLab(t, Config{})
	done := make(chan engine.Outcome)
	r := &enginetest.Recorder{}
	go func() {
		_, out := l.run("display.Show(\"in\")\nfor {}")
		done <- out
	}()
	r.Await("display", 100*time.Millisecond)
	l.Close()
	if out := <-done; out.Err == nil || out.Err.Name != "WorkerLost" {
		t.Errorf("the cell ends with %v", out.Err)
	}
	if _, out := l.run("1"); out.Err == nil {
		t.Error("a closed parent runs a cell")
	}
}

// Thirty workers leave no goroutine and no descriptor.
func TestNothingLeft(t *testing.T) {
	count := func() (int, int) {
		fds, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(fds)
	}
	newLab(t, Config{}).Close() // what the first use of a package opens stays open
	goroutines, fds := count()
	for range 30 {
		l := newLab(t, Config{})
		l.ok("mixed")
		l.Close()
	}
	end := time.Now().Add(10 * time.Second)
	g, f := count()
	for (g > goroutines || f > fds) && time.Now().Before(end) {
		time.Sleep(10 * time.Millisecond)
		g, f = count()
	}
	if g > goroutines || f > fds {
		t.Errorf("%d goroutines and %d descriptors, before %d and %d", g, f, goroutines, fds)
	}
}

// A text that is longer than any that runs is not kept for %history.
func TestLongTextIsNotKept(t *testing.T) {
	l := newLab(t, Config{})
	l.run(strings.Repeat("x", keptText+1))
	l.run("x")
	if len(l.past) != 1 || l.past[0].code != "x" {
		t.Errorf("%d texts are kept", len(l.past))
	}
}
