package losstest

import (
	"fmt"
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Sizes of the clouds of the suite: supports are compared at a size at which a
// tree has many leaves; the oracle takes N·M steps.
const (
	supportPoints = 2000
	oraclePoints  = 200
)

// Run judges every loss on the named backend: supports against brute force,
// values against the oracle, properties, gradients, hostile input, batches, and
// the same bits for any number of threads.
func Run(t *testing.T, backend string) {
	t.Run("support", func(t *testing.T) { runSupports(t, backend, supportPoints) })
	t.Run("oracle", func(t *testing.T) { runOracle(t, backend) })
	t.Run("apml", func(t *testing.T) { runAPML(t, backend) })
	t.Run("edge", func(t *testing.T) { runEdges(t, backend) })
	t.Run("many rounds", func(t *testing.T) { runLong(t, backend) })
	t.Run("definition", func(t *testing.T) { runDefinitions(t, backend) })
	t.Run("property", func(t *testing.T) { runProperties(t, backend, oraclePoints) })
	t.Run("chamfer", func(t *testing.T) { runChamfer(t, backend) })
	t.Run("emd", func(t *testing.T) { runEMD(t, backend) })
	t.Run("sinkhorn", func(t *testing.T) { runSinkhorn(t, backend) })
	t.Run("transport closed", func(t *testing.T) { runTransportClosed(t, backend) })
	t.Run("transport edge", func(t *testing.T) { runTransportEdges(t, backend) })
	t.Run("transport cancel", func(t *testing.T) { runTransportCancel(t, backend) })
	t.Run("gradient", func(t *testing.T) { runGradients(t, backend) })
	t.Run("threads", func(t *testing.T) { runThreads(t, backend) })
	t.Run("hostile", func(t *testing.T) { runHostile(t, backend) })
	t.Run("small", func(t *testing.T) { runSmall(t, backend) })
	t.Run("batch", func(t *testing.T) { runBatches(t, backend) })
}

// runOracle compares Faithful with a threshold of its own choice, and every
// method with a pinned one, with the oracle, on every family.
func runOracle(t *testing.T, backend string) {
	families := Families(oraclePoints, 12)
	for _, f := range families {
		if f.Name == "duplicates" || f.Name == "gauss" || f.Name == "quantised" {
			families = append(families, weighted(f))
		}
		if f.Name == "offset grid" {
			families = append(families, lifted(f, 2), lifted(f, 5)) // with ties
		}
	}
	families = append(families, lifted(families[0], 2), lifted(families[1], 5))
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) {
			opt := apmlgpu.APMLOptions{Backend: backend, Grad64: true, Method: apmlgpu.MethodOracle}
			want := mustAPML(t, f, opt)
			for _, m := range []apmlgpu.Method{apmlgpu.MethodAuto, apmlgpu.MethodSparse, apmlgpu.MethodDense,
				apmlgpu.MethodStreaming} {
				opt.Method = m
				tol := automatic
				if m == apmlgpu.MethodDense || m == apmlgpu.MethodStreaming {
					tol = sameMethod
				}
				closeTo(t, string(m), mustAPML(t, f, opt), want, tol)
			}
			for _, rules := range []apmlgpu.APMLOptions{{}, {Variant: apmlgpu.Reference},
				{Ties: apmlgpu.Split, Merge: apmlgpu.MergeCount},
				{Variant: apmlgpu.Reference, Ties: apmlgpu.UniformRow}} {
				v := fmt.Sprintf("variant %q, ties %q, merge %q:", rules.Variant, rules.Ties, rules.Merge)
				opt.Variant, opt.Ties, opt.Merge = rules.Variant, rules.Ties, rules.Merge
				opt.Threshold, opt.Method = 1e-10, apmlgpu.MethodOracle
				want := mustAPML(t, f, opt)
				for _, m := range []apmlgpu.Method{apmlgpu.MethodSparse, apmlgpu.MethodDense,
					apmlgpu.MethodStreaming} {
					opt.Method = m
					got := mustAPML(t, f, opt)
					closeTo(t, v+" "+string(m), got, want, sameMethod)
					if got.Stats.NNZ != want.Stats.NNZ || got.Stats.TiedRows != want.Stats.TiedRows {
						t.Errorf("%s %s: nnz %d and %d tied rows, the oracle has %d and %d", v, m,
							got.Stats.NNZ, got.Stats.TiedRows, want.Stats.NNZ, want.Stats.TiedRows)
					}
				}
			}
		})
	}
}

