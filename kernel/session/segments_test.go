package session

import (
	"slices"
	"testing"
)

func TestSegmentsKeepPositions(t *testing.T) {
	blanked := "x := 1\n\n// note\n\ny := 2\n"
	list := []directive{
		{name: "time", args: "f(x)", line: 2, col: 1, argCol: 7},
		{name: "who", line: 4, col: 1},
	}
	var got []string
	for _, s := range segments(blanked, list) {
		name := ""
		if s.magic != nil {
			name = s.magic.name
		}
		got = append(got, name+"|"+s.code)
	}
	want := []string{"|x := 1\n\n\n\n\n", "time|\n      f(x)", "who|", "|\n\n\n\ny := 2\n"}
	if !slices.Equal(got, want) {
		t.Errorf("segments are %q, want %q", got, want)
	}
}

func TestUnknownMagicNamesTheNearest(t *testing.T) {
	for _, tt := range []struct {
		d    directive
		want string
	}{
		{directive{name: "whois"}, "unknown magic %whois: did you mean %who or %whos?"},
		{directive{name: "timit"}, "unknown magic %timit: did you mean %%time or %%timeit or %time or %timeit?"},
		{directive{name: "zzzzzzz"}, "unknown magic %zzzzzzz: %help lists those that are here"},
		{directive{name: "native", cell: true}, "%%native: native cells are not in this version; without the line the cell runs interpreted"},
	} {
		if _, err := find(tt.d); err == nil || err.Error() != tt.want {
			t.Errorf("find(%s) = %v, want %s", tt.d, err, tt.want)
		}
	}
}
