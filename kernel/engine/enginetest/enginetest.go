// Package enginetest judges every engine: the session, the worker's near end
// and the fake that stands for them in tests of the server.
package enginetest

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// Event is one call of a sink. Kind is stdout, stderr, display, update, clear,
// result, ask or secret; neighbouring texts of one stream are joined.
type Event struct {
	Kind   string
	Text   string // the text, or text/plain of the bundle
	ID     string
	Bundle display.Bundle
	Wait   bool
}

// Recorder is a sink that keeps what it was given. Who asks gets the Answers
// one after another, and then waits.
type Recorder struct {
	Answers []string

	mu     sync.Mutex
	events []Event
}

var (
	_ engine.Sink  = (*Recorder)(nil)
	_ engine.Asker = (*Recorder)(nil)
)

// Ask implements engine.Asker.
func (r *Recorder) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	kind := "ask"
	if secret {
		kind = "secret"
	}
	r.add(Event{Kind: kind, Text: prompt})
	r.mu.Lock()
	if len(r.Answers) > 0 {
		defer r.mu.Unlock()
		a := r.Answers[0]
		r.Answers = r.Answers[1:]
		return a, nil
	}
	r.mu.Unlock()
	<-ctx.Done()
	return "", ctx.Err()
}

func (r *Recorder) add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.events); n > 0 && strings.HasPrefix(e.Kind, "std") && r.events[n-1].Kind == e.Kind {
		r.events[n-1].Text += e.Text
		return
	}
	r.events = append(r.events, e)
}

// Stream implements engine.Sink.
func (r *Recorder) Stream(stderr bool, text string) {
	kind := "stdout"
	if stderr {
		kind = "stderr"
	}
	r.add(Event{Kind: kind, Text: text})
}

// Display implements engine.Sink.
func (r *Recorder) Display(d engine.Display) {
	kind := "display"
	if d.Update {
		kind = "update"
	}
	r.add(Event{Kind: kind, Text: plain(d.Bundle), ID: d.ID, Bundle: d.Bundle})
}

// Clear implements engine.Sink.
func (r *Recorder) Clear(wait bool) { r.add(Event{Kind: "clear", Wait: wait}) }

// Result implements engine.Sink.
func (r *Recorder) Result(b display.Bundle) {
	r.add(Event{Kind: "result", Text: plain(b), Bundle: b})
}

// Events returns what came so far.
func (r *Recorder) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// Text returns all text of one kind, joined.
func (r *Recorder) Text(kind string) string {
	var b strings.Builder
	for _, e := range r.Events() {
		if e.Kind == kind {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// String lists the events, one a line, as `kind text`.
func (r *Recorder) String() string {
	var b strings.Builder
	for _, e := range r.Events() {
		b.WriteString(e.Kind + " " + e.Text + "\n")
	}
	return b.String()
}

// Await waits until an event of this kind has come, at most d.
func (r *Recorder) Await(kind string, d time.Duration) bool {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, e := range r.Events() {
			if e.Kind == kind {
				return true
			}
		}
	}
	return false
}

func plain(b display.Bundle) string {
	s, _ := b.Data["text/plain"].(string)
	return s
}

func text(s string) display.Bundle {
	return display.Bundle{Data: map[string]any{"text/plain": s}, Meta: map[string]any{}}
}