// weighted gives points weights 0, 1 and 2 in turn, so that equal points have
// different ones.
func weighted(f Family) Family {
	f.Name += ", weighted"
	for k, c := range []*cloud.Cloud{&f.X, &f.Y} {
		c.W = make([]float64, c.N)
		sum := 0.0
		for i := range c.W {
			c.W[i] = float64((i + k) % 3)
			sum += c.W[i]
		}
		for i := range c.W {
			c.W[i] /= sum
		}
	}
	return f
}

// lifted takes some coordinates away from points, or adds some that vary.
func lifted(f Family, d int) Family {
	f.Name = fmt.Sprintf("%s in %d dimensions", f.Name, d)
	for _, c := range []*cloud.Cloud{&f.X, &f.Y} {
		out := cloud.Cloud{N: c.N, D: d}
		for i := range c.N {
			for k := range d {
				out.X = append(out.X, c.X[(3*i+4*k)%len(c.X)])
			}
		}
		*c = out
	}
	return f
}

func mustAPML(t *testing.T, f Family, opt apmlgpu.APMLOptions) apmlgpu.Result {
	t.Helper()
	r, err := apmlgpu.APML(f.X, f.Y, opt)
	if err != nil {
		t.Fatalf("%s %s: %v", opt.Variant, opt.Method, err)
	}
	return r
}

// closeTo compares value, gradients and errors.
func closeTo(t *testing.T, what string, got, want apmlgpu.Result, tol float64) {
	t.Helper()
	if !within(got.Value, want.Value, tol, absValue) {
		t.Errorf("%s: value is %.15g, the oracle's %.15g (%s, t = %g, B = %g)", what, got.Value, want.Value,
			got.Stats.Method, got.Stats.Threshold, got.Stats.PrunedBound)
	}
	for k, pair := range [][2][]float64{{got.GradX64, want.GradX64}, {got.GradY64, want.GradY64}} {
		d := make([]float64, len(pair[1]))
		for i := range d {
			d[i] = pair[0][i] - pair[1][i]
		}
		if n := norm(d); !(n <= 10*tol*norm(pair[1])+absGradient) {
			t.Errorf("%s: gradient %d is off by %g of its norm", what, k, n/norm(pair[1]))
		}
	}
	s, o := got.Stats, want.Stats
	if !within(s.RowError, o.RowError, 0, 10*tol) || !within(s.Mass, o.Mass, tol, 0) ||
		!within(s.ColError, o.ColError, 0, 10*tol) {
		t.Errorf("%s: mass %g, row error %g, column error %g, the oracle's %g, %g, %g", what, s.Mass, s.RowError,
			s.ColError, o.Mass, o.RowError, o.ColError)
	}
}

// runThreads asks for the same bits on 1, 2, 3 and 7 threads.
func runThreads(t *testing.T, backend string) {
	for k, f := range Families(700, 13) {
		for _, l := range losses(backend) {
			if l.entropic && k%6 > 0 {
				continue // rounds by the hundred: three families are enough
			}
			want, err := l.call(f.X, f.Y, call{threads: 1})
			if err != nil {
				t.Fatalf("%s on %s: %v", l.name, f.Name, err)
			}
			for _, threads := range []int{2, 3, 7} {
				got, err := l.call(f.X, f.Y, call{threads: threads})
				if err != nil {
					t.Fatalf("%s on %s: %v", l.name, f.Name, err)
				}
				if math.Float64bits(got.Value) != math.Float64bits(want.Value) ||
					!sameBits(got.GradX64, want.GradX64) || !sameBits(got.GradY64, want.GradY64) {
					t.Errorf("%s on %s: %d threads give %v, one gives %v", l.name, f.Name, threads, got.Value,
						want.Value)
				}
			}
		}
	}
}

func sameBits(a, b []float64) bool {
	for k := range a {
		if math.Float64bits(a[k]) != math.Float64bits(b[k]) {
			return false
		}
	}
	return len(a) == len(b)
}
