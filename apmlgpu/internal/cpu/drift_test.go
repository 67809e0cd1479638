package cpu

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Scalings that are put into the plan leave plan and pruned bound as they were,
// whatever holds the plan.
func TestScalingsGoIntoThePlan(t *testing.T) {
	x, y := spheres(200)
	for _, method := range []string{backend.Sparse, backend.Dense, backend.Streaming} {
		a := &apml{pair: open(t, x, y, backend.Resources{}), q: faithful(), out: &backend.APMLResult{N: 200, M: 200}}
		if err := a.near2(); err != nil {
			t.Fatal(err)
		}
		a.q.Automatic = false
		p, err := a.build(method, 46)
		if err != nil {
			t.Fatal(err)
		}
		b := newBalance(a.pair.x, a.pair.y)
		b.drift.reset()
		for i := range b.u {
			b.u[i], b.v[i] = math.Ldexp(1.25, 3*i-400), math.Ldexp(1.5, 500-3*i)
			b.drift.u.add(b.u[i])
			b.drift.v.add(b.v[i])
		}
		entries := func() map[[2]int]float64 {
			m := map[[2]int]float64{}
			for i := range b.u {
				p.line(i, func(j int, v float64) { m[[2]int{i, j}] = v * b.u[i] * b.v[j] })
			}
			return m
		}
		before, bound := entries(), a.prune(b, 46)
		if method == backend.Sparse {
			boundByPairs(t, a, b, bound)
		}
		if b.drift.width() < widePlan {
			t.Fatalf("%s: the scalings are only 2^%g wide", method, b.drift.width())
		}
		for range 2 { // the second time beside powers that are there already
			if err := b.hold(p, a.ledger); err != nil {
				t.Fatal(err)
			}
			got := a.prune(b, 46)
			if !(math.Abs(got.mass/bound.mass-1) <= 1e-12) || !(math.Abs(got.cost/bound.cost-1) <= 1e-12) {
				t.Errorf("%s: the bound is %g, before %g", method, got, bound)
			}
			for e, v := range entries() {
				if v != before[e] && before[e] > 1e-200 {
					t.Fatalf("%s: entry %v is %g, before %g", method, e, v, before[e])
				}
			}
			b.drift.reset()
			for i := range b.u {
				b.u[i], b.v[i] = math.Ldexp(b.u[i], 500), math.Ldexp(b.v[i], -500)
				b.drift.u.add(b.u[i])
				b.drift.v.add(b.v[i])
			}
			b.drift.v.low = math.Ldexp(1, -1000) // so that shifting together is not enough
		}
	}
}

// boundByPairs is the bound as a sum over all pairs: u_i v_j t/2 (1/Z_i + 1/Z'_j),
// which costs t (d₁ + R) of the side that drops it.
func boundByPairs(t *testing.T, a *apml, b *balance, got pruned) {
	t.Helper()
	var want pruned
	for i := range b.u {
		for j := range b.v {
			p := math.Exp(-46) * b.u[i] * b.v[j]
			want.mass += p * (a.x.q[i] + a.y.q[j])
			want.cost += p * (a.x.q[i]*(a.x.d1[i]+a.x.reach(i)) + a.y.q[j]*(a.y.d1[j]+a.y.reach(j)))
		}
	}
	if !(math.Abs(got.mass/want.mass-1) <= 1e-10) || !(math.Abs(got.cost/want.cost-1) <= 1e-10) {
		t.Errorf("the bounds are %v, over all pairs %v", got, want)
	}
}
