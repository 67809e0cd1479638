package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// withComms is a fake whose session has comms: the target "known", and callbacks
// that show what came.
type withComms struct{ *enginetest.Fake }

func (w *withComms) Execute(ctx context.Context, c engine.Cell, s engine.Sink) engine.Outcome {
	switch m := c.Comm; {
	case m == nil, m.Kind == "open" && m.Target != "known":
		return w.Fake.Execute(ctx, c, s)
	case string(m.Data) == `{"hang":true}`:
		s.Display(engine.Display{})
		<-ctx.Done()
		return engine.Outcome{Err: &engine.CellError{Name: "Interrupted"}}
	case m.Kind != "open":
		s.Stream(false, m.Kind+" "+string(m.Data)+"\n")
	}
	return engine.Outcome{}
}

// widget is the opening of a widget by a cell.
func widget(id, state string, buffers ...[]byte) engine.CommMessage {
	paths := "[]"
	if len(buffers) > 0 {
		paths = `[["value"]]`
	}
	return engine.CommMessage{Kind: "open", ID: id, Target: widgetTarget, Meta: json.RawMessage(`{"version":"2.1.0"}`),
		Data: json.RawMessage(`{"state":` + state + `,"buffer_paths":` + paths + `}`), Buffers: buffers}
}

func changed(id, state string) engine.CommMessage {
	return engine.CommMessage{Kind: "msg", ID: id,
		Data: json.RawMessage(`{"method":"update","state":` + state + `,"buffer_paths":[]}`)}
}

// opens is a fake in which the cell "open" opens comms.
func opens(messages ...engine.CommMessage) *withComms {
	w := &withComms{enginetest.NewFake()}
	w.On["open"] = func(_ context.Context, _ engine.Cell, s engine.Sink) engine.Outcome {
		for _, m := range messages {
			s.(engine.CommSink).Comm(m) // an error fails the cell by itself
		}
		return engine.Outcome{}
	}
	return w
}

// A change of a page: mirror, echo, callback with what it shows, idle. A second
// page and a reload get the newest state, also of the kernel's own updates.
func TestComms(t *testing.T) {
	w := opens(widget("w", `{"_model_name":"M","_model_module":"m","_model_module_version":"2","value":1,"b":2}`),
		changed("w", `{"b":3}`))
	p := newTape(Config{Engine: w})
	defer p.end(t)
	for _, step := range []string{
		execute("open"),
		`+shell comm_msg {"comm_id":"w","data":{"method":"update","state":{"value":7},"buffer_paths":[]}}`,
		`+shell comm_msg {"comm_id":"w","data":{"method":"request_state"}}`,
		`+shell comm_open {"comm_id":"c","target_name":"jupyter.widget.control"}`,
		`+shell comm_open {"comm_id":"k","target_name":"known"}`,
		`+shell comm_open {"comm_id":"u","target_name":"unknown"}`,
	} {
		p.step(t, step)
		p.await(t)
	}
	for _, step := range []string{
		`+shell comm_msg {"comm_id":"c","data":{"method":"request_states"}}`,
		`+shell comm_msg {"comm_id":"k","data":{"x":1}}`,
		`+shell comm_info_request {"target_name":"jupyter.widget"}`,
		`+shell comm_info_request {}`,
		`+shell comm_close {"comm_id":"w"}`,
		`+shell comm_msg {"comm_id":"w","data":{"method":"request_state"}}`,
	} {
		p.step(t, step)
		p.await(t)
	}
	state := `{"_model_module":"m","_model_module_version":"2","_model_name":"M","b":3,"value":7}`
	got := p.String()
	at := 0
	for _, want := range []string{
		`m1 comm_open {"comm_id":"w","data":{`, `"target_name":"jupyter.widget"}`,
		`m1 comm_msg {"comm_id":"w","data":{"buffer_paths":[],"method":"update","state":{"b":3}}}`,
		`m2 status {"execution_state":"busy"}`,
		`m2 comm_msg {"comm_id":"w","data":{"buffer_paths":[],"method":"echo_update","state":{"value":7}}}`,
		`m2 stream {"name":"stdout","text":"msg {`,
		`m2 status {"execution_state":"idle"}`,
		`m3 comm_msg {"comm_id":"w","data":{"buffer_paths":[],"method":"update","state":` + state + `}}`,
		`m6 comm_close {"comm_id":"u"`,
		`m7 comm_msg {"comm_id":"c","data":{"buffer_paths":[],"method":"update_states","states":{"w":{"model_module":"m",` +
			`"model_module_version":"2","model_name":"M","state":` + state + `}}}}`,
		`m8 stream {"name":"stdout","text":"msg {\"x\":1}\n"}`,
		`m9 comm_info_reply {"comms":{"w":{"target_name":"jupyter.widget"}},"status":"ok"}`,
		`m10 comm_info_reply {"comms":{"c":{"target_name":"jupyter.widget.control"},"k":{"target_name":"known"},` +
			`"w":{"target_name":"jupyter.widget"}},"status":"ok"}`,
		`m11 stream {"name":"stdout","text":"close \n"}`,
		`m12 status {"execution_state":"idle"}`,
	} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %s behind what came before it:\n%s", want, got)
		}
		at += i + len(want)
	}
	if strings.Contains(got, "m12 comm_msg") || strings.Contains(got, "m5 comm_close") {
		t.Errorf("a closed comm answers, or a known target is closed:\n%s", got)
	}
}

