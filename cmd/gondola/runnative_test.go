package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/native"
)

// A notebook that is run again builds nothing: every cell is in the cache.
func TestSecondRunBuildsNothing(t *testing.T) {
	if _, err := native.Find(t.Context(), native.Config{}); err != nil {
		t.Skip(err)
	}
	const told = "%native"
	name := book(t, t.TempDir(), "type P struct{ x int }", told, "func (p P) Twice() int { return 2 * p.x }", told,
		"p := P{4}\np.Twice()", told, "func Map[T, U any](x T, f func(T) U) U { return f(x) }", told,
		"Map(p, func(p P) int { return p.Twice() })", told, "type P struct{ x, y int }", told)
	out := filepath.Join(t.TempDir(), "o.ipynb")
	for range 2 {
		if code, _, errs := call(t, "", "-o", out, name); code != 0 {
			t.Fatalf("code %d: %s", code, errs)
		}
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "native, from the cache: "); n != 6 {
		t.Errorf("%d of 6 cells came from the cache:\n%s", n, text)
	}
}

// The policy native compiles what could be interpreted.
func TestRunNative(t *testing.T) {
	if _, err := native.Find(t.Context(), native.Config{}); err != nil {
		t.Skip(err)
	}
	name := book(t, t.TempDir(), "x := 7\nx", "%native")
	out := filepath.Join(t.TempDir(), "o.ipynb")
	code, _, errs := call(t, "", "--engine", "native", "-o", out, name)
	text, _ := os.ReadFile(out)
	if code != 0 || !strings.Contains(string(text), "cell [1] ran native") {
		t.Errorf("code %d, %s\n%s", code, errs, text)
	}
}
