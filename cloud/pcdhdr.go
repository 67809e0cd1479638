package cloud

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// pcdHeader is what stands before the data of a PCD file.
type pcdHeader struct {
	fields   []pcdField
	points   int64
	encoding string // ascii, binary, binary_compressed
}

// pcdField is a column, or several of one name.
type pcdField struct {
	name  string
	kind  kind
	bytes int // of one value; padding may be of any size
	count int
}

func isPCD(head []byte) bool {
	return bytes.HasPrefix(head, []byte("# .PCD")) || bytes.HasPrefix(head, []byte("VERSION ")) ||
		bytes.HasPrefix(head, []byte("VERSION\t"))
}

var pcdKinds = map[string]kind{
	"I1": int8s, "I2": int16s, "I4": int32s, "I8": int64s,
	"U1": uint8s, "U2": uint16s, "U4": uint32s, "U8": uint64s,
	"F4": float32s, "F8": float64s,
}

// pcdHead reads the header to its line DATA.
func (in *input) pcdHead() (h pcdHeader, err error) {
	in.header = in.opt.Limits.MaxHeader
	defer func() { in.header = -1 }()
	lines := map[string][]string{}
	for h.encoding == "" {
		line, err := in.data("#")
		if err == io.EOF {
			return h, in.short("the header has no DATA line")
		}
		if err != nil {
			return h, err
		}
		f := strings.Fields(string(line))
		key := f[0]
		if key == "COLUMNS" { // the word of version 0.5
			key = "FIELDS"
		}
		if lines[key] != nil {
			return h, in.bad("a second line %.40q", key)
		}
		lines[key] = append([]string{}, f[1:]...)
		switch key {
		case "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS":
		case "DATA":
			if len(f) != 2 || f[1] != "ascii" && f[1] != "binary" && f[1] != "binary_compressed" {
				return h, in.bad("DATA is %.40q, not ascii, binary or binary_compressed", strings.Join(f[1:], " "))
			}
			h.encoding = f[1]
		default:
			return h, in.bad("%.40q where a line of the header is expected", f[0])
		}
	}
	if err := h.version(in, lines["VERSION"]); err != nil {
		return h, err
	}
	if err := h.columns(in, lines); err != nil {
		return h, err
	}
	return h, h.size(in, lines)
}

// version takes 0.5 to 0.7, also without the zero; the header did not change
// in a way that matters here.
func (h *pcdHeader) version(in *input, v []string) error {
	if v == nil {
		return nil
	}
	switch strings.TrimPrefix(strings.Join(v, " "), "0") {
	case ".5", ".6", ".7":
		return nil
	}
	return in.bad("version %.40q is not .5, .6 or .7", strings.Join(v, " "))
}

func (h *pcdHeader) columns(in *input, lines map[string][]string) error {
	names, sizes, types, counts := lines["FIELDS"], lines["SIZE"], lines["TYPE"], lines["COUNT"]
	if len(names) == 0 {
		return in.bad("the header has no FIELDS line")
	}
	if len(names) > in.opt.Limits.MaxProps {
		return in.fail(ErrLimit, "raise Limits.MaxProps", "%d fields, %d allowed", len(names), in.opt.Limits.MaxProps)
	}
	if len(sizes) != len(names) || len(types) != len(names) || counts != nil && len(counts) != len(names) {
		return in.bad("%d FIELDS, %d SIZE, %d TYPE, %d COUNT", len(names), len(sizes), len(types), len(counts))
	}
	columns := 0
	for j, name := range names {
		f := pcdField{name: name, kind: pcdKinds[types[j]+sizes[j]], count: 1}
		size, ok := count([]byte(sizes[j]))
		if !ok || size < 1 || size > 1<<16 || f.kind == 0 && (name != "_" || h.encoding == "ascii") {
			return in.bad("field %.40q has type %.40q of size %.40q", name, types[j], sizes[j])
		}
		f.bytes = int(size)
		if counts != nil {
			n, ok := count([]byte(counts[j]))
			if !ok || n < 1 || n > 1<<20 {
				return in.bad("field %.40q has count %.40q", name, counts[j])
			}
			f.count = int(n)
		}
		if name != "_" || h.encoding == "ascii" {
			if columns += f.count; columns > in.opt.Limits.MaxProps {
				return in.fail(ErrLimit, "raise Limits.MaxProps", "more than %d columns", in.opt.Limits.MaxProps)
			}
		}
		h.fields = append(h.fields, f)
	}
	return nil
}

// size finds the number of points: POINTS, or WIDTH times HEIGHT, which must
// agree, and it must fit into the rest of the file.
func (h *pcdHeader) size(in *input, lines map[string][]string) error {
	number := func(key string, standard int64) (int64, error) {
		v, ok := lines[key]
		if !ok {
			return standard, nil
		}
		n, ok := count([]byte(strings.Join(v, " ")))
		if !ok || n < 0 {
			return 0, in.bad("%s is %.40q", key, strings.Join(v, " "))
		}
		return n, nil
	}
	width, err := number("WIDTH", -1)
	if err != nil {
		return err
	}
	height, err := number("HEIGHT", 1)
	if err != nil {
		return err
	}
	if h.points, err = number("POINTS", -1); err != nil {
		return err
	}
	if width >= 0 {
		if height > 0 && width > int64(in.opt.Limits.MaxPoints)/height {
			return in.fail(ErrLimit, "raise Limits.MaxPoints, or read a smaller file",
				"%d times %d points, %d allowed", width, height, in.opt.Limits.MaxPoints)
		}
		if h.points >= 0 && h.points != width*height {
			return in.bad("POINTS is %d but WIDTH times HEIGHT is %d", h.points, width*height)
		}
		h.points = width * height
	}
	if h.points < 0 {
		return in.bad("the header has neither POINTS nor WIDTH")
	}
	each := int64(h.row())
	if each > ahead {
		return in.fail(ErrLimit, "leave the padding out", "a point has %d bytes, %d allowed", each, ahead)
	}
	switch h.encoding {
	case "ascii":
		each = int64(2 * len(h.names()))
	case "binary_compressed":
		each = 0 // the sizes before the data say more
	}
	return in.points(h.points, each)
}

// row is the number of bytes of a point.
func (h *pcdHeader) row() int {
	n := 0
	for _, f := range h.fields {
		n += f.bytes * f.count
	}
	return n
}

// names are the column names: a field of count 3 gives name_0, name_1, name_2.
func (h *pcdHeader) names() []string {
	var out []string
	for _, f := range h.fields {
		if f.name == "_" && h.encoding != "ascii" {
			continue // passed over as bytes
		}
		for i := range f.count {
			if f.name == "_" || f.count == 1 {
				out = append(out, f.name)
			} else {
				out = append(out, fmt.Sprintf("%s_%d", f.name, i))
			}
		}
	}
	return out
}
