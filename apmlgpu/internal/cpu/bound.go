package cpu

import "math"

// prunedBound is B = t/2 (Σ u_i/Z_i Σ v_j + Σ u_i Σ v_j/Z'_j) / mass: the share
// of the mass that the entries below the threshold would carry under these
// scalings. Sums count multiplicity; uniform rows drop nothing. Logarithms,
// because u and v may pass 1e100 and t may be below the smallest float64.
func prunedBound(x, y *half, b *balance, logInverse, mass float64) float64 {
	if math.IsInf(logInverse, 1) {
		return 0
	}
	var pu, pv []int32
	if p := b.drift.put; p != nil {
		pu, pv = p[:len(b.u)], p[len(b.u):]
	}
	ux, uq := logSums(x, b.u, pu)
	vy, vq := logSums(y, b.v, pv)
	e, f := uq+vy, ux+vq
	top := max(e, f)
	if math.IsInf(top, -1) {
		return 0
	}
	return math.Exp(top + math.Log(math.Exp(e-top)+math.Exp(f-top)) - logInverse - math.Log(mass))
}

// logSums returns ln Σ m u and ln Σ m u q, of u times 2^put where powers of two
// were put into the plan.
func logSums(h *half, u []float64, put []int32) (plain, byShare float64) {
	base := 0 // the largest power of two
	if put != nil {
		base = math.MinInt32
		for i, v := range u {
			if v > 0 {
				base = max(base, int(put[i]))
			}
		}
	}
	for i, v := range u {
		if put != nil {
			v = math.Ldexp(v, int(put[i])-base)
		}
		v *= h.s.times(i)
		plain += v
		if h.gap[i] != 0 {
			byShare += v * h.q[i]
		}
	}
	return math.Log(plain) + float64(base)*math.Ln2, math.Log(byShare) + float64(base)*math.Ln2
}
