package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func session(key string) *Session {
	return &Session{ID: "ours", Key: []byte(key), Now: func() string { return "2026-01-01T00:00:00Z" }}
}

// frames is a signed message of four parts.
func frames(s *Session, parts ...string) [][]byte {
	var p [][]byte
	for _, part := range parts {
		p = append(p, []byte(part))
	}
	return append([][]byte{[]byte("id"), delimiter, s.sign(p)}, p...)
}

func TestDecode(t *testing.T) {
	s := session("key")
	good := func() [][]byte {
		return frames(s, `{"msg_type":"x_request","msg_id":"1","new":[]}`, "{}", "{}", `{"a":1}`)
	}
	for _, tt := range []struct {
		name string
		in   [][]byte
		want error
	}{
		{"nothing", nil, ErrShort},
		{"no delimiter", good()[2:], ErrShort},
		{"four parts only", good()[:6], ErrShort},
		{"wrong signature", frames(session("other"), `{"msg_type":"x"}`, "{}", "{}", "{}"), ErrSignature},
		{"no signature", frames(session(""), `{"msg_type":"x"}`, "{}", "{}", "{}"), ErrSignature},
		{"header is not JSON", frames(s, "{", "{}", "{}", "{}"), ErrHeader},
		{"header is a list", frames(s, "[]", "{}", "{}", "{}"), ErrHeader},
		{"header is null", frames(s, "null", "{}", "{}", "{}"), ErrHeader},
		{"type is a number", frames(s, `{"msg_type":1}`, "{}", "{}", "{}"), ErrHeader},
		{"date is a number", frames(s, `{"date":1,"msg_type":"x"}`, "{}", "{}", "{}"), nil},
		{"good", good(), nil},
		{"repeated", good(), ErrRepeated},
	} {
		if _, err := s.Decode(tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	m, err := session("").Decode(append([][]byte{[]byte("first")}, append(good(), []byte("buffer"))...))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Identities) != 2 || string(m.Buffers[0]) != "buffer" || m.Header.MsgType != "x_request" ||
		string(m.Content) != `{"a":1}` {
		t.Errorf("%+v", m)
	}
}

func TestBodyDefaults(t *testing.T) {
	read := func(kind, content string, v any) error {
		return (&Message{Header: Header{MsgType: kind}, Content: json.RawMessage(content)}).Decode(v)
	}
	var e ExecuteRequest
	if err := read("execute_request", `{"code":"x","silent":true,"extra":1,"stop_on_error":null}`, &e); err != nil {
		t.Fatal(err)
	}
	if !e.StopOnError || !e.AllowStdin || e.Stores() {
		t.Errorf("defaults %+v, stored %v", e, e.Stores())
	}
	var bare ExecuteRequest // every field is missing
	if err := read("execute_request", `{}`, &bare); err != nil || bare.Code != "" || !bare.StopOnError || !bare.Stores() {
		t.Errorf("an empty content: %+v, %v", bare, err)
	}
	var h HistoryRequest
	if err := read("history_request", `null`, &h); err != nil || h.Access != "tail" || h.Pattern != "*" {
		t.Errorf("%+v, %v", h, err)
	}
	for content, want := range map[string]string{
		`{"code":1}`:              "execute_request: field code: number where a string belongs",
		`{"silent":1}`:            "execute_request: field silent: number where a boolean belongs",
		`[]`:                      "execute_request: content: array where an object belongs",
		``:                        "execute_request: content: unexpected end of JSON input",
		`{"user_expressions":[]}`: "execute_request: field user_expressions: array where an object belongs",
	} {
		err := read("execute_request", content, &ExecuteRequest{})
		var body *BodyError
		if !errors.As(err, &body) || err.Error() != want {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
	}
}

// What goes out is UTF-8, not escaped for HTML, never null for a list, and has
// the parent as it came.
func TestEncode(t *testing.T) {
	s := session("key")
	parent := &Message{Identities: [][]byte{[]byte("id")},
		RawHeader: json.RawMessage("{\"msg_id\":\"1\",  \"x\":\"\xff\"}")}
	for _, tt := range []struct {
		content Content
		want    string
	}{
		{Stream{"stdout", "<a>&\xff\x00"}, `{"name":"stdout","text":"<a>&` + "\\ufffd\\u0000\"}"},
		{CompleteReply{Status: "ok"}, `{"status":"ok","matches":[],"cursor_start":0,"cursor_end":0,"metadata":{}}`},
		{ErrorReply{For: "x_reply", Status: "error", Ename: "E"},
			`{"status":"error","ename":"E","evalue":"","traceback":[]}`},
		{DisplayData{}, `{"data":{},"metadata":{},"transient":{}}`},
		{DisplayData{Data: Object{"text/html": "<b>"}}, `{"data":{"text/html":"<b>"},"metadata":{},"transient":{}}`},
		{HistoryReply{"ok", []HistoryEntry{{1, 2, "<", nil, true}, {1, 3, "y", nil, false}}},
			`{"status":"ok","history":[[1,2,["<",null]],[1,3,"y"]]}`},
		{ExecuteReply{Status: "ok", Payload: []Object{}},
			`{"status":"ok","execution_count":0,"user_expressions":{},"payload":[]}`},
	} {
		f, err := s.Publish(parent, tt.content)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(f[6]); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.content.Type(), got, tt.want)
		}
		if got := string(f[4]); got != "{\"msg_id\":\"1\",  \"x\":\"\uFFFD\"}" {
			t.Errorf("parent %q", got)
		}
	}
	if _, err := s.Publish(nil, DisplayData{Data: Object{"x": math.NaN()}}); err == nil {
		t.Error("NaN is encoded")
	}
}

