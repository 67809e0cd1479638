package losstest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runTransportEdges gives both transports what naive code gets wrong or dies of.
func runTransportEdges(t *testing.T, backend string) {
	for name, f := range map[string]func(t *testing.T, backend string){
		"masses almost alike": almostAlike, "epsilon": epsilonEdges, "reach and mass": reachAndMass,
		"one against many": oneAgainstMany, "all points equal": allEqual, "costs up to 1e30": hugeCosts,
		"one step": oneStep, "one round": oneRound,
	} {
		t.Run(name, func(t *testing.T) { f(t, backend) })
	}
}

// unusable says what no result may hold, or "".
func unusable(r apmlgpu.Result, x, y cloud.Cloud) string {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	p, err := r.Potentials()
	switch {
	case bad(r.Value):
		return "the value"
	case len(r.GradX64) != len(x.X) || len(r.GradY64) != len(y.X) || slices.ContainsFunc(slices.Concat(r.GradX64, r.GradY64), bad):
		return "the gradient"
	case err != nil || len(p.F) != x.N || len(p.G) != y.N || slices.ContainsFunc(slices.Concat(p.F, p.G), bad):
		return "the potentials"
	}
	return ""
}

// almostAlike has masses that differ by less than what is refused, and by more.
func almostAlike(t *testing.T, backend string) {
	f := weighted(Families(60, 71)[0])
	same := proven(t, backend, f, apmlgpu.Euclidean)
	plain := mustSinkhorn(t, backend, f.X, f.Y, apmlgpu.SinkhornOptions{Tol: 1e-9})
	for _, by := range []float64{1 + 5e-7, 1 - 5e-7, 1 + 5e-6, 2} {
		g := Family{f.Name, f.X, f.Y.Clone()}
		for j := range g.Y.W {
			g.Y.W[j] *= by
		}
		r, err := apmlgpu.EMD(g.X, g.Y, apmlgpu.EMDOptions{Backend: backend, Grad64: true})
		s, errS := apmlgpu.Sinkhorn(g.X, g.Y, apmlgpu.SinkhornOptions{Backend: backend, Tol: 1e-9})
		if math.Abs(by-1) > 1e-6 {
			refused(t, r, err, apmlgpu.ErrMass, "masses")
			refused(t, s, errS, apmlgpu.ErrMass, "masses")
			continue
		}
		if err != nil || errS != nil || !within(r.Value, same.Value, sameMethod, 0) || !within(s.Value, plain.Value, sameMethod, 0) {
			t.Errorf("masses in the ratio %v: EMD %v of %v, %v, Sinkhorn %v of %v, %v", by, r.Value, same.Value, err, s.Value,
				plain.Value, errS)
		}
	}
}

// epsilonEdges are no epsilon, one below zero, and ones below the last digit of every
// cost, at which the plan is one of the exact.
func epsilonEdges(t *testing.T, backend string) {
	f := Families(60, 72)[0]
	r := mustSinkhorn(t, backend, f.X, f.Y, apmlgpu.SinkhornOptions{Epsilon: 0})
	if d := cloud.Diameter(f.X, f.Y); !within(r.Stats.Epsilon, 2*(0.05*d)*(0.05*d), exactSum, 0) {
		t.Errorf("ε of its own is %v, the diameter %v", r.Stats.Epsilon, d)
	}
	for _, eps := range []float64{-1e-9, -1, math.Inf(-1)} {
		r, err := apmlgpu.Sinkhorn(f.X, f.Y, apmlgpu.SinkhornOptions{Backend: backend, Epsilon: eps})
		refused(t, r, err, apmlgpu.ErrOption, "Epsilon is")
	}
	exact := proven(t, backend, f, apmlgpu.SqEuclidean)
	for _, eps := range []float64{1e-12, 1e-17, 1e-100, 1e-300, math.SmallestNonzeroFloat64} {
		for _, m := range []apmlgpu.Method{apmlgpu.MethodAuto, apmlgpu.MethodTruncated, apmlgpu.MethodStreaming} {
			r, err := apmlgpu.Sinkhorn(f.X, f.Y, apmlgpu.SinkhornOptions{Backend: backend, Epsilon: eps, Biased: true,
				MaxIter: 20, Grad64: true, Method: m})
			if eps == math.SmallestNonzeroFloat64 { // a cost over it is no number
				refused(t, r, err, apmlgpu.ErrOption, "beyond float64")
				continue
			}
			if s := unusable(r, f.X, f.Y); s != "" || unlessLate(err) != nil || r.Stats.Epsilon != eps {
				t.Errorf("ε %g, %q: %s of value %v, %v", eps, m, s, r.Value, err)
			}
			// The dual value of any potentials is below the optimum.
			if !(r.Value <= exact.Value*(1+sameMethod)) {
				t.Errorf("ε %g, %q: value %v, exact %v", eps, m, r.Value, exact.Value)
			}
		}
	}
}

