package cpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// onLattice is n points of a box of cells, with steps and an origin.
func onLattice(rnd *rand.Rand, n int, cells [3]int, step, origin [3]float32) cloud.Cloud {
	c := cloud.Cloud{N: n, D: 3, X: make([]float32, 3*n)}
	for i := range n {
		for a := range 3 {
			c.X[3*i+a] = origin[a] + step[a]*float32(rnd.IntN(cells[a]))
		}
	}
	return c
}

// The sums by convolution are the sums pair by pair, for every kind of terms, on
// lattices of unequal steps and extents, with multiplicities and a floor.
func TestConvolveIsDirect(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	step := [3]float32{0.5, 2, 0.125}
	x := onLattice(rnd, 300, [3]int{9, 4, 30}, step, [3]float32{-3, 0.5, 7})
	y := onLattice(rnd, 200, [3]int{5, 6, 12}, step, [3]float32{0.25, 0.5, 6.5})
	for k, tt := range []struct{ alpha, beta, floor float64 }{
		{0.3, 0, 0}, {0, 0.2, 0}, {0.5, 0.4, 0}, {1, 1, 0}, {0.4, 0.3, 1.7},
	} {
		for _, byCount := range []bool{false, true} {
			p := open(t, x, y, backend.Resources{})
			ties := uniforms{alpha: terms(rnd, p.x.n, tt.alpha), beta: terms(rnd, p.y.n, tt.beta), byCount: byCount}
			g := &gradient{a: p.x, b: p.y, floor: tt.floor}
			for range p.x.n {
				g.u = append(g.u, math.Ldexp(rnd.Float64(), rnd.IntN(10)))
			}
			for range p.y.n {
				g.w = append(g.w, math.Ldexp(rnd.Float64(), -rnd.IntN(10)))
			}
			name := fmt.Sprintf("case %d, by count %v", k, byCount)
			var first *far
			for _, threads := range []int{1, 2, 3, 7} {
				p := newPuller(g, ties, newCrew(context.Background(), threads))
				l := latticeOf(p.x, p.y, p.rows, p.place)
				if l == nil {
					t.Fatalf("%s: no lattice found", name)
				}
				if err := p.convolve(l); err != nil {
					t.Fatal(err)
				}
				p.out.cost /= p.scale
				if first == nil {
					first = p.out
					checkFar(t, name, g, ties, p.out)
				} else if p.out.cost != first.cost || !slices.Equal(p.out.x, first.x) || !slices.Equal(p.out.y, first.y) {
					t.Errorf("%s: %d threads give other bits than 1", name, threads)
				}
			}
		}
	}
}

// A lattice is one that holds every point exactly, or none.
func TestLatticeOf(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	find := func(x, y cloud.Cloud) *lattice {
		p := open(t, x, y, backend.Resources{})
		var rows, place []int32
		for i := range p.x.n {
			rows = append(rows, int32(i))
		}
		for j := range p.y.n {
			place = append(place, int32(j))
		}
		return latticeOf(p.x, p.y, rows, place)
	}
	grid := cloud.Grid(5, 0)
	l := find(grid, cloud.Grid(4, 0.25))
	if l == nil || l.step != [3]float64{1, 1, 1} || l.nx != [3]int{5, 5, 5} || l.ny != [3]int{4, 4, 4} ||
		l.box.size != [3]int{8, 8, 8} || l.oy != [3]float64{0.25, 0.25, 0.25} {
		t.Errorf("two grids: %+v", l)
	}
	off := cloud.Grid(5, 0)
	off.X[7] += 1e-6
	if l := find(off, grid); l != nil {
		t.Errorf("a grid with a point a millionth off: %+v", l)
	}
	off.X[7] = 2.125 // finer steps hold it
	if l := find(off, grid); l == nil || l.step[1] != 0.125 || l.step[2] != 1 {
		t.Errorf("a grid with a point an eighth off: %+v", l)
	}
	huge := cloud.Grid(2, 0)
	for k := range huge.X {
		huge.X[k] *= 1e30 // one step, until the other cloud makes the steps finer
	}
	if l := find(huge, grid); l != nil {
		t.Errorf("a lattice of 1e30 cells: %+v", l)
	}
	if l := find(cloud.Cube(rnd, 50), grid); l != nil {
		t.Errorf("random points: %+v", l)
	}
}

// Large grids take the way by convolution, and it is the same loss.
func TestGridsByConvolution(t *testing.T) {
	const m = 16
	x, y := cloud.Grid(m, 0), cloud.Grid(m, 0.5)
	p := open(t, x, y, backend.Resources{Threads: 2})
	q := faithful()
	out, err := p.APML(q)
	if err != nil {
		t.Fatal(err)
	}
	cells := int64(smooth(2*m - 1))
	box, peak := cells*cells*cells*cellBytes, p.Spent().PeakBytes
	if peak < box {
		t.Fatalf("a peak of %d bytes: no convolution was made", peak)
	}
	tight := open(t, x, y, backend.Resources{MaxBytes: peak - box/4}) // no room for it: pair by pair
	want, err := tight.APML(q)
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(out.Value/want.Value-1) <= 1e-12) {
		t.Errorf("value %.17g, pair by pair %.17g", out.Value, want.Value)
	}
	for k, v := range want.GradX64 {
		if !(math.Abs(out.GradX64[k]-v) <= 1e-11) {
			t.Fatalf("GradX[%d] is %v, pair by pair %v", k, out.GradX64[k], v)
		}
	}
}
