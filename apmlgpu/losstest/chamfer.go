package losstest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// runChamfer checks what holds of the losses of nearest neighbours and of Sliced
// beyond their definitions.
func runChamfer(t *testing.T, backend string) {
	for _, l := range losses(backend)[1:] {
		t.Run(l.name, func(t *testing.T) {
			if l.name != "density" { // which looks at y alone
				t.Run("symmetric", func(t *testing.T) { symmetric(t, l) })
			}
			if !strings.HasPrefix(l.name, "dcd") && !strings.HasPrefix(l.name, "infocd, published") && l.name != "density" {
				t.Run("weights are multiplicities", func(t *testing.T) { multiplicity(t, l) })
			}
			t.Run("canceled anywhere", func(t *testing.T) { canceledAnywhere(t, l) })
		})
	}
	t.Run("metrics are the three", func(t *testing.T) { metricsAreThree(t, backend) })
	t.Run("ways", func(t *testing.T) { ways(t, backend) })
	t.Run("below transport", func(t *testing.T) { belowTransport(t, backend) })
	t.Run("options", func(t *testing.T) { chamferOptions(t, backend) })
	t.Run("sliced", func(t *testing.T) { runSliced(t, backend) })
}

// metricsAreThree compares the numbers of one search with those of three.
func metricsAreThree(t *testing.T, backend string) {
	for _, f := range smallCases(47, 60) {
		all, err := apmlgpu.Metrics(f.X, f.Y, apmlgpu.MetricsOptions{Backend: backend, Radius: someRadius})
		far, err1 := apmlgpu.Hausdorff(f.X, f.Y, apmlgpu.HausdorffOptions{Backend: backend})
		score, err2 := apmlgpu.FScore(f.X, f.Y, apmlgpu.FScoreOptions{Backend: backend, Radius: someRadius})
		density, err3 := apmlgpu.Density(f.X, f.Y, apmlgpu.DensityOptions{Backend: backend})
		if err := errors.Join(err, err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		m := all.Stats.Metrics
		if all.Value != far.Value || m.Hausdorff != far.Value || m.HausdorffX != far.Stats.Metrics.HausdorffX ||
			m.HausdorffY != far.Stats.Metrics.HausdorffY || m.FScore != score.Value ||
			m.Precision != score.Stats.Metrics.Precision || m.Recall != score.Stats.Metrics.Recall ||
			m.Coverage != density.Value || !slices.Equal(m.Hits, density.Stats.Metrics.Hits) {
			t.Fatalf("%s: %+v, alone %v, %v, %v", f.Name, m, far.Value, score.Value, density.Value)
		}
		points, hits := 0, 0
		for _, h := range m.Hits {
			points, hits = points+h.Points, hits+h.Hits*h.Points
		}
		if points != all.Stats.M || hits != all.Stats.N {
			t.Fatalf("%s: hits %v of %d and %d points", f.Name, m.Hits, all.Stats.N, all.Stats.M)
		}
	}
}

// symmetric exchanges both clouds.
func symmetric(t *testing.T, l loss) {
	for _, f := range smallCases(29, 60) {
		r, s := l.must(t, f.X, f.Y), l.must(t, f.Y, f.X)
		// Of two equal Hausdorff distances the first cloud's has the gradient.
		if strings.HasPrefix(l.name, "hausdorff") || l.loose {
			r.GradX64, r.GradY64, s.GradX64, s.GradY64 = nil, nil, nil, nil
		}
		turned := answer{s.Value, s.GradY64, s.GradX64}
		if d := answerOf(r).differs(turned, exactSum); d != "" {
			t.Fatalf("%s: %s (the clouds exchanged)", f.Name, d)
		}
	}
}

// multiplicity repeats points instead of giving them whole weights.
func multiplicity(t *testing.T, l loss) {
	rnd := rand.New(rand.NewPCG(1, 31))
	x, y := cloud.Sphere(rnd, 20), cloud.Sphere(rnd, 30)
	heavy := x.Clone()
	var many cloud.Cloud
	many.D = 3
	for i := range x.N {
		heavy.W = append(heavy.W, float64(1+i%3))
		for range 1 + i%3 {
			many.X = append(many.X, x.X[3*i:3*i+3]...)
			many.N++
		}
	}
	total := float64(many.N)
	for i := range heavy.W {
		heavy.W[i] /= total
	}
	r, s := l.must(t, heavy, y), l.must(t, many, y)
	want := answer{value: s.Value, gy: s.GradY64}
	if !l.metric {
		want.gx = make([]float64, len(x.X))
		for i, k := 0, 0; i < x.N; i++ {
			for range 1 + i%3 {
				for c := range 3 {
					want.gx[3*i+c] += s.GradX64[3*k+c]
				}
				k++
			}
		}
	}
	if l.name == "infocd" { // its logarithm counts points: it moves by λ/2 ln of their ratio
		want.value -= infoLambda / 2 * math.Log(total/float64(x.N))
	}
	if d := answerOf(r).differs(want, sameMethod); d != "" {
		t.Errorf("%s (points repeated instead)", d)
	}
}

// ways checks the options that both ways of a loss have.
func ways(t *testing.T, backend string) {
	rnd := rand.New(rand.NewPCG(1, 37))
	x, y := cloud.Sphere(rnd, 50), cloud.Sphere(rnd, 80)
	// with calls a loss with the options of the ways.
	type with func(oneWay bool, wx, wy float64) (apmlgpu.Result, error)
	for name, call := range map[string]with{
		"chamfer": func(one bool, wx, wy float64) (apmlgpu.Result, error) {
			return apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{Backend: backend, Grad64: true, OneWay: one, WeightX: wx,
				WeightY: wy})
		},
		"chamfer-l1": func(one bool, wx, wy float64) (apmlgpu.Result, error) {
			return apmlgpu.ChamferL1(x, y, apmlgpu.ChamferOptions{Backend: backend, Grad64: true, OneWay: one, WeightX: wx,
				WeightY: wy})
		},
		"hypercd": func(one bool, wx, wy float64) (apmlgpu.Result, error) {
			return apmlgpu.HyperCD(x, y, apmlgpu.HyperCDOptions{Backend: backend, Grad64: true, OneWay: one, WeightX: wx,
				WeightY: wy})
		},
		"dcd": func(one bool, wx, wy float64) (apmlgpu.Result, error) {
			return apmlgpu.DCD(x, y, apmlgpu.DCDOptions{Backend: backend, Grad64: true, OneWay: one, WeightX: wx,
				WeightY: wy, Alpha: dcdAlpha})
		},
		"infocd": func(one bool, wx, wy float64) (apmlgpu.Result, error) {
			return apmlgpu.InfoCD(x, y, apmlgpu.InfoCDOptions{Backend: backend, Grad64: true, OneWay: one, WeightX: wx,
				WeightY: wy, Lambda: infoLambda})
		},
	} {
		must := func(one bool, wx, wy float64) answer {
			t.Helper()
			r, err := call(one, wx, wy)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return answerOf(r)
		}
		both, there := must(false, 0, 0), must(true, 0, 0)
		back := combined(both, 1, there, -1)
		for _, factor := range [][2]float64{{1, 1}, {2, 3}, {0.5, 1}} {
			want := combined(there, factor[0], back, factor[1])
			if d := must(false, factor[0], factor[1]).differs(want, sameMethod); d != "" {
				t.Errorf("%s with factors %v: %s", name, factor, d)
			}
		}
		if d := must(true, 2, 0).differs(combined(there, 2, back, 0), sameMethod); d != "" {
			t.Errorf("%s one way, doubled: %s", name, d)
		}
		if !(there.value > 0 && there.value < both.value) || norm(there.gy) == 0 {
			t.Errorf("%s one way is %v of %v, its gradient in y %v", name, there.value, both.value, norm(there.gy))
		}
	}
	sum, err := apmlgpu.HyperCD(x, y, apmlgpu.HyperCDOptions{Backend: backend, Sum: true, OneWay: true})
	mean, err2 := apmlgpu.HyperCD(x, y, apmlgpu.HyperCDOptions{Backend: backend, OneWay: true})
	if err != nil || err2 != nil || !within(sum.Value, 50*mean.Value, exactSum, 0) {
		t.Errorf("HyperCD's sum is %v of a mean of %v: %v, %v", sum.Value, mean.Value, err, err2)
	}
}

