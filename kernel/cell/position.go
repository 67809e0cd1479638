package cell

import "unicode/utf8"

// ByteOffset turns a position of the wire, which counts code points, into a
// byte offset of s. One outside of s becomes the nearest end.
func ByteOffset(s string, runes int) int {
	if runes <= 0 {
		return 0
	}
	for i := range s {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(s)
}

// RuneOffset turns a byte offset of s into code points. One inside a code
// point counts as its begin, one outside of s becomes the nearest end.
func RuneOffset(s string, at int) int {
	n := 0
	for i := 0; i < len(s); n++ {
		_, w := utf8.DecodeRuneInString(s[i:])
		if i += w; i > at {
			break
		}
	}
	return n
}

// Column turns a column of bytes, from 1, into one of code points, from 1.
// line is the text of the line.
func Column(line string, col int) int { return RuneOffset(line, col-1) + 1 }
