package cloud

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// colours and their partners are the attribute names of the formats that have
// places and no names for them.
var (
	colours = []string{"red", "green", "blue"}
	alpha   = []string{"red", "green", "blue", "alpha"}
)

// offMagic returns the letters before OFF in the first word, and whether it is a
// magic word at all.
func offMagic(word []byte) (prefix string, ok bool) {
	p, ok := strings.CutSuffix(string(word), "OFF")
	return p, ok && strings.Trim(p, "STCN4n") == ""
}

func isOFF(head []byte) bool {
	line, _, _ := bytes.Cut(firstLine(head, "#"), []byte{'\r'})
	word, _ := firstWord(line)
	_, ok := offMagic(word)
	return ok
}

// firstLine returns the first line of head that is neither blank nor a comment.
func firstLine(head []byte, comment string) []byte {
	for line := range bytes.FieldsFuncSeq(head, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && !bytes.HasPrefix(line, []byte(comment)) {
			return line
		}
	}
	return nil
}

// offLine returns the next line with its comment cut off; what and which say in
// an error what it should have been.
func (in *input) offLine(what string, which ...int64) ([]byte, error) {
	for {
		line, err := in.data("#")
		if err == io.EOF {
			if len(which) == 2 {
				what = fmt.Sprintf("%s %d of %d is", what, which[0], which[1])
			}
			return nil, in.short("%s expected", what)
		}
		if err != nil {
			return nil, err
		}
		line, _, _ = bytes.Cut(line, []byte{'#'})
		return bytes.TrimSpace(line), nil
	}
}

// readOFF reads OFF, COFF and NOFF in text. The magic word may be missing and
// the counts may stand on its line.
func readOFF(in *input) (Cloud, error) {
	prefix, vertices, faces, err := in.offHead()
	if err != nil {
		return Cloud{}, err
	}
	var t *table
	for i := range vertices {
		line, err := in.offLine("vertex", i, vertices)
		if err != nil {
			return Cloud{}, err
		}
		if t == nil {
			names, err := offNames(in, prefix, len(split(line, 0).all()))
			if err != nil {
				return Cloud{}, err
			}
			if t, err = in.newTable(names, 0); err != nil {
				return Cloud{}, err
			}
		}
		if err := t.text(line, 0); err != nil {
			return Cloud{}, err
		}
	}
	if t == nil {
		return Cloud{}, in.fail(ErrEmpty, "give a file with at least one point", "the file holds none")
	}
	for i := range faces {
		if _, err := in.offLine("face", i, faces); err != nil {
			return Cloud{}, err
		}
	}
	c, err := t.cloud()
	if err != nil {
		return Cloud{}, err
	}
	return c, in.tailText()
}

// offHead reads the magic word and the counts.
func (in *input) offHead() (prefix string, vertices, faces int64, err error) {
	in.header = in.opt.Limits.MaxHeader
	defer func() { in.header = -1 }()
	line, err := in.offLine("counts are")
	if err != nil {
		return "", 0, 0, err
	}
	word, rest := firstWord(line)
	if p, ok := offMagic(word); ok {
		switch prefix, line = p, bytes.TrimSpace(rest); {
		case bytes.HasPrefix(line, []byte("BINARY")):
			return "", 0, 0, in.fail(ErrFormat, "convert it to ascii OFF or PLY with MeshLab", "binary OFF is not read")
		case prefix != "" && prefix != "C" && prefix != "N" && prefix != "CN":
			return "", 0, 0, in.fail(ErrFormat, "convert it to OFF, COFF or PLY", "%sOFF is not read", prefix)
		}
		for len(line) == 0 {
			if line, err = in.offLine("counts are"); err != nil {
				return "", 0, 0, err
			}
		}
	}
	f := bytes.Fields(line)
	if len(f) < 1 || len(f) > 3 {
		return "", 0, 0, in.bad("%.40q where the counts of vertices, faces and edges are expected", line)
	}
	var n [3]int64
	for i, b := range f {
		var ok bool
		if n[i], ok = count(b); !ok || n[i] < 0 {
			return "", 0, 0, in.bad("count %.40q", b)
		}
	}
	if err := in.points(n[0], 6); err != nil { // three digits and what parts them
		return "", 0, 0, err
	}
	return prefix, n[0], n[1], in.holds(n[1], 2, "faces")
}

// offNames says what the columns of a vertex are: normals before colours.
func offNames(in *input, prefix string, columns int) ([]string, error) {
	names := slices.Clone(axes(3))
	if strings.Contains(prefix, "N") {
		names = append(names, normals[0]...)
	}
	switch columns - len(names) {
	case 0:
		if !strings.Contains(prefix, "C") {
			return names, nil
		}
	case 3:
		return append(names, colours...), nil
	case 4:
		return append(names, alpha...), nil
	}
	return nil, in.bad("a vertex of %d numbers in a file of kind %sOFF", columns, prefix)
}

// writeOFF writes vertices, with normals (NOFF) or colours (COFF) where those
// are the attributes.
func writeOFF(w *bufio.Writer, c Cloud, _ Options) error {
	prefix, order := "", []string(nil)
	switch {
	case c.Attr["nx"] != nil:
		prefix, order = "N", normals[0]
	case c.Attr["alpha"] != nil:
		prefix, order = "C", alpha
	case c.Attr != nil:
		prefix, order = "C", colours
	}
	if err := c.only(true, order...); err != nil {
		return err
	}
	if len(c.Attr) == 0 {
		prefix = ""
	}
	fmt.Fprintf(w, "%sOFF\n%d 0 0\n", prefix, c.N)
	return c.writeOrdered(w, "", order)
}