// Topics, ids and the welcome.
func TestFront(t *testing.T) {
	s := session("")
	for _, tt := range []struct {
		content Content
		topic   string
		kind    string
	}{
		{Stream{"stderr", "x"}, "kernel.ours.stream.stderr", "stream"},
		{Status{"busy"}, "kernel.ours.status", "status"},
		{DisplayData{Update: true}, "kernel.ours.update_display_data", "update_display_data"},
	} {
		f, err := s.Publish(nil, tt.content)
		if err != nil {
			t.Fatal(err)
		}
		m, err := session("").Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if string(f[0]) != tt.topic || m.Header.MsgType != tt.kind || string(m.Parent) != "{}" {
			t.Errorf("topic %s, type %s, parent %s; want %s, %s, {}", f[0], m.Header.MsgType, m.Parent, tt.topic, tt.kind)
		}
	}
	w, err := s.Welcome([]byte("kernel.x"))
	if err != nil || string(w[0]) != "kernel.x" || !bytes.Contains(w[6], []byte(`{"subscription":"kernel.x"}`)) {
		t.Errorf("welcome %q, %v", w, err)
	}
	a, b := s.header("x"), s.header("x")
	if a.MsgID == b.MsgID || !strings.HasPrefix(a.MsgID, "ours") || a.Session != "ours" || a.Version != Protocol ||
		a.Date != "2026-01-01T00:00:00Z" {
		t.Errorf("headers %+v, %+v", a, b)
	}
}

// split cuts fuzz data into frames of a length byte and that many bytes.
func split(data []byte) [][]byte {
	var out [][]byte
	for len(data) > 0 {
		n := min(int(data[0]), len(data)-1)
		out = append(out, data[1:1+n])
		data = data[1+n:]
	}
	return out
}

func join(frames ...string) []byte {
	var out []byte
	for _, f := range frames {
		out = append(append(out, byte(len(f))), f...)
	}
	return out
}

// FuzzDecode: whatever the frames are, a message that is accepted holds exactly
// the received bytes, its reply can be encoded, and our own decoder accepts it.
func FuzzDecode(f *testing.F) {
	f.Add(join("id", "<IDS|MSG>", "", `{"msg_type":"execute_request"}`, "{}", "{}", `{"code":"1"}`, "buffer"))
	f.Add(join("<IDS|MSG>", "<IDS|MSG>", `{"msg_type":"x"}`, "", "", ""))
	f.Add(join("<IDS|MSG>", "", "{}", "{}", "{}", "{}"))
	f.Add(join("a", "b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := split(data)
		m, err := session("").Decode(in)
		if _, err := session("key").Decode(in); err == nil {
			t.Fatal("accepted without its signature")
		}
		if err != nil {
			return
		}
		i := len(m.Identities)
		got := bytes.Join([][]byte{m.RawHeader, m.Parent, m.Metadata, m.Content, bytes.Join(m.Buffers, nil)}, nil)
		if want := bytes.Join(in[i+2:], nil); !bytes.Equal(got, want) {
			t.Fatalf("holds %q, received %q", got, want)
		}
		var body ExecuteRequest
		if err := m.Decode(&body); err != nil && fmt.Sprint(err) == "" {
			t.Fatal("an error without words")
		}
		reply, err := session("key").Reply(m, OKReply{For: "x_reply", Status: "ok"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := session("key").Decode(reply[i:])
		if err != nil {
			t.Fatalf("reply %q: %v", reply, err)
		}
		if !json.Valid(r.Parent) {
			t.Fatalf("parent %q", r.Parent)
		}
	})
}
