package cpu

import "slices"

// uniforms are the rank-one terms of tied rows and columns: the plan before
// balancing is S + r 1ᵀ + 1 cᵀ, S sparse. A tied row gives the same to every
// column, however many there are, and is never stored.
// Merged by count, a pair of a tied row and a tied column is held by both sides
// and has half of that sum.
type uniforms struct {
	alpha   []float64 // r by row; nil: no row is tied
	beta    []float64 // c by column; nil: no column is tied
	byCount bool
}

func uniformsOf(x, y *half, byCount bool) uniforms {
	return uniforms{alpha: x.uniforms(), beta: y.uniforms(), byCount: byCount}
}

// some says that one of the lines lo to hi is tied.
func (u uniforms) some(lo, hi int) bool {
	return u.alpha != nil && slices.ContainsFunc(u.alpha[lo:hi], func(a float64) bool { return a != 0 })
}

// both is what a tied row and a tied column give to their pair.
func (u uniforms) both(a, b float64) float64 {
	if u.byCount && a != 0 && b != 0 {
		return (a + b) / 2
	}
	return a + b
}

// uniforms is uniform of every point, nil if it is zero for all.
func (h *half) uniforms() []float64 {
	var u []float64
	for i := range h.gap {
		if v := h.uniform(i); v != 0 {
			if u == nil {
				u = make([]float64, len(h.gap))
			}
			u[i] = v
		}
	}
	return u
}

// flip exchanges rows and columns.
func (u uniforms) flip() uniforms { return uniforms{alpha: u.beta, beta: u.alpha, byCount: u.byCount} }

// add adds the rank-one terms times w to dst: r (1ᵀ w) + 1 (cᵀ w).
func (u uniforms) add(dst, w []float64) {
	all, tied, dot := 0.0, 0.0, 0.0
	for j, b := range u.beta {
		if b != 0 {
			tied += w[j]
			dot += b * w[j]
		}
	}
	if u.beta != nil {
		for i := range dst {
			dst[i] += dot
		}
	}
	if u.alpha == nil {
		return
	}
	for _, v := range w {
		all += v
	}
	if !u.byCount {
		tied, dot = 0, 0
	}
	for i, a := range u.alpha {
		if a != 0 {
			dst[i] += a*all - (a*tied+dot)/2
		}
	}
}

// tied lists the columns of rank-one terms, with their values.
func (u uniforms) tied() (idx []int32, val []float64) {
	for j, b := range u.beta {
		if b != 0 {
			idx, val = append(idx, int32(j)), append(val, b)
		}
	}
	return idx, val
}
