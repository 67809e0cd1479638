package apmlgpu

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// planCases are clouds whose plans are held in every form: with equal points,
// points of weight zero, tied rows and columns.
func planCases() map[string][2]cloud.Cloud {
	x, y := cloud.Fibonacci(60), cloud.Turned(90)
	y.W = slices.Repeat([]float64{1. / 89}, 90)
	y.W[5] = 0
	grid := cloud.Grid(3, 1)
	half := cloud.Cloud{N: 40, D: 3}
	for i := range 40 {
		half.X = append(half.X, float32(i%3), float32(i%5)/2, float32(i%2))
	}
	rnd := rand.New(rand.NewPCG(1, 3))
	flat := cloud.Cloud{N: 12, D: 5, X: make([]float32, 60)}
	for k := range flat.X {
		flat.X[k] = float32(rnd.IntN(2))
	}
	heavy := half
	heavy.W = make([]float64, 40)
	for i := range heavy.W {
		heavy.W[i] = float64(i%4) / 60
	}
	return map[string][2]cloud.Cloud{
		"spheres": {x, y}, "grids": {grid, half}, "weights and ties": {heavy, grid},
		"five dimensions": {flat, flat}, "collapsed": {cloud.Cloud{N: 7, D: 3, X: make([]float32, 21)}, x},
		"one": {cloud.Cloud{N: 1, D: 3, X: make([]float32, 3)}, grid},
	}
}

// Every method of a plan agrees with the matrix of the oracle, however the plan
// is held.
func TestPlan(t *testing.T) {
	for name, c := range planCases() {
		for _, rules := range []APMLOptions{
			{Threshold: 1e-20}, {Variant: Reference}, {Variant: Reference, Ties: UniformRow}, {Threshold: 0.3, Ties: UniformRow},
		} {
			rules.Method = MethodOracle
			want := denseOf(t, c, rules)
			for _, m := range []Method{MethodOracle, MethodSparse, MethodDense, MethodStreaming} {
				rules.Method = m
				p := planOfCall(t, c, rules)
				what := fmt.Sprintf("%s, %s %s, %s", name, rules.Variant, rules.Ties, m)
				comparePlan(t, what, p, want)
				comparePlanUse(t, what, p, c, want)
			}
		}
	}
	if _, err := (Result{loss: "Chamfer"}).Plan(); !errors.Is(err, ErrOption) {
		t.Errorf("a plan of Chamfer: %v", err)
	}
}

