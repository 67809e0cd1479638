package losstest

import (
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Every loss of the package is judged: the suite has a row of its name.
func TestEveryLossIsJudged(t *testing.T) {
	judged := map[string]bool{}
	for _, l := range losses("cpu") {
		name, _, _ := strings.Cut(l.name, ",")
		judged[name] = true
	}
	for _, l := range apmlgpu.Losses() {
		if !judged[l.Name] {
			t.Errorf("the suite has no row for %s", l.Name)
		}
	}
}

// Every mistake that a loss could make must be seen by the cases of its
// definition.
func TestMistakesAreSeen(t *testing.T) {
	cases := smallCases(23, definitionCases)
	for _, l := range losses("cpu") {
		if l.oracle == nil {
			continue
		}
		right := func(x, y cloud.Cloud) (answer, error) { return l.oracle(x, y, ""), nil }
		if s := disagreement(cases, right, l.oracle); s != "" {
			t.Errorf("%s: the definition disagrees with itself: %s", l.name, s)
		}
		for _, m := range l.wrong {
			wrong := func(x, y cloud.Cloud) (answer, error) { return l.oracle(x, y, m), nil }
			if disagreement(cases, wrong, l.oracle) == "" {
				t.Errorf("%s: nobody sees that %s", l.name, m)
			}
		}
		if len(l.wrong) < 3 {
			t.Errorf("%s: only %d mistakes are tried", l.name, len(l.wrong))
		}
	}
}
