package worker

import (
	"bytes"
	"sync"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// output is the way from the line to the sinks: order, caps, delivery. The
// readers of the pipes never wait for a sink: what is due stands in a queue
// that one goroutine delivers.
type output struct {
	dial *dial

	mu      sync.Mutex
	merge   merger
	cells   map[uint64]*running
	ids     []uint64 // of cells, oldest first
	current *running // the cell that runs, or the last one: text belongs to it
	ask     func(*running, inputBody)
	hold    holder
	timer   *time.Timer // releases hold
	spoken  []byte      // of hold, released last
	crashes bool        // the child writes a crash report: hold is released no more

	queue   []func()
	bytes   int // of the queue
	changed *sync.Cond
	closed  bool
}

// running is a cell of this worker, also after its end.
type running struct {
	engine.Cell
	sink  engine.Sink
	cap   capper
	begun bool                // the child has it; read when the process is dead
	over  chan struct{}       // closed when it is not to be waited for: asked to stop, or over
	ended sync.Once           // over is closed
	done  chan engine.Outcome // one value
}

func newOutput(d *dial, asked func(frame)) *output {
	o := &output{dial: d, cells: map[uint64]*running{}}
	o.changed = sync.NewCond(&o.mu)
	o.merge.text = o.text
	o.merge.frame = func(f frame) {
		if r := o.cells[f.id]; f.kind == upBegun && r != nil {
			r.begun = true
		} else if f.ordered() {
			o.frame(f)
		} else {
			asked(f)
		}
	}
	o.timer = time.AfterFunc(time.Hour, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.unhold()
	})
	return o
}

// begin makes c the cell that text belongs to.
func (o *output) begin(c engine.Cell, s engine.Sink) *running {
	r := &running{Cell: c, sink: s, cap: capper{limit: o.dial.get().Text}, done: make(chan engine.Outcome, 1), over: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unhold()
	o.end(o.current) // text that came after the end of the last cell
	o.current = r
	o.cells[c.ID] = r
	if o.ids = append(o.ids, c.ID); len(o.ids) > keptSinks {
		delete(o.cells, o.ids[0])
		o.ids = o.ids[1:]
	}
	return r
}

// say writes a line of ours to the standard error of a cell.
func (o *output) say(r *running, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deliver(len(text), func() { r.sink.Stream(true, text) })
}

// deliver puts one call of a sink into the queue.
func (o *output) deliver(n int, call func()) {
	o.queue = append(o.queue, call)
	o.bytes += n
	o.changed.Broadcast()
}

// crashing notes that the child has begun its crash report.
func (o *output) crashing() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.crashes = true
}

// lastWords ends the hold of a child that has ended. Text that looks like a
// crash is the report's if there was one, else it is shown.
func (o *output) lastWords(crashed bool) string {
	o.crashes = false
	if !crashed {
		o.unhold()
		return ""
	}
	b := o.hold.kept
	o.hold = holder{}
	if len(b) == 0 {
		b = o.spoken // it came too slowly, and has been shown
	}
	return string(b)
}

// throttle lets a reader of text wait after all where the queue is long: a
// program without a cap is as fast as its reader.
func (o *output) throttle() {
	limit := 16 * queueBytes
	if o.current != nil && o.current.cap.limit < 0 {
		limit = queueBytes
	}
	for o.bytes > limit && !o.closed {
		o.changed.Wait()
	}
}

// pump delivers until close.
func (o *output) pump() {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.changed.Wait()
		}
		calls := o.queue
		o.queue, o.bytes = nil, 0
		o.changed.Broadcast()
		o.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		for _, call := range calls {
			call()
		}
	}
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.timer.Stop()
	o.changed.Broadcast()
}

// text is called by merge, in order.
func (o *output) text(stderr bool, b []byte) {
	if !stderr {
		o.pass(false, b)
		return
	}
	waits := len(o.hold.kept) > 0
	for _, part := range o.hold.take(b) {
		o.pass(true, part)
	}
	if !waits && len(o.hold.kept) > 0 {
		o.timer.Reset(crashHold)
	}
}

