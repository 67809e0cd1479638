package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/kernel/engine"
)

// Changes of a widget in a loop become few: the first at once, then of each part
// the newest, before anything else of the cell and before its reply. The mirror
// has each. Other messages of a comm are never joined.
func TestCommPace(t *testing.T) {
	custom := engine.CommMessage{Kind: "msg", ID: "w", Data: json.RawMessage(`{"method":"custom","content":{}}`)}
	messages := []engine.CommMessage{widget("w", `{"value":0,"b":0}`)}
	for i := range 1000 {
		messages = append(messages, changed("w", fmt.Sprintf(`{"value":%d}`, i)))
	}
	messages = append(messages, changed("w", `{"b":5}`), custom, custom, changed("w", `{"b":6}`), changed("w", `{"c":7}`))
	p := newTape(Config{Engine: opens(messages...), Pace: time.Hour})
	defer p.end(t)
	p.step(t, execute("open"))
	p.await(t)
	p.step(t, `+shell comm_msg {"comm_id":"w","data":{"method":"request_state"}}`)
	p.await(t)
	got := p.String()
	at := 0
	for _, want := range []string{`"state":{"value":0}`, `"state":{"b":5,"value":999}`, `"method":"custom"`, `"method":"custom"`,
		`"state":{"b":6,"c":7}`, "execute_reply", `"state":{"b":6,"c":7,"value":999}`} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %s behind what came before it:\n%s", want, got)
		}
		at += i + len(want)
	}
	if n := strings.Count(got, `m1 comm_msg`); n != 5 {
		t.Errorf("%d messages of the comm, want 5:\n%s", n, got)
	}
}

// A buffer that waits goes with a later value of its part, and a value with a
// later buffer.
func TestCommJoin(t *testing.T) {
	u := &commUpdate{}
	read := func(text string) change { return readChange(json.RawMessage(text)) }
	u.join(read(`{"state":{"a":1},"buffer_paths":[["v"],["l",0]]}`), [][]byte{{1}, {2}})
	u.join(read(`{"state":{"v":null},"buffer_paths":[["a"]]}`), [][]byte{{3}})
	b, err := json.Marshal(u.next)
	want := `{"method":"update","state":{"v":null},"buffer_paths":[["l",0],["a"]]}`
	if err != nil || string(b) != want || fmt.Sprint(u.buffers) != "[[2] [3]]" {
		t.Errorf("%s %v, want %s", b, u.buffers, want)
	}
}

// A session that has forgotten its comms shows their controls as not in use, as
// when its worker has ended.
func TestForgottenComms(t *testing.T) {
	w := opens(widget("w", `{"disabled":false}`))
	w.On["reset"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		s.Stream(false, "before\n")
		s.(engine.CommSink).Comm(engine.CommMessage{Kind: "lost"})
		return engine.Outcome{}
	}
	p := newTape(Config{Engine: w})
	defer p.end(t)
	for _, step := range []string{execute("open"), execute("reset"), execute("reset"),
		`+shell comm_msg {"comm_id":"w","data":{"x":1}}`} {
		p.step(t, step)
		p.await(t)
	}
	got := p.String()
	text, off := strings.Index(got, "before"), strings.Index(got, `m2 comm_msg {"comm_id":"w","data":{"buffer_paths":[],"method":"update","state":{"disabled":true}}}`)
	if text < 0 || off < text || strings.Contains(got, "m3 comm_msg") || strings.Contains(got, "comm_close") ||
		strings.Contains(got, "m4 stream") {
		t.Errorf("%s", got)
	}
}
