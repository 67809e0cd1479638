package cloud

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strconv"
)

// objWords begin a line of an OBJ file; other lines are passed over too.
var objWords = []string{"v", "vt", "vn", "vp", "f", "l", "p", "o", "g", "s", "mtllib", "usemtl"}

func isOBJ(head []byte) bool {
	line := firstLine(head, "#")
	word, rest := firstWord(line)
	return len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t') && slices.Contains(objWords, string(word))
}

// readOBJ reads the v lines: x y z, then nothing, a fourth coordinate of 1, or
// the colours red green blue. All of them must be alike.
func readOBJ(in *input) (Cloud, error) {
	var t *table
	more := false // the line before ended in a backslash
	for {
		line, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Cloud{}, err
		}
		line = bytes.TrimSpace(line)
		part := more
		more = bytes.HasSuffix(line, []byte{'\\'})
		word, rest := firstWord(line)
		if part || string(word) != "v" {
			continue
		}
		rest, _, _ = bytes.Cut(rest, []byte{'#'})
		if t == nil {
			if t, err = in.objTable(len(split(rest, 0).all())); err != nil {
				return Cloud{}, err
			}
		}
		if err := t.objRow(rest); err != nil {
			return Cloud{}, err
		}
	}
	if t == nil {
		return Cloud{}, in.fail(ErrEmpty, "give a file with v lines", "the file holds no point")
	}
	return t.cloud()
}

// objTable makes the table for v lines of that many numbers.
func (in *input) objTable(columns int) (*table, error) {
	names := slices.Clone(axes(3))
	switch columns {
	case 3:
	case 4:
		names = append(names, "_")
	case 6:
		names = append(names, colours...)
	default:
		return nil, in.bad("a v line of %d numbers, not 3, 4 or 6", columns)
	}
	return in.newTable(names, 0)
}

func (t *table) objRow(line []byte) error {
	if len(t.layout.dest) == 4 {
		if f := bytes.Fields(line); len(f) == 4 {
			if w, err := parse(f[3], 64); err != nil || w != 1 {
				return t.in.bad("a fourth coordinate %.40q that is not 1", f[3])
			}
		}
	}
	return t.text(line, 0)
}

// writeOBJ writes v lines, with colours where those are the attributes.
func writeOBJ(w *bufio.Writer, c Cloud, _ Options) error {
	if err := c.only(true, colours...); err != nil {
		return err
	}
	return c.writeOrdered(w, "v ", colours)
}

// writeOrdered writes lines of coordinates and then the attributes of order, if
// there are any.
func (c Cloud) writeOrdered(w io.Writer, before string, order []string) error {
	var attr [][]float32
	for i := 0; i < len(order) && len(c.Attr) > 0; i++ {
		attr = append(attr, c.Attr[order[i]])
	}
	var line []byte
	for i := range c.N {
		line = append(line[:0], before...)
		for j := range c.D + len(attr) {
			if j > 0 {
				line = append(line, ' ')
			}
			line = strconv.AppendFloat(line, float64(c.value(attr, i, j)), 'g', -1, 32)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
