package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/display"
	"github.com/gondola-lab/gondola/kernel/engine"
)

// outlet is the child's way up: fd 4, and the marks in fds 1 and 2.
type outlet struct {
	line
	nonce string
	lim   Limits // of displays; the others are on the dial
	dial  dial
	texts [2]int // copies of fds 1 and 2, which a cell cannot close

	marks  sync.Mutex // a mark in both pipes and its frame are one step
	count  uint32
	result *result // it waits for the end of its cell, with which it goes

	pace sync.Mutex // updates go out in the order they were made

	mu    sync.Mutex
	shown map[uint64]*shown // by cell
	asks  asks
	held  map[held]*update // updates of one display of one cell
}

type shown struct {
	number, dropped int
	bytes           int64
}

type held struct {
	cell uint64
	id   string
}

// update is the pacing of one display: the newest waits, at most paceEvery.
type update struct {
	last  time.Time
	wait  *engine.Display // nil: nothing waits
	timer *time.Timer
}

// result is the value of a cell.
type result struct {
	cell uint64
	raw  json.RawMessage
}

func newOutlet(start startBody, up io.Writer) (*outlet, error) {
	o := &outlet{line: line{w: up}, nonce: start.Nonce, lim: start.Limits, dial: dial{lim: start.Limits}, shown: map[uint64]*shown{},
		held: map[held]*update{}}
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			return nil, fmt.Errorf("cannot copy fd %d: %w", f.Fd(), err)
		}
		syscall.CloseOnExec(fd)
		o.texts[i] = fd
	}
	return o, nil
}

// put sends a frame that has a place in the output.
func (o *outlet) put(kind byte, cell uint64, body any) error {
	b, err := encode(kind, cell, body)
	if err != nil {
		return err // before the mark: it may not stand without its frame
	}
	o.marks.Lock()
	defer o.marks.Unlock()
	if err := o.free(); err != nil {
		return err
	}
	return o.mark(b)
}

// free sends a result that waits: something comes between it and the end of its
// cell. The caller holds marks.
func (o *outlet) free() error {
	r := o.result
	if r == nil {
		return nil
	}
	o.result = nil
	b, err := encode(upResult, r.cell, r.raw)
	if err != nil {
		return err
	}
	return o.mark(b)
}

// mark writes a frame behind its marks. The caller holds marks.
func (o *outlet) mark(b []byte) error {
	o.count++
	m := mark(o.nonce, o.count)
	for _, fd := range o.texts {
		if err := writeAll(fd, m); err != nil {
			return err
		}
	}
	return o.write(b)
}

// writeAll writes to a pipe that user code may have made non-blocking.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		switch err {
		case nil:
			b = b[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			time.Sleep(time.Millisecond)
		default:
			return err
		}
	}
	return nil
}

// outcome ends a cell.
func (o *outlet) outcome(cell uint64, out engine.Outcome) {
	for k, e := range out.Expressions {
		if _, err := marshal(e.Bundle); err != nil {
			e.Err = fault("Display", err.Error())
			e.Bundle = display.Bundle{}
			out.Expressions[k] = e
		}
	}
	body := outcomeBody{Outcome: out}
	o.marks.Lock()
	if r := o.result; r != nil && r.cell == cell {
		body.Result, o.result = r.raw, nil
	}
	o.marks.Unlock()
	o.put(upOutcome, cell, body)
}

// keep lets the value of a cell go with its end: one frame and one mark less,
// for most cells half of them.
func (o *outlet) keep(cell uint64, raw json.RawMessage) {
	o.marks.Lock()
	defer o.marks.Unlock()
	o.result = &result{cell, raw}
}

// admit says whether a cell may show n more bytes; else a line says so, at once
// for what is too large, at the cell's end for what is too many.
func (o *outlet) admit(cell uint64, n int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.shown[cell]
	if s == nil {
		s = &shown{}
		o.shown[cell] = s
	}
	if int64(n) > o.lim.BundleBytes {
		o.note("… a display of %s is not shown: %s are allowed\n", size(int64(n)), size(o.lim.BundleBytes))
		return false
	}
	if s.number >= o.lim.Displays || s.bytes+int64(n) > o.lim.DisplayBytes {
		s.dropped++
		return false
	}
	s.number++
	s.bytes += int64(n)
	return true
}

