package yaegi

import (
	"fmt"
	"testing"

	"github.com/gondola-lab/gondola/internal/gen/fuzzgo"
	"github.com/gondola-lab/gondola/kernel/cell"
)

// TestCutPrograms: a program cut into one cell a declaration prints what it
// prints as one cell: functions and variables of other cells are the same
// memory.
func TestCutPrograms(t *testing.T) {
	for seed := range uint64(60) {
		src := fuzzgo.Program(5000+seed, "p")
		whole := newBook().run("import \"fmt\"\n" + src + "pmain()")
		if len(whole.refused) > 0 {
			continue
		}
		b := newBook()
		var o outcome
		for _, p := range cell.Split(src) {
			if o = b.run(p.Text); o.err != nil || o.fault != nil || len(o.refused) > 0 || o.stdout != "" {
				t.Fatalf("seed %d: %s: %s", seed, p.Text, o)
			}
		}
		if o = b.run("pmain()"); fmt.Sprint(o) != fmt.Sprint(whole) {
			t.Errorf("seed %d: %s", seed, difference(o.String(), whole.String()))
		}
	}
}
