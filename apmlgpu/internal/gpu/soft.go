package gpu

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cuda"
)

// spots are the points of one side of a Gibbs: those of a side of the pair, or
// clusters of them.
type spots struct {
	n     int
	x     []float32 // n×3
	share []float64 // Σ 1
}

// spotsOf are the points of s, or at most most clusters of neighbours, at their
// centres.
func spotsOf(s *side, most int) *spots {
	share := make([]float64, s.n)
	for i := range share {
		w := 1.0
		if s.share != nil {
			w = s.share[i]
		}
		share[i] = s.times(i) * w / float64(s.total)
	}
	if most == 0 || s.n <= most {
		return &spots{s.n, s.x, share}
	}
	group := (s.n + most - 1) / most
	n := (s.n + group - 1) / group
	p := &spots{n, make([]float32, 3*n), make([]float64, n)}
	centre := make([]float64, 3*n)
	for place, i := range morton(s.x) {
		k := place / group
		p.share[k] += share[i]
		for c := range 3 {
			centre[3*k+c] += share[i] * float64(s.x[3*i+c])
		}
	}
	for k, v := range centre {
		p.x[k] = float32(v / p.share[k/3])
	}
	return p
}

// morton is the order of points along cells of the box, 21 bits a coordinate.
func morton(x []float32) []int {
	n := len(x) / 3
	low, high := [3]float32(x), [3]float32(x)
	for i, v := range x {
		low[i%3], high[i%3] = min(low[i%3], v), max(high[i%3], v)
	}
	extent := 0.0
	for c := range low {
		extent = max(extent, float64(high[c])-float64(low[c]))
	}
	key, order := make([]uint64, n), make([]int, n)
	for i := range order {
		order[i] = i
		for c := range 3 {
			cell := uint64(0)
			if extent > 0 {
				cell = uint64((float64(x[3*i+c]) - float64(low[c])) / extent * (1<<21 - 1))
			}
			for bit := range 21 {
				key[i] |= cell >> bit & 1 << (3*bit + c)
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if key[a] != key[b] {
			if key[a] < key[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	return order
}

// gibbs is two sides of a pair. No factor is held: every one is computed again,
// whatever the form asks for, and Held says so.
type gibbs struct {
	pair *pair
	x, y *spots
	form backend.GibbsForm
	f, g []float64 // of the factors, over ε
	eps  float64
}

// Gibbs opens two sides. Device memory: 36 bytes a point and 16 a row and split of
// its columns.
func (p *pair) Gibbs(form backend.GibbsForm) (backend.Gibbs, error) {
	x, y := p.x, p.y
	switch form.Sides {
	case backend.WithinX:
		y = x
	case backend.WithinY:
		x = y
	}
	h := &gibbs{pair: p, form: form, x: spotsOf(x, form.Coarse)}
	h.y = h.x
	if x != y {
		h.y = spotsOf(y, form.Coarse)
	}
	return h, nil
}

func (h *gibbs) Size() (n, m int)                { return h.x.n, h.y.n }
func (h *gibbs) Shares() (a, b []float64)        { return h.x.share, h.y.share }
func (h *gibbs) Covers(_, _ []float64) bool      { return true }
func (h *gibbs) Drift(float64) bool              { return true }
func (h *gibbs) Meet(backend.Meet) (bool, error) { return false, nil }
func (h *gibbs) Drop()                           { h.f, h.g = nil, nil }
func (h *gibbs) Close()                          { h.Drop() }
func (h *gibbs) Held() (string, int64, float64)  { return backend.Streaming, 0, 0 }

// Largest is the cost across the joint box.
func (h *gibbs) Largest() float64 {
	sum := 0.0
	for c := range 3 {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range [][]float32{h.x.x, h.y.x} {
			for i := c; i < len(x); i += 3 {
				low, high = min(low, float64(x[i])), max(high, float64(x[i]))
			}
		}
		sum += (high - low) * (high - low)
	}
	if h.form.Cost == backend.Plain {
		sum = math.Sqrt(sum)
	}
	return sum * h.unit()
}

// unit is the cost of one unit of distance, or of its square.
func (h *gibbs) unit() float64 {
	u := h.pair.x.unit
	switch h.form.Cost {
	case backend.Plain:
		return u
	case backend.HalfSquare:
		return u * u / 2
	}
	return u * u
}

// pass is one of a against b with exponents h of b, to the base e.
func (h *gibbs) pass(a, b *spots, exponents []float64, eps float64) cuda.Soft {
	s := cuda.Soft{X: a.x, Y: b.x, H: make([]float64, len(exponents)), Scale: h.unit() / eps * math.Log2E,
		Plain: h.form.Cost == backend.Plain, Wide: !h.form.Narrow, Limit: h.pair.maxBytes}
	for j, v := range exponents {
		s.H[j] = v * math.Log2E
	}
	h.pair.holds(s.Bytes())
	return s
}

// logSums sets dst to log Σ_j exp(h_j − C_ij/ε).
func (h *gibbs) logSums(dst []float64, a, b *spots, exponents []float64, eps float64) error {
	out, err := h.pair.b.device.Softmin(h.pair.ctx, h.pass(a, b, exponents, eps))
	if err != nil {
		return h.pair.failed(err)
	}
	for i, v := range out {
		dst[i] = v * math.Ln2
	}
	return nil
}

func (h *gibbs) Softmin(dst, bias []float64, eps float64, swapped bool) error {
	a, b := h.x, h.y
	if swapped {
		a, b = b, a
	}
	return h.softmin(dst, bias, a, b, eps)
}

func (h *gibbs) Extend(dst, bias []float64, coarse backend.Gibbs, eps float64, swapped bool) error {
	from := coarse.(*gibbs)
	if swapped {
		return h.softmin(dst, bias, h.y, from.x, eps)
	}
	return h.softmin(dst, bias, h.x, from.y, eps)
}

func (h *gibbs) softmin(dst, bias []float64, a, b *spots, eps float64) error {
	err := h.logSums(dst, a, b, bias, eps)
	for i := range dst {
		dst[i] *= -eps
	}
	return err
}

func (h *gibbs) Hold(f, g []float64, eps float64) (bool, error) {
	h.f, h.g, h.eps = make([]float64, len(f)), make([]float64, len(g)), eps
	for i, v := range f {
		h.f[i] = v / eps
	}
	for j, v := range g {
		h.g[j] = v / eps
	}
	return true, nil
}

// Round is two sums of logarithms: no factor need fit into a number.
func (h *gibbs) Round(w, c []float64, step func(i int, r float64) float64) error {
	z := make([]float64, h.x.n)
	if err := h.times(z, h.x, h.y, h.f, h.g, w); err != nil {
		return err
	}
	for i, r := range z {
		z[i] = step(i, r)
	}
	if c == nil {
		return nil
	}
	return h.times(c, h.y, h.x, h.g, h.f, z)
}

// times sets dst_i to exp(f_i) Σ_j exp(g_j − C_ij/ε) w_j.
func (h *gibbs) times(dst []float64, a, b *spots, f, g, w []float64) error {
	exponents := make([]float64, len(w))
	for j, v := range w {
		exponents[j] = math.Log(v) + g[j]
	}
	err := h.logSums(dst, a, b, exponents, h.eps)
	for i, l := range dst {
		dst[i] = math.Exp(f[i] + l)
	}
	return err
}

func (h *gibbs) Transport(q backend.Transport) (*backend.Transported, error) {
	out := &backend.Transported{}
	var err error
	if out.Rows, out.GradX, out.Cost, err = h.pull(h.x, h.y, q.F, q.G, q.A, q.B, q); err != nil {
		return nil, err
	}
	if h.x == h.y {
		out.Cols, out.GradY = slices.Clone(out.Rows), slices.Clone(out.GradX)
		return out, nil
	}
	out.Cols, out.GradY, _, err = h.pull(h.y, h.x, q.G, q.F, q.B, q.A, q)
	return out, err
}

// pull is one direction of Transport: sums of the lines of a, their gradient and the
// cost of all.
func (h *gibbs) pull(a, b *spots, f, g, own, other []float64, q backend.Transport) (sums, grad []float64, cost float64,
	err error) {
	exponents := make([]float64, b.n)
	for j, v := range g {
		exponents[j] = math.Log(other[j]) + v/q.Eps
	}
	s := h.pass(a, b, exponents, q.Eps)
	s.F = make([]float64, a.n)
	for i, v := range f {
		s.F[i] = v / q.Eps * math.Log2E
	}
	five, err := h.pair.b.device.Pull(h.pair.ctx, s)
	if err != nil {
		return nil, nil, 0, h.pair.failed(err)
	}
	slope, dim := h.pair.x.unit, h.pair.x.given
	if h.form.Cost == backend.Square {
		slope *= 2
	}
	if h.form.Cost == backend.Plain {
		slope = 1
	}
	sums = make([]float64, a.n)
	if q.Grad {
		grad = make([]float64, a.n*dim)
	}
	for i := range sums {
		v := five[5*i : 5*i+5]
		sums[i] = own[i] * v[0]
		cost += own[i] * v[1] * h.unit()
		for c := range dim * min(len(grad), 1) {
			grad[i*dim+c] = own[i] * v[2+c] * slope
		}
	}
	return sums, grad, cost, nil
}

func (h *gibbs) Factor(i, j int, f, g, eps float64) float64 {
	return math.Exp((f+g)/eps - h.cost(i, j)/eps)
}

func (h *gibbs) Factors(dst []float64, i int, f float64, g []float64, eps float64) {
	for j := range dst {
		dst[j] = h.Factor(i, j, f, g[j], eps)
	}
}

func (h *gibbs) cost(i, j int) float64 {
	sum := 0.0
	for c := range 3 {
		d := float64(h.x.x[3*i+c]) - float64(h.y.x[3*j+c])
		sum += float64(d * d)
	}
	if h.form.Cost == backend.Plain {
		sum = math.Sqrt(sum)
	}
	return sum * h.unit()
}