// reachAndMass are masses of zero, and next to none, where mass may be made and lost.
func reachAndMass(t *testing.T, backend string) {
	f := Families(40, 73)[0]
	o := apmlgpu.SinkhornOptions{Backend: backend, Reach: 1, Grad64: true}
	none := f.X.Clone()
	none.W = make([]float64, none.N)
	for _, pair := range [][2]cloud.Cloud{{none, f.Y}, {f.X, none}, {none, none}} {
		r, err := apmlgpu.Sinkhorn(pair[0], pair[1], o)
		refused(t, r, err, apmlgpu.ErrWeights, "all 40")
	}
	some := f.X.Clone()
	some.W = make([]float64, some.N)
	some.W[7] = 2
	r := mustSinkhorn(t, backend, some, f.Y, o)
	alone := cloud.Cloud{N: 1, D: 3, X: f.X.X[21:24], W: []float64{2}}
	if want := mustSinkhorn(t, backend, alone, f.Y, o); !within(r.Value, want.Value, exactSum, 0) || norm(r.GradX64) != norm(want.GradX64) {
		t.Errorf("points of mass zero make %v of %v", r.Value, want.Value)
	}
	// The less mass one cloud has, the nearer the divergence comes to what losing the other costs.
	for _, mass := range []float64{1e-3, 1e-30, 1e-300} {
		light := f.X.Clone()
		light.W = slices.Repeat([]float64{mass / float64(light.N)}, light.N)
		r, err := apmlgpu.Sinkhorn(light, f.Y, o)
		if s := unusable(r, light, f.Y); s != "" || unlessLate(err) != nil {
			t.Errorf("mass %g: %s of value %v, %v", mass, s, r.Value, err)
		}
	}
}

// oneAgainstMany is one point, whose plan is the other cloud's weights.
func oneAgainstMany(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 74))
	one, many := cloud.FromRows([][]float32{{0.3, -2, 1}}), cloud.Sphere(rnd, 1000)
	for cost, of := range byCost {
		want := 0.0
		for j := range many.N {
			s := 0.0
			for c, v := range one.X {
				d := float64(v) - float64(many.X[3*j+c])
				s += d * d
			}
			want += of(s) / float64(many.N)
		}
		for _, f := range []Family{{"one to many", one, many}, {"many to one", many, one}} {
			if r := proven(t, backend, f, cost); !within(r.Value, want, exactSum, 0) || r.Stats.NNZ != 1000 {
				t.Errorf("EMD, %s, %s: %v with %d entries, want %v", f.Name, cost, r.Value, r.Stats.NNZ, want)
			}
			r := mustSinkhorn(t, backend, f.X, f.Y, apmlgpu.SinkhornOptions{Cost: cost, Biased: true, Tol: 1e-12})
			if !within(r.Value, want, exactSum, 0) || r.Stats.Iterations > 2 {
				t.Errorf("Sinkhorn, %s, %s: %v after %d rounds, want %v", f.Name, cost, r.Value, r.Stats.Iterations, want)
			}
		}
	}
}

// allEqual is a cloud in one spot, against another spot, itself and a whole cloud.
func allEqual(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 75))
	spot := func(n int, v float32) cloud.Cloud {
		return cloud.Cloud{N: n, D: 3, X: slices.Repeat([]float32{v, 0, 0}, n)}
	}
	for _, f := range []Family{{"itself", spot(50, 1), spot(70, 1)}, {"another", spot(50, 1), spot(70, 3)},
		{"a cloud", spot(50, 1), cloud.Sphere(rnd, 70)}} {
		for cost, of := range byCost {
			e := proven(t, backend, f, cost)
			s := mustSinkhorn(t, backend, f.X, f.Y, apmlgpu.SinkhornOptions{Cost: cost})
			if bad := unusable(s, f.X, f.Y); bad != "" {
				t.Errorf("%s, %s: %s of Sinkhorn", f.Name, cost, bad)
			}
			want := map[string]float64{"itself": 0, "another": of(4)}[f.Name]
			if f.Name != "a cloud" && (!within(e.Value, want, exactSum, 0) || !within(s.Value, want, exactSum, 1e-15)) {
				t.Errorf("%s, %s: EMD %v, Sinkhorn %v, want %v", f.Name, cost, e.Value, s.Value, want)
			}
		}
	}
}

