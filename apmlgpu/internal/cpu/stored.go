package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// Largest logarithms of a factor that its numbers hold, with room for sums.
const (
	mostNarrow = 80
	mostWide   = 600
)

// roundRows is the rows of a chunk of a round: whole fours, and so many that what
// the chunks sum up by columns is at most an eighth of the wide factors.
func roundRows(m int) int { return max(16, (1<<17/m+3)&^3) }

// Hold makes the factors of f, g and eps.
func (h *gibbs) Hold(f, g []float64, eps float64) (bool, error) {
	n, m := h.x.n, h.y.n
	h.Drop()
	h.eps = eps
	if h.form.Method == backend.Truncated {
		return true, h.holdList(f, g)
	}
	parts := chunksOf(n, roundRows(m)) * m
	bytes := 8 * (int64(parts) + int64(n) + int64(m))
	if h.form.Method == backend.Stored {
		bytes += int64(n) * int64(m) * pickBytes(h.form.Narrow)
	}
	if err := h.pair.ledger.take("the factors", bytes); err != nil {
		return false, err
	}
	h.part = make([]float64, parts)
	h.f, h.g = over(f, eps), over(g, eps)
	switch {
	case h.form.Method != backend.Stored:
		return true, nil
	case h.form.Narrow:
		h.near = make([]float32, n*m)
	default:
		h.wide = make([]float64, n*m)
	}
	rows := fewRows(m)
	most := make([]float64, chunksOf(n, rows))
	err := h.pair.crew.each(n, rows, func(k, lo, hi int) {
		var buf []float64
		if h.near != nil && len(h.x.col) != 3 {
			buf = make([]float64, m)
		}
		most[k] = math.Inf(-1)
		for i := lo; i < hi && !h.pair.crew.halt(); i++ {
			largest := 0.0
			switch {
			case h.near == nil:
				largest = h.fill(h.wide[i*m:(i+1)*m], i)
			case buf == nil:
				largest = h.fillNarrow(h.near[i*m:(i+1)*m], i)
			default:
				largest = h.fill(buf, i)
				for j, v := range buf {
					h.near[i*m+j] = float32(v)
				}
			}
			most[k] = max(most[k], largest)
		}
	})
	largest := math.Inf(-1)
	for _, v := range most {
		largest = max(largest, v)
	}
	return largest <= pickMost(h.form.Narrow), err
}

func pickBytes(narrow bool) int64 {
	if narrow {
		return 4
	}
	return 8
}

func pickMost(narrow bool) float64 {
	if narrow {
		return mostNarrow
	}
	return mostWide
}

// chunksOf is how many chunks of a size n rows make.
func chunksOf(n, size int) int { return (n + size - 1) / size }

func over(f []float64, eps float64) []float64 {
	v := make([]float64, len(f))
	for i, a := range f {
		v[i] = a / eps
	}
	return v
}

// fill computes row i of the factors, and returns the largest logarithm, above
// which, at mostWide, they are cut.
func (h *gibbs) fill(buf []float64, i int) float64 {
	most := h.exponents(buf, h.x, h.y, i, h.g, h.eps) + h.f[i]
	h.powers(buf, h.f[i], most)
	return most
}

// fillNarrow is fill to the digits of float32, of three coordinates; it cuts at
// mostNarrow.
func (h *gibbs) fillNarrow(row []float32, i int) float64 {
	return vec.Powers32(row, &[3]float64{h.x.col[0][i], h.x.col[1][i], h.x.col[2][i]}, (*[3][]float64)(h.y.col), h.g,
		h.scale(1, h.eps), h.f[i], h.form.Cost == backend.Plain)
}

// powers replaces t by exp(t + f), of which most is the largest exponent, and
// returns the sum.
func (h *gibbs) powers(t []float64, f, most float64) float64 {
	if most > mostWide {
		for j, v := range t {
			t[j] = min(v, mostWide-f)
		}
	}
	return vec.ExpSum(t, -f)
}

// Round goes over the rows once, for both sums.
func (h *gibbs) Round(w, c []float64, step func(i int, r float64) float64) error {
	if h.list != nil {
		return h.list.round(w, c, step, h.pair.crew)
	}
	n, m := h.x.n, h.y.n
	size := roundRows(m)
	err := h.pair.crew.each(n, size, func(k, lo, hi int) {
		part := h.part[k*m : (k+1)*m]
		clear(part)
		if c == nil {
			part = nil
		}
		switch {
		case h.near != nil:
			rounds(h.near[lo*m:hi*m], lo, hi, m, w, part, step, h.pair.crew)
		case h.wide != nil:
			rounds(h.wide[lo*m:hi*m], lo, hi, m, w, part, step, h.pair.crew)
		default:
			h.again(lo, hi, w, part, step)
		}
	})
	if err != nil || c == nil {
		return err
	}
	parts := chunksOf(n, size)
	return h.pair.crew.each(m, 1<<11, func(_, lo, hi int) {
		clear(c[lo:hi])
		for k := range parts {
			for j, v := range h.part[k*m+lo : k*m+hi] {
				c[lo+j] += v
			}
		}
	})
}

// rounds goes through stored rows lo to hi, four at a time.
func rounds[V vec.Number](rows []V, lo, hi, m int, w, part []float64, step func(i int, r float64) float64, c *crew) {
	for i := lo; i < hi && !c.halt(); i += 4 {
		many := min(4, hi-i)
		block := rows[(i-lo)*m : (i-lo+many)*m]
		var z [4]float64
		vec.Dots(&z, block, m, w)
		for k := range many {
			z[k] = step(i+k, z[k])
		}
		if part != nil {
			vec.Adds(part, block, m, &z)
		}
	}
}

// again is a round of rows that are not stored.
func (h *gibbs) again(lo, hi int, w, part []float64, step func(i int, r float64) float64) {
	m := h.y.n
	buf := make([]float64, m)
	for i := lo; i < hi && !h.pair.crew.halt(); i++ {
		h.fill(buf, i)
		var z [4]float64
		vec.Dots(&z, buf, m, w)
		z[0] = step(i, z[0])
		if part != nil {
			vec.Adds(part, buf, m, &z)
		}
	}
}
