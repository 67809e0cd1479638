package losstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// proofPoints bounds the points a side of the real pairs that prove themselves: the
// judge looks at all pairs.
const proofPoints = 4000

// thinned keeps every so many-th point, at most proofPoints.
func thinned(t *testing.T, c cloud.Cloud) cloud.Cloud {
	t.Helper()
	out, err := c.Stride((c.N + proofPoints - 1) / proofPoints)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every exact transport between real clouds, at most 4,000 points of each, proves
// itself before a judge that shares nothing with the solver: a plan with the marginals,
// no pair below its potentials, a gap of at most 1e-9.
func TestRealTransport(t *testing.T) {
	names, clouds := realClouds(t)
	for k := range clouds {
		clouds[k] = thinned(t, clouds[k])
	}
	for i, x := range clouds {
		for j, y := range clouds {
			if !*long && !fewPairs[[2]string{names[i], names[j]}] {
				continue
			}
			t.Run(names[i]+" to "+names[j], func(t *testing.T) {
				for _, cost := range []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.SqEuclidean} {
					r := proven(t, "cpu", Family{"real", x, y}, cost)
					c, err := r.Certificate()
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("%s, %d × %d: value %.9g, gap %.1e of it, least reduced cost %.1e, %s", cost, x.N, y.N, r.Value,
						c.Gap/r.Value, c.WorstReducedCost, r.Stats.Method)
				}
			})
		}
	}
}

// Random problems of up to 4,000 points a side prove themselves: ties, weights with
// zeros, sizes that differ, copies of points, far clouds.
func TestLargeProofs(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: run by -long, or make proof; small ones are in TestCPU/emd/proof")
	}
	const seed = 79
	rnd := rand.New(rand.NewPCG(1, seed))
	t.Logf("problems from seed %d", seed)
	for k := range proofs {
		kind := []string{"lattice", "even", "copies", "far"}[k/5%4]
		f := Family{Name: fmt.Sprintf("problem %d: %s", k, kind)}
		n := 300 + rnd.IntN(proofPoints-300)
		f.X, f.Y = smallCloud(rnd, kind, n, 3), smallCloud(rnd, kind, n, 3)
		if k%3 == 2 {
			f.Y = smallCloud(rnd, kind, 300+rnd.IntN(proofPoints-300), 3)
		}
		if k%2 == 1 {
			f.X.W = smallWeights(rnd, f.X.N)
		}
		if k%4 == 1 {
			f.Y.W = smallWeights(rnd, f.Y.N)
		}
		t.Run(f.Name, func(t *testing.T) {
			proven(t, "cpu", f, []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.SqEuclidean, apmlgpu.HalfSqEuclidean}[k/20%3])
		})
	}
}
