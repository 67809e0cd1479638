package losstest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runEdges gives APML the inputs that real calls have and that naive code gets
// wrong or dies of.
func runEdges(t *testing.T, backend string) {
	opt := apmlgpu.APMLOptions{Backend: backend, Grad64: true}
	for name, f := range map[string]func(t *testing.T, opt apmlgpu.APMLOptions){
		"collapsed": collapsed, "padding": countedPadding, "ties": tiesAreTold, "itself": itself, "far": far,
		"far target": farTarget, "moved": movedFar, "tiny and huge": tinyAndHuge, "many pairs": manyPairs,
		"masses": masses, "close points": closePoints, "options": optionIdentities,
	} {
		t.Run(name, func(t *testing.T) { f(t, opt) })
	}
}

// againstOracle compares the automatic way with the oracle.
func againstOracle(t *testing.T, what string, x, y cloud.Cloud, opt apmlgpu.APMLOptions, tol float64) apmlgpu.Result {
	t.Helper()
	got := mustAPML(t, Family{what, x, y}, opt)
	opt.Method = apmlgpu.MethodOracle
	closeTo(t, what, got, mustAPML(t, Family{what, x, y}, opt), tol)
	return got
}

// collapsed points are one point with a multiplicity.
func collapsed(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 31))
	x, y := cloud.Cloud{N: 500, D: 3, X: make([]float32, 1500)}, cloud.Sphere(rnd, 400)
	for _, ties := range []apmlgpu.Ties{apmlgpu.UniformRow, apmlgpu.Split} {
		opt.Ties = ties
		r := againstOracle(t, string(ties), x, y, opt, automatic)
		if s := r.Stats; s.UniqueN != 1 || s.N != 500 || s.Stored > 400 {
			t.Errorf("%d different points of %d, %d entries stored, want 1 of 500 and at most 400", s.UniqueN, s.N, s.Stored)
		}
	}
}

// countedPadding counts as mass where nothing says otherwise.
func countedPadding(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 32))
	x, y := shifted(cloud.Sphere(rnd, 100), 3), shifted(cloud.Sphere(rnd, 100), 3)
	plain := mustAPML(t, Family{X: x, Y: y}, opt)
	px, py := padded(x, 50), padded(y, 10)
	if r := againstOracle(t, "padded", px, py, opt, automatic); !(r.Value > 1.1*plain.Value) {
		t.Errorf("with zero padding the value is %v, without %v: the padding was not counted", r.Value, plain.Value)
	}
	for _, c := range []*cloud.Cloud{&px, &py} {
		c.W = make([]float64, c.N)
		for i := range 100 {
			c.W[i] = .01
		}
	}
	if r := mustAPML(t, Family{X: px, Y: py}, opt); !within(r.Value, plain.Value, exactSum, 0) {
		t.Errorf("padding of weight zero makes %v of %v", r.Value, plain.Value)
	}
}

// tiesAreTold are exact ties: counted, noted, and stored by their few entries.
func tiesAreTold(t *testing.T, opt apmlgpu.APMLOptions) {
	for _, f := range Families(343, 33) {
		if f.Name != "offset grid" && f.Name != "same grid" && f.Name != "duplicates" {
			continue
		}
		opt.Method = apmlgpu.MethodSparse
		r := againstOracle(t, f.Name, f.X, f.Y, opt, automatic)
		s := r.Stats
		tied := s.TiedRows + s.TiedCols
		if f.Name == "same grid" {
			continue // the nearest of every point is its own
		}
		if tied == 0 || !strings.Contains(strings.Join(s.Notes, "\n"), "tie: see Ties") {
			t.Errorf("%s: %d tied lines, notes %q", f.Name, tied, s.Notes)
		}
		opt.Ties = apmlgpu.Split
		split := againstOracle(t, f.Name+" split", f.X, f.Y, opt, automatic)
		opt.Ties = ""
		if !(split.Value < r.Value) {
			t.Errorf("%s: split gives %v, uniform rows %v: the rule has no effect", f.Name, split.Value, r.Value)
		}
	}
}

// itself has distances of zero, in any order.
func itself(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 34))
	x := cloud.Sphere(rnd, 200)
	for _, v := range []apmlgpu.Variant{apmlgpu.Faithful, apmlgpu.Reference} {
		opt.Variant = v
		r := againstOracle(t, string(v), x, permuted(rnd, x), opt, automatic)
		if !(r.Value > 0) || slices.ContainsFunc(r.GradX64, func(g float64) bool { return math.IsNaN(g) }) {
			t.Errorf("%s: value %v", v, r.Value)
		}
	}
}

