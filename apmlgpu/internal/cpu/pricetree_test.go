package cpu

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
)

// The tree finds what a scan finds, while prices fall and bounds grow old.
func TestPriceTree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 71))
	for _, squared := range []bool{false, true} {
		for _, far := range []float64{0, 3, 1000} {
			var x, y []spot
			for range 300 {
				x = append(x, spot{rnd.Float64(), rnd.Float64(), rnd.Float64()})
				y = append(y, spot{rnd.Float64() + far, rnd.Float64(), rnd.Float64()})
			}
			tree := newPriceTree(y, squared, some(x), func() bool { return false })
			for round := range 2000 {
				j := int32(rnd.IntN(len(y)))
				tree.v[j] -= rnd.ExpFloat64() / 10
				tree.fell(j)
				tree.aim(j, &x[rnd.IntN(len(x))])
				if round%500 == 250 {
					tree.refresh()
				}
				if round%10 > 0 {
					continue
				}
				q := &x[rnd.IntN(len(x))]
				all := make([]float64, len(y))
				for k := range all {
					all[k] = tree.cost(q, &tree.at[k]) - tree.v[k]
				}
				slices.Sort(all)
				for k, f := range tree.best(q, 5, math.Inf(1)) {
					if !(math.Abs(f.r-all[k]) <= 1e-12*max(1, far*far)) {
						t.Fatalf("squared %v, far %g, round %d: %d-th is %g, by a scan %g", squared, far, round, k, f.r, all[k])
					}
				}
			}
		}
	}
}

// Both ways to solve a problem of equally many points find the same cost.
func TestAuctionIsSimplex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 73))
	for _, squared := range []bool{false, true} {
		for _, n := range []int{2, 7, 40, 400, 1000} {
			x, y := cloud.Cube(rnd, n), cloud.Sphere(rnd, n)
			var cost [2]float64
			for way := range cost {
				p := &transport{q: backend.EMD{Squared: squared}, crew: newCrew(context.Background(), 1), ledger: newLedger(1 << 30),
					d: 3, out: &backend.EMDResult{}}
				p.x, p.y = p.gather(x), p.gather(y)
				p.measure()
				p.u, p.v = make([]float64, n), make([]float64, n)
				p.center()
				p.scale = p.largest()
				solve := []func() error{p.assign, p.simplex}[way]
				if err := solve(); err != nil {
					t.Fatal(err)
				}
				if err := p.certify(); err != nil || !p.out.Converged {
					t.Errorf("%d points, squared %v, way %d: %v, gap %g", n, squared, way, err, p.out.Gap)
				}
				cost[way] = p.out.Primal
				p.crew.release()
			}
			if !(math.Abs(cost[0]-cost[1]) <= 1e-12*cost[1]) {
				t.Errorf("%d points, squared %v: %.17g by auction, %.17g by simplex", n, squared, cost[0], cost[1])
			}
		}
	}
}
