package notebook

import (
	"context"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine/enginetest"
)

func TestDiff(t *testing.T) {
	long := strings.Repeat("x\n", 3000)
	for _, tt := range []struct{ old, now, want string }{
		{"", "a\n", "+a"}, {"a\n", "", "-a"}, {"a\nb\nc\n", "a\nB\nc\n", " a\n-b\n+B\n c"},
		{"1\n2\n3\n4\n5\n", "1\n2\n3\n4\n6\n", " 3\n 4\n-5\n+6"},
		{"a\nb\n", "b\nc\n", "-a\n b\n+c"},
		{"s\n" + long, "t\n" + long, "-s\n+t\n x\n x"},
	} {
		if got := diff(tt.old, tt.now); got != tt.want {
			t.Errorf("%.20q to %.20q:\n%s\nwant\n%s", tt.old, tt.now, got, tt.want)
		}
	}
	big := diff("a\n"+long+"b\n", "c\n"+strings.ReplaceAll(long, "x", "y")+"d\n")
	if n := strings.Count(big, "\n"); n != diffLines || !strings.HasSuffix(big, "lines more") {
		t.Errorf("a long difference has %d lines", n)
	}
}

// Cells that did not run are not compared.
func TestCompare(t *testing.T) {
	nb := cells("7", "[skip-execution] 8", "panic(\"no\")", "9")
	stored := nb.Texts()
	nb.Run(context.Background(), enginetest.NewFake(), Options{})
	got := nb.Compare(stored)
	if len(got) != 2 || got[0].Cell != 1 || got[0].Diff != "-old\n+result:\n+7" || got[1].Cell != 3 ||
		got[1].Diff != "-old\n+error:\n+Panic: no" {
		t.Errorf("%+v", got)
	}
	if again := nb.Compare(nb.Texts()); len(again) != 0 {
		t.Errorf("equal texts differ: %v", again)
	}
}

func TestParseParam(t *testing.T) {
	for _, tt := range []struct{ in, want, fails string }{
		{"eps=0.01", "eps = 0.01", ""}, {` name = "a=b" `, `name = "a=b"`, ""}, {"v=[]int{1, 2}", "v = []int{1, 2}", ""},
		{"eps", "", "want NAME=VALUE"}, {"=1", "", "no name"}, {"_=1", "", "no name"}, {"a.b=1", "", "no name"},
		{"a=", "", "the empty text is a='\"\"'"}, {"a=two words", "", "a text needs quotes: a='\"two words\"'"},
		{"a=1; b=2", "", "no Go expression"}, {"a=1\nb", "", "more than one line"},
	} {
		p, err := ParseParam(tt.in)
		if tt.fails == "" && (err != nil || p.String() != tt.want) ||
			tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
			t.Errorf("%q: %v, %v; want %q %q", tt.in, p, err, tt.want, tt.fails)
		}
	}
}