// A state is asked for and got beside a running cell; a change waits for it.
func TestStateBeside(t *testing.T) {
	w := opens(widget("w", `{"value":1}`))
	w.On["wait"] = enginetest.Script("display in\nwait")
	p := newTape(Config{Engine: w})
	defer p.end(t)
	p.step(t, execute("open"))
	p.await(t)
	p.step(t, execute("wait"))
	p.step(t, "until display_data")
	p.step(t, `+shell comm_msg {"comm_id":"w","data":{"method":"update","state":{"value":2},"buffer_paths":[]}}`)
	p.step(t, `+shell comm_msg {"comm_id":"w","data":{"method":"request_state"}}`)
	p.step(t, "until comm_msg")
	if got := p.String(); !strings.Contains(got, `m4 comm_msg`) || strings.Contains(got, "echo_update") {
		t.Errorf("beside a cell:\n%s", got)
	}
	p.step(t, "interrupt")
	p.await(t)
	if !strings.Contains(p.String(), "echo_update") {
		t.Errorf("the change is lost:\n%s", p)
	}
}

// A callback that hangs is stopped as a cell is, and is an error of the page.
func TestCallbackStopped(t *testing.T) {
	p := newTape(Config{Engine: opens(widget("w", `{}`))})
	defer p.end(t)
	p.step(t, execute("open"))
	p.await(t)
	p.step(t, `+shell comm_msg {"comm_id":"w","data":{"hang":true}}`)
	p.step(t, "until display_data")
	p.step(t, "interrupt")
	p.await(t)
	if got := p.String(); !strings.Contains(got, `m2 error {"ename":"Interrupted"`) {
		t.Errorf("%s", got)
	}
}

// When the worker ends its controls are shown as not in use, no comm is closed,
// and their changes reach no callback.
func TestLostComms(t *testing.T) {
	w := opens(widget("w", `{"disabled":false}`), widget("l", `{}`))
	w.On["die"] = func(context.Context, engine.Cell, engine.Sink) engine.Outcome {
		return engine.Outcome{Err: &engine.CellError{Name: "WorkerLost"}}
	}
	p := newTape(Config{Engine: w})
	defer p.end(t)
	for _, step := range []string{execute("open"), execute("die"),
		`+shell comm_msg {"comm_id":"w","data":{"method":"update","state":{"value":2},"buffer_paths":[]}}`} {
		p.step(t, step)
		p.await(t)
	}
	got := p.String()
	if !strings.Contains(got, `m2 comm_msg {"comm_id":"w","data":{"buffer_paths":[],"method":"update","state":{"disabled":true}}}`) ||
		!strings.Contains(got, `m3 comm_msg`) || strings.Contains(got, "comm_close") || strings.Contains(got, "m3 stream") {
		t.Errorf("%s", got)
	}
}

