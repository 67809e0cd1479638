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

// runSinkhorn checks closed forms, plans and options of Sinkhorn.
func runSinkhorn(t *testing.T, backend string) {
	t.Run("closed forms", func(t *testing.T) { sinkhornClosed(t, backend) })
	t.Run("families", func(t *testing.T) { sinkhornFamilies(t, backend) })
	t.Run("small epsilon", func(t *testing.T) { sinkhornSmall(t, backend) })
	t.Run("plan", func(t *testing.T) { sinkhornPlan(t, backend) })
	t.Run("warm", func(t *testing.T) { sinkhornWarm(t, backend) })
	t.Run("rounds", func(t *testing.T) { sinkhornRounds(t, backend) })
	t.Run("reach", func(t *testing.T) { sinkhornReach(t, backend) })
	t.Run("mistakes", func(t *testing.T) { sinkhornMistakes(t, backend) })
}

// mustSinkhorn is a call that converges.
func mustSinkhorn(t *testing.T, backend string, x, y cloud.Cloud, o apmlgpu.SinkhornOptions) apmlgpu.Result {
	t.Helper()
	o.Backend, o.Grad64 = backend, true
	r, err := apmlgpu.Sinkhorn(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sinkhornClosed(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 61))
	x := eighths(cloud.Sphere(rnd, 90))
	by := [3]float32{0.25, -0.5, 0.125}
	y := each(x, func(_ int, p []float32) { p[0], p[1], p[2] = p[0]+by[0], p[1]+by[1], p[2]+by[2] })
	for _, eps := range []float64{0.2, 10} {
		// The divergence of a translate is |t|² at every ε, half of it with half the cost.
		for cost, want := range map[apmlgpu.Cost]float64{apmlgpu.SqEuclidean: 0.328125, apmlgpu.HalfSqEuclidean: 0.328125 / 2} {
			r := mustSinkhorn(t, backend, x, y, apmlgpu.SinkhornOptions{Cost: cost, Epsilon: eps, Tol: 1e-9, MaxIter: 1 << 20})
			if !within(r.Value, want, sameMethod, 0) {
				t.Errorf("cost %s, ε %g: a translate has %v, want %v", cost, eps, r.Value, want)
			}
		}
	}
	// Two Diracs of masses 2 and ½ at distance 1, ρ = 1 and ε = 0.1: the mass of the
	// plan is (m n)^((ρ+ε)/(2ρ+ε)) exp(−C/(2ρ+ε)).
	a, b := cloud.FromRows([][]float32{{0, 0, 0}}), cloud.FromRows([][]float32{{1, 0, 0}})
	a.W, b.W = []float64{2}, []float64{0.5}
	mass := math.Exp(-1 / 2.1)
	r := mustSinkhorn(t, backend, a, b, apmlgpu.SinkhornOptions{Epsilon: 0.1, Reach: math.Sqrt(0.5), Biased: true, Tol: 1e-14})
	if want := 2.5 + 0.1 - 2.1*mass; !within(r.Value, want, exactSum, 0) || !within(r.Stats.Mass, mass, exactSum, 0) {
		t.Errorf("two Diracs: value %v, mass %v, want %v and %v", r.Value, r.Stats.Mass, want, mass)
	}
}

