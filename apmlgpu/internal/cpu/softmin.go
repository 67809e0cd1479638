package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// squares sets dst to the squared distances of point i of a from all points of b,
// in the unit of the coordinates, differences first.
func squares(dst []float64, a, b *spots, i int) {
	if len(a.col) == 3 {
		vec.Squares(dst, &[3]float64{a.col[0][i], a.col[1][i], a.col[2][i]},
			(*[3][]float64)(b.col))
		return
	}
	clear(dst)
	for c, col := range b.col {
		p := a.col[c][i]
		for j, v := range col {
			dst[j] += float64((p - v) * (p - v))
		}
	}
}

// prices turns squared distances into costs over eps.
func (h *gibbs) prices(dst []float64, eps float64) {
	unit := h.scale(1, eps)
	if h.form.Cost == backend.Plain {
		for j, v := range dst {
			dst[j] = math.Sqrt(v) * unit
		}
		return
	}
	for j, v := range dst {
		dst[j] = v * unit
	}
}

// exponents sets t to h_j − C_ij/ε for point i of a and all points of b, and
// returns the largest.
func (h *gibbs) exponents(t []float64, a, b *spots, i int, bias []float64, eps float64) float64 {
	squares(t, a, b, i)
	return vec.Bias(t, bias, h.scale(1, eps), h.form.Cost == backend.Plain)
}

// squaresAt is squares for the points idx of b.
func squaresAt(dst []float64, a, b *spots, i int, idx []int32) {
	clear(dst)
	for c, col := range b.col {
		p := a.col[c][i]
		for k, j := range idx {
			dst[k] += float64((p - col[j]) * (p - col[j]))
		}
	}
}

// pick gathers numbers.
func pick(dst, v []float64, idx []int32) {
	for k, j := range idx {
		dst[k] = v[j]
	}
}

// logSum is log Σ exp(t), of which most is the largest; it writes over t.
func logSum(t []float64, most float64) float64 {
	return most + math.Log(vec.ExpSum(t, most))
}

// Softmin takes the maximum of every line out.
func (h *gibbs) Softmin(dst, bias []float64, eps float64, swapped bool) error {
	a, b := h.x, h.y
	if swapped {
		a, b = b, a
	}
	return h.softmin(dst, bias, a, b, eps)
}

// Extend takes h at the clusters of a coarse Gibbs.
func (h *gibbs) Extend(dst, bias []float64, coarse backend.Gibbs, eps float64, swapped bool) error {
	from := coarse.(*gibbs)
	if swapped {
		return h.softmin(dst, bias, h.y, from.x, eps)
	}
	return h.softmin(dst, bias, h.x, from.y, eps)
}

func (h *gibbs) softmin(dst, bias []float64, a, b *spots, eps float64) error {
	return h.pair.crew.each(a.n, fewRows(b.n), func(_, lo, hi int) {
		t, some := make([]float64, b.n), make([]float64, b.n)
		for i := lo; i < hi && !h.pair.crew.halt(); i++ {
			most, n := 0.0, b.n
			if idx := h.line(a, b, i); len(idx) > 0 {
				n = len(idx)
				pick(some, bias, idx)
				squaresAt(t[:n], a, b, i, idx)
				most = vec.Bias(t[:n], some, h.scale(1, eps), h.form.Cost == backend.Plain)
			} else {
				most = h.exponents(t, a, b, i, bias, eps)
			}
			dst[i] = -eps * logSum(t[:n], most)
		}
	})
}

// Factor is one factor of other potentials than those held.
func (h *gibbs) Factor(i, j int, f, g, eps float64) float64 {
	sum := 0.0
	for c := range h.x.col {
		d := h.x.col[c][i] - h.y.col[c][j]
		sum += float64(d * d)
	}
	return math.Exp((f+g)/eps - h.scale(sum, eps))
}

// Factors are those of row i.
func (h *gibbs) Factors(dst []float64, i int, f float64, g []float64, eps float64) {
	squares(dst, h.x, h.y, i)
	h.prices(dst, eps)
	for j, v := range dst {
		dst[j] = (f+g[j])/eps - v
	}
	vec.Exp(dst)
}