// combined is f a + g b.
func combined(a answer, f float64, b answer, g float64) answer {
	add := func(u, v []float64) []float64 {
		out := slices.Clone(u)
		for k := range out {
			out[k] = f*u[k] + g*v[k]
		}
		return out
	}
	return answer{f*a.value + g*b.value, add(a.gx, b.gx), add(a.gy, b.gy)}
}

// belowTransport compares with the best of all assignments of a few points.
func belowTransport(t *testing.T, backend string) {
	const n = 6
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(1, 41+seed))
		x, y := cloud.Gauss(rnd, n), cloud.Gauss(rnd, n)
		w1, w2 := math.Inf(1), math.Inf(1)
		permutations(n, func(p []int) {
			a, b := 0.0, 0.0
			for i, j := range p {
				d := between(x, y, i, j)
				a, b = a+d/n, b+d*d/n
			}
			w1, w2 = min(w1, a), min(w2, b)
		})
		one := apmlgpu.ChamferOptions{Backend: backend, OneWay: true, NoGrad: true}
		for name, r := range map[string]struct {
			get   func() (apmlgpu.Result, error)
			bound float64
		}{
			"ChamferL1 one way, twice": {func() (apmlgpu.Result, error) { return twice(apmlgpu.ChamferL1(x, y, one)) }, w1},
			"Chamfer one way":          {func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(x, y, one) }, w2},
			"Sliced": {func() (apmlgpu.Result, error) {
				return apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Backend: backend})
			}, w2},
			"Sliced, largest": {func() (apmlgpu.Result, error) {
				return apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Backend: backend, Max: true, Cost: apmlgpu.Euclidean})
			}, w1},
		} {
			if got, err := r.get(); err != nil || !(got.Value > 0 && got.Value <= r.bound*(1+exactSum)) {
				t.Errorf("seed %d: %s is %v, %v, transport %v", 41+seed, name, got.Value, err, r.bound)
			}
		}
	}
}

