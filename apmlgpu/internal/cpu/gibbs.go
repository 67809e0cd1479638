package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/internal/spatial"
)

// spots are the points of one side of a Gibbs: those of a side of the pair, or
// clusters of them.
type spots struct {
	n     int
	col   [][]float64 // coordinates seen from origin, dim times n
	share []float64   // Σ 1
	unit  float64     // caller's length of one unit of col
	from  []float32   // origin: a point of the pair, so that sums of far clouds keep their digits
	tree  *spatial.Tree
}

// spotsOf copies a side, or clusters of it, most at most: neighbours in the order
// of the tree go together, to their centre. Differences of coordinates from one of
// them are exact but where they span more than 2²⁹.
func spotsOf(s *side, from []float32, most int) *spots {
	group := 1
	if most > 0 {
		group = (s.n + most - 1) / most
	}
	n := (s.n + group - 1) / group
	p := &spots{n: n, col: make([][]float64, s.dim), share: make([]float64, n), unit: s.unit, from: from}
	for c := range p.col {
		p.col[c] = make([]float64, n)
	}
	if group == 1 {
		p.tree = s.tree
	}
	for i := range s.n {
		w := s.times(i) * s.weight(i) / float64(s.total)
		p.share[i/group] += w
		for c, v := range s.row(i) {
			if group == 1 {
				p.col[c][i] = float64(v) - float64(from[c])
			} else {
				p.col[c][i/group] += w * (float64(v) - float64(from[c]))
			}
		}
	}
	for k, w := range p.share {
		if group > 1 {
			for c := range p.col {
				p.col[c][k] /= w
			}
		}
	}
	return p
}

// spotBytes is the memory that n spots take, with what a loop keeps for each beside
// the factors: scalings, potentials, sums, gradients.
func spotBytes(n, dim int) int64 { return 8 * int64(n) * int64(3*dim+16) }

// gibbs is two sides and the factors between their points.
type gibbs struct {
	pair   *pair
	x, y   *spots
	form   backend.GibbsForm
	near   []float32  // stored factors, n×m, or
	wide   []float64  // those
	list   *truncated // or these
	f, g   []float64  // of the factors, over ε; kept where they are computed again
	eps    float64
	part   []float64 // sums of columns by chunk of rows
	groups *groups   // of neighbours; made by Meet
	held   int64     // bytes
}

// Gibbs opens two sides. Memory: the coordinates as float64; factors come with
// Hold.
func (p *pair) Gibbs(form backend.GibbsForm) (backend.Gibbs, error) {
	x, y := p.x, p.y
	switch form.Sides {
	case backend.WithinX:
		y = x
	case backend.WithinY:
		x = y
	}
	h := &gibbs{pair: p, form: form, held: spotBytes(x.n, x.dim)}
	if x != y {
		h.held += spotBytes(y.n, y.dim)
	}
	if err := p.ledger.take("the coordinates", h.held); err != nil {
		return nil, err
	}
	h.x = spotsOf(x, p.x.row(0), form.Coarse)
	h.y = h.x
	if x != y {
		h.y = spotsOf(y, p.x.row(0), form.Coarse)
	}
	if h.x.tree == nil || h.y.tree == nil {
		if h.form.Method == backend.Truncated { // nothing to search in: Held tells
			h.form.Method = backend.Streaming
		}
	}
	return h, p.crew.err()
}

// Points tells of the different points of a side.
func (p *pair) Points(ofY bool) ([]int32, []float64) {
	s := p.x
	if ofY {
		s = p.y
	}
	times := make([]float64, s.n)
	for i := range times {
		times[i] = s.times(i)
	}
	return s.points(), times
}

// Enter begins a stage.
func (p *pair) Enter(stage string) { p.ledger.enter(stage) }

func (h *gibbs) Size() (n, m int) { return h.x.n, h.y.n }

func (h *gibbs) Shares() (a, b []float64) { return h.x.share, h.y.share }

// Largest is the cost across the joint box.
func (h *gibbs) Largest() float64 {
	sum := 0.0
	for c := range h.x.col {
		low, high := math.Inf(1), math.Inf(-1)
		for _, p := range []*spots{h.x, h.y} {
			for _, v := range p.col[c] {
				low, high = min(low, v), max(high, v)
			}
		}
		sum += (high - low) * (high - low)
	}
	return h.scale(sum, 1)
}

// scale is the cost of a squared distance in the unit of the coordinates, over
// eps.
func (h *gibbs) scale(square, eps float64) float64 {
	switch h.form.Cost {
	case backend.Plain:
		return math.Sqrt(square) * h.x.unit / eps
	case backend.HalfSquare:
		return square * h.x.unit * h.x.unit / 2 / eps
	}
	return square * h.x.unit * h.x.unit / eps
}

func (h *gibbs) Close() {
	h.Drop()
	h.pair.ledger.drop(h.held)
	h.held = 0
}

// Drop lets go of the factors.
func (h *gibbs) Drop() {
	h.pair.ledger.drop(h.factorBytes())
	h.near, h.wide, h.list, h.part, h.f, h.g, h.groups = nil, nil, nil, nil, nil, nil, nil
}

// factorBytes is the memory of what Hold has made.
func (h *gibbs) factorBytes() int64 {
	return 4*int64(len(h.near)) + 8*int64(len(h.wide)) + 8*int64(len(h.part)) + 8*int64(len(h.f)+len(h.g)) +
		h.list.bytes() + h.groups.bytes()
}

func (h *gibbs) Held() (method string, entries int64, bound float64) {
	switch {
	case h.list != nil:
		return backend.Truncated, h.list.entries(), h.list.bound
	case h.near != nil || h.wide != nil:
		return backend.Stored, int64(len(h.near) + len(h.wide)), 0
	}
	return backend.Streaming, 0, 0
}
