package front

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gondola-lab/gondola/kernel/cell"
)

// maxShown is how many errors of one cell are shown.
const maxShown = 10

// Error holds all errors of a cell, sorted by place.
type Error struct{ List []Diag }

// Diag is one error at a place of a cell, in the words of the compiler. Line
// and Col count from 1, Col in code points.
type Diag struct {
	Cell, Line, Col int
	Msg             string
	Advice          string // one line, or ""

	of string // the declaration of With.Again that it is in; "" for the cell's own text
}

func (d Diag) String() string {
	return fmt.Sprintf("cell [%d]:%d:%d: %s", d.Cell, d.Line, d.Col, d.Msg)
}

// Error returns the errors without source lines and advice, each on a line of
// its own, at most ten.
func (e *Error) Error() string {
	var l []string
	for _, d := range e.shown() {
		l = append(l, d.String())
	}
	return strings.Join(e.more(l), "\n")
}

// Render returns the errors as a person reads them: the place and the words,
// the source line, a caret, the advice; at most ten, then "and 4 more".
// sources has the texts of the cells by number.
func (e *Error) Render(sources map[int]string) []string {
	var l []string
	for _, d := range e.shown() {
		l = append(l, strings.Split(d.String(), "\n")...)
		if line, ok := lineOf(sources[d.Cell], d.Line); ok && strings.TrimSpace(line) != "" {
			l = append(l, "    "+strings.TrimRight(line, " \t\r"), "    "+caret(line, d.Col))
		}
		if d.Advice != "" {
			l = append(l, "    "+d.Advice)
		}
	}
	return e.more(l)
}

func (e *Error) shown() []Diag { return e.List[:min(len(e.List), maxShown)] }

func (e *Error) more(l []string) []string {
	if n := len(e.List) - maxShown; n > 0 {
		l = append(l, fmt.Sprintf("and %d more", n))
	}
	return l
}

// caret is a line with ^ under column col of line; tabs stay tabs, so that the
// two lines fit whatever a tab is.
func caret(line string, col int) string {
	var b strings.Builder
	for _, c := range line {
		if col--; col <= 0 {
			break
		}
		if c != '\t' {
			c = ' '
		}
		b.WriteRune(c)
	}
	return b.String() + "^"
}

func lineOf(text string, n int) (string, bool) {
	for ; n > 1; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return "", false
		}
		text = text[i+1:]
	}
	line, _, _ := strings.Cut(text, "\n")
	return line, n == 1
}

// sorted returns the errors in the order of their places, one of a kind at a
// place, or nil if there is none.
func sorted(l []Diag) *Error {
	if len(l) == 0 {
		return nil
	}
	slices.SortStableFunc(l, func(a, b Diag) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	l = slices.CompactFunc(l, func(a, b Diag) bool {
		return a.Cell == b.Cell && a.Line == b.Line && a.Col == b.Col && a.Msg == b.Msg
	})
	return &Error{l}
}

// diag is an error at a byte offset of a unit's text.
func (j *job) diag(u unit, off int, msg string) Diag {
	before := u.Text[:min(off, len(u.Text))]
	d := Diag{Cell: u.number, Line: u.Line + strings.Count(before, "\n"), Msg: msg, of: u.again}
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		d.Col = 1 + utf8.RuneCountInString(before[i+1:])
	} else {
		d.Col = j.column(u.number, u.Line, u.Col) + utf8.RuneCountInString(before)
	}
	return d
}

// column turns a column of bytes of a cell's line into one of code points. The
// text of an earlier cell may be unknown; then its columns stay as they are.
func (j *job) column(number, line, col int) int {
	if l, ok := lineOf(j.texts[number], line); ok && l != "" {
		return cell.Column(l, col)
	}
	return col
}

// clamp moves a place that lies behind the text to its end.
func (j *job) clamp(d *Diag) {
	text, ok := j.texts[d.Cell]
	if !ok {
		return
	}
	text = strings.TrimRight(text, "\n")
	lines := strings.Count(text, "\n") + 1
	if d.Line > lines {
		d.Line, d.Col = lines, 1<<30
	}
	if line, ok := lineOf(text, d.Line); ok {
		d.Col = max(1, min(d.Col, 1+cell.RuneOffset(line, len(line))))
	}
}
