package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/display"
)

const testNonce = "0123456789abcde"

// scan feeds data in pieces of the sizes given, in turn, and lists the texts
// between marks: what any cutting must leave the same.
func scan(data []byte, sizes []byte) []string {
	s := newScanner(testNonce)
	out := []string{""}
	emit := func(text []byte) {
		if text == nil {
			out = append(out, "")
		} else {
			out[len(out)-1] += string(text)
		}
	}
	for i := 0; len(data) > 0; i++ {
		n := len(data)
		if len(sizes) > 0 {
			n = min(n, 1+int(sizes[i%len(sizes)]))
		}
		s.feed(data[:n], emit)
		data = data[n:]
	}
	s.finish(emit)
	return out
}

// FuzzMark: any cutting into chunks gives the same events, and nothing but the
// marks is taken out.
func FuzzMark(f *testing.F) {
	m := func(n uint32) string { return string(mark(testNonce, n)) }
	f.Add([]byte("a"+m(1)+"b"+m(2)), []byte{0})
	f.Add([]byte(m(1)+m(2)+m(3)), []byte{22, 0})
	f.Add([]byte("\x00\x000"+m(1)[:20]+m(1)+"€"), []byte{1, 2})
	f.Add([]byte(m(2)+m(1)+m(1)), []byte{6})
	f.Add([]byte("\xe2\x82"+m(1)+"\xac\x00"+testNonce+"zzzzzzzz"), []byte{3, 0, 7})
	f.Fuzz(func(t *testing.T, data, sizes []byte) {
		whole := scan(data, nil)
		if cut := scan(data, sizes); !slices.Equal(whole, cut) {
			t.Fatalf("cut by %v: %q, whole %q", sizes, cut, whole)
		}
		var again strings.Builder
		for i, text := range whole {
			if i > 0 {
				again.Write(mark(testNonce, uint32(i)))
			}
			again.WriteString(text)
		}
		if again.String() != string(data) {
			t.Fatalf("the events of %q make %q", data, again.String())
		}
	})
}

// A text leaves the scanner at once, but for what may begin a mark or end a rune.
func TestScannerKeepsLittle(t *testing.T) {
	for _, tt := range []struct{ in, out string }{
		{"hello", "hello"}, {"a\x00", "a"}, {"a\x0001", "a"}, {"a\x00x", "a\x00x"}, {"a\xe2\x82", "a"},
		{"a\xe2\x82\xac", "a€"}, {"\xff\xff", "\xff\xff"},
		{"a\x00" + testNonce + "0000", "a"},
	} {
		s, got := newScanner(testNonce), ""
		s.feed([]byte(tt.in), func(b []byte) { got += string(b) })
		if got != tt.out {
			t.Errorf("%q: out at once %q, want %q", tt.in, got, tt.out)
		}
	}
}

// FuzzMerge: whatever the order in which three pipes are read, texts stand on
// their side of each frame.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 1, 2})
	f.Add([]byte{2, 2, 2, 1, 1, 1, 1, 0})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, turns []byte) {
		const frames = 3
		var pipes [2][][]byte
		var line []frame
		for i := range frames {
			for p := range pipes {
				pipes[p] = append(pipes[p], fmt.Appendf(nil, "%d", i), nil)
			}
			line = append(line, frame{kind: upDisplay, id: uint64(i)})
		}
		var got []string
		m := merger{
			text:  func(stderr bool, b []byte) { got = append(got, string(b)) },
			frame: func(f frame) { got = append(got, fmt.Sprintf("F%d", f.id)) },
		}
		step := func(which byte) {
			switch which = which % 3; {
			case which == 2 && len(line) > 0:
				f := line[0]
				line = line[1:]
				m.put(f)
			case which < 2 && len(pipes[which]) > 0:
				text := pipes[which][0]
				pipes[which] = pipes[which][1:]
				m.add(int(which), text)
			}
		}
		for _, which := range turns {
			step(which)
		}
		if len(turns)%2 == 0 { // odd: the process ended here
			for len(line)+len(pipes[0])+len(pipes[1]) > 0 {
				step(0)
				step(1)
				step(2)
			}
			if want := "0 0 F0 1 1 F1 2 2 F2"; strings.Join(got, " ") != want {
				t.Fatalf("turns %v: %v, want %s", turns, got, want)
			}
		}
		left := len(line)
		m.finish()
		for i := range frames - left { // every frame that came goes out, in order
			if at := slices.Index(got, fmt.Sprintf("F%d", i)); at < 0 || slices.Contains(got[:at], fmt.Sprint(i+1)) {
				t.Fatalf("turns %v: %v", turns, got)
			}
		}
	})
}

