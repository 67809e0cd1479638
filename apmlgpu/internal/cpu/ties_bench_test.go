package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/ratio"
)

// tiedInputs are inputs with ties and the number of points of a plain call of
// their size.
func tiedInputs(m int) map[string][2]cloud.Cloud {
	n := m * m * m
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	grid, off := cloud.Grid(m, 0), cloud.Grid(m, 0)
	for k := range off.X {
		off.X[k] += 0.5
	}
	some := func(one int) [2]cloud.Cloud { // one in so many is equal to another
		x, y := cloud.Cube(rnd, n), cloud.Cube(rnd, n)
		for i := 0; i+one <= n; i += one {
			copy(x.X[3*i:3*i+3], x.X[3*i+3:])
			copy(y.X[3*i:3*i+3], y.X[3*i+3:])
		}
		return [2]cloud.Cloud{x, y}
	}
	padded, collapsed := cloud.Cube(rnd, n), cloud.Cube(rnd, n)
	clear(padded.X[3*(n/2):])
	for i := range n {
		copy(collapsed.X[3*i:3*i+3], collapsed.X[:3])
	}
	return map[string][2]cloud.Cloud{
		"offset-grid": {grid, off}, "duplicates-5%": some(20), "duplicates-50%": some(2),
		"half-padded": {padded, cloud.Cube(rnd, n)}, "collapsed": {collapsed, cloud.Cube(rnd, n)},
	}
}

// BenchmarkTies compares tied inputs with a cube of their size in the same run.
func BenchmarkTies(b *testing.B) {
	for _, m := range []int{8, 16, 20, 25, 32} {
		rnd := rand.New(rand.NewPCG(8, uint64(m)))
		cube := [2]cloud.Cloud{cloud.Cube(rnd, m*m*m), cloud.Cube(rnd, m*m*m)}
		call := func(c [2]cloud.Cloud) func() {
			return func() {
				if _, err := open(b, c[0], c[1], backend.Resources{}).APML(faithful()); err != nil {
					b.Fatal(err)
				}
			}
		}
		for name, c := range tiedInputs(m) {
			b.Run(fmt.Sprintf("op=apml/ties=%s/backend=cpu/n=%d", name, m*m*m), func(b *testing.B) {
				f := call(c)
				for b.Loop() {
					f()
				}
				b.ReportMetric(ratio.Of(5, f, call(cube)), "x-cube-time")
			})
		}
	}
}
