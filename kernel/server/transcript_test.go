package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
	"github.com/gondola-lab/gondola/kernel/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var updated = flag.Bool("update", false, "rewrite the out sections of testdata")

// TestTranscripts plays every testdata/*.txtar: frames in, engine script,
// messages out. Its sections:
//
//	engine CODE   what the fake engine does for a cell of this text
//	in            one step a line
//	out           every message, in the order in which it was sent
//	out by request    the same, but grouped by the request that caused them,
//	              where two goroutines answer at once
//
// A step is CHANNEL TYPE JSON: the message is sent and its idle awaited. With +
// before it nothing is awaited; with ~ it lies ready in the socket until the
// server drains it. "until TYPE" waits for a message that was not there at the
// step before; "interrupt" and "await" (all idles) are calls.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { play(t, f) })
	}
}

func play(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fake := enginetest.NewFake()
	var in, want string
	grouped := false
	parts := sections(string(text))
	for _, p := range parts {
		kind, code, _ := strings.Cut(p.name, " ")
		switch kind {
		case "engine":
			fake.On[code] = enginetest.Script(p.text)
		case "in":
			in = p.text
		case "out":
			want, grouped = p.text, code == "by request"
		}
	}
	tape := newTape(Config{Engine: fake})
	defer tape.end(t)
	for line := range strings.Lines(in) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			tape.step(t, line)
		}
	}
	tape.await(t)
	got := tape.String()
	if grouped {
		lines := strings.SplitAfter(got, "\n")
		slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(cause(a), cause(b)) })
		got = strings.Join(lines, "")
	}
	if *updated {
		rewriteOut(t, file, string(text), got)
	} else if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// cause is the number of the request that caused a line of the tape.
func cause(line string) int {
	f := strings.Fields(line)
	if len(f) < 2 || f[1] == "-" {
		return 0
	}
	n, err := strconv.Atoi(f[1][1:])
	if err != nil {
		panic(err)
	}
	return n
}

type section struct{ name, text string }

// sections splits a txtar.
func sections(text string) []section {
	var out []section
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			out = append(out, section{name: strings.TrimSuffix(name, " --")})
		} else if len(out) > 0 {
			out[len(out)-1].text += line
		}
	}
	return out
}

func rewriteOut(t *testing.T, file, text, out string) {
	i := strings.Index(text, "\n-- out")
	if i < 0 {
		t.Fatalf("%s has no out section", file)
	}
	i += 1 + strings.IndexByte(text[i+1:], '\n') + 1
	if err := os.WriteFile(file, []byte(text[:i]+out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tape is a transport that keeps what is sent, in order, as text.
type tape struct {
	s      *Server
	client *wire.Session // signs what the test sends

	mu    sync.Mutex
	lines []string
	types []string
	seen  int // types that the last step had seen
	idle  map[string]bool
	news  *sync.Cond
	sent  []string // ids of the messages sent so far
	ready [][][]byte
	full  bool              // Publish refuses
	hook  func(kind string) // called after a message was recorded
}

func newTape(cfg Config) *tape {
	now := func() string { return "2026-01-01T00:00:00.000000Z" }
	cfg.Session = &wire.Session{ID: "ours", Key: []byte("k"), Now: now}
	cfg.Version = "1.2.3"
	if cfg.Pace == 0 {
		cfg.Pace = time.Hour
	}
	p := &tape{s: New(cfg), client: &wire.Session{ID: "theirs", Key: []byte("k"), Now: now}, idle: map[string]bool{}}
	p.news = sync.NewCond(&p.mu)
	p.s.Start(p)
	return p
}

func (p *tape) end(t *testing.T) {
	t.Helper()
	if err := p.s.cfg.Engine.Close(); err != nil {
		t.Errorf("engine: %v", err)
	}
	p.s.Close()
}

// request gives the frames of a message of the client.
func (p *tape) request(kind, content string) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("m%d", len(p.sent)+1)
	p.sent = append(p.sent, id)
	if kind == "input_reply" { // nothing answers it
		p.idle[id] = true
	}
	header := fmt.Sprintf(`{"msg_id":%q,"msg_type":%q,"ours":[1]}`, id, kind)
	return sign([]byte(header), []byte("{}"), []byte("{}"), []byte(content))
}

func (p *tape) step(t *testing.T, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "interrupt":
		p.s.Interrupt()
		return
	case "await":
		p.await(t)
		return
	case "until":
		p.until(t, func() bool {
			for i := p.seen; i < len(p.types); i++ {
				if p.types[i] == rest {
					p.seen = i + 1
					return true
				}
			}
			return false
		}, line)
		return
	}
	kind, content, _ := strings.Cut(rest, " ")
	if content == "" {
		content = "{}"
	}
	ch := wire.Channel(strings.TrimLeft(word, "+~"))
	frames := p.request(kind, content)
	switch word[0] {
	case '~':
		p.mu.Lock()
		p.ready = append(p.ready, frames)
		p.mu.Unlock()
	default:
		p.s.Receive(ch, frames)
	}
	if word[0] != '+' && word[0] != '~' {
		p.await(t)
	}
}

// await waits for the idle of everything that was sent.
func (p *tape) await(t *testing.T) {
	t.Helper()
	p.until(t, func() bool { return len(p.idle) == len(p.sent) }, "all idle")
}

func (p *tape) until(t *testing.T, ok func() bool, what string) {
	t.Helper()
	late := time.AfterFunc(20*time.Second, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		what += " (too late)"
		p.news.Broadcast()
	})
	defer late.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !ok() {
		if strings.HasSuffix(what, "(too late)") {
			t.Fatalf("waited for %s; so far:\n%s", what, strings.Join(p.lines, ""))
		}
		p.news.Wait()
	}
}

// Send implements Transport.
func (p *tape) Send(ch wire.Channel, frames [][]byte) { p.record(string(ch), frames) }

// Publish implements Transport.
func (p *tape) Publish(frames [][]byte) bool {
	p.mu.Lock()
	full := p.full
	p.mu.Unlock()
	if !full {
		p.record("iopub", frames)
	}
	return !full
}

// Drain implements Transport.
func (p *tape) Drain(ch wire.Channel) {
	p.mu.Lock()
	ready := p.ready
	p.ready = nil
	p.mu.Unlock()
	for _, f := range ready {
		p.s.Receive(ch, f)
	}
}

func (p *tape) record(ch string, frames [][]byte) {
	for !bytes.Equal(frames[0], []byte("<IDS|MSG>")) {
		frames = frames[1:]
	}
	var h, parent struct {
		ID   string `json:"msg_id"`
		Type string `json:"msg_type"`
	}
	var content any
	for i, v := range []any{&h, &parent} {
		if err := json.Unmarshal(frames[2+i], v); err != nil {
			panic(err)
		}
	}
	if err := json.Unmarshal(frames[5], &content); err != nil {
		panic(err)
	}
	body, err := wire.Marshal(content) // keys sorted
	if err != nil {
		panic(err)
	}
	if parent.ID == "" {
		parent.ID = "-"
	}
	text := strings.ReplaceAll(string(body), strings.TrimPrefix(runtime.Version(), "go"), "GOVERSION")
	if p.hook != nil {
		defer p.hook(h.Type)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, fmt.Sprintf("%s %s %s %s\n", ch, parent.ID, h.Type, text))
	p.types = append(p.types, h.Type)
	if h.Type == "status" && strings.Contains(text, `"idle"`) {
		p.idle[parent.ID] = true
	}
	p.news.Broadcast()
}

// String is everything that was sent.
func (p *tape) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "")
}
