package session

import (
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/kernel/cell"
)

func TestSegmentsKeepPositions(t *testing.T) {
	blanked := "x := 1\n\n// note\n\ny := 2\n"
	list := []cell.Directive{
		{Name: "time", Args: "f(x)", Line: 2, Col: 7},
		{Name: "who", Line: 4, Col: 5},
	}
	var got []string
	for _, s := range segments(blanked, list) {
		name := ""
		if s.magic != nil {
			name = s.magic.Name
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
		d    cell.Directive
		want string
	}{
		{cell.Directive{Name: "whois"}, "unknown magic %whois: did you mean %who or %whos?"},
		{cell.Directive{Name: "timit"}, "unknown magic %timit: did you mean %%time or %%timeit or %limit or %time or %timeit?"},
		{cell.Directive{Name: "zzzzzzz"}, "unknown magic %zzzzzzz: %help lists those that are here"},
		{cell.Directive{Name: "bash"}, "unknown magic %bash: did you mean %%bash or %%sh?"},
		{cell.Directive{Name: "x"}, "unknown magic %x: %help lists those that are here"},
	} {
		if _, err := find(tt.d); err == nil || err.Error() != tt.want {
			t.Errorf("find(%s) = %v, want %s", tt.d.Name, err, tt.want)
		}
	}
}
