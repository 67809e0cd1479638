package cpu

import (
	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/vec"
)

// both is a pass of Transport that makes the sums of rows and of columns from one
// factor a pair: for squared costs of three coordinates, whose gradients are sums of
// factors times coordinates, seen from a point of the pair. Columns are summed up in
// bands of rows, and the bands in their order.
type both struct {
	passage
	out   *backend.Transported
	bands int
	rows  int       // of a band, whole fours
	sums  int       // that a column has: the mass, and three of mass times coordinate
	part  []float64 // bands × sums × columns
}

// mostBands bounds the memory of the bands.
const mostBands = 32

// newBoth is nil where columns need a pass of their own: for other costs and
// dimensions, lists, one cloud with itself, and where the bands do not fit.
func newBoth(p passage, q backend.Transport, out *backend.Transported) *both {
	h := p.h
	if h.list != nil || h.x == h.y || len(h.x.col) != 3 || h.form.Cost == backend.Plain {
		return nil
	}
	b := &both{passage: p, out: out, sums: 1}
	if q.Grad {
		b.sums = 4
	}
	b.rows = max(16, (h.x.n/mostBands+4)&^3)
	b.bands = chunksOf(h.x.n, b.rows)
	if h.pair.ledger.take("the last pass", b.bytes()) != nil {
		return nil
	}
	b.part = make([]float64, b.bands*b.sums*h.y.n)
	return b
}

func (b *both) bytes() int64 { return 8 * int64(b.bands) * int64(b.sums) * int64(b.h.y.n) }

func (b *both) run() error {
	h := b.h
	defer h.pair.ledger.drop(b.bytes())
	bias, moments := over(b.g, b.eps), b.moments()
	m := h.y.n
	err := h.pair.crew.each(h.x.n, b.rows, func(k, lo, hi int) {
		w := lineWork{price: make([]float64, m)}
		block := make([]float64, 4*m)
		for i := lo; i < hi && !h.pair.crew.halt(); i += 4 {
			b.four(k, i, min(4, hi-i), block, bias, moments, w)
		}
	})
	if err != nil {
		return err
	}
	return h.pair.crew.each(m, 1<<9, func(_, lo, hi int) {
		for j := lo; j < hi && !h.pair.crew.halt(); j++ {
			b.column(j)
		}
	})
}

// four does rows i to i+many−1, in band k.
func (b *both) four(k, i, many int, block, bias, moments []float64, w lineWork) {
	m := b.h.y.n
	var z [4][4]float64 // by sum, then row
	for r := range many {
		w.e = block[r*m : (r+1)*m]
		b.near(i+r, bias, &w)
		b.quick(i+r, moments, w.e)
		b.cost[i+r] = b.own[i+r] * b.h.scale(1, 1) * vec.Triple(w.e, b.other, w.price)
		z[0][r] = b.own[i+r]
		for c := range 3 {
			z[c+1][r] = b.own[i+r] * b.a.col[c][i+r]
		}
	}
	for s := range b.sums {
		at := (k*b.sums + s) * m
		vec.Adds(b.part[at:at+m], block[:many*m], m, &z[s])
	}
}

// near is factors; where the held ones are float32, with 14 digits and those below e^−87
// as 0.
func (b *both) near(i int, bias []float64, w *lineWork) {
	f := b.f[i] / b.eps
	if b.h.form.Narrow {
		p := [3]float64{b.a.col[0][i], b.a.col[1][i], b.a.col[2][i]}
		if vec.Powers(w.e, w.price, &p, (*[3][]float64)(b.b.col), bias, b.h.scale(1, b.eps), f) <= mostNarrow {
			return
		}
	}
	b.factors(i, bias, w)
}

// column makes sum and gradient of column j.
func (b *both) column(j int) {
	m := b.h.y.n
	var sums [4]float64
	for k := range b.bands {
		for s := range b.sums {
			sums[s] += b.part[(k*b.sums+s)*m+j]
		}
	}
	mass := b.other[j]
	b.out.Cols[j] = mass * sums[0]
	if b.grad == nil {
		return
	}
	for c := range 3 {
		b.out.GradY[3*j+c] = mass * (b.b.col[c][j]*sums[0] - sums[c+1]) * b.slope()
	}
}
