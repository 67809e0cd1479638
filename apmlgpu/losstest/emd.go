package losstest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// proofs is how many random problems must prove themselves.
const proofs = 200

// runEMD checks what exact transport promises beyond its definition.
func runEMD(t *testing.T, backend string) {
	t.Run("proof", func(t *testing.T) { runProofs(t, backend) })
	t.Run("families", func(t *testing.T) {
		for _, f := range Families(definitionPoints, 61) {
			for _, g := range []Family{f, weighted(f), {f.Name + ", moved", shifted(f.X, 1e5), shifted(f.Y, 1e5)}} {
				proven(t, backend, g, apmlgpu.Euclidean)
				proven(t, backend, g, apmlgpu.SqEuclidean)
			}
		}
	})
	t.Run("closed forms", func(t *testing.T) { closedForms(t, backend) })
	t.Run("bounds", func(t *testing.T) { emdBounds(t, backend) })
	t.Run("warm", func(t *testing.T) { warmly(t, backend) })
	t.Run("larger", func(t *testing.T) { larger(t, backend) })
	t.Run("options", func(t *testing.T) { emdOptions(t, backend) })
}

// runProofs has random problems checked: ties by the dozen, weights with zeros,
// sizes that differ, one to five coordinates, clouds of some hundred points.
func runProofs(t *testing.T, backend string) {
	const seed = 57
	rnd := rand.New(rand.NewPCG(1, seed))
	t.Logf("problems from seed %d", seed)
	for k := range proofs {
		d := 1 + k%5
		kind := []string{"lattice", "even", "copies", "far"}[k/5%4]
		f := Family{Name: fmt.Sprintf("problem %d: %s in %d dimensions", k, kind, d)}
		f.X = smallCloud(rnd, kind, 1+rnd.IntN(200), d)
		f.Y = smallCloud(rnd, kind, f.X.N, d)
		if k%3 > 0 {
			f.Y = smallCloud(rnd, kind, 1+rnd.IntN(200), d)
		}
		if k%2 == 1 {
			f.X.W = smallWeights(rnd, f.X.N)
		}
		if k%4 == 1 {
			f.Y.W = smallWeights(rnd, f.Y.N)
		}
		proven(t, backend, f, []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.SqEuclidean, apmlgpu.HalfSqEuclidean}[k/20%3])
	}
}

// proven solves a problem and has its proof checked.
func proven(t *testing.T, backend string, f Family, cost apmlgpu.Cost) apmlgpu.Result {
	t.Helper()
	r, err := apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, Cost: cost, Grad64: true})
	if err != nil {
		t.Fatalf("%s, %s: %v", f.Name, cost, err)
	}
	if s := unproven(f.X, f.Y, cost, r); s != "" {
		t.Errorf("%s, %s: %s", f.Name, cost, s)
	}
	return r
}

// closedForms are translates, whose best plan is the translation for every convex
// cost, and permutations.
func closedForms(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 63))
	x := eighths(cloud.Sphere(rnd, 300))
	for _, by := range []float32{0, 0.25, 3} {
		for cost, want := range map[apmlgpu.Cost]float64{apmlgpu.Euclidean: float64(by), apmlgpu.SqEuclidean: float64(by * by),
			apmlgpu.HalfSqEuclidean: float64(by*by) / 2} {
			r := proven(t, backend, Family{"translate", x, permuted(rnd, shifted(x, by))}, cost)
			if !within(r.Value, want, exactSum, 0) {
				t.Errorf("%s moved by %g is %.17g, want %g", cost, by, r.Value, want)
			}
		}
	}
}

// emdBounds compares with what lies below and above.
func emdBounds(t *testing.T, backend string) {
	for _, f := range Families(120, 65) {
		r := proven(t, backend, f, apmlgpu.Euclidean)
		near, err := apmlgpu.ChamferL1(f.X, f.Y, apmlgpu.ChamferOptions{Backend: backend, OneWay: true})
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, 3)
		for i, v := range f.X.X {
			mean[i%3] += float64(v) / float64(f.X.N)
		}
		for j, v := range f.Y.X {
			mean[j%3] -= float64(v) / float64(f.Y.N)
		}
		if least := max(norm(mean), 2*near.Value); !(r.Value >= least*(1-exactSum)-absValue) {
			t.Errorf("%s: %g, below the means' distance %g or the nearest points' %g", f.Name, r.Value, norm(mean), 2*near.Value)
		}
	}
}

