package session

import (
	"strings"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// segment is a stretch of a cell that runs as one: Go text, or a magic. The
// text of code has the length of the cell, with blanks where others stand, so
// that all positions are the cell's.
type segment struct {
	magic *cell.Directive // nil: plain code
	code  string
}

// segments cuts a cell at its magics. blanked is the cell with the magics as
// blanks. Code before, between and after magics runs in that order.
func segments(blanked string, list []cell.Directive) []segment {
	var out []segment
	lines := strings.SplitAfter(blanked, "\n")
	from := 0 // first line of the code not yet given out
	code := func(to int) {
		if hasCode(lines[from:to]) {
			out = append(out, segment{code: only(lines, from, to)})
		}
		from = to
	}
	for i := range list {
		d := &list[i]
		if d.Whole {
			continue
		}
		code(min(d.Line-1, len(lines)))
		s := segment{magic: d}
		if m, err := find(*d); err == nil && m.code {
			s.code = at(d.Args, d.Line, d.Col)
		}
		out = append(out, s)
		from = min(d.Line, len(lines))
	}
	code(len(lines))
	return out
}

// hasCode tells whether lines hold more than blanks and line comments.
func hasCode(lines []string) bool {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "//") {
			return true
		}
	}
	return false
}

// only keeps the lines from … to-1 and makes the others empty.
func only(lines []string, from, to int) string {
	var b strings.Builder
	for i, l := range lines {
		switch {
		case i >= from && i < to:
			b.WriteString(l)
		case strings.HasSuffix(l, "\n"):
			b.WriteString("\n")
		}
	}
	return b.String()
}

// at puts text at a line and column of an empty cell.
func at(text string, line, col int) string {
	return strings.Repeat("\n", line-1) + strings.Repeat(" ", col-1) + text
}
