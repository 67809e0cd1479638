package cloud

import (
	"bytes"
	"io"
	"strings"
)

// plyHeader is what stands before the data of a PLY file.
type plyHeader struct {
	encoding string // ascii, binary_little_endian, binary_big_endian
	elements []plyElement
}

// plyElement is count rows of the same properties.
type plyElement struct {
	name  string
	count int64
	props []plyProp
}

// plyProp is a column: one value, or a list with its length before it.
type plyProp struct {
	name   string
	kind   kind
	list   bool
	length kind // of a list's length
}

var plyKinds = map[string]kind{
	"char": int8s, "int8": int8s, "uchar": uint8s, "uint8": uint8s,
	"short": int16s, "int16": int16s, "ushort": uint16s, "uint16": uint16s,
	"int": int32s, "int32": int32s, "uint": uint32s, "uint32": uint32s,
	"float": float32s, "float32": float32s, "double": float64s, "float64": float64s,
}

func isPLY(head []byte) bool {
	return len(head) > 3 && string(head[:3]) == "ply" && bytes.IndexByte([]byte("\r\n \t"), head[3]) >= 0
}

// plyHead reads the header to its last line.
func (in *input) plyHead() (h plyHeader, err error) {
	in.header = in.opt.Limits.MaxHeader
	defer func() { in.header = -1 }()
	line, err := in.next()
	if err != nil && err != io.EOF {
		return h, err
	}
	if strings.TrimSpace(string(line)) != "ply" {
		return h, in.bad("the first line is %.20q, not ply", line)
	}
	for props := 0; ; {
		line, err := in.next()
		if err == io.EOF {
			return h, in.short("the header has no end_header")
		}
		if err != nil {
			return h, err
		}
		f := strings.Fields(string(line))
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "comment", "obj_info":
			continue
		case "end_header":
			return h, h.check(in)
		case "format":
			err = h.format(in, f)
		case "element":
			err = h.element(in, f)
		case "property":
			if props++; props > in.opt.Limits.MaxProps {
				return h, in.fail(ErrLimit, "raise Limits.MaxProps", "more than %d properties", in.opt.Limits.MaxProps)
			}
			err = h.property(in, f)
		default:
			err = in.bad("%.40q where format, element, property or end_header is expected", f[0])
		}
		if err != nil {
			return h, err
		}
	}
}

func (h *plyHeader) format(in *input, f []string) error {
	if len(f) != 3 || h.encoding != "" || f[2] != "1.0" {
		return in.bad("format line is not: format ENCODING 1.0")
	}
	switch f[1] {
	case "ascii", "binary_little_endian", "binary_big_endian":
		h.encoding = f[1]
		return nil
	}
	return in.bad("encoding %.40q is unknown", f[1])
}

func (h *plyHeader) element(in *input, f []string) error {
	if len(f) != 3 {
		return in.bad("element line is not: element NAME COUNT")
	}
	n, ok := count([]byte(f[2]))
	if !ok || n < 0 {
		return in.bad("count of element %.40q is %.40q", f[1], f[2])
	}
	for _, e := range h.elements {
		if e.name == f[1] {
			return in.bad("a second element %.40q", f[1])
		}
	}
	if len(h.elements) == in.opt.Limits.MaxProps {
		return in.fail(ErrLimit, "raise Limits.MaxProps", "more than %d elements", in.opt.Limits.MaxProps)
	}
	h.elements = append(h.elements, plyElement{name: f[1], count: n})
	return nil
}

func (h *plyHeader) property(in *input, f []string) error {
	if len(h.elements) == 0 {
		return in.bad("a property before the first element")
	}
	e := &h.elements[len(h.elements)-1]
	p := plyProp{}
	switch {
	case len(f) == 3:
		p.name, p.kind = f[2], plyKinds[f[1]]
	case len(f) == 5 && f[1] == "list":
		p.name, p.list, p.length, p.kind = f[4], true, plyKinds[f[2]], plyKinds[f[3]]
		if p.length == 0 || !p.length.integer() {
			return in.bad("%.40q is no type for the length of a list", f[2])
		}
	default:
		return in.bad("property line is not: property TYPE NAME or property list TYPE TYPE NAME")
	}
	if p.kind == 0 {
		return in.bad("type %.40q is unknown", f[len(f)-2])
	}
	e.props = append(e.props, p)
	return nil
}

// check looks at the header as a whole: all elements together must fit into the
// rest of the file.
func (h *plyHeader) check(in *input) error {
	if h.encoding == "" {
		return in.bad("the header has no format line")
	}
	vertices := false
	left := in.size - in.off
	for _, e := range h.elements {
		each := int64(0)
		for _, p := range e.props {
			switch {
			case h.encoding == "ascii":
				each += 2 // a digit and a blank
			case p.list:
				each += int64(p.length.bytes())
			default:
				each += int64(p.kind.bytes())
			}
		}
		what := "rows of element " + e.name
		if e.name == "vertex" {
			vertices, what = true, "points"
			if err := in.points(e.count, each); err != nil {
				return err
			}
		}
		if err := in.holds(e.count, each, what); err != nil {
			return err
		}
		if left -= e.count * each; in.size >= 0 && left < -int64(len(h.elements)) {
			return in.short("the elements need %d bytes more than the file has", -left)
		}
	}
	if !vertices {
		return in.bad("there is no element vertex")
	}
	return nil
}

// fixed is the number of bytes of a row without lists, or −1 where one has a
// list.
func (e *plyElement) fixed() int {
	n := 0
	for _, p := range e.props {
		if p.list {
			return -1
		}
		n += p.kind.bytes()
	}
	return n
}

// names are the column names of a row; a list has none that a cloud could hold.
func (e *plyElement) names() []string {
	out := make([]string, len(e.props))
	for j, p := range e.props {
		out[j] = p.name
		if p.list {
			out[j] = "_"
		}
	}
	return out
}
