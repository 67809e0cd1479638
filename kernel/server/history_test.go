package server

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "a\nb", true}, {"", "", true}, {"", "a", false},
		{"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abbbc", true}, {"a*c", "abbb", false},
		{"?", "é", true}, {"?", "", false}, {"a?c", "abc", true}, {"[a]", "a", false}, {"[a]", "[a]", true},
		{"*a*b*c*", "xxaxxbxxcxx", true}, {"*a*b*c*", "xxcxxbxxaxx", false},
	} {
		if got := glob(tt.pattern, tt.text); got != tt.want {
			t.Errorf("glob(%q, %q) = %v", tt.pattern, tt.text, got)
		}
	}
}

func clock() string { return "2026-01-01T00:00:00Z" }

// Cells of an earlier session come back under its number, results cut, a bad
// line skipped; the next session gets the next number.
func TestHistoryFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "history.jsonl")
	log := slog.New(slog.DiscardHandler)
	first := OpenHistory(path, "first", clock, log)
	first.Add(1, "x := 1", "")
	first.Add(2, "a\n<b>", strings.Repeat("é", historyOut))
	first.Add(3, strings.Repeat("x", historyIn+1), "") // longer than any cell that runs
	st, err := os.Stat(path)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("file %v, %v; want mode 0600", st, err)
	}
	if err := appendTo(path, []byte("not json\n{\"session\":7}\n{}\n")); err != nil {
		t.Fatal(err)
	}
	other := OpenHistory(path, "other", clock, log)
	second := OpenHistory(path, "second", clock, log)
	second.Load()
	other.Add(1, "theirs", "")
	second.Add(1, "ours", "")
	third := OpenHistory(path, "third", clock, log)
	got := ""
	for _, p := range third.search("*", false, nil) {
		got += fmt.Sprintf("%d/%d %q %d\n", p.session, p.line, p.in, len(p.out))
	}
	want := "1/1 \"x := 1\" 0\n1/2 \"a\\n<b>\" 4096\n2/1 \"theirs\" 0\n3/1 \"ours\" 0\n"
	if got != want {
		t.Errorf("history:\n%swant:\n%s", got, want)
	}
	if p := third.span(-1, 0, nil); len(p) != 1 || p[0].in != "ours" {
		t.Errorf("the session before is %v", p)
	}
	if third.session != 4 {
		t.Errorf("session %d, want 4", third.session)
	}
}

// A file that cannot be written leaves the history in memory.
func TestHistoryNotWritable(t *testing.T) {
	dir := t.TempDir()
	h := OpenHistory(dir, "id", clock, slog.New(slog.DiscardHandler)) // a folder is no file
	h.Add(1, "x", "")
	if p := h.search("*", false, nil); len(p) != 1 {
		t.Errorf("%v", p)
	}
}

// The file is cut when it is twice as long as what is kept; memory is bounded.
func TestHistoryBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var b strings.Builder
	for i := range 2*historyCells + 1 {
		fmt.Fprintf(&b, "{\"session\":\"old\",\"line\":%d,\"in\":\"x\"}\n", i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h := OpenHistory(path, "id", clock, slog.New(slog.DiscardHandler))
	h.Add(1, "new", "")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != historyCells+1 {
		t.Errorf("the file has %d lines, want %d", n, historyCells+1)
	}
	if len(h.cells) != historyCells || h.cells[len(h.cells)-1].in != "new" {
		t.Errorf("%d cells in memory, want %d", len(h.cells), historyCells)
	}
}