// warmly solves from the potentials of the problem itself, of one moved, and of
// nonsense: the value is the same, and proven.
func warmly(t *testing.T, backend string) {
	for _, f := range append(Families(700, 67), weighted(Families(400, 67)[0]), Families(1700, 67)[0]) {
		for _, cost := range []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.HalfSqEuclidean} {
			cold := proven(t, backend, f, cost)
			p, err := cold.Potentials()
			if err != nil {
				t.Fatal(err)
			}
			for name, scale := range map[string]float64{"its own": 1, "turned round": -1, "none": 0} {
				w := apmlgpu.Potentials{F: times(p.F, scale), G: times(p.G, scale)}
				r, err := apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, Cost: cost, Grad64: true, Warm: &w})
				if err != nil || !within(r.Value, cold.Value, sameMethod, absValue) {
					t.Errorf("%s, %s potentials: %.17g, cold %.17g, %v", f.Name, name, r.Value, cold.Value, err)
				} else if s := unproven(f.X, f.Y, cost, r); s != "" {
					t.Errorf("%s, %s potentials: %s", f.Name, name, s)
				}
			}
		}
	}
}

// larger are problems at which the fast ways begin: auctions, lists, and both with
// what makes them give up.
func larger(t *testing.T, backend string) {
	for k, f := range Families(1800, 69) {
		cost := []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.SqEuclidean}[k%2]
		proven(t, backend, f, cost)
		if k%3 == 0 {
			proven(t, backend, weighted(f), cost)
		}
	}
}

// emdOptions gives options out of their range, and too few steps.
func emdOptions(t *testing.T, backend string) {
	good := hostileCloud()
	wrong := &apmlgpu.Potentials{F: []float64{1, 2, math.NaN()}, G: make([]float64, 3)}
	for name, o := range map[string]apmlgpu.EMDOptions{
		"Cost": {Cost: "cosine"}, "MaxIter": {MaxIter: -1}, "Warm": {Warm: wrong}, "Threads": {Threads: -1},
	} {
		o.Backend = backend
		r, err := apmlgpu.EMD(good, good, o)
		refused(t, r, err, apmlgpu.ErrOption, name)
	}
	heavy := good.Clone()
	heavy.W = []float64{1, 1, 2}
	r, err := apmlgpu.EMD(good, good, apmlgpu.EMDOptions{Backend: backend, Warm: &apmlgpu.Potentials{}})
	refused(t, r, err, apmlgpu.ErrShape, "0 and 0 potentials")
	one := looseBatch(good)
	if _, err := apmlgpu.EMDBatch(one, one, apmlgpu.EMDOptions{Backend: backend, Warm: wrong}); !errors.Is(err, apmlgpu.ErrOption) {
		t.Errorf("Warm of a batch: %v", err)
	}
	r, err = apmlgpu.EMD(good, heavy, apmlgpu.EMDOptions{Backend: backend})
	refused(t, r, err, apmlgpu.ErrMass, "1 and 4")
	f := Families(400, 3)[0]
	r, err = apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, MaxIter: 3})
	exact := proven(t, backend, f, apmlgpu.Euclidean)
	cert, certErr := r.Certificate()
	if !errors.Is(err, apmlgpu.ErrNotConverged) || certErr != nil || r.Stats.Converged || len(r.GradX) != len(f.X.X) ||
		!(cert.Gap > 0) || !(r.Value >= exact.Value) || !(cert.Dual <= exact.Value) {
		t.Errorf("3 steps: %v, value %g, certificate %+v, exact %g", err, r.Value, cert, exact.Value)
	}
	if _, err := apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, MaxBytes: 5000}); !errors.Is(err, apmlgpu.ErrMemory) {
		t.Errorf("5000 bytes: %v", err)
	}
}