// unhold publishes what looked like a crash: the worker goes on.
func (o *output) unhold() {
	if b := o.hold.kept; len(b) > 0 && !o.crashes {
		o.spoken = b[:min(len(b), crashBytes)]
		o.hold = holder{inLine: b[len(b)-1] != '\n'}
		o.pass(true, b)
	}
}

func (o *output) pass(stderr bool, b []byte) {
	r := o.current
	if r == nil || len(b) == 0 { // before the first cell: nobody asked for it
		return
	}
	r.cap.take(stderr, b, func(stderr bool, b []byte) {
		o.deliver(len(b), func() { r.sink.Stream(stderr, string(b)) })
	})
}

// end shows the last part of a cell's text.
func (o *output) end(r *running) {
	if r == nil {
		return
	}
	r.cap.end(func(stderr bool, b []byte) {
		o.deliver(len(b), func() { r.sink.Stream(stderr, string(b)) })
	})
}

// frame is called by merge, in order, for frames with a place in the output.
func (o *output) frame(f frame) {
	o.unhold()
	r := o.cells[f.id]
	if r == nil { // a cell of long ago
		return
	}
	switch f.kind {
	case upDisplay:
		var d engine.Display
		if f.unmarshal(&d) == nil {
			if d.ID != "" {
				o.dial.saw(d.ID)
			}
			o.deliver(len(f.body), func() { r.sink.Display(d) })
		}
	case upClear:
		var wait bool
		if f.unmarshal(&wait) == nil {
			o.deliver(1, func() { r.sink.Clear(wait) })
		}
	case upResult:
		var b display.Bundle
		if f.unmarshal(&b) == nil {
			o.deliver(len(f.body), func() { r.sink.Result(b) })
		}
	case upOutcome:
		o.outcome(r, f)
	case upComm:
		var m engine.CommMessage
		if s, ok := r.sink.(engine.CommSink); ok && f.unmarshal(&m) == nil {
			o.deliver(len(f.body), func() { s.Comm(m) }) // what it refuses it says in the cell's error
		}
	case upLimit:
		var change string
		if f.unmarshal(&change) == nil {
			o.change(r, change)
		}
	case upInput:
		var in inputBody
		if f.unmarshal(&in) == nil {
			o.deliver(1, func() { o.ask(r, in) })
		}
	}
}

// outcome ends a cell: the rest of its text, its value, its end.
func (o *output) outcome(r *running, f frame) {
	var b outcomeBody
	if err := f.unmarshal(&b); err != nil {
		b = outcomeBody{Outcome: engine.Outcome{Err: fault("InternalError", err.Error())}}
	}
	var value *display.Bundle
	if b.Result != nil {
		value = &display.Bundle{}
		if err := (frame{kind: upResult, body: b.Result}).unmarshal(value); err != nil {
			b.Err, value = fault("InternalError", err.Error()), nil
		}
	}
	if r == o.current {
		o.end(r)
	}
	r.finish()
	o.deliver(len(f.body), func() {
		if value != nil {
			r.sink.Result(*value)
		}
		r.done <- b.Outcome
	})
}

// holder keeps back text of standard error that looks like a crash.
type holder struct {
	inLine bool // the text so far does not end in a newline
	kept   []byte
}

var crashWords = []string{"panic:", "fatal error:", "runtime:", "SIG"}

// take gives the parts that may be published now; from a line that begins like
// a crash on, everything is kept.
func (h *holder) take(b []byte) [][]byte {
	if len(h.kept) > 0 {
		b = append(h.kept, b...)
		h.kept = nil
		if len(b) > holdBytes {
			return [][]byte{b}
		}
		h.inLine = false // kept text begins a line
	}
	for at := 0; at < len(b); {
		if !h.inLine && crashLine(b[at:]) {
			h.kept = bytes.Clone(b[at:])
			h.inLine = false
			return [][]byte{b[:at]}
		}
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			h.inLine = true
			break
		}
		h.inLine = false
		at += i + 1
	}
	return [][]byte{b}
}

func crashLine(b []byte) bool {
	for _, w := range crashWords {
		if n := min(len(b), len(w)); string(b[:n]) == w[:n] {
			return true
		}
	}
	return false
}
