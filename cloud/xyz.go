package cloud

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// rowsOfText is a file of numbers, one point a line, on its way in: XYZ, PTS,
// CSV and what else people write. Before the first point there may be comments
// (# or //; # also behind numbers), of which the last may name the columns, a
// line of names, and the number of points (PTS).
type rowsOfText struct {
	in       *input
	t        *table
	sep      byte
	comment  string   // text of the last comment before the first point
	header   []string // names of the columns
	lone     []byte   // a first line of one number: a point in one dimension, or
	promised int64    // the number of points that PTS gives; −1: none
}

// readXYZ reads a text of numbers, separated by blanks, commas or semicolons.
func readXYZ(in *input) (Cloud, error) {
	r := rowsOfText{in: in, promised: -1}
	extra := 0
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Cloud{}, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case line[0] == '#' || bytes.HasPrefix(line, []byte("//")):
			if r.t == nil {
				r.comment = strings.TrimLeft(string(line), "#/ ")
			}
			continue
		}
		if i := bytes.IndexByte(line, '#'); i > 0 && bytes.IndexByte([]byte("+-.0123456789"), line[0]) >= 0 {
			line = bytes.TrimSpace(line[:i]) // a comment behind numbers
		}
		if r.t == nil {
			if err := r.begin(line); err != nil {
				return Cloud{}, err
			}
			if r.t == nil { // names, or a lone number
				continue
			}
		}
		if r.promised >= 0 && int64(r.t.n+r.t.nan) >= r.promised {
			extra++
			continue
		}
		if err := r.t.text(line, r.sep); err != nil {
			return Cloud{}, err
		}
	}
	if extra > 0 {
		in.note("%d lines behind the last datum are ignored", extra)
	}
	return r.end()
}

// end makes the cloud of the rows.
func (r *rowsOfText) end() (Cloud, error) {
	in := r.in
	if r.t == nil && r.lone != nil {
		if n, ok := count(r.lone); ok && n > 0 {
			return Cloud{}, in.short("%d points are promised and none follow", n)
		}
		if n, ok := count(r.lone); !ok || n < 0 { // no count: a point
			if err := r.start(1); err != nil {
				return Cloud{}, err
			}
			if err := r.t.text(r.lone, 0); err != nil {
				return Cloud{}, err
			}
		}
	}
	if r.t == nil {
		return Cloud{}, in.fail(ErrEmpty, "give a file with at least one point", "the file holds none")
	}
	if r.promised > int64(r.t.n+r.t.nan) {
		return Cloud{}, in.short("%d points are promised, %d follow", r.promised, r.t.n+r.t.nan)
	}
	return r.t.cloud()
}

// separator is the byte between the words of a line: a semicolon, else a comma,
// else zero for blanks. What stands between quotes does not count.
func separator(line []byte) byte {
	if bytes.IndexByte(line, '"') >= 0 {
		var bare []byte
		for i, part := range bytes.Split(line, []byte{'"'}) {
			if i%2 == 0 {
				bare = append(bare, part...)
			}
		}
		line = bare
	}
	for _, sep := range []byte{';', ','} {
		if bytes.IndexByte(line, sep) >= 0 {
			return sep
		}
	}
	return 0
}

// begin looks at a line before the first point: names of columns, a number of
// points, or the first point, for which it makes the table.
func (r *rowsOfText) begin(line []byte) error {
	in := r.in
	r.sep = separator(line)
	words := split(line, r.sep).all()
	if len(words) > in.opt.Limits.MaxProps {
		return in.fail(ErrLimit, "raise Limits.MaxProps", "%d columns, %d allowed", len(words), in.opt.Limits.MaxProps)
	}
	first := r.header == nil && r.lone == nil
	if first && in.namesColumns(words) {
		for j, name := range words {
			if name == "" { // as pandas has it over the numbers of the rows
				words[j] = fmt.Sprintf("c%d", j+1)
			}
		}
		if _, err := arrange(words); err != nil && len(in.opt.Columns) == 0 {
			return in.fail(ErrFormat, "name the columns of the coordinates x, y, z", "%v", err)
		}
		r.header = words
		return nil
	}
	if len(words) == 1 && first && r.comment == "" {
		r.lone = bytes.Clone(line)
		return nil
	}
	if r.lone == nil {
		return r.start(len(words))
	}
	if len(words) == 1 { // the lone number was a point
		if err := r.start(1); err != nil {
			return err
		}
		in.line--
		err := r.t.text(r.lone, 0)
		in.line++
		return err
	}
	var ok bool
	if r.promised, ok = count(r.lone); !ok || r.promised < 0 {
		return in.bad("the first line, %.40q, is no number of points", r.lone)
	}
	err := in.points(max(r.promised-1, 0), int64(2*len(words))) // one is read
	if errors.Is(err, ErrTruncated) {
		return in.short("%d points are promised, more than the rest of the file can hold", r.promised)
	}
	if err != nil {
		return err
	}
	return r.start(len(words))
}