// sinkhornFamilies compares ways to hold the factors on all families, and a
// divergence with what it must not be.
func sinkhornFamilies(t *testing.T, backend string) {
	for _, f := range Families(300, 62) {
		o := apmlgpu.SinkhornOptions{Tol: 1e-9, MaxIter: 3000, Backend: backend, Grad64: true}
		want, err := apmlgpu.Sinkhorn(f.X, f.Y, o)
		if unlessLate(err) != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if !(want.Value >= -1e-10) {
			t.Errorf("%s: the divergence is %v", f.Name, want.Value)
		}
		if err != nil {
			t.Logf("%s: %v", f.Name, err)
			continue
		}
		for _, m := range []apmlgpu.Method{apmlgpu.MethodStored, apmlgpu.MethodStreaming} {
			o.Method = m
			got, err := apmlgpu.Sinkhorn(f.X, f.Y, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", f.Name, m, err)
			}
			closeTo(t, f.Name+", "+string(m), got, want, 1e-8)
		}
		o.Method, o.Tol = apmlgpu.MethodTruncated, 1e-6
		list, err := apmlgpu.Sinkhorn(f.X, f.Y, o)
		if off := math.Abs(list.Value - want.Value); err != nil || list.Stats.Method != "truncated" ||
			!(list.Stats.PrunedBound <= math.Exp(-25)) || !(off <= 1e-8*(want.Value+want.Stats.Epsilon)) {
			t.Errorf("%s: of %d pairs, bound %g, the value is off by %.2g of %.4g: %v", f.Name, list.Stats.Stored,
				list.Stats.PrunedBound, off, want.Value, err)
		}
		o.Method, o.Tol = apmlgpu.MethodStored, 1e-4
		rough, err := apmlgpu.Sinkhorn(f.X, f.Y, o)
		if off := math.Abs(rough.Value - want.Value); err != nil || !(off <= 1e-3*(want.Value+want.Stats.Epsilon)) {
			t.Errorf("%s: to 1e-4 in float32 the value is off by %.2g of %.4g, ε %.2g: %v", f.Name, off, want.Value,
				want.Stats.Epsilon, err)
		}
	}
}

// sinkhornSmall asks for finite numbers down to 1e-6 of the largest cost, and of
// one round.
func sinkhornSmall(t *testing.T, backend string) {
	for _, f := range Families(120, 63) {
		for _, share := range []float64{1e-3, 1e-6, 1e-9} {
			for _, rounds := range []int{1, 30} {
				d := largestSquare(f.X, f.Y)
				if d == 0 {
					continue
				}
				r, err := apmlgpu.Sinkhorn(f.X, f.Y, apmlgpu.SinkhornOptions{Backend: backend, Epsilon: share * d,
					MaxIter: rounds, Grad64: true})
				wrong := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
				if unlessLate(err) != nil || wrong(r.Value) || slices.ContainsFunc(r.GradX64, wrong) ||
					slices.ContainsFunc(r.GradY64, wrong) || wrong(r.Stats.RowError) || !(r.Stats.ColError <= 2) {
					t.Errorf("%s, ε %g of the largest cost, %d rounds: value %v, errors %g and %g: %v", f.Name, share, rounds,
						r.Value, r.Stats.RowError, r.Stats.ColError, err)
				}
				met := r.Stats.RowError <= 1e-3 && r.Stats.ColError <= 1e-3
				if errors.Is(err, apmlgpu.ErrNotConverged) == r.Stats.Converged || r.Stats.Converged && !met {
					t.Errorf("%s: converged is %v, error %v", f.Name, r.Stats.Converged, err)
				}
			}
		}
	}
}

// largestSquare is the largest squared distance.
func largestSquare(x, y cloud.Cloud) (d float64) {
	for i := range x.N {
		for j := range y.N {
			s, _ := plainEntropy{cost: apmlgpu.SqEuclidean}.price(x, y, i, j)
			d = max(d, s)
		}
	}
	return d
}

