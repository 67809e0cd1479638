package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/spatial"
)

// finder answers questions about neighbours: a tree, or brute force.
type finder interface {
	Two(q []float32) (first int32, d1, d2 float64)
	Nearest(q []float32, guess int32) (int32, float64)
	Ball(q []float32, r2 float64, out []int32) []int32
}

// side is one cloud made ready: points of weight zero dropped, equal points
// joined into one with a multiplicity, coordinates scaled by a power of two
// where float32 squares would leave their range, in the order of its tree.
type side struct {
	size  int       // points of the caller, with those of weight zero
	total int       // points that count
	n     int       // different points
	dim   int       // coordinates a point: 3, or the cloud's D above 3
	given int       // coordinates a point of the caller
	x     []float32 // n×dim
	unit  float64   // caller's length of one unit of x, a power of two
	mult  []int32   // by point; nil: all one
	rep   []int32   // by point: its first index in the caller's cloud
	next  []int32   // by caller's index: the next equal one, or −1; nil: none is equal
	share []float64 // by point: total × normalised weight of one copy; nil: all one
	find  finder
	tree  *spatial.Tree // nil: find is brute force
	boxes *boxes        // of the tree
}

// row is point i.
func (s *side) row(i int) []float32 { return s.x[i*s.dim : (i+1)*s.dim] }

// times is the multiplicity of point i.
func (s *side) times(i int) float64 {
	if s.mult == nil {
		return 1
	}
	return float64(s.mult[i])
}

// weight is the share of point i: 1 in a cloud without weights.
func (s *side) weight(i int) float64 {
	if s.share == nil {
		return 1
	}
	return s.share[i]
}

// copies calls f with each index that point i has in the caller's cloud.
func (s *side) copies(i int, f func(original int)) {
	f(int(s.rep[i]))
	if s.next == nil {
		return
	}
	for k := s.next[s.rep[i]]; k >= 0; k = s.next[k] {
		f(int(k))
	}
}

// rowsAHalt is the points that are copied between two questions whether to stop.
const rowsAHalt = 1 << 14

// exponent returns the k for which coordinates times 2^k have a joint box of
// about 1, or 0 while no float32 square can overflow or vanish unscaled.
// After a halt of the crew it is of no use.
func exponent(x, y cloud.Cloud, w *crew) int {
	low, high := make([]float32, x.D), make([]float32, x.D)
	copy(low, x.X)
	copy(high, x.X)
	for _, cl := range []cloud.Cloud{x, y} {
		for i := range cl.N {
			if i%rowsAHalt == 0 && w.halt() {
				return 0
			}
			for c, v := range cl.X[i*cl.D : (i+1)*cl.D] {
				if v < low[c] {
					low[c] = v
				}
				if v > high[c] {
					high[c] = v
				}
			}
		}
	}
	widest := 0.0
	for c := range low {
		widest = max(widest, float64(high[c])-float64(low[c]))
	}
	_, e := math.Frexp(widest)
	if widest == 0 || e > -40 && e < 40 {
		return 0
	}
	return -e
}

// gather copies the coordinates of c, padded to three and scaled by 2^k, with
// −0 as 0. exact is false if a scaled coordinate is not a float32. After a halt of
// the crew the copy is of no use.
func gather(c cloud.Cloud, k int, w *crew) (x []float32, dim int, exact bool) {
	dim, exact = max(c.D, 3), true
	x = make([]float32, c.N*dim)
	if k == 0 && c.D == dim {
		for lo := 0; lo < len(x) && !w.halt(); lo += rowsAHalt {
			to := x[lo:min(lo+rowsAHalt, len(x))]
			for i, v := range c.X[lo : lo+len(to)] {
				to[i] = v + 0 // −0 becomes 0
			}
		}
		return x, dim, exact
	}
	factor := math.Ldexp(1, k)
	for i := range c.N {
		if i%rowsAHalt == 0 && w.halt() {
			return x, dim, exact
		}
		for j, v := range c.X[i*c.D : (i+1)*c.D] {
			if v == 0 {
				continue
			}
			if k != 0 {
				s := float32(float64(v) * factor)
				exact = exact && float64(s) == float64(v)*factor
				v = s
			}
			x[i*dim+j] = v
		}
	}
	return x, dim, exact
}

// newSide makes c ready, scaled by 2^k, with a tree, built by some threads, or by
// brute force. After a halt of the crew the side is of no use.
func newSide(c cloud.Cloud, k int, brute bool, threads int, w *crew) *side {
	x, dim, _ := gather(c, k, w)
	if w.halt() {
		return nil
	}
	s := &side{size: c.N, given: c.D, dim: dim, unit: math.Ldexp(1, -k), total: c.N}
	var keep []int32
	if c.W != nil {
		for _, w := range c.W {
			if w == 0 {
				keep = make([]int32, 0, c.N)
			}
		}
		if keep != nil {
			for i, w := range c.W {
				if w > 0 {
					keep = append(keep, int32(i))
				}
			}
			s.total = len(keep)
		}
	}
	g := spatial.Dedup(x, dim, c.W, keep, w.halt)
	if w.halt() {
		return s
	}
	s.n, s.next, s.mult, s.rep = len(g.First), g.Next, g.Mult, g.First
	if s.n < c.N {
		u := make([]float32, s.n*dim)
		for i, f := range g.First {
			copy(u[i*dim:(i+1)*dim], x[int(f)*dim:])
		}
		x = u
	}
	if brute {
		s.x, s.find = x, &spatial.Brute{X: x, D: dim}
	} else {
		t := spatial.Build(x, threads, w.halt)
		if w.halt() {
			return s
		}
		s.x, s.find, s.tree, s.boxes = t.X, t, t, newBoxes(t)
		s.order(t.ID)
	}
	s.share = backend.Shares(c.W, s.rep, s.total)
	return s
}

// order puts what is held by point into the order id.
func (s *side) order(id []int32) {
	if s.mult == nil && s.n == s.size { // every point is its own first
		s.rep = id
		return
	}
	rep := make([]int32, s.n)
	for k, i := range id {
		rep[k] = s.rep[i]
	}
	s.rep = rep
	if s.mult != nil {
		mult := make([]int32, s.n)
		for k, i := range id {
			mult[k] = s.mult[i]
		}
		s.mult = mult
	}
}

// bytes is the memory that a side keeps, from counts.
func (s *side) bytes() int64 {
	b := spatial.Bytes(s.n)
	if s.mult != nil || s.n < s.size {
		b += 4 * int64(s.n)
	}
	if s.boxes != nil {
		b += s.boxes.bytes()
	}
	if s.dim > 3 {
		b = int64(s.n)*int64(s.dim)*4 + 4*int64(s.n)
	}
	if s.mult != nil {
		b += 4*int64(s.n) + 4*int64(s.size)
	}
	if s.share != nil {
		b += 8 * int64(s.n)
	}
	return b
}
