//go:build linux

package session

import (
	"strings"
	"testing"
)

// A cell that is a constant shows what a variable of its value shows, has its
// type in "_", and needs no interpreter.
func TestConstantsAreNotRun(t *testing.T) {
	s := newTestSession(t)
	mustRun(t, s, 1, "const big = 1 << 40\ntype mode int\nconst fast mode = 3")
	n := 2
	for _, tt := range []struct {
		code string
		runs bool
	}{
		{"1+1", false}, {"'a'", false}, {`"a" + "b"`, false}, {"1 < 2", false}, {"7 / 2.0", false}, {"float32(0.1)", false},
		{"uint8(255)", false}, {"time.Second", false}, {"math.Pi", false}, {"big", false}, {"len(\"größe\")", false},
		{"os.O_RDWR", false}, {"math.MaxInt64", false}, {"uint64(math.MaxUint64)", false}, {"1e300", false},
		{"0x1p-1074", false}, {"fast", true}, {"2i * 2i", true}, {"1.5i", true},
	} {
		a := mustRun(t, s, n, tt.code)
		if ran := !strings.Contains(s.last, "its value is a constant"); ran != tt.runs {
			t.Errorf("%s: runs %v, want %v: %s", tt.code, ran, tt.runs, s.last)
		}
		kind := mustRun(t, s, n+1, `fmt.Printf("%T", _)`)
		b := mustRun(t, s, n+2, "k := "+tt.code+"\nk")
		want := mustRun(t, s, n+3, `fmt.Printf("%T", k)`)
		if a.result != b.result || a.result == "" || kind.stdout != want.stdout {
			t.Errorf("%s: shows %q of type %s, a variable %q of type %s", tt.code, a.result, kind.stdout, b.result, want.stdout)
		}
		n += 4
	}
	if a := mustRun(t, s, n, "1<<70"); a.result != "1180591620717411303424" {
		t.Errorf("shows %q", a.result)
	}
	if a := mustRun(t, s, n+1, "%time 1+1"); !strings.Contains(a.stdout, "interpreted") || a.result != "2" {
		t.Errorf("%%time says %q, shows %q", a.stdout, a.result)
	}
}