// sinkhornPlan looks at the plan: its sums are the marginals, its cost that of the
// result, and it is made of the potentials.
func sinkhornPlan(t *testing.T, backend string) {
	f := weighted(Families(60, 64)[0])
	o := apmlgpu.SinkhornOptions{Backend: backend, Blur: 0.3, Tol: 1e-10}
	r := mustSinkhorn(t, backend, f.X, f.Y, o)
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for k, sums := range [][]float64{p.Rows(), p.Cols()} {
		off := 0.0
		for i, v := range sums {
			off += math.Abs(v - []cloud.Cloud{f.X, f.Y}[k].W[i])
		}
		if told := []float64{r.Stats.RowError, r.Stats.ColError}[k]; !within(off, told, 1e-3, 1e-14) || !(off <= 1e-10) {
			t.Errorf("marginal %d is off by %g, told was %g", k, off, told)
		}
	}
	pot, err := r.Potentials()
	if err != nil {
		t.Fatal(err)
	}
	cost, mean, worst := 0.0, 0.0, 0.0
	p.Each(func(i, j int, v float64) {
		c, _ := plainEntropy{cost: apmlgpu.SqEuclidean}.price(f.X, f.Y, i, j)
		cost += v * c
		want := f.X.W[i] * f.Y.W[j] * math.Exp((pot.F[i]+pot.G[j]-c)/r.Stats.Epsilon)
		worst = max(worst, math.Abs(v/want-1), math.Abs(p.At(i, j)/want-1))
	})
	for i, v := range pot.F {
		mean += f.X.W[i] * v
	}
	if told, err := r.TransportCost(); err != nil || !within(cost, told, exactSum, 0) || !(worst < 1e-12) || !(math.Abs(mean) < 1e-12) {
		t.Errorf("⟨P,C⟩ is %v, told was %v (%v); an entry is off by %g, Σ a f is %g", cost, told, err, worst, mean)
	}
}

// sinkhornWarm starts from potentials of its own, and of an ε nearby.
func sinkhornWarm(t *testing.T, backend string) {
	f := weighted(Families(150, 65)[0])
	o := apmlgpu.SinkhornOptions{Blur: 0.1, Tol: 1e-6}
	cold := mustSinkhorn(t, backend, f.X, f.Y, o)
	pot, err := cold.Potentials()
	if err != nil {
		t.Fatal(err)
	}
	o.Warm = &pot
	if again := mustSinkhorn(t, backend, f.X, f.Y, o); again.Stats.Iterations > 2 || !within(again.Value, cold.Value, 1e-9, 0) {
		t.Errorf("from its own potentials: %d rounds, value %v after %v", again.Stats.Iterations, again.Value, cold.Value)
	}
	o.Blur *= 1.05
	o.Warm = nil
	want := mustSinkhorn(t, backend, f.X, f.Y, o)
	o.Warm = &pot
	if got := mustSinkhorn(t, backend, f.X, f.Y, o); !within(got.Value, want.Value, 1e-7, 0) {
		t.Errorf("warm the value is %v, cold %v", got.Value, want.Value)
	}
	o.Backend = backend
	r, err := apmlgpu.Sinkhorn(f.Y, hostileCloud(), o)
	refused(t, r, err, apmlgpu.ErrShape, "Warm")
	pot.G[3] = math.NaN()
	r, err = apmlgpu.Sinkhorn(f.X, f.Y, o)
	refused(t, r, err, apmlgpu.ErrOption, "Warm")
}

// sinkhornRounds counts rounds of clouds that are met by groups of neighbours: without
// them there are 31 and 197.
func sinkhornRounds(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 1024))
	x, y := cloud.Sphere(rnd, 1024), cloud.Sphere(rnd, 1024)
	for eps, most := range map[float64]int{0.04: 15, 0.004: 90} {
		var first apmlgpu.Result
		for _, m := range []apmlgpu.Method{apmlgpu.MethodStored, apmlgpu.MethodTruncated} {
			r := mustSinkhorn(t, backend, x, y, apmlgpu.SinkhornOptions{Epsilon: eps, Biased: true, Method: m})
			if r.Stats.Iterations > most {
				t.Errorf("ε %g, %s: %d rounds, want at most %d", eps, m, r.Stats.Iterations, most)
			}
			if m == apmlgpu.MethodStored {
				first = r
			} else if !within(r.Value, first.Value, 1e-4, 0) {
				t.Errorf("ε %g, %s: %v, stored %v", eps, m, r.Value, first.Value)
			}
		}
	}
}

