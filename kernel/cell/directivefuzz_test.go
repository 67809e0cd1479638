package cell

import (
	"strings"
	"testing"
)

// FuzzDirective: what is left of a cell has its length and its line ends, so
// that places hold; a magic stands in its text where it says.
func FuzzDirective(f *testing.F) {
	for _, s := range []string{"%time f()\nx", "x := 1\n!ls -l\n//%whos", "%%bash\necho 1\n", "%%", "strings.Repeat??", "a\n%b",
		"`\n%x\n`", "/*\n!x\n*/", "f(\n%x\n)", "\r\n  %%native  nopoll \r\nx", "é := 1\n  %env A=é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		code, list := Directives(src)
		if len(code) != len(src) {
			t.Fatalf("%q: %d bytes became %d", src, len(src), len(code))
		}
		for i := range len(src) {
			if c := src[i]; code[i] != c && (code[i] != ' ' || c == '\n' || c == '\r') {
				t.Fatalf("%q: byte %d became %q", src, i, code[i])
			}
		}
		lines := strings.Split(src, "\n")
		for i, d := range list {
			if d.Name == "" && !d.Whole || d.Whole && i > 0 && list[0].Whole && d.Line == list[0].Line {
				t.Fatalf("%q: %+v", src, d)
			}
			if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.Col-1 > len(lines[d.Line-1]) ||
				!strings.HasPrefix(lines[d.Line-1][d.Col-1:], d.Args) {
				t.Fatalf("%q: %+v does not stand there", src, d)
			}
		}
	})
}
