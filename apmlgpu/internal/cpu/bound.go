package cpu

import "math"

// pruned bounds what the entries below the threshold would carry under these
// scalings: their mass, and what that would cost in the caller's unit.
type pruned struct{ mass, cost float64 }

// share is the bound on the part of a value.
func (p pruned) share(value float64) float64 {
	if p.cost == 0 {
		return 0
	}
	return p.cost / value
}

// prune is t/2 (Σ u_i/Z_i Σ v_j + Σ u_i Σ v_j/Z'_j), Z the softmin's
// denominators: a dropped entry has a similarity of at most t. It costs at most
// t (d₁ + R), since a similarity falls faster beyond the radius R than a distance
// grows; between a cloud and its copy, where the value is some gaps, that bounds
// the value and the mass does not. Sums count multiplicity; uniform rows drop
// nothing. Logarithms, because u and v may pass 1e100 and t may be below the
// smallest float64.
func (a *apml) prune(b *balance, logInverse float64) pruned {
	if math.IsInf(logInverse, 1) {
		return pruned{}
	}
	var pu, pv []int32
	if p := b.drift.put; p != nil {
		pu, pv = p[:len(b.u)], p[len(b.u):]
	}
	x, y := logSums(a.x, b.u, pu), logSums(a.y, b.v, pv)
	return pruned{
		mass: expSum(x.share+y.plain-logInverse, x.plain+y.share-logInverse),
		cost: expSum(x.cost+y.plain-logInverse, x.plain+y.cost-logInverse),
	}
}

// expSum is e^a + e^b.
func expSum(a, b float64) float64 {
	top := max(a, b)
	if math.IsInf(top, -1) {
		return 0
	}
	return math.Exp(top + math.Log(math.Exp(a-top)+math.Exp(b-top)))
}

// lineSums are logarithms of sums over the lines of one side.
type lineSums struct {
	plain float64 // Σ m u
	share float64 // Σ m u q
	cost  float64 // Σ m u q (d₁ + R)
}

// logSums sums u times 2^put, where powers of two were put into the plan.
func logSums(h *half, u []float64, put []int32) lineSums {
	base := 0 // the largest power of two
	if put != nil {
		base = math.MinInt32
		for i, v := range u {
			if v > 0 {
				base = max(base, int(put[i]))
			}
		}
	}
	var s lineSums
	for i, v := range u {
		if put != nil {
			v = math.Ldexp(v, int(put[i])-base)
		}
		v *= h.s.times(i)
		s.plain += v
		if r := h.reach(i); h.gap[i] != 0 && !math.IsInf(r, 1) {
			s.share += v * h.q[i]
			s.cost += v * h.q[i] * (h.d1[i] + r)
		}
	}
	for _, f := range []*float64{&s.plain, &s.share, &s.cost} {
		*f = math.Log(*f) + float64(base)*math.Ln2
	}
	return s
}
