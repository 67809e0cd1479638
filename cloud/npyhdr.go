package cloud

import (
	"bytes"
	"fmt"
	"strings"
)

const npyMagic = "\x93NUMPY"

func isNPY(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) }

// npyHeader is what stands before the numbers of an NPY file.
type npyHeader struct {
	descr   string // type of a number, as in "<f4"; "" for one that is not plain
	fortran bool   // the first index runs fastest
	shape   []int64
}

// npyHead reads the header. It is read here and not by npyio, which trusts its
// lengths and slices without looking.
func (in *input) npyHead() (h npyHeader, err error) {
	var fix [12]byte // magic, version, length of 2 bytes (version 1) or 4
	if err := in.full(fix[:10]); err != nil {
		return h, err
	}
	if string(fix[:6]) != npyMagic {
		return h, in.bad("the content is no NPY array")
	}
	size := int64(le16(fix[8:]))
	switch fix[6] {
	case 1:
	case 2, 3:
		if err := in.full(fix[10:]); err != nil {
			return h, err
		}
		size = int64(le32(fix[8:]))
	default:
		return h, in.bad("version %d.%d is unknown", fix[6], fix[7])
	}
	if size > int64(in.opt.Limits.MaxHeader) {
		return h, in.fail(ErrLimit, "raise Limits.MaxHeader",
			"the header has %d bytes, %d allowed", size, in.opt.Limits.MaxHeader)
	}
	text := make([]byte, size)
	if err := in.full(text); err != nil {
		return h, err
	}
	if h, err = parseNPY(string(text)); err != nil {
		return h, in.bad("header: %v", err)
	}
	return h, nil
}

// parseNPY reads the Python dictionary of a header: descr, fortran_order and
// shape, each once, in any order.
func parseNPY(text string) (h npyHeader, err error) {
	s := literal{rest: text}
	if !s.take("{") {
		return h, fmt.Errorf("%.20q is no dictionary", text)
	}
	seen := map[string]bool{}
	for !s.take("}") {
		key, ok := s.word()
		if !ok || seen[key] || !s.take(":") {
			return h, fmt.Errorf("a key is expected at %.20q", s.rest)
		}
		seen[key] = true
		switch key {
		case "descr":
			if h.descr, ok = s.word(); !ok {
				return h, fmt.Errorf("the type is not that of a plain array of numbers: %.40q", s.rest)
			}
		case "fortran_order":
			if h.fortran = s.take("True"); !h.fortran && !s.take("False") {
				return h, fmt.Errorf("fortran_order is %.20q", s.rest)
			}
		case "shape":
			if h.shape, err = s.shape(); err != nil {
				return h, err
			}
		default:
			return h, fmt.Errorf("key %.20q is unknown", key)
		}
		if !s.take(",") && !strings.HasPrefix(s.rest, "}") {
			return h, fmt.Errorf("a comma or } is expected at %.20q", s.rest)
		}
	}
	if len(seen) != 3 || strings.TrimSpace(s.rest) != "" {
		return h, fmt.Errorf("not just descr, fortran_order and shape")
	}
	return h, nil
}

// literal walks over the text of a Python literal.
type literal struct{ rest string }

// take passes over the given text and the blanks around it, if it is next.
func (s *literal) take(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s.rest, " \t\r\n"), text)
	if ok {
		s.rest = strings.TrimLeft(rest, " \t\r\n")
	}
	return ok
}

// word takes a string without escapes.
func (s *literal) word() (string, bool) {
	for _, quote := range []string{"'", `"`} {
		if s.take(quote) {
			word, rest, ok := strings.Cut(s.rest, quote)
			s.rest = strings.TrimLeft(rest, " \t\r\n")
			return word, ok && !strings.Contains(word, `\`)
		}
	}
	return "", false
}

// shape takes a tuple of whole numbers.
func (s *literal) shape() ([]int64, error) {
	if !s.take("(") {
		return nil, fmt.Errorf("shape is %.20q", s.rest)
	}
	shape := []int64{}
	for !s.take(")") {
		i := 0
		for i < len(s.rest) && (s.rest[i] >= '0' && s.rest[i] <= '9' || s.rest[i] == '-') {
			i++
		}
		n, ok := count([]byte(s.rest[:i]))
		if !ok || n < 0 || len(shape) == 32 {
			return nil, fmt.Errorf("shape holds %.20q", s.rest)
		}
		shape = append(shape, n)
		s.rest = s.rest[i:]
		s.take("L") // Python 2
		if !s.take(",") && !strings.HasPrefix(s.rest, ")") {
			return nil, fmt.Errorf("a comma or ) is expected at %.20q", s.rest)
		}
	}
	return shape, nil
}
