package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/internal/vec"
)

// dense is a plan over all pairs: stored, or streaming where p is nil: then
// every line is computed again each time it is asked for, from O(N+M) numbers.
type dense struct {
	x, y    *half
	p       [][]float64 // x.n×y.n before balancing, row-major, chunks of fewRows(y.n) rows
	a, b    []int32     // powers of two put into a streaming plan, by row and by column; nil: none
	byCount bool
	crew    *crew
}

// fewRows is the rows of a chunk whose lines have m numbers: 2^17 numbers and
// so some milliseconds a chunk.
func fewRows(m int) int { return max(1, 1<<17/m) }

// denominators fills q of a half from all pairs.
func (h *half) denominators(c *crew) error {
	s, o := h.s, h.o
	return c.each(s.n, fewRows(o.n), func(_, lo, hi int) {
		val := make([]float64, o.n)
		for i := lo; i < hi && !c.halt(); i++ {
			if h.gap[i] == 0 {
				continue
			}
			h.similarities(i, val)
			z := 0.0
			for j, e := range val {
				z += o.times(j) * e
			}
			h.q[i] = h.share * s.weight(i) / z
		}
	})
}

// similarities fills val with the similarities of point i to all points of the
// other side, 0 beyond its reach.
func (h *half) similarities(i int, val []float64) {
	d1, reach, sharp := h.d1[i], h.reach(i), -h.sharp(i)
	allDistances(h.s, h.o, i, val)
	for j, d := range val {
		t := d - d1
		if t < reach {
			val[j] = t * sharp
		} else {
			val[j] = math.Inf(-1)
		}
	}
	vec.Exp(val)
}

// filler is what a goroutine fills lines of a dense plan with.
type filler struct{ own, other, d []float64 }

func newFiller(n int) *filler {
	return &filler{make([]float64, n), make([]float64, n), make([]float64, n)}
}

// fill writes the entries of point i of h against all points of the other
// side, which chooses by o. Both sides' arguments are made first, so that the
// exponentials come many at a time.
func (p *dense) fill(buf []float64, h, o *half, i int, w *filler) {
	d1, reach, sharp, q, base := h.d1[i], h.reach(i), -h.sharp(i), h.q[i], h.uniform(i)
	own, other, d := w.own[:len(buf)], w.other[:len(buf)], w.d[:len(buf)]
	allDistances(h.s, o.s, i, d)
	none := math.Inf(-1)
	for j, d := range d {
		own[j], other[j] = none, none
		if t := d - d1; t < reach {
			own[j] = t * sharp
		}
		if t := o.d1[j] - d; -t < o.kappa*o.gap[j] && o.gap[j] != 0 {
			other[j] = t * o.logit / o.gap[j]
		}
	}
	vec.Exp(own)
	vec.Exp(other)
	for j := range buf {
		buf[j] = base + own[j]*q + other[j]*o.q[j] + o.uniform(j)
	}
	if p.byCount {
		for j, d := range d {
			mine := d-d1 < reach || h.gap[i] == 0
			if mine && (d-o.d1[j] < o.kappa*o.gap[j] || o.gap[j] == 0) {
				buf[j] /= 2
			}
		}
	}
	if p.a != nil {
		p.scaled(buf, h == p.y, i)
	}
}

// store computes all entries once and keeps them.
func (p *dense) store() error {
	n, m := p.x.s.n, p.y.s.n
	p.p = make([][]float64, chunksOf(n, fewRows(m)))
	return p.crew.each(n, fewRows(m), func(k, lo, hi int) {
		w := newFiller(m)
		p.p[k] = make([]float64, (hi-lo)*m) // not all at once: that is long to clear
		for i := lo; i < hi && !p.crew.halt(); i++ {
			p.fill(p.row(i), p.x, p.y, i, w)
		}
	})
}

// row is row i of a stored plan.
func (p *dense) row(i int) []float64 {
	m := p.y.s.n
	size := fewRows(m)
	k := i % size * m
	return p.p[i/size][k : k+m : k+m]
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
		var f *filler
		if p.p == nil {
			buf, f = make([]float64, m), newFiller(m)
		}
		for i := lo; i < hi && !p.crew.halt(); i++ {
			if p.p != nil {
				buf = p.row(i)
			} else {
				p.fill(buf, p.x, p.y, i, f)
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
			buf, f := make([]float64, n), newFiller(n)
			for j := lo; j < hi && !p.crew.halt(); j++ {
				p.fill(buf, p.y, p.x, j, f)
				dst[j] = dot(buf, w)
			}
		})
	}
	return p.crew.each(m, stripe, func(_, lo, hi int) {
		sum := dst[lo:hi]
		clear(sum)
		w := w
		for _, rows := range p.p {
			if p.crew.halt() {
				return
			}
			for ; len(rows) > 0; rows, w = rows[m:], w[1:] {
				u := w[0]
				row := rows[lo:hi]
				row = row[:len(sum)]
				for k := range sum {
					sum[k] += row[k] * u
				}
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
		var w *filler
		var turned []float64
		switch {
		case p.p == nil:
			w = newFiller(o.s.n)
		case g.transpose:
			turned = p.columns(lo, hi)
		}
		for i := lo; i < hi && !p.crew.halt(); i++ {
			switch {
			case p.p == nil:
				p.fill(buf, h, o, i, w)
			case g.transpose:
				buf = turned[(i-lo)*o.s.n : (i-lo+1)*o.s.n]
			default:
				buf = p.row(i)
			}
			l.start(i)
			add(l, nil, buf, 1)
			l.end(&g.part[k])
		}
	})
}

// columns copies columns of a stored plan, one after the other: neighbours in memory
// go together, for a line of the cache holds eight.
func (p *dense) columns(lo, hi int) []float64 {
	n, m, i := p.x.s.n, p.y.s.n, 0
	t := make([]float64, (hi-lo)*n)
	for _, rows := range p.p {
		for ; len(rows) > 0; rows = rows[m:] {
			for k, v := range rows[lo:hi] {
				t[k*n+i] = v
			}
			i++
		}
	}
	return t
}
