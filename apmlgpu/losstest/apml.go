package losstest

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
)

// runAPML checks what holds of APML alone: its marginals, the bound on what a
// threshold drops, and that its plan is the one that was summed up.
func runAPML(t *testing.T, backend string) {
	for _, f := range Families(oraclePoints, 41) {
		t.Run(f.Name, func(t *testing.T) {
			opt := apmlgpu.APMLOptions{Backend: backend, Grad64: true}
			t.Run("marginals", func(t *testing.T) { marginals(t, f, opt) })
			t.Run("bound", func(t *testing.T) { boundHolds(t, f, opt) })
			t.Run("plan", func(t *testing.T) { planIsSummed(t, f, opt) })
		})
	}
}

// marginals: the last step scales the columns to M in all; and a support has two
// entries of every line.
func marginals(t *testing.T, f Family, opt apmlgpu.APMLOptions) {
	opt.Ties, opt.Method = apmlgpu.Split, apmlgpu.MethodSparse
	s := mustAPML(t, f, opt).Stats
	if !within(s.Mass, float64(f.Y.N), 1e-6, 0) || !(s.ColError <= 1e-6) || !(s.RowError >= 0 && s.RowErrorMax >= s.RowError) {
		t.Errorf("mass %v of %d, column error %v, row error %v, at most %v", s.Mass, f.Y.N, s.ColError, s.RowError, s.RowErrorMax)
	}
	if k := max(s.NNZRows/int64(f.X.N), s.NNZCols/int64(f.Y.N)); k < 2 || s.NNZ < 2*int64(max(f.X.N, f.Y.N)) {
		t.Errorf("%d pairs of %d rows and %d columns: fewer than two a line", s.NNZ, f.X.N, f.Y.N)
	}
}

// boundHolds: the value is off by at most the pruned bounds, whatever the
// threshold.
func boundHolds(t *testing.T, f Family, opt apmlgpu.APMLOptions) {
	opt.Method, opt.NoGrad = apmlgpu.MethodDense, true
	want := mustAPML(t, f, opt)
	for _, threshold := range []float64{1e-4, 1e-6, 1e-8, 1e-12, 1e-20, 1e-40} {
		opt.Method, opt.Threshold = apmlgpu.MethodSparse, threshold
		r := mustAPML(t, f, opt)
		s := r.Stats
		off := math.Abs(r.Value-want.Value) / want.Value
		if want.Value == 0 {
			off = r.Value
		}
		bound := max(s.PrunedBound, s.PrunedCost)
		if !(off <= bound+sameMethod) {
			t.Errorf("t = %g: the value is off by %.2g, the bound is %.2g", threshold, off, bound)
		}
		if s.Threshold != threshold || s.Retries != 0 || s.Method != "sparse" {
			t.Errorf("t = %g: a pinned threshold became %g by %s after %d retries", threshold, s.Threshold, s.Method, s.Retries)
		}
	}
}

// planIsSummed: value, marginals and gradient follow from the plan, by its
// entries and as an operator.
func planIsSummed(t *testing.T, f Family, opt apmlgpu.APMLOptions) {
	r := mustAPML(t, f, opt)
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	cost, mass, nnz := 0.0, 0.0, int64(0)
	rows, pull := make([]float64, f.X.N), make([]float64, len(f.X.X))
	p.Each(func(i, j int, v float64) {
		d := between(f.X, f.Y, i, j)
		cost += v * d
		mass += v
		rows[i] += v
		nnz++
		for c := range 3 {
			if d > 0 {
				pull[3*i+c] += v * (float64(f.X.X[3*i+c]) - float64(f.Y.X[3*j+c])) / d
			}
		}
	})
	if tc, err := r.TransportCost(); err != nil || !within(cost, r.Value, sameMethod, absValue) || tc != r.Value ||
		!within(mass, r.Stats.Mass, sameMethod, 0) {
		t.Errorf("the plan costs %v and has mass %v, the result says %v, %v and %v", cost, mass, r.Value, tc, r.Stats.Mass)
	}
	size := norm(r.GradX64)
	for k, g := range r.GradX64 {
		if !(math.Abs(pull[k]-g) <= sameMethod*size+absGradient) {
			t.Fatalf("GradX[%d] is %v, of the plan %v", k, g, pull[k])
		}
	}
	ones := make([]float64, f.Y.N)
	for j := range ones {
		ones[j] = 1
	}
	applied, err := p.Apply(ones)
	if err != nil {
		t.Fatal(err)
	}
	off := 0.0
	for i, v := range rows {
		if !within(applied[i], v, sameMethod, absValue) {
			t.Fatalf("row %d: P 1 is %v, the entries sum to %v", i, applied[i], v)
		}
		off += math.Abs(v-float64(f.Y.N)/float64(f.X.N)) / float64(f.Y.N)
	}
	if !within(off, r.Stats.RowError, 0, sameMethod) || p.NNZ() != nnz {
		t.Errorf("the row error is %v, of the plan %v; NNZ %d of %d", r.Stats.RowError, off, p.NNZ(), nnz)
	}
}