// permutations calls f with every order of 0 to n−1.
func permutations(n int, f func(p []int)) {
	p := make([]int, 0, n)
	var grow func()
	grow = func() {
		if len(p) == n {
			f(p)
			return
		}
		for k := range n {
			if !slices.Contains(p, k) {
				p = append(p, k)
				grow()
				p = p[:len(p)-1]
			}
		}
	}
	grow()
}

// canceledAnywhere ends the call after ever more questions whether to go on.
func canceledAnywhere(t *testing.T, l loss) {
	f := Families(300, 4)[0]
	questions(t, func(c *countedContext) error {
		r, err := l.call(f.X, f.Y, call{threads: 2, context: c})
		if err != nil && (r.Value != 0 || r.GradX != nil) {
			t.Errorf("a canceled call has given %v", r.Value)
		}
		return err
	})
}

// chamferOptions gives options out of their range.
func chamferOptions(t *testing.T, backend string) {
	good := hostileCloud()
	nan, inf := math.NaN(), math.Inf(1)
	try := func(name string, call func() (apmlgpu.Result, error)) {
		t.Run(name, func(t *testing.T) {
			field, _, _ := strings.Cut(name[strings.Index(name, " ")+1:], ",")
			r, err := call()
			refused(t, r, err, apmlgpu.ErrOption, field+" is ")
		})
	}
	for name, o := range map[string]apmlgpu.HyperCDOptions{
		"hypercd Alpha": {Alpha: -1}, "hypercd Alpha, NaN": {Alpha: nan}, "hypercd Alpha, infinite": {Alpha: inf},
		"hypercd WeightX": {WeightX: nan}, "hypercd WeightY": {WeightY: -1}, "hypercd Threads": {Threads: -1},
		"hypercd WeightY, one way": {OneWay: true, WeightY: 1}, "hypercd Reduce": {Reduce: "max"},
	} {
		o.Backend = backend
		try(name, func() (apmlgpu.Result, error) { return apmlgpu.HyperCD(good, good, o) })
	}
	for name, o := range map[string]apmlgpu.InfoCDOptions{
		"infocd Tau": {Tau: -1}, "infocd Tau, NaN": {Tau: nan}, "infocd Lambda": {Lambda: -1}, "infocd Lambda, NaN": {Lambda: nan},
		"infocd WeightX": {WeightX: inf}, "infocd MaxBytes": {MaxBytes: -1},
	} {
		o.Backend = backend
		try(name, func() (apmlgpu.Result, error) { return apmlgpu.InfoCD(good, good, o) })
	}
	for name, o := range map[string]apmlgpu.DCDOptions{
		"dcd Alpha": {Alpha: nan}, "dcd Lambda": {Lambda: -1}, "dcd Lambda, infinite": {Lambda: inf}, "dcd WeightY": {WeightY: nan},
	} {
		o.Backend = backend
		try(name, func() (apmlgpu.Result, error) { return apmlgpu.DCD(good, good, o) })
	}
	for name, o := range map[string]apmlgpu.MetricsOptions{
		"metrics Radius": {}, "metrics Radius, NaN": {Radius: nan}, "metrics Radius, infinite": {Radius: inf},
		"metrics Quantile": {Radius: 1, Quantile: 1.5}, "metrics Quantile, NaN": {Radius: 1, Quantile: nan},
	} {
		o.Backend = backend
		try(name, func() (apmlgpu.Result, error) { return apmlgpu.Metrics(good, good, o) })
		try(strings.Replace(name, "metrics", "alone", 1), func() (apmlgpu.Result, error) {
			if o.Quantile != 0 {
				return apmlgpu.Hausdorff(good, good, apmlgpu.HausdorffOptions{Backend: backend, Quantile: o.Quantile})
			}
			return apmlgpu.FScore(good, good, apmlgpu.FScoreOptions{Backend: backend, Radius: o.Radius})
		})
	}
	try("density Threads", func() (apmlgpu.Result, error) {
		return apmlgpu.Density(good, good, apmlgpu.DensityOptions{Backend: backend, Threads: -1})
	})
	try("chamfer WeightX", func() (apmlgpu.Result, error) {
		return apmlgpu.Chamfer(good, good, apmlgpu.ChamferOptions{Backend: backend, WeightX: -1})
	})
	t.Run("beyond float64", func(t *testing.T) {
		far := scaled(good, 1e30)
		r, err := apmlgpu.Chamfer(good, far, apmlgpu.ChamferOptions{Backend: backend, WeightY: 1e300})
		refused(t, r, err, apmlgpu.ErrOption, "beyond float64")
	})
}
