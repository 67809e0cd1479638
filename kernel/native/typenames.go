package native

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"regexp"
)

// The name of a type with type arguments holds the import paths of those:
// main.list[gondola.session/c3.point]. In a program it is main.list[main.point].
// A type's name is bytes behind a length, found by its place, so a shorter one
// can be written over it in the plugin; the same is done to the paths that
// reflect gives.

var unitName = regexp.MustCompile(regexp.QuoteMeta(prefix) + `\w+`)

// plainNames rewrites the names of types in a plugin, in the sections where types
// are: names of symbols look alike and must stay.
func plainNames(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil // another system's format: names stay long
	}
	changed := false
	for _, s := range f.Sections {
		if s.Name == ".rodata" || s.Name == ".data.rel.ro" {
			changed = rewriteNames(data[s.Offset:s.Offset+s.FileSize]) || changed
		}
	}
	if !changed {
		return nil
	}
	return os.WriteFile(file, data, 0o700)
}

func rewriteNames(data []byte) (changed bool) {
	last := -1
	for _, at := range unitName.FindAllIndex(data, -1) {
		if at[0] < last {
			continue // of the name before
		}
		start, n, ok := nameAround(data, at[0], at[1])
		if !ok {
			continue
		}
		last = start + n
		text := data[start:last]
		var plain []byte
		if at[0] == start && at[1] == last {
			plain = []byte(homePath)
		} else {
			plain = unitName.ReplaceAll(text, []byte(homePath))
		}
		// flag, length, text
		head := start - len(binary.AppendUvarint(nil, uint64(n)))
		out := binary.AppendUvarint(nil, uint64(len(plain)))
		copy(data[head:], append(out, plain...))
		changed = true
	}
	return changed
}

// nameAround finds the name of a type, or the path of a package, that holds the
// bytes from..to: a flag of four bits, the length as a varint, the text. A name
// with more behind its text than that is left alone.
func nameAround(data []byte, from, to int) (start, n int, ok bool) {
	for i := from - 1; i >= 1 && i > from-4096; i-- {
		if data[i] >= ' ' && data[i-1] >= ' ' && data[i] < 0x7f {
			continue
		}
		for flag := i; flag >= i-2 && flag >= 0; flag-- {
			if data[flag] > 1 { // exported or not, and nothing else
				continue
			}
			l, size := binary.Uvarint(data[flag+1 : min(flag+4, len(data))])
			start = flag + 1 + size
			end := start + int(l)
			if size <= 0 || start > from || end < to || end > len(data) {
				continue
			}
			if text := data[start:end]; start == from && end == to || isName(text) {
				return start, int(l), true
			}
		}
		if data[i] < ' ' {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// isName reports whether text is the name of a type with type arguments.
func isName(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch {
		case c < ' ' || c == 0x7f:
			return false
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && bytes.IndexByte(text, '[') >= 0
}