// Above a limit the state stays as it was, nothing is sent, and the cell fails.
func TestMirrorLimits(t *testing.T) {
	big := `{"a":"` + strings.Repeat("x", maxCommBytes) + `"}`
	w := opens(widget("w", `{"a":1}`), changed("w", big))
	p := newTape(Config{Engine: w})
	defer p.end(t)
	p.step(t, execute("open"))
	p.await(t)
	if got := p.String(); !strings.Contains(got, `"ename":"CommError"`) || strings.Contains(got, "xxxx") {
		t.Errorf("%.2000s", got)
	}
	m := &mirror{}
	for i := range maxComms {
		if err := m.open(engine.CommMessage{ID: string(rune('a' + i))}); err != nil {
			t.Fatal(i, err)
		}
	}
	if m.open(engine.CommMessage{ID: "more"}) == nil {
		t.Error("no limit of comms")
	}
	m = &mirror{}
	part := strings.Repeat("x", maxCommBytes-100)
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		err = m.open(widget(string(rune('a'+n)), `{"a":"`+part+`"}`))
	}
	if n-1 != maxCommsBytes/maxCommBytes {
		t.Errorf("%d comms of nearly %d bytes, %v", n-1, maxCommBytes, err)
	}
	m.close("a")
	if err := m.open(widget("new", `{"a":"`+part+`"}`)); err != nil {
		t.Errorf("no room after a close: %v", err)
	}
}

// Buffers have their places: an update of a key takes its old ones away, and a
// page gets all of them with the whole state.
func TestMirrorBuffers(t *testing.T) {
	m := &mirror{}
	if err := m.open(widget("w", `{"b":1}`, []byte("one"))); err != nil {
		t.Fatal(err)
	}
	two := engine.CommMessage{Kind: "msg", ID: "w", Buffers: [][]byte{[]byte("two"), []byte("three")},
		Data: json.RawMessage(`{"method":"update","state":{"list":[null]},"buffer_paths":[["value"],["list",0]]}`)}
	if known, err := m.update(two); !known || err != nil {
		t.Fatal(known, err)
	}
	c, buffers, ok := m.whole("w")
	b, err := json.Marshal(c)
	want := `{"method":"update","state":{"b":1,"list":[null]},"buffer_paths":[["value"],["list",0]]}`
	if !ok || err != nil || string(b) != want || len(buffers) != 2 || string(buffers[0]) != "two" {
		t.Errorf("%s, %q", b, buffers)
	}
	_, paths, _ := m.all()
	if b, err := json.Marshal(paths); err != nil || string(b) != `[["w","value"],["w","list",0]]` {
		t.Errorf("places of all states: %s", b)
	}
	two.Buffers = two.Buffers[:1]
	if _, err := m.update(two); err == nil {
		t.Error("a place without a buffer is taken")
	}
	for _, paths := range []string{"[[],[]]", "[[[1]],[[1]]]", "[[0],[1]]"} {
		bad := engine.CommMessage{Kind: "msg", ID: "w", Buffers: [][]byte{{1}, {2}},
			Data: json.RawMessage(`{"method":"update","state":{},"buffer_paths":` + paths + `}`)}
		if _, err := m.update(bad); err == nil {
			t.Errorf("the places %s are taken", paths)
		}
	}
	if known, err := m.update(changed("none", "{}")); known || err != nil {
		t.Error("a comm that is not open is known")
	}
}

// A message that is not what it should be is an error of the log alone: front
// ends wait for its idle.
func TestCommMalformed(t *testing.T) {
	p := newTape(Config{Engine: opens()})
	defer p.end(t)
	for _, body := range []string{`{"comm_id":7}`, `[]`, `{"comm_id":"x","data":7}`} {
		p.step(t, `+shell comm_msg `+body)
		p.step(t, `+shell comm_open `+body)
	}
	p.await(t)
	if n := strings.Count(p.String(), "idle"); n != 6 {
		t.Errorf("%d idles, want 6:\n%s", n, p)
	}
	var body *wire.BodyError
	_, err := fromFront(&wire.Message{Content: json.RawMessage("[]")}, "msg")
	if !errors.As(err, &body) {
		t.Errorf("%v", err)
	}
}