// sinkhornReach compares reaches of each side with the definition, at masses that
// differ.
func sinkhornReach(t *testing.T, backend string) {
	for _, f := range smallCases(66, 40) {
		if f.X.D > mostCoordinates(backend) {
			continue
		}
		for k := range f.X.W {
			f.X.W[k] *= 3
		}
		for _, reach := range [][2]float64{{someReach, otherReach}, {otherReach, 0}, {0, someReach}, {8, 8}} {
			for _, cost := range []apmlgpu.Cost{apmlgpu.SqEuclidean, apmlgpu.Euclidean, apmlgpu.HalfSqEuclidean} {
				r, err := apmlgpu.Sinkhorn(f.X, f.Y, apmlgpu.SinkhornOptions{Backend: backend, Cost: cost, Blur: someBlur,
					ReachX: reach[0], ReachY: reach[1], Tol: exactTol, MaxIter: 1 << 14, Grad64: true})
				if unlessLate(err) != nil {
					t.Fatal(err)
				}
				want := entropicBy(cost, false, reach[0], reach[1])(f.X, f.Y, "")
				if s := answerOf(r).differs(want, 1e-8); s != "" {
					t.Fatalf("%s, cost %s, reaches %v: %s", f.Name, cost, reach, s)
				}
			}
		}
	}
}

// sinkhornMistakes are calls that are refused.
func sinkhornMistakes(t *testing.T, backend string) {
	good := hostileCloud()
	nan, inf := math.NaN(), math.Inf(1)
	for name, o := range map[string]apmlgpu.SinkhornOptions{
		"Cost is": {Cost: "cubic"}, "Blur is -1": {Blur: -1}, "Blur is NaN": {Blur: nan}, "Blur is +Inf": {Blur: inf},
		"Blur is 1e-200": {Blur: 1e-200}, "Epsilon is -1": {Epsilon: -1}, "Epsilon is 1": {Epsilon: 1, Blur: 1},
		"Epsilon is NaN": {Epsilon: nan}, "Reach is -1": {Reach: -1}, "Reach is NaN": {Reach: nan},
		"ReachX is 2": {Reach: 1, ReachX: 2}, "ReachY is 2": {Reach: 1, ReachY: 2}, "ReachY is +Inf": {ReachY: inf},
		"Scaling is 1": {Scaling: 1}, "Scaling is NaN": {Scaling: nan}, "Tol is -1": {Tol: -1}, "Tol is NaN": {Tol: nan},
		"MaxIter is -1": {MaxIter: -1}, "Method is": {Method: "dense"}, "Threads is -1": {Threads: -1},
	} {
		t.Run(name, func(t *testing.T) {
			o.Backend = backend
			r, err := apmlgpu.Sinkhorn(good, good, o)
			refused(t, r, err, apmlgpu.ErrOption, name)
		})
	}
	heavy := good.Clone()
	heavy.W = []float64{1, 1, 1}
	r, err := apmlgpu.Sinkhorn(heavy, good, apmlgpu.SinkhornOptions{Backend: backend})
	refused(t, r, err, apmlgpu.ErrMass, "3 and 1")
	if r, err = apmlgpu.Sinkhorn(heavy, good, apmlgpu.SinkhornOptions{Backend: backend, Reach: 1}); err != nil || !(r.Value > 0) {
		t.Errorf("with a reach masses may differ: %v, %v", r.Value, err)
	}
	r, err = apmlgpu.Sinkhorn(good, good, apmlgpu.SinkhornOptions{Backend: backend, MaxBytes: 100})
	refused(t, r, err, apmlgpu.ErrMemory, "allowed are 100")
	one, err := cloud.Join(good)
	if err != nil {
		t.Fatal(err)
	}
	_, err = apmlgpu.SinkhornBatch(one, one, apmlgpu.SinkhornOptions{Backend: backend, Warm: &apmlgpu.Potentials{}})
	if !errors.Is(err, apmlgpu.ErrOption) {
		t.Errorf("a batch with Warm: %v", err)
	}
}