// FuzzFrame: what is written is read back; what is not a frame is an error, and
// a length alone allocates nothing.
func FuzzFrame(f *testing.F) {
	f.Add(byte('e'), uint64(7), []byte(`{"Code":"1"}`), []byte("\x00\x00\x00\x09"))
	f.Add(byte('O'), uint64(1<<63), []byte(nil), []byte("\x3f\xff\xff\xffabcdefghijk"))
	f.Add(byte(0), uint64(0), []byte("null"), []byte("\x00\x00\x00\x03xxxxxxxxxxxx"))
	f.Fuzz(func(t *testing.T, kind byte, id uint64, body, junk []byte) {
		b, err := frame{kind, id, body}.encode()
		if err != nil {
			t.Fatal(err)
		}
		r := bytes.NewReader(append(b, junk...))
		got, err := readFrame(r)
		if err != nil || got.kind != kind || got.id != id || !bytes.Equal(got.body, body) {
			t.Fatalf("read %v, %v", got, err)
		}
		for {
			got, err := readFrame(r)
			if errors.Is(err, io.EOF) || errors.Is(err, errFrame) {
				return
			}
			if err != nil || len(got.body) > len(junk) {
				t.Fatalf("junk gives %d bytes, %v", len(got.body), err)
			}
		}
	})
}

func TestSendable(t *testing.T) {
	b := display.Bundle{Data: map[string]any{"text/plain": "<b>"}, Meta: map[string]any{}}
	if got, want := string(sendable(b)), `{"data":{"text/plain":"<b>"},"metadata":{}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCapper(t *testing.T) {
	for _, tt := range []struct {
		limit int64
		in    []string
		want  string
	}{
		{16, []string{"0123456789", "abcdef"}, "0123456789abcdef"},                                                             // just fits
		{16, []string{"0123456789ab", "\nc\ndefghijk"}, "0123456789ab\n… 10 bytes, 2 lines not shown; %%capture keeps all\nk"}, // head 12, tail 1
		{-1, []string{"0123456789abcdefghijk"}, "0123456789abcdefghijk"},
		{16, []string{"0123456789a€"}, "0123456789a€"}, // a rune is not cut
	} {
		c, got := capper{limit: tt.limit}, ""
		out := func(_ bool, b []byte) { got += string(b) }
		for range 2 { // the next cell begins anew
			got = ""
			for _, s := range tt.in {
				c.take(false, []byte(s), out)
			}
			c.end(out)
			if got != tt.want {
				t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
			}
		}
	}
}

func TestHolder(t *testing.T) {
	for _, tt := range []struct {
		in         []string
		pass, kept string
	}{
		{[]string{"a\npan", "ic: x\ngoroutine"}, "a\n", "panic: x\ngoroutine"},
		{[]string{"a\npan", "da\n"}, "a\npanda\n", ""},
		{[]string{"no panic: here"}, "no panic: here", ""},
		{[]string{"half ", "panic: line"}, "half panic: line", ""},
		{[]string{"SIGSEGV: s"}, "", "SIGSEGV: s"},
	} {
		var h holder
		got := ""
		for _, s := range tt.in {
			for _, b := range h.take([]byte(s)) {
				got += string(b)
			}
		}
		if got != tt.pass || string(h.kept) != tt.kept {
			t.Errorf("%q: passes %q, keeps %q; want %q, %q", tt.in, got, h.kept, tt.pass, tt.kept)
		}
	}
}
