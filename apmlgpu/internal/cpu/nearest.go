package cpu

import "github.com/gondola-lab/gondola/apmlgpu/internal/backend"

// neighbourBytes is the memory a point of an answer of Nearest, which lives as
// long as the pair.
const neighbourBytes = 12

// Nearest finds for every point of x, or of y if swapped, its nearest point on
// the other side, exactly: float64 distances decide, and of several at the same
// distance the lowest index of the caller wins.
func (p *pair) Nearest(swapped bool) (backend.Neighbours, error) {
	defer p.ledger.enter("")
	p.ledger.enter("nearest")
	s, o := p.x, p.y
	if swapped {
		s, o = o, s
	}
	if err := p.ledger.take("the neighbours", neighbourBytes*int64(s.size)); err != nil {
		return backend.Neighbours{}, err
	}
	out := backend.Neighbours{Index: make([]int32, s.size), Square: make([]float64, s.size)}
	for i := range out.Index {
		out.Index[i] = -1
	}
	square := s.unit * s.unit
	err := p.crew.each(s.n, fewRows(64), func(_, lo, hi int) {
		j, d := int32(-1), 0.0
		for i := lo; i < hi && !p.crew.halt(); i++ {
			j, d = o.find.Nearest(s.row(i), j)
			s.copies(i, func(original int) {
				out.Index[original], out.Square[original] = o.rep[j], d*square
			})
		}
	})
	return out, err
}
