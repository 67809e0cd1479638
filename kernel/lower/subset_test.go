package lower

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/front"
)

// Each row of the list names its rule and programs that prove it; without the
// row each of them is refused.
func TestSubset(t *testing.T) {
	sources := map[string]string{}
	for _, p := range programs(t) {
		sources[p.name] = p.source
	}
	var names []string
	for _, r := range subset {
		names = append(names, r.construct)
		if _, err := os.Stat(r.rule + ".go"); err != nil {
			t.Errorf("%s: %v", r.construct, err)
		}
		if len(r.proof) == 0 {
			t.Errorf("%s: nothing proves it", r.construct)
		}
		for _, name := range r.proof {
			if test, ok := strings.CutPrefix(name, "session "); ok {
				hasTest(t, "../session/", test)
				continue
			}
			src, ok := sources[name]
			if !ok {
				t.Errorf("%s: no program %q", r.construct, name)
				continue
			}
			c, e := checker().Check(1, src, front.NewScope())
			if e != nil {
				t.Fatalf("%s: %v", name, e)
			}
			if _, refusals := Lower(c); len(refusals) > 0 {
				t.Errorf("%s: %s is refused: %v", r.construct, name, refusals)
			}
			l := newLowerer(c)
			l.without = r.construct
			if _, refusals := l.lower(c); len(refusals) == 0 {
				t.Errorf("%s: without the row %s is lowered all the same", r.construct, name)
			}
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(subset) {
		t.Error("the rows are not sorted, or one is there twice")
	}
}

// hasTest fails where no test file of a folder has the test.
func hasTest(t *testing.T, dir, name string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		b, err := os.ReadFile(dir + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "\nfunc "+name+"(") {
			return
		}
	}
	t.Errorf("no test %s in %s", name, dir)
}
