package server

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/wire"
)

// sink publishes what one cell shows, under that cell's header, also after its
// end. Text is joined and paced; everything else takes the text before it
// along, so that the order is kept.
type sink struct {
	s      *Server
	req    *wire.Message // its header alone: a sink is kept for long
	number int
	silent bool
	stdin  bool // the front end can be asked

	mu      sync.Mutex
	text    [2]joiner // stdout, stderr
	first   int       // which of them has the older text
	updates map[string]*update
	comms   map[string]*commUpdate
	timer   *time.Timer
	result  string // text of the result, for the history
	over    bool   // the cell has ended

	refused *engine.CellError // a message of a comm that was not let out
}

// update is the state of one display id: when it was sent last, and the newest
// picture that was not.
type update struct {
	sent time.Time
	next *engine.Display
}

func (s *Server) newSink(req *wire.Message, number int, silent bool) *sink {
	head := &wire.Message{Identities: req.Identities, Header: req.Header, RawHeader: req.RawHeader}
	return &sink{s: s, req: head, number: number, silent: silent, text: [2]joiner{{start: true}, {start: true}}}
}

// Stream implements engine.Sink.
func (k *sink) Stream(stderr bool, text string) {
	if k.silent || text == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	i := 0
	if stderr {
		i = 1
	}
	if k.text[i].empty() && k.text[1-i].empty() {
		k.first = i
	}
	if k.text[i].add(text); k.text[i].full() {
		k.flushText()
		return
	}
	k.arm()
}

// Display implements engine.Sink.
func (k *sink) Display(d engine.Display) {
	if k.silent {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if d.ID != "" && d.Update {
		u := k.updates[d.ID]
		if u == nil {
			u = &update{}
			if k.updates == nil {
				k.updates = map[string]*update{}
			}
			k.updates[d.ID] = u
		}
		if time.Since(u.sent) < k.s.cfg.Pace {
			u.next = &d
			k.arm()
			return
		}
		u.sent, u.next = time.Now(), nil
		k.flushText()
		k.show(d)
		return
	}
	k.flush()
	k.show(d)
}

// Clear implements engine.Sink.
func (k *sink) Clear(wait bool) {
	if k.silent {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flush()
	k.s.publish(k.req, wire.ClearOutput{Wait: wait})
}

// Result implements engine.Sink.
func (k *sink) Result(b display.Bundle) {
	if k.silent {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flush()
	k.result, _ = b.Data["text/plain"].(string)
	k.s.publish(k.req, wire.ExecuteResult{ExecutionCount: k.number, Data: data(b), Metadata: metadata(b)})
}

// failed publishes the one error message of a cell.
func (k *sink) failed(e *engine.CellError) {
	if k.silent {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flush()
	k.s.publish(k.req, wire.Error{Ename: e.Name, Evalue: e.Value, Traceback: e.Traceback})
}

// finish sends what still waits and gives the text of the result.
func (k *sink) finish() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flush()
	k.comms, k.updates = nil, nil // the sink stays for what comes late
	k.over = true
	return k.result
}

// show publishes a picture. The caller holds mu.
func (k *sink) show(d engine.Display) {
	k.s.publish(k.req, wire.DisplayData{Data: data(d.Bundle), Metadata: metadata(d.Bundle),
		Transient: wire.Transient{DisplayID: d.ID}, Update: d.Update})
}

// arm sets the timer that sends what waits. The caller holds mu.
func (k *sink) arm() {
	if k.timer == nil {
		k.timer = time.AfterFunc(k.s.cfg.Pace, func() {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.flush()
		})
	}
}

// flush sends all that waits. The caller holds mu.
func (k *sink) flush() {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	k.flushText()
	for _, id := range slices.Sorted(maps.Keys(k.updates)) {
		if u := k.updates[id]; u.next != nil {
			k.show(*u.next)
			u.sent, u.next = time.Now(), nil
		}
	}
	k.flushComms()
}

// flushText sends the text that waits, the older stream first. The caller holds
// mu.
func (k *sink) flushText() {
	for _, i := range [2]int{k.first, 1 - k.first} {
		if text := k.text[i].take(); text != "" {
			k.s.publish(k.req, wire.Stream{Name: [2]string{"stdout", "stderr"}[i], Text: text})
		}
	}
}

// joiner collects text of one stream. A line that was overwritten after a
// carriage return before anybody saw it is left out.
type joiner struct {
	buf   strings.Builder
	start bool // the text begins at the start of a line
}

func (j *joiner) empty() bool     { return j.buf.Len() == 0 }
func (j *joiner) add(text string) { j.buf.WriteString(text) }

// full says whether there is enough text to go out at once.
func (j *joiner) full() bool {
	if j.buf.Len() < joined {
		return false
	}
	folded := fold(j.buf.String(), j.start)
	j.buf.Reset()
	j.buf.WriteString(folded)
	return len(folded) >= joined/2
}

// take gives the folded text and empties j.
func (j *joiner) take() string {
	text := j.buf.String()
	if text == "" {
		return ""
	}
	j.buf.Reset()
	folded := fold(text, j.start)
	j.start = strings.HasSuffix(text, "\n")
	return folded
}

// fold takes out of every line the parts that a later part, after a carriage
// return, covers: a progress bar leaves its last state. A part that is longer
// than what follows stays, for its end would still be seen; so does one with an
// escape sequence, whose width is not known. start says whether text begins at
// the start of a line; if not, its first part stays.
func fold(text string, start bool) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		if !strings.Contains(body, "\r") {
			b.WriteString(line)
			start = true
			continue
		}
		var kept []string
		whole := start // the first part may go, and with it the return behind it
		for _, part := range strings.Split(body, "\r") {
			for len(kept) > 0 && (len(kept) > 1 || whole) && covers(part, kept[len(kept)-1]) {
				kept = kept[:len(kept)-1]
			}
			kept = append(kept, part)
		}
		b.WriteString(strings.Join(kept, "\r"))
		if end {
			b.WriteByte('\n')
		}
		start = true
	}
	return b.String()
}

// covers says whether nothing of old is seen once part was written over it.
func covers(part, old string) bool {
	if strings.ContainsRune(old, '\x1b') || strings.ContainsRune(part, '\x1b') {
		return false
	}
	return utf8.RuneCountInString(part) >= utf8.RuneCountInString(old)
}
