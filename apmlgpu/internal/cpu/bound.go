package cpu

import "math"

// prunedBound is B = t/2 (Σ u_i/Z_i Σ v_j + Σ u_i Σ v_j/Z'_j) / mass: the share
// of the mass that the entries below the threshold would carry under these
// scalings. Sums count multiplicity; uniform rows drop nothing. Logarithms,
// because u and v may pass 1e100 and t may be below the smallest float64.
func prunedBound(x, y *half, u, v []float64, logInverse, mass float64) float64 {
	if math.IsInf(logInverse, 1) {
		return 0
	}
	ux, uq := sums(x, u)
	vy, vq := sums(y, v)
	a := math.Log(uq) + math.Log(vy)
	b := math.Log(ux) + math.Log(vq)
	top := max(a, b)
	if math.IsInf(top, -1) {
		return 0
	}
	return math.Exp(top + math.Log(math.Exp(a-top)+math.Exp(b-top)) - logInverse - math.Log(mass))
}

// sums returns Σ m u and Σ m u q.
func sums(h *half, u []float64) (plain, byShare float64) {
	for i, v := range u {
		v *= h.s.times(i)
		plain += v
		if h.gap[i] != 0 {
			byShare += v * h.q[i]
		}
	}
	return plain, byShare
}
