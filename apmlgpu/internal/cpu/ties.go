package cpu

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

// tieBytes is the memory a point of the terms, where any point is tied.
const tieBytes = 8

func (u uniforms) bytes() int64 { return tieBytes * int64(len(u.alpha)+len(u.beta)) }

func uniformsOf(x, y *half, byCount bool) uniforms {
	return uniforms{alpha: x.uniforms(), beta: y.uniforms(), byCount: byCount}
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

// products are the sums over the columns that the rank-one terms need of a
// vector w.
type products struct{ all, tied, dot float64 } // Σ w, of tied columns alone, Σ c w

func (u uniforms) products(w []float64) (p products) {
	for j, b := range u.beta {
		if b != 0 {
			p.tied += w[j]
			p.dot += b * w[j]
		}
	}
	if u.alpha != nil {
		for _, v := range w {
			p.all += v
		}
	}
	return p
}

// times is line i of the rank-one terms times w: of r (1ᵀ w) + 1 (cᵀ w).
func (u uniforms) times(i int, p products) float64 {
	if u.alpha == nil || u.alpha[i] == 0 {
		return p.dot
	}
	v := u.alpha[i]*p.all + p.dot
	if u.byCount {
		v -= (u.alpha[i]*p.tied + p.dot) / 2
	}
	return v
}

// add adds the rank-one terms times w to dst.
func (u uniforms) add(dst, w []float64) {
	if u.alpha == nil && u.beta == nil {
		return
	}
	p := u.products(w)
	for i := range dst {
		dst[i] += u.times(i, p)
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