// namesColumns reports whether the first line holds names: its first word is no
// number, and no column that Columns asks for by number has one.
func (in *input) namesColumns(words []string) bool {
	number := func(word string) bool {
		_, err := parse([]byte(word), 64)
		return err != errSyntax || decimalComma(word)
	}
	for _, ask := range in.opt.Columns {
		if slices.Contains(words, ask) && !number(ask) {
			return true
		}
		if n, ok := count([]byte(ask)); ok && n > 0 && n <= int64(len(words)) && number(words[n-1]) {
			return false
		}
	}
	return !number(words[0])
}

// decimalComma reports whether a word is a number but for its decimal comma.
func decimalComma(word string) bool {
	_, err := parse([]byte(strings.Replace(word, ",", ".", 1)), 64)
	return err == nil && strings.Contains(word, ",")
}

// start makes the table for rows of that many columns.
func (r *rowsOfText) start(columns int) error {
	names := r.header
	if names == nil && r.comment != "" {
		c := split([]byte(r.comment), separator([]byte(r.comment))).all()
		_, err := arrange(c)
		asked := slices.ContainsFunc(r.in.opt.Columns, func(ask string) bool {
			_, number := count([]byte(ask))
			return !number && slices.ContainsFunc(c, func(name string) bool { return strings.EqualFold(name, ask) })
		})
		if (asked || err == nil) && len(c) == columns {
			names = c
		}
	}
	if len(r.in.opt.Columns) > 0 {
		var err error
		if names, err = r.in.choose(names, columns); err != nil {
			return err
		}
	}
	if names == nil {
		names = r.usual(columns)
	}
	if len(names) != columns {
		return r.in.bad("%d columns where the header names %d", columns, len(names))
	}
	t, err := r.in.newTable(names, 0)
	r.t = t
	return err
}

// usual are the names of columns that nobody named: coordinates, then what the
// kind of file is known to hold, then c4, c5 …
func (r *rowsOfText) usual(columns int) []string {
	names := slices.Clone(axes(min(columns, 3)))
	suffix := strings.ToLower(filepath.Ext(r.in.opt.Name))
	switch {
	case suffix == ".xyzn" && columns == 6:
		names = append(names, normals[0]...)
	case (suffix == ".xyzrgb" || r.promised >= 0) && columns == 6:
		names = append(names, colours...)
	case r.promised >= 0 && (columns == 4 || columns == 7):
		names = append(append(names, "intensity"), colours...)[:columns]
	}
	return numbered(names, columns)
}

// numbered adds names c4, c5 … up to the number of columns.
func numbered(names []string, columns int) []string {
	for len(names) < columns {
		names = append(names, fmt.Sprintf("c%d", len(names)+1))
	}
	return names
}

// choose names the columns that Columns asks for x, y, z and all others _.
func (in *input) choose(names []string, columns int) ([]string, error) {
	ask := in.opt.Columns
	if len(ask) > in.opt.Limits.MaxProps {
		return nil, optionError(in.op, "Columns", fmt.Sprintf("%d names", len(ask)), "fewer of them")
	}
	out := slices.Repeat([]string{"_"}, columns)
	for k, name := range ask {
		j := slices.Index(names, name)
		if j < 0 {
			j = slices.IndexFunc(names, func(s string) bool { return strings.EqualFold(s, name) })
		}
		if n, ok := count([]byte(name)); j < 0 && ok {
			j = int(n) - 1
		}
		if j < 0 || j >= columns || out[j] != "_" {
			return nil, optionError(in.op, "Columns", quoted(ask),
				fmt.Sprintf("as different names, or numbers from 1 to %d", columns))
		}
		out[j] = axes(len(ask))[k]
	}
	return out, nil
}

// writeXYZ writes numbers with blanks between them. Three or two coordinates
// alone have no header; else a comment names the columns, as readers of ours
// understand and others pass over.
func writeXYZ(w *bufio.Writer, c Cloud, _ Options) error {
	names, err := c.columns("cloud.Write")
	if err != nil {
		return err
	}
	if len(names) > c.D || c.D != 2 && c.D != 3 {
		fmt.Fprintf(w, "# %s\n", strings.Join(names, " "))
	}
	return c.writeText(w, ' ')
}
