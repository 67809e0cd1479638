package expect

import (
	"bytes"
	"math"
	"testing"
)

func TestChecks(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func()
		want string // the line; a FAIL must panic too
	}{
		{"near", func() { Near("a", 1.0000001, 1, 1e-6) }, "ok   a  1.0000001  1\n"},
		{"near zero", func() { Near("a", 1e-9, 0, 1e-6) }, "ok   a  1e-09  0\n"},
		{"not near", func() { Near("a", 2, 1, 1e-6) }, "FAIL a  got 2  want 1\n"},
		{"NaN", func() { Near("a", math.NaN(), 1, 1) }, "FAIL a  got NaN  want 1\n"},
		{"within", func() { Within("a", 2, 1, 3) }, "ok   a  inside  1 to 3\n"},
		{"not within", func() { Within("a", math.NaN(), 1, 3) }, "FAIL a  got NaN  want 1 to 3\n"},
		{"less", func() { Less("a", 1, 2) }, "ok   a  less  less\n"},
		{"not less", func() { Less("a", 2, 2) }, "FAIL a  got 2  want below 2\n"},
		{"increasing", func() { Increasing("a", []float64{1, 2, 3}) }, "ok   a  increasing  3 values\n"},
		{"not increasing", func() { Increasing("a", []float64{1, 1}) }, "FAIL a  got 1  want above 1 (place 1)\n"},
		{"same", func() { Same("a", []int{1}, []int{1}) }, "ok   a  same  same\n"},
		{"not same", func() { Same("a", []int{1}, []int{2}) }, "FAIL a  got [1]  want [2]\n"},
	} {
		var b bytes.Buffer
		old := Output
		Output = &b
		panicked := func() (p bool) {
			defer func() { p = recover() != nil }()
			tt.do()
			return false
		}()
		Output = old
		if b.String() != tt.want || panicked != (tt.want[:4] == "FAIL") {
			t.Errorf("%s: %q, panicked %v, want %q", tt.name, b.String(), panicked, tt.want)
		}
	}
}
