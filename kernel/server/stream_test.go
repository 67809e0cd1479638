package server

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		start    bool
		want     string
	}{
		{"nothing to do", "a\nb", true, "a\nb"},
		{"progress", "10%\r20%\r30%", true, "30%"},
		{"progress goes on", "\r20%\r30%", false, "\r30%"},
		{"first part may continue an older line", "x\rABC", false, "x\rABC"},
		{"longer part stays seen", "abcdef\rxy", true, "abcdef\rxy"},
		{"shorter between", "aaaa\rbb\rccc", true, "aaaa\rccc"},
		{"all covered", "aaaa\rbb\rcccc", true, "cccc"},
		{"windows line", "a\r\nb\r\n", true, "a\r\nb\r\n"},
		{"return at the end", "50%\r", true, "50%\r"},
		{"escape sequences stay", "\x1b[31mred\x1b[0m\rblue......", true, "\x1b[31mred\x1b[0m\rblue......"},
		{"runes, not bytes", "ééé\rabc", true, "abc"},
		{"each line by itself", "1\r2\n3\r4\n", true, "2\n4\n"},
		{"second line starts anew", "a\n1\r2", false, "a\n2"},
	} {
		if got := fold(tt.in, tt.start); got != tt.want {
			t.Errorf("%s: fold(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

// What a terminal shows is the same with and without folding, however the text
// is cut into messages.
func TestFoldShowsTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var text strings.Builder
		for range rnd.IntN(30) {
			text.WriteByte("abc\r\r\n"[rnd.IntN(6)])
		}
		var j joiner
		j.start = true
		out := ""
		for _, r := range text.String() {
			j.add(string(r))
			if rnd.IntN(5) == 0 {
				out += j.take()
			}
		}
		out += j.take()
		if got, want := screen(out), screen(text.String()); got != want {
			t.Fatalf("%q folded to %q shows %q, want %q", text.String(), out, got, want)
		}
	}
}

// screen is what a terminal shows of text without escape sequences.
func screen(text string) string {
	var all strings.Builder
	var line []rune
	at := 0
	for _, r := range text {
		switch {
		case r == '\n':
			all.WriteString(string(line) + "\n")
			line, at = nil, 0
		case r == '\r':
			at = 0
		case at < len(line):
			line[at] = r
			at++
		default:
			line = append(line, r)
			at++
		}
	}
	return all.String() + string(line)
}
