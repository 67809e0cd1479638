package worker

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Nothing orders three pipes. So before every frame that has a place in the
// output the child writes a mark into both text pipes: a zero byte, 15 hex
// digits of a nonce that only the two processes know, 8 of a counter. It is
// shorter than PIPE_BUF, so it is never torn.
const (
	nonceLen = 15
	markLen  = 1 + nonceLen + 8
)

func mark(nonce string, n uint32) []byte { return fmt.Appendf(nil, "\x00%s%08x", nonce, n) }

// scanner cuts one text pipe into texts and marks.
type scanner struct {
	prefix []byte // of every mark
	next   uint32 // the counter of the next mark
	buf    []byte // not yet decided
}

func newScanner(nonce string) *scanner {
	return &scanner{prefix: append([]byte{0}, nonce...), next: 1}
}

// feed takes the next bytes of the pipe, cut anywhere, and gives what is
// certain by now: text, or, for nil, a mark. It keeps back what may begin a
// mark and up to three bytes of an unfinished rune. The texts are the caller's.
func (s *scanner) feed(b []byte, emit func(text []byte)) {
	s.buf = append(s.buf, b...)
	from := 0 // where to look: a false mark is text
	for {
		i := bytes.Index(s.buf[from:], s.prefix)
		if i < 0 || len(s.buf) < from+i+markLen {
			break
		}
		i += from
		n, err := strconv.ParseUint(string(s.buf[i+len(s.prefix):i+markLen]), 16, 32)
		if err != nil || uint32(n) != s.next {
			from = i + 1
			continue
		}
		if i > 0 {
			emit(bytes.Clone(s.buf[:i]))
		}
		s.next++
		emit(nil)
		s.buf, from = s.buf[i+markLen:], 0
	}
	if n := s.certain(from); n > 0 {
		emit(bytes.Clone(s.buf[:n]))
		s.buf = append([]byte(nil), s.buf[n:]...)
	}
}

// finish gives what was kept back: the pipe has ended.
func (s *scanner) finish(emit func(text []byte)) {
	if len(s.buf) > 0 {
		emit(s.buf)
	}
	s.buf = nil
}

// certain is the length of the head of buf that can be neither part of a mark
// nor of an unfinished rune. Bytes before from begin no mark.
func (s *scanner) certain(from int) int {
	n := len(s.buf)
	for i := max(from, n-markLen+1); i < n; i++ {
		if tail := s.buf[i:]; bytes.HasPrefix(tail, s.prefix) || bytes.HasPrefix(s.prefix, tail) {
			n = i
			break
		}
	}
	for i := n - 1; i >= max(0, n-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(s.buf[i]) {
			if !utf8.FullRune(s.buf[i:n]) {
				n = i
			}
			break
		}
	}
	return n
}

// A merger puts the two text pipes and the frames into the order in which the
// child made them. It is not safe for concurrent use: its owner has a lock.
type merger struct {
	pipes    [2][][]byte // texts not yet released; nil: a mark
	passed   [2]int      // marks met at the head of each pipe
	frames   []frame     // not yet released
	released int
	text     func(stderr bool, text []byte)
	frame    func(frame)
}

// add takes a text or, for nil, a mark of a pipe.
func (m *merger) add(pipe int, text []byte) {
	m.pipes[pipe] = append(m.pipes[pipe], text)
	m.pump(false)
}

// put takes a frame. One without a place in the output goes out at once.
func (m *merger) put(f frame) {
	if !f.ordered() {
		m.frame(f)
		return
	}
	m.frames = append(m.frames, f)
	m.pump(false)
}

// finish releases everything: no more marks will come.
func (m *merger) finish() { m.pump(true) }

func (m *merger) pump(force bool) {
	for {
		for i := range m.pipes {
			m.drain(i)
		}
		met := m.passed[0] > m.released && m.passed[1] > m.released
		if len(m.frames) == 0 || !met && !force {
			break
		}
		f := m.frames[0]
		m.frames = m.frames[1:]
		m.released++
		m.frame(f)
	}
	if !force {
		return
	}
	for i, q := range m.pipes { // marks whose frames never came
		m.pipes[i] = nil
		for _, t := range q {
			if t != nil {
				m.text(i == 1, t)
			}
		}
	}
}

// drain gives the text of a pipe up to the mark whose frame is not out yet.
func (m *merger) drain(i int) {
	for len(m.pipes[i]) > 0 && m.passed[i] <= m.released {
		if t := m.pipes[i][0]; t == nil {
			m.passed[i]++
		} else {
			m.text(i == 1, t)
		}
		m.pipes[i] = m.pipes[i][1:]
	}
}
