package cpu

import (
	"math"
	"sync/atomic"

	"github.com/gondola-lab/gondola/internal/vec"
)

// half is one direction of APML: the points of s choose among those of o. All
// arrays are by point of s.
type half struct {
	s, o  *side
	logit float64   // ℓ = ln((K−1)/(1−p)), K the points of o; 0 for K = 1
	kappa float64   // support factor κ = ln(1/t)/ℓ
	d1    []float64 // smallest distance
	gap   []float64 // gap with its margin; 0 marks a tied row that is uniform over all of o
	q     []float64 // share of the merge divided by the softmin's denominator
	share float64   // of the side in the merge

	spread    float64 // Σ ln(d₂/d₁) over the points with d₁ > 0
	spreadN   int     // their number
	tied      int64   // points, with multiplicity, whose two nearest are equally far
	swallowed int64   // points whose gap is not zero but below the margin
}

// halfBytes is the memory a point of a half.
const halfBytes = 24

// rule is what decides the gap of a row.
type rule struct {
	p, margin  float64
	share      float64 // of one side in the merge
	uniformRow bool
	floor      bool // gap = max(gap, margin) instead of gap + margin
}

// newHalf finds the two smallest distances of every point of s.
func newHalf(s, o *side, r rule, w *crew) (*half, error) {
	h := &half{
		s: s, o: o, share: r.share,
		d1: make([]float64, s.n), gap: make([]float64, s.n), q: make([]float64, s.n),
	}
	if o.total > 1 {
		h.logit = math.Log(float64(o.total-1) / (1 - r.p))
	}
	var tied, swallowed, counted atomic.Int64
	spread := make([]float64, (s.n+chunkRows-1)/chunkRows)
	herds := make([]*herd, w.threads)
	for k := range herds {
		herds[k] = newHerd(s, o)
	}
	err := w.run(len(spread), func(t, k int) {
		c, lo := counts{}, k*chunkRows
		h.nearestTwo(herds[t], lo, min(lo+chunkRows, s.n), w, func(i int, first int32, a, b float64) {
			h.take(i, first, a, b, r, &c)
		})
		spread[k] = c.done()
		tied.Add(c.tied)
		swallowed.Add(c.swallowed)
		counted.Add(c.spreadN)
	})
	for _, v := range spread {
		h.spread += v
	}
	h.tied, h.swallowed, h.spreadN = tied.Load(), swallowed.Load(), int(counted.Load())
	return h, err
}

// nearestTwo calls f with the two nearest of the points lo to hi.
func (h *half) nearestTwo(herd *herd, lo, hi int, w *crew, f func(i int, first int32, a, b float64)) {
	if herd == nil {
		for i := lo; i < hi && !w.halt(); i++ {
			first, a, b := h.o.find.Two(h.s.row(i))
			f(i, first, a, b)
		}
		return
	}
	for herd.to = lo; herd.to < hi && !w.halt(); {
		herd.lead(herd.to, lo, hi)
		herd.two(f)
	}
}

// counts are what the points of a chunk add to those of a half.
type counts struct {
	spread, product          float64 // product is what spread has no logarithm of yet; 0: nothing
	tied, swallowed, spreadN int64
}

// add adds half the logarithm of r, at least 1: of a product as long as it stays in
// range.
func (c *counts) add(r float64) {
	c.spreadN++
	if c.product == 0 {
		c.product = 1
	}
	if r > 1e50 || c.product > 1e200 {
		c.spread += (math.Log(c.product) + math.Log(r)) / 2
		c.product = 1
		return
	}
	c.product *= r
}

// done is the sum.
func (c *counts) done() float64 {
	if c.product > 0 {
		c.spread += math.Log(c.product) / 2
	}
	return c.spread
}

// take makes the gap of point i, whose two nearest are a and b squared
// away, the first of them first.
func (h *half) take(i int, first int32, a, b float64, r rule, c *counts) {
	s, o := h.s, h.o
	h.d1[i] = math.Sqrt(a) * s.unit
	if o.total == 1 { // the only partner has probability 1, whatever the gap
		h.gap[i] = 1
		return
	}
	if o.mult != nil && o.mult[first] > 1 {
		b = a
	}
	if a > 0 {
		c.add(b / a)
	}
	gap := math.Sqrt(b)*s.unit - h.d1[i]
	switch {
	case gap == 0:
		c.tied += int64(s.times(i))
	case gap < r.margin:
		c.swallowed += int64(s.times(i))
	}
	switch {
	case gap == 0 && r.uniformRow:
		h.gap[i] = 0
	case r.floor:
		h.gap[i] = max(gap, r.margin)
	default:
		h.gap[i] = gap + r.margin
	}
}

// threshold sets the support factor for ln(1/t).
func (h *half) threshold(logInverse float64) {
	h.kappa = math.Inf(1)
	if h.logit > 0 {
		h.kappa = logInverse / h.logit
	}
}

// reach is κ·γ of point i: what d − d₁ must stay below. Nothing is within the
// reach of a uniform row: its entries are no part of the support.
func (h *half) reach(i int) float64 {
	if h.gap[i] == 0 {
		return math.Inf(-1)
	}
	return h.kappa * h.gap[i]
}

// sharp is the sharpness ℓ/γ of point i; 0 for a uniform row. It is not kept: 8
// bytes a point are worth more than a division.
func (h *half) sharp(i int) float64 {
	if h.gap[i] == 0 {
		return 0
	}
	return h.logit / h.gap[i]
}

// uniform is what a tied row gives to every pair: its share of the merge times
// 1/K; zero for a row that is not tied.
func (h *half) uniform(i int) float64 {
	if h.gap[i] != 0 {
		return 0
	}
	return h.share * h.s.weight(i) / float64(h.o.total)
}

// distance of point i of a and point j of b, in the caller's unit.
func distance(a, b *side, i, j int) float64 {
	if a.dim == 3 {
		p, q := a.x[3*i:3*i+3:3*i+3], b.x[3*j:3*j+3:3*j+3]
		x, y, z := float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1]), float64(p[2])-float64(q[2])
		return math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)) * a.unit
	}
	return wideDistance(a, b, i, j)
}

// distances fills dst with the distances of point i of a from the points idx of
// b, each the same bits as distance gives.
func distances(a, b *side, i int, idx []int32, dst []float64) {
	if a.dim != 3 {
		for k, j := range idx {
			dst[k] = wideDistance(a, b, i, int(j))
		}
		return
	}
	vec.Distances((*[3]float32)(a.x[3*i:]), b.x, idx, dst, a.unit)
}

// allDistances fills dst with the distances of point i of a from all points of b.
func allDistances(a, b *side, i int, dst []float64) {
	if a.dim != 3 {
		for j := range dst {
			dst[j] = wideDistance(a, b, i, j)
		}
		return
	}
	p := a.x[3*i : 3*i+3 : 3*i+3]
	px, py, pz := float64(p[0]), float64(p[1]), float64(p[2])
	q := b.x[: 3*len(dst) : 3*len(dst)]
	for j := range dst {
		x, y, z := px-float64(q[0]), py-float64(q[1]), pz-float64(q[2])
		dst[j] = math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)) * a.unit
		q = q[3:]
	}
}

func wideDistance(a, b *side, i, j int) float64 {
	s := 0.0
	q := b.row(j)
	for k, v := range a.row(i) {
		d := float64(v) - float64(q[k])
		s += float64(d * d)
	}
	return math.Sqrt(s) * a.unit
}
