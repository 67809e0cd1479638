package cpu

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// A plan by rows alone gives what one by rows and columns gives, in one part and in
// several.
func TestByRows(t *testing.T) {
	for _, n := range []int{90, 700, 7000} {
		x, y := spheres(n)
		results := map[string]*backend.APMLResult{}
		for _, way := range []string{"rows", "both"} {
			a := &apml{pair: open(t, x, y, backend.Resources{Threads: 2}), q: faithful(),
				out: &backend.APMLResult{N: n, M: n}}
			if err := a.near2(); err != nil {
				t.Fatal(err)
			}
			made, err := a.build(backend.Sparse, a.first(46))
			if err != nil {
				t.Fatal(err)
			}
			p := made.(*sparse)
			if p.csc != nil {
				t.Fatalf("%d points: a plan of %d entries has columns", n, a.out.Stored)
			}
			if want := n == 7000; len(p.sums) > 0 != want {
				t.Errorf("%d points: the columns have %d sums more", n, len(p.sums))
			}
			if way == "both" {
				p.csc = p.csr.flip(n, false, a.crew)
			}
			b := newBalance(a.pair.x, a.pair.y)
			if err := b.run(p, a.q, a.ledger, a.crew); err != nil {
				t.Fatal(err)
			}
			if err := a.finish(p, b); err != nil {
				t.Fatal(err)
			}
			results[way] = a.out
		}
		rows, both := results["rows"], results["both"]
		for name, v := range map[string][2]float64{
			"value": {rows.Value, both.Value}, "mass": {rows.Mass, both.Mass}, "row error": {rows.RowError, both.RowError},
		} {
			if !(math.Abs(v[0]/v[1]-1) <= 1e-13) {
				t.Errorf("%d points: %s is %v by rows, %v by both", n, name, v[0], v[1])
			}
		}
		if !(rows.ColError <= 2e-8) || !(both.ColError <= 2e-8) {
			t.Errorf("%d points: column errors are %g and %g", n, rows.ColError, both.ColError)
		}
		for k, g := range [][2][]float64{{rows.GradX64, both.GradX64}, {rows.GradY64, both.GradY64}} {
			for i, v := range g[1] {
				if !(math.Abs(g[0][i]-v) <= 1e-12) {
					t.Fatalf("%d points: gradient %d, number %d is %v by rows, %v by both", n, k, i, g[0][i], v)
				}
			}
		}
	}
}
