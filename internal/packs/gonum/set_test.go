package gonum_test

import (
	"testing"

	"github.com/gondola-lab/gondola/internal/packs/gonum"
	"github.com/gondola-lab/gondola/kernel/pack"
)

// Every package of the set can be looked up, has export data, and its names
// and values fit together (Table panics where they do not).
func TestSet(t *testing.T) {
	ix, err := pack.Merge(gonum.Set())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ix.Paths()); n < 16 {
		t.Errorf("%d packages, want 16", n)
	}
	for _, path := range ix.Paths() {
		p, ok := ix.Lookup(path)
		if !ok || p.Path != path {
			t.Errorf("%s: looked up %q", path, p.Path)
		}
		p.Symbols()
		if len(ix.Export(path)) == 0 {
			t.Errorf("%s: no export data", path)
		}
	}
	if ix.Doc("gonum.org/v1/gonum/mat", "NewDense") == "" {
		t.Error("docs of mat.NewDense are missing")
	}
}