// note is a line of ours in the cell's standard output.
func (o *outlet) note(format string, args ...any) {
	writeAll(o.texts[0], fmt.Appendf(nil, format, args...))
}

// display shows or updates one picture. Updates of one display go out at most
// every paceEvery, the newest wins, and the last goes out before the outcome.
func (o *outlet) display(cell uint64, d engine.Display) {
	k := held{cell, d.ID}
	if !d.Update || d.ID == "" {
		o.release(k) // an older update may not come after this
		o.show(cell, d)
		return
	}
	o.pace.Lock()
	defer o.pace.Unlock()
	o.mu.Lock()
	u := o.held[k]
	if u == nil {
		u = &update{}
		o.held[k] = u
	}
	if rest := paceEvery - time.Since(u.last); rest > 0 {
		if u.wait == nil {
			u.timer = time.AfterFunc(rest, func() { o.release(k) })
		}
		u.wait = &d
		o.mu.Unlock()
		return
	}
	u.last = time.Now()
	o.mu.Unlock()
	o.show(cell, d)
}

// release sends the update that waits, if one does.
func (o *outlet) release(k held) {
	o.pace.Lock()
	defer o.pace.Unlock()
	o.mu.Lock()
	u := o.held[k]
	if u == nil || u.wait == nil {
		o.mu.Unlock()
		return
	}
	d := *u.wait
	u.wait, u.last = nil, time.Now()
	u.timer.Stop()
	o.mu.Unlock()
	o.show(k.cell, d)
}

// flush sends what waits of a cell that ends and says what was not shown.
func (o *outlet) flush(cell uint64) {
	o.mu.Lock()
	var keys []held
	for k := range o.held {
		if k.cell == cell {
			keys = append(keys, k)
		}
	}
	s := o.shown[cell]
	delete(o.shown, cell)
	o.mu.Unlock()
	for _, k := range keys {
		o.release(k)
	}
	o.mu.Lock()
	for _, k := range keys {
		delete(o.held, k)
	}
	o.mu.Unlock()
	if s != nil && s.dropped > 0 {
		o.note("… %s more displays are not shown: %s or %s are allowed in a cell\n",
			group(int64(s.dropped)), group(int64(o.lim.Displays)), size(o.lim.DisplayBytes))
	}
}

func (o *outlet) show(cell uint64, d engine.Display) {
	if b := sendable(d.Bundle); o.admit(cell, len(b)) {
		o.put(upDisplay, cell, displayBody{b, d.ID, d.Update})
	}
}

// sink is what the engine of the child is given for one cell.
type sink struct {
	up   *outlet
	id   uint64
	more bool // something is evaluated behind the result, and may print
}

var _ engine.Sink = (*sink)(nil)

// Stream writes where user code writes, so that the order holds.
func (s *sink) Stream(stderr bool, text string) {
	fd := s.up.texts[0]
	if stderr {
		fd = s.up.texts[1]
	}
	s.up.marks.Lock()
	defer s.up.marks.Unlock()
	s.up.free()
	writeAll(fd, []byte(text))
}

func (s *sink) Display(d engine.Display) { s.up.display(s.id, d) }
func (s *sink) Clear(wait bool)          { s.up.put(upClear, s.id, wait) }

// Comm implements engine.CommSink; the error is that of data that JSON cannot
// hold.
func (s *sink) Comm(m engine.CommMessage) error { return s.up.put(upComm, s.id, m) }

func (s *sink) Result(b display.Bundle) {
	raw := sendable(b)
	if int64(len(raw)) > s.up.lim.BundleBytes {
		s.up.note("… a result of %s is not shown: %s are allowed\n", size(int64(len(raw))), size(s.up.lim.BundleBytes))
		return
	}
	if s.more {
		s.up.put(upResult, s.id, raw)
		return
	}
	s.up.keep(s.id, raw)
}
