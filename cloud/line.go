package cloud

import "bytes"

// words takes a line apart: sep is one byte, or zero for any number of blanks.
// Where sep is a byte, blanks and double quotes around a word are taken off, and
// a word may be empty; between quotes the separator is a byte like any other.
type words struct {
	rest []byte
	sep  byte
	done bool
}

func split(line []byte, sep byte) words { return words{rest: line, sep: sep} }

// next returns the next word.
func (w *words) next() (word []byte, ok bool) {
	if w.sep == 0 {
		i := 0
		for i < len(w.rest) && (w.rest[i] == ' ' || w.rest[i] == '\t') {
			i++
		}
		b := w.rest[i:]
		n := 0
		for n < len(b) && b[n] != ' ' && b[n] != '\t' {
			n++
		}
		w.rest = b[n:]
		return b[:n], n > 0
	}
	if w.done {
		return nil, false
	}
	b, quoted := w.rest, 0
	if i := len(b) - len(bytes.TrimLeft(b, " \t")); i < len(b) && b[i] == '"' {
		if j := bytes.IndexByte(b[i+1:], '"'); j >= 0 {
			quoted = i + 1 + j
		}
	}
	if i := bytes.IndexByte(b[quoted:], w.sep); i >= 0 {
		b, w.rest = b[:quoted+i], b[quoted+i+1:]
	} else {
		w.done = true
	}
	b = bytes.Trim(b, " \t")
	if n := len(b); n >= 2 && b[0] == '"' && b[n-1] == '"' {
		b = b[1 : n-1]
	}
	return b, true
}

// all returns the words of a line as strings.
func (w words) all() []string {
	var out []string
	for {
		b, ok := w.next()
		if !ok {
			return out
		}
		out = append(out, string(b))
	}
}

// text takes one line of numbers as a row: one word a column.
func (t *table) text(line []byte, sep byte) error {
	w := split(line, sep)
	for j, dest := range t.layout.dest {
		b, ok := w.next()
		if !ok {
			return t.in.bad("%d columns where %d are expected", j, len(t.layout.dest))
		}
		if err := t.word(j, dest, b); err != nil {
			return err
		}
	}
	if _, more := w.next(); more {
		return t.in.bad("more than the %d columns expected", len(t.layout.dest))
	}
	return t.commit()
}

// word puts the word b of column j where it belongs.
func (t *table) word(j, dest int, b []byte) error {
	var err error
	switch {
	case dest >= 0 && dest < len(t.origin):
		t.row[dest], err = shifted32(b, t.origin[dest])
	case dest >= 0:
		t.row[dest], err = parse32(b)
	case dest == toWeight:
		t.weight, err = parse(b, 64)
	default:
		return nil
	}
	switch {
	case err == errRange:
		return t.in.fail(ErrNotFinite, "scale the data down", "column %d: float32 cannot hold %.40q", j+1, b)
	case err == nil:
		return nil
	}
	advice := "mend the line, or choose the coordinate columns by Columns"
	if bytes.IndexByte(b, ',') >= 0 {
		advice = "write numbers with a decimal point, not a comma"
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' || r == 0xfffd }) {
		advice = "check that this is a text file in UTF-8"
	}
	return t.in.fail(ErrFormat, advice, "column %d: not a number: %.40q", j+1, b)
}

// count reads a whole number that is at least zero and fits an int64.
func count(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	n, neg := int64(0), b[0] == '-'
	if neg {
		b = b[1:]
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if neg {
		n = -n
	}
	return n, len(b) > 0
}
