package cpu

// dense is a plan over all pairs: stored, or streaming where p is nil: then
// every line is computed again each time it is asked for, from O(N+M) numbers.
type dense struct {
	x, y    *half
	p       []float64 // x.n×y.n before balancing, row-major
	a, b    []int32   // powers of two put into a streaming plan, by row and by column; nil: none
	byCount bool
	crew    *crew
}

// vanish is where exp underflows to zero in float64.
const vanish = 746

// fewRows is the rows of a chunk whose lines have m numbers: 2^17 numbers and
// so some milliseconds a chunk.
func fewRows(m int) int { return max(1, 1<<17/m) }

// denominators fills q of a half from all pairs.
func (h *half) denominators(c *crew) error {
	s, o := h.s, h.o
	return c.each(s.n, fewRows(o.n), func(_, lo, hi int) {
		for i := lo; i < hi && !c.halt(); i++ {
			if h.gap[i] == 0 {
				continue
			}
			d1, reach, sharp, z := h.d1[i], h.reach(i), h.sharp(i), 0.0
			for j := range o.n {
				t := distance(s, o, i, j) - d1
				if t < reach && t*sharp < vanish {
					z += o.times(j) * exp(-t*sharp)
				}
			}
			h.q[i] = h.share * s.weight(i) / z
		}
	})
}

// fill writes the entries of point i of h against all points of the other
// side, which chooses by o.
func (p *dense) fill(buf []float64, h, o *half, i int) {
	d1, reach, sharp, q, base := h.d1[i], h.reach(i), h.sharp(i), h.q[i], h.uniform(i)
	own := 0 // sides that hold the pair: a uniform row holds every one
	if h.gap[i] == 0 {
		own = 1
	}
	for j := range buf {
		d := distance(h.s, o.s, i, j)
		v, sides := base, own
		if t := d - d1; t < reach {
			sides++
			if t *= sharp; t < vanish {
				v += exp(-t) * q
			}
		}
		if g := o.gap[j]; g == 0 {
			v += o.uniform(j)
			sides++
		} else if t := d - o.d1[j]; t < o.kappa*g {
			sides++
			if t *= o.sharp(j); t < vanish {
				v += exp(-t) * o.q[j]
			}
		}
		if p.byCount && sides == 2 {
			v /= 2
		}
		buf[j] = v
	}
	if p.a != nil {
		p.scaled(buf, h == p.y, i)
	}
}

// store computes all entries once and keeps them.
func (p *dense) store() error {
	n, m := p.x.s.n, p.y.s.n
	p.p = make([]float64, n*m)
	return p.crew.each(n, fewRows(m), func(_, lo, hi int) {
		for i := lo; i < hi && !p.crew.halt(); i++ {
			p.fill(p.p[i*m:(i+1)*m], p.x, p.y, i)
		}
	})
}

// count counts the pairs of original points in the support, and those of each
// direction.
func (p *dense) count() (all, rows, cols int64, err error) {
	x, y := p.x, p.y
	n, m := x.s.n, y.s.n
	size := fewRows(m)
	part := make([][3]int64, (n+size-1)/size)
	err = p.crew.each(n, size, func(k, lo, hi int) {
		for i := lo; i < hi && !p.crew.halt(); i++ {
			var c [3]float64
			d1, reach := x.d1[i], x.reach(i)
			for j := range m {
				d := distance(x.s, y.s, i, j)
				row, col := d-d1 < reach, d-y.d1[j] < y.reach(j)
				t := y.s.times(j)
				if row || col {
					c[0] += t
				}
				if row {
					c[1] += t
				}
				if col {
					c[2] += t
				}
			}
			for s, v := range c {
				part[k][s] += int64(v * x.s.times(i))
			}
		}
	})
	for _, c := range part {
		all, rows, cols = all+c[0], rows+c[1], cols+c[2]
	}
	return all, rows, cols, err
}

func (p *dense) rows(dst, w []float64) error {
	m := p.y.s.n
	return p.crew.each(p.x.s.n, fewRows(m), func(_, lo, hi int) {
		var buf []float64
		if p.p == nil {
			buf = make([]float64, m)
		}
		for i := lo; i < hi && !p.crew.halt(); i++ {
			if p.p != nil {
				buf = p.p[i*m : (i+1)*m]
			} else {
				p.fill(buf, p.x, p.y, i)
			}
			dst[i] = dot(buf, w)
		}
	})
}

// dot has four partial sums, so that the order of the sum is fixed and short.
func dot(p, w []float64) float64 {
	var a, b, c, d float64
	w = w[:len(p)]
	k := 0
	for ; k+4 <= len(p); k += 4 {
		a += p[k] * w[k]
		b += p[k+1] * w[k+1]
		c += p[k+2] * w[k+2]
		d += p[k+3] * w[k+3]
	}
	for ; k < len(p); k++ {
		a += p[k] * w[k]
	}
	return (a + b) + (c + d)
}

// stripe is how many columns of a stored plan are summed up side by side: 2 KiB
// of every row.
const stripe = 256

func (p *dense) cols(dst, w []float64) error {
	n, m := p.x.s.n, p.y.s.n
	if p.p == nil {
		return p.crew.each(m, fewRows(n), func(_, lo, hi int) {
			buf := make([]float64, n)
			for j := lo; j < hi && !p.crew.halt(); j++ {
				p.fill(buf, p.y, p.x, j)
				dst[j] = dot(buf, w)
			}
		})
	}
	return p.crew.each(m, stripe, func(_, lo, hi int) {
		sum := dst[lo:hi]
		clear(sum)
		for i := range n {
			if p.crew.halt() {
				return
			}
			u := w[i]
			row := p.p[i*m+lo : i*m+hi]
			row = row[:len(sum)]
			for k := range sum {
				sum[k] += row[k] * u
			}
		}
	})
}

func (p *dense) pull(g *gradient) error {
	h, o := p.x, p.y
	if g.transpose {
		h, o = p.y, p.x
	}
	size := fewRows(o.s.n)
	g.part = make([]totals, (h.s.n+size-1)/size)
	return p.crew.each(h.s.n, size, func(k, lo, hi int) {
		l, buf := g.line(), make([]float64, o.s.n)
		for i := lo; i < hi && !p.crew.halt(); i++ {
			switch {
			case p.p == nil:
				p.fill(buf, h, o, i)
			case g.transpose:
				for t := range buf {
					buf[t] = p.p[t*h.s.n+i]
				}
			default:
				buf = p.p[i*o.s.n : (i+1)*o.s.n]
			}
			l.start(i)
			add(l, nil, buf, 1)
			l.end(&g.part[k])
		}
	})
}
