package cpu

// uniforms are the rank-one terms of tied rows and columns: the plan before
// balancing is S + r 1ᵀ + 1 cᵀ, S sparse. A tied row gives the same to every
// column, however many there are, and is never stored.
type uniforms struct {
	alpha []float64 // r by row; nil: no row is tied
	beta  []float64 // c by column; nil: no column is tied
}

func uniformsOf(x, y *half) uniforms {
	return uniforms{alpha: x.uniforms(), beta: y.uniforms()}
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
func (u uniforms) flip() uniforms { return uniforms{alpha: u.beta, beta: u.alpha} }

// add adds r (1ᵀ w) + 1 (cᵀ w) to dst.
func (u uniforms) add(dst, w []float64) {
	if u.alpha != nil {
		all := 0.0
		for _, v := range w {
			all += v
		}
		for i, a := range u.alpha {
			dst[i] += a * all
		}
	}
	if u.beta != nil {
		dot := 0.0
		for j, b := range u.beta {
			dot += b * w[j]
		}
		for i := range dst {
			dst[i] += dot
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