// far clouds lose the digits of float32 distances, and need a lower threshold.
func far(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 35))
	x, y := cloud.Sphere(rnd, 150), cloud.Sphere(rnd, 130)
	for _, by := range []float32{20, 2000, 2e6} {
		for _, m := range []apmlgpu.Method{apmlgpu.MethodAuto, apmlgpu.MethodSparse} {
			opt.Method = m
			againstOracle(t, "far", x, shifted(y, by), opt, automatic)
		}
	}
}

// farTarget is one target alone: half of all pairs are kept.
func farTarget(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 36))
	x, y := cloud.Sphere(rnd, 400), cloud.Sphere(rnd, 399)
	x = joined(cloud.Cloud{N: 200, D: 3, X: x.X[:600]}, shifted(cloud.Cloud{N: 200, D: 3, X: x.X[600:]}, 100))
	y = joined(y, cloud.FromRows([][]float32{{100, 0, 0}}))
	want := againstOracle(t, "much memory", x, y, opt, sameMethod)
	opt.MaxBytes = 400_000 // less than 8 bytes a pair
	got := mustAPML(t, Family{X: x, Y: y}, opt)
	closeTo(t, "little memory", got, want, sameMethod)
	if want.Stats.Method != "dense" || got.Stats.Method != "streaming" || got.Stats.PeakBytes > opt.MaxBytes {
		t.Errorf("methods %s and %s with %d bytes, want dense and streaming", want.Stats.Method, got.Stats.Method,
			got.Stats.PeakBytes)
	}
}

// movedFar has the value of the coordinates as they were rounded, which a
// distance from expanded squares has not.
func movedFar(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 37))
	x, y := cloud.Sphere(rnd, 150), cloud.Sphere(rnd, 160)
	for _, by := range []float32{1e3, 1e4, 1e5, 1e6} {
		a, b := shifted(x, by), shifted(y, by)
		near := func(c cloud.Cloud) cloud.Cloud { return shifted(c, -by) } // exact: the rounding is done
		r := againstOracle(t, "moved", a, b, opt, automatic)
		if s := mustAPML(t, Family{X: near(a), Y: near(b)}, opt); !within(r.Value, s.Value, 1e-8, 0) {
			t.Errorf("at %g the value is %.15g, moved back %.15g", by, r.Value, s.Value)
		}
	}
}

// tinyAndHuge clouds: float32 squares of their coordinates vanish or overflow.
func tinyAndHuge(t *testing.T, opt apmlgpu.APMLOptions) {
	rnd := rand.New(rand.NewPCG(1, 38))
	x, y := cloud.Sphere(rnd, 150), cloud.Sphere(rnd, 160)
	whole := opt
	whole.ScaleFree = true
	want := mustAPML(t, Family{X: x, Y: y}, whole)
	for _, by := range []float32{0x1p-60, 0x1p57, 0x1p126} {
		a, b := scaled(x, by), scaled(y, by)
		r := againstOracle(t, "scaled", a, b, opt, automatic)
		if noted := strings.Contains(strings.Join(r.Stats.Notes, "\n"), "ScaleFree"); noted != (by < 1) {
			t.Errorf("scaled by %g the notes are %q", by, r.Stats.Notes)
		}
		free := againstOracle(t, "scale-free", a, b, whole, automatic)
		if !within(free.Value/float64(by), want.Value, 1e-9, 0) {
			t.Errorf("scaled by %g, scale-free: %.15g of the scale, want %.15g", by, free.Value/float64(by), want.Value)
		}
	}
	ends := cloud.FromRows([][]float32{{3e38, -3e38, 3e38}, {-3e38, 3e38, 1e-38}, {0, 1e-42, 0}})
	againstOracle(t, "ends of float32", ends, cloud.FromRows([][]float32{{-3e38, 3e38, -3e38}, {1e-38, 0, 0}}), opt, automatic)
}

// manyPairs are more than 32 bits count: N·M, and entries of equal points.
func manyPairs(t *testing.T, opt apmlgpu.APMLOptions) {
	const n = 50_000
	x := cloud.Cloud{N: n, D: 3, X: make([]float32, 3*n)}
	y := cloud.Cloud{N: n, D: 3, X: make([]float32, 3*n)}
	for i := range n {
		y.X[3*i] = float32(1 + i%2)
	}
	opt.Ties, opt.Threshold = apmlgpu.Split, 1e-20
	r := mustAPML(t, Family{X: x, Y: y}, opt)
	// Both columns are filled from the one point there is: half at 1, half at 2.
	if !within(r.Value, 1.5*n, 1e-6, 0) || r.Stats.NNZCols != n*n {
		t.Errorf("value %v and %d pairs, want %v and %d", r.Value, r.Stats.NNZCols, 1.5*n, n*n)
	}
}

