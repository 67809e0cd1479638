package worker

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// capper lets the first three quarters of limit pass, keeps the last quarter,
// and says at the end what is missing between them.
type capper struct {
	limit        int64 // bytes; negative: everything passes
	shown        int64
	tail         []textPart
	kept         int64 // bytes of tail
	bytes, lines int64 // not shown
}

type textPart struct {
	stderr bool
	b      []byte
}

func (c *capper) take(stderr bool, b []byte, out func(bool, []byte)) {
	if c.limit < 0 && len(c.tail) > 0 { // it was taken off in mid-cell
		c.end(out)
	}
	if c.limit < 0 {
		out(stderr, b)
		return
	}
	if room := c.limit*3/4 - c.shown; room > 0 && len(c.tail) == 0 {
		n := min(room, int64(len(b)))
		for n < int64(len(b)) && n > 0 && !utf8.RuneStart(b[n]) {
			n--
		}
		out(stderr, b[:n])
		c.shown += n
		b = b[n:]
	}
	if len(b) > 0 {
		c.tail = append(c.tail, textPart{stderr, b})
		c.kept += int64(len(b))
		c.trim(c.limit / 4)
	}
}

// trim drops the oldest bytes of the tail above most.
func (c *capper) trim(most int64) {
	for c.kept > most {
		p := &c.tail[0]
		n := min(c.kept-most, int64(len(p.b)))
		for n < int64(len(p.b)) && !utf8.RuneStart(p.b[n]) {
			n++
		}
		c.bytes += n
		c.lines += int64(bytes.Count(p.b[:n], []byte("\n")))
		c.kept -= n
		if p.b = p.b[n:]; len(p.b) == 0 {
			c.tail = c.tail[1:]
		}
	}
}

// end gives the tail, or its last 64 KiB of 1 MiB behind a line that counts
// what is left out. The next text begins anew.
func (c *capper) end(out func(bool, []byte)) {
	if c.bytes > 0 {
		c.trim(max(c.limit/16, 0))
		out(false, fmt.Appendf(nil, "\n… %s, %s lines not shown; %%%%capture keeps all\n", size(c.bytes), group(c.lines)))
	}
	for _, p := range c.tail {
		out(p.stderr, p.b)
	}
	*c = capper{limit: c.limit}
}

// size writes bytes as "12.3 MB".
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}

// group writes a count as "204 311".
func group(n int64) string {
	s := fmt.Sprint(n)
	var parts []string
	for ; len(s) > 3; s = s[:len(s)-3] {
		parts = append([]string{s[len(s)-3:]}, parts...)
	}
	return strings.Join(append([]string{s}, parts...), " ")
}