// hugeCosts are up to 1e30: the value is that of the clouds of order one, by the unit.
func hugeCosts(t *testing.T, backend string) {
	f := Families(150, 76)[2]
	for _, g := range []Family{f, weighted(f)} {
		small := proven(t, backend, g, apmlgpu.SqEuclidean)
		plain := mustSinkhorn(t, backend, g.X, g.Y, apmlgpu.SinkhornOptions{Epsilon: 0.1, Tol: 1e-9})
		const unit = 1 << 49 // cost 1e30 across the sphere; exact in float32
		big := Family{g.Name, scaled(g.X, unit), scaled(g.Y, unit)}
		big.X.W, big.Y.W = g.X.W, g.Y.W
		e := proven(t, backend, big, apmlgpu.SqEuclidean)
		s := mustSinkhorn(t, backend, big.X, big.Y, apmlgpu.SinkhornOptions{Epsilon: 0.1 * unit * unit, Tol: 1e-9})
		if !within(e.Value, small.Value*unit*unit, exactSum, 0) || !within(s.Value, plain.Value*unit*unit, sameMethod, 0) {
			t.Errorf("%s by 2^49: EMD %v of %v, Sinkhorn %v of %v", g.Name, e.Value, small.Value, s.Value, plain.Value)
		}
	}
}

// oneStep ends exact transport after its first step: the plan is one, and the proof
// says how far off it is.
func oneStep(t *testing.T, backend string) {
	for _, n := range []int{90, 1700} { // the simplex, and the auction
		for k, f := range Families(n, 77) {
			if n > 1000 && k > 2 {
				break
			}
			r, err := apmlgpu.EMD(f.X, f.Y, apmlgpu.EMDOptions{Backend: backend, MaxIter: 1, Grad64: true})
			if unlessLate(err) != nil || errors.Is(err, apmlgpu.ErrNotConverged) == r.Stats.Converged {
				t.Fatalf("%s: %v, converged is %v", f.Name, err, r.Stats.Converged)
			}
			if s := unusable(r, f.X, f.Y); s != "" {
				t.Errorf("%s: %s of %v", f.Name, s, r.Value)
			}
			if s := offMarginals(r, f.X, f.Y); s != "" {
				t.Errorf("%s: %s", f.Name, s)
			}
			exact := proven(t, backend, f, apmlgpu.Euclidean)
			cert, err := r.Certificate()
			if err != nil || !(cert.Dual <= exact.Value*(1+exactSum)+absValue) || !(r.Value >= exact.Value*(1-exactSum)-absValue) {
				t.Errorf("%s: value %v, certificate %+v, %v, exact %v", f.Name, r.Value, cert, err, exact.Value)
			}
		}
	}
}

// offMarginals says where a plan does not have them, or "".
func offMarginals(r apmlgpu.Result, x, y cloud.Cloud) string {
	p, err := r.Plan()
	if err != nil {
		return err.Error()
	}
	for k, sums := range [][]float64{p.Rows(), p.Cols()} {
		want := shares([]cloud.Cloud{x, y}[k], "")
		for i, s := range sums {
			if !(math.Abs(s-want[i]) <= proofMarginal) {
				return "a plan without its marginals"
			}
		}
	}
	return ""
}

// oneRound ends entropic transport after its first round.
func oneRound(t *testing.T, backend string) {
	for _, f := range Families(80, 78) {
		for _, o := range []apmlgpu.SinkhornOptions{{}, {Method: apmlgpu.MethodStreaming}, {Method: apmlgpu.MethodTruncated},
			{Reach: 0.5}, {Biased: true, Cost: apmlgpu.Euclidean}} {
			o.Backend, o.MaxIter, o.Tol, o.Grad64 = backend, 1, 1e-14, true
			r, err := apmlgpu.Sinkhorn(f.X, f.Y, o)
			if s := unusable(r, f.X, f.Y); s != "" || unlessLate(err) != nil || r.Stats.Iterations > 1 {
				t.Errorf("%s, %+v: %s after %d rounds, %v", f.Name, o, s, r.Stats.Iterations, err)
			}
			if late := errors.Is(err, apmlgpu.ErrNotConverged); late == r.Stats.Converged {
				t.Errorf("%s: converged is %v, error %v", f.Name, r.Stats.Converged, err)
			}
		}
	}
}