// masses that differ by rounding are made equal; more is refused by the table of
// hostile input.
func masses(t *testing.T, opt apmlgpu.APMLOptions) {
	x, y := hostileCloud(), shifted(hostileCloud(), 1)
	want := mustAPML(t, Family{X: x, Y: y}, opt)
	x.W = []float64{1, 1, 1 + 1e-6}
	y.W = []float64{1, 1, 1}
	if r := mustAPML(t, Family{X: x, Y: y}, opt); !within(r.Value, want.Value, 1e-5, 0) {
		t.Errorf("masses that differ by 3e-7 make %v of %v", r.Value, want.Value)
	}
	for _, w := range []float64{1e308, 1e-308} { // whose sum overflows, whose square vanishes
		x.W, y.W = []float64{w, w, w}, []float64{w, w, w}
		if r := mustAPML(t, Family{X: x, Y: y}, opt); !within(r.Value, want.Value, exactSum, 0) {
			t.Errorf("weights of %g make %v of %v", w, r.Value, want.Value)
		}
	}
}

// closePoints are nearer than the least distance that Reference divides by.
func closePoints(t *testing.T, opt apmlgpu.APMLOptions) {
	x, y := cloud.FromRows([][]float32{{0, 0, 0}}), cloud.FromRows([][]float32{{2.5e-7, 0, 0}})
	for v, want := range map[apmlgpu.Variant]float64{apmlgpu.Faithful: -1, apmlgpu.Reference: -.25} {
		opt.Variant = v
		if r := mustAPML(t, Family{X: x, Y: y}, opt); !within(r.GradX64[0], want, 1e-6, 0) {
			t.Errorf("%s: gradient %v, want %v", v, r.GradX64[0], want)
		}
		againstOracle(t, string(v), x, y, opt, sameMethod)
	}
}

// optionIdentities are options that follow from others.
func optionIdentities(t *testing.T, opt apmlgpu.APMLOptions) {
	f := Families(120, 39)[1] // N and M differ
	want := mustAPML(t, f, opt)
	with := func(change func(o *apmlgpu.APMLOptions)) apmlgpu.Result {
		o := opt
		change(&o)
		return mustAPML(t, f, o)
	}
	per := with(func(o *apmlgpu.APMLOptions) { o.PerPoint = true })
	m := float64(f.Y.N)
	if per.Value != want.Value/m || per.GradX64[3] != want.GradX64[3]/m || per.GradY64[5] != want.GradY64[5]/m {
		t.Errorf("per point the value is %v of %v over %v", per.Value, want.Value, m)
	}
	none := with(func(o *apmlgpu.APMLOptions) { o.NoGrad = true })
	if none.Value != want.Value || none.GradX != nil || none.GradY64 != nil {
		t.Errorf("without gradients the value is %v of %v", none.Value, want.Value)
	}
	said := with(func(o *apmlgpu.APMLOptions) {
		o.Variant, o.MinProb, o.Iterations, o.Margin = apmlgpu.Faithful, 0.8, 20, 1e-8
		o.Merge, o.Ties, o.Reduce, o.Method = apmlgpu.MergeHalf, apmlgpu.UniformRow, apmlgpu.Mean, apmlgpu.MethodAuto
	})
	if said.Value != want.Value || !sameBits(said.GradX64, want.GradX64) {
		t.Errorf("the defaults said aloud give %v, zero %v", said.Value, want.Value)
	}
	steps := 0
	traced := with(func(o *apmlgpu.APMLOptions) { o.Trace = func(apmlgpu.Step) { steps++ } })
	if traced.Value != want.Value || steps != 20 {
		t.Errorf("traced, the value is %v of %v after %d steps", traced.Value, want.Value, steps)
	}
	// the balancing and the last pass add the same rows in different orders
	met := with(func(o *apmlgpu.APMLOptions) { o.Tol = want.Stats.RowError * (1 + 1e-12) })
	if met.Value != want.Value || met.Stats.Iterations != 20 || !met.Stats.Converged {
		t.Errorf("to the row error of 20 rounds: %v of %v after %d", met.Value, want.Value, met.Stats.Iterations)
	}
}