func planOfCall(t *testing.T, c [2]cloud.Cloud, o APMLOptions) *Plan {
	t.Helper()
	r, err := APML(c[0], c[1], o)
	if err != nil {
		t.Fatal(err)
	}
	was := c[0].X[0]
	c[0].X[0] += 100 // the plan is of the clouds as they were
	p, err := r.Plan()
	c[0].X[0] = was
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func denseOf(t *testing.T, c [2]cloud.Cloud, o APMLOptions) []float64 {
	t.Helper()
	want, err := planOfCall(t, c, o).Dense(0)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// near compares numbers of a plan, whose largest are about 1.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-11*max(1, math.Abs(want)) }

func comparePlan(t *testing.T, what string, p *Plan, want []float64) {
	t.Helper()
	n, m := p.Dims()
	got, err := p.Dense(int64(8 * n * m))
	if err != nil || len(got) != len(want) {
		t.Fatalf("%s: %d numbers, %v, want %d", what, len(got), err, len(want))
	}
	nnz, k := int64(0), 0
	rows, cols, entries, err := p.COO()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i := range n {
		js, vs := p.Row(i)
		for j := range m {
			v := got[i*m+j]
			if !near(v, want[i*m+j]) || p.At(i, j) != v {
				t.Fatalf("%s: entry (%d, %d) is %v, At says %v, the oracle's is %v", what, i, j, v, p.At(i, j), want[i*m+j])
			}
			if v == 0 {
				continue
			}
			if nnz++; rows[k] != i || cols[k] != j || entries[k] != v {
				t.Fatalf("%s: entry %d of COO is (%d, %d) %v, want (%d, %d) %v", what, k, rows[k], cols[k], entries[k], i, j, v)
			}
			k++
			if len(js) == 0 || js[0] != j || vs[0] != v {
				t.Fatalf("%s: row %d goes on with %v, want %d", what, i, js, j)
			}
			js, vs = js[1:], vs[1:]
		}
		if len(js) > 0 {
			t.Fatalf("%s: row %d has columns %v too much", what, i, js)
		}
	}
	if p.NNZ() != nnz || k != len(entries) {
		t.Errorf("%s: NNZ is %d, COO has %d entries, want %d", what, p.NNZ(), len(entries), nnz)
	}
}

func comparePlanUse(t *testing.T, what string, p *Plan, c [2]cloud.Cloud, want []float64) {
	t.Helper()
	n, m := p.Dims()
	rnd := rand.New(rand.NewPCG(1, 4))
	z, zt := make([]float64, m), make([]float64, n)
	for j := range z {
		z[j] = rnd.NormFloat64()
	}
	for i := range zt {
		zt[i] = rnd.NormFloat64()
	}
	pz, err := p.Apply(z)
	if err != nil {
		t.Fatal(err)
	}
	ptz, err := p.ApplyT(zt)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := p.Map()
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := p.Rows(), p.Cols()
	for i := range n {
		var sum, dot, first float64
		for j := range m {
			v := want[i*m+j]
			sum += v
			dot += v * z[j]
			first += v * float64(c[1].X[j*c[1].D])
		}
		at := float64(c[0].X[i*c[0].D])
		if sum > 0 {
			at = first / sum
		}
		if !near(pz[i], dot) || !near(rows[i], sum) || !(math.Abs(float64(mapped.X[i*mapped.D])-at) <= 1e-6) {
			t.Fatalf("%s: row %d: P z is %v, want %v; the sum %v, want %v; mapped to %v, want %v", what, i, pz[i], dot,
				rows[i], sum, mapped.X[i*mapped.D], at)
		}
	}
	for j := range m {
		var sum, dot float64
		for i := range n {
			sum += want[i*m+j]
			dot += want[i*m+j] * zt[i]
		}
		if !near(ptz[j], dot) || !near(cols[j], sum) {
			t.Fatalf("%s: column %d: Pᵀ z is %v, want %v; the sum %v, want %v", what, j, ptz[j], dot, cols[j], sum)
		}
	}
	order := slices.Clone(want)
	slices.SortFunc(order, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	top := p.Top(5)
	for k, e := range top {
		if !near(e.V, order[k]) || p.At(e.I, e.J) != e.V || k > 0 && !e.less(top[k-1]) {
			t.Errorf("%s: entry %d of the largest is %v, want %v", what, k, e, order[k])
		}
	}
	if len(top) != min(5, int(p.NNZ())) || len(p.Top(0)) != 0 || len(p.Top(-1)) != 0 {
		t.Errorf("%s: the 5 largest are %v", what, top)
	}
}

func TestPlanRefuses(t *testing.T) {
	p := planOfCall(t, planCases()["grids"], APMLOptions{})
	if _, err := p.Apply(make([]float64, 27)); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "27 numbers, want 40") {
		t.Errorf("Apply of 27 numbers: %v", err)
	}
	if _, err := p.ApplyT(make([]float64, 40)); !errors.Is(err, ErrShape) {
		t.Errorf("ApplyT of 40 numbers: %v", err)
	}
	if _, err := p.Dense(8*27*40 - 1); !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "8640 bytes, allowed are 8639") {
		t.Errorf("Dense: %v", err)
	}
	if _, err := p.Dense(-1); !errors.Is(err, ErrOption) {
		t.Errorf("Dense of −1 bytes: %v", err)
	}
	small := planOfCall(t, planCases()["spheres"], APMLOptions{MaxBytes: 1 << 17})
	small.limits = 1000
	if _, _, _, err := small.COO(); !errors.Is(err, ErrMemory) {
		t.Errorf("COO: %v", err)
	}
	stop.Set()
	defer stop.Clear()
	for name, f := range map[string]func() error{
		"Apply":  func() error { _, err := p.Apply(make([]float64, 40)); return err },
		"ApplyT": func() error { _, err := p.ApplyT(make([]float64, 27)); return err },
		"Map":    func() error { _, err := p.Map(); return err },
		"COO":    func() error { _, _, _, err := p.COO(); return err },
		"Dense":  func() error { _, err := p.Dense(0); return err },
	} {
		if err := f(); !errors.Is(err, ErrCanceled) {
			t.Errorf("%s after a stop: %v", name, err)
		}
	}
}
