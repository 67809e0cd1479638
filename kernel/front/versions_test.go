package front

import (
	"strings"
	"testing"
)

// Where two versions of a type meet the message tells them apart, and the
// advice names the cell to run again.
func TestTwoVersions(t *testing.T) {
	b := newNotebook(t)
	b.ok("type P struct{ x, y int }", "p := P{1, 2}", "type P struct{ x, y, z int }", "func f(q P) int { return q.x }")
	const again = "\n    p holds a value of the old P: run cell [2] again"
	for _, tt := range []struct{ src, want string }{
		{"f(p)", "cannot use p (variable of struct type P of cell [1]) as P of cell [3] value in argument to f"},
		{"var q P = p", "(variable of struct type P of cell [1]) as P of cell [3] value in variable declaration"},
		{"p = P{}", "cannot use P{} (value of struct type P of cell [3]) as P of cell [1] value in assignment"},
		{"xs := []P{p}", "(variable of struct type P of cell [1]) as P of cell [3] value in array or slice literal"},
		{"p == P{}", "(mismatched types P of cell [1] and P of cell [3])"},
		{"P{} != p", "(mismatched types P of cell [3] and P of cell [1])"},
		{"p.z", "p.z undefined (type P has no field or method z)"},
		{"var q *P = &p", "(value of type *P of cell [1]) as *P of cell [3] value in variable declaration"},
	} {
		e := b.wrong(tt.src)
		if got := strings.Join(e.Render(b.texts), "\n"); !strings.Contains(got, tt.want) || !strings.HasSuffix(got, again) {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
	if e := b.wrong("p.x + nope"); strings.Contains(strings.Join(e.Render(b.texts), "\n"), "old P") {
		t.Errorf("advice that has nothing to do with the error: %v", e)
	}
}

// wrong checks a cell that must be refused.
func (b *notebook) wrong(src string) *Error {
	b.t.Helper()
	_, e := b.check(src)
	if e == nil {
		b.t.Fatalf("%q: accepted", src)
	}
	return e
}
