package gpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/spatial"
)

// side is one cloud made ready as the CPU does it: points of weight zero dropped,
// equal points joined, coordinates padded to three and scaled by a power of two
// where float32 squares would leave their range.
type side struct {
	size  int       // points of the caller
	total int       // points that count
	n     int       // different points
	given int       // coordinates a point of the caller
	x     []float32 // n×3
	unit  float64   // caller's length of one unit of x, a power of two
	mult  []int32   // nil: all one
	rep   []int32   // by point: its first index in the caller's cloud
	next  []int32   // by caller's index: the next equal one, or −1; nil: none is equal
	share []float64 // weights with mean 1; nil: all one
}

func (s *side) times(i int) float64 {
	if s.mult == nil {
		return 1
	}
	return float64(s.mult[i])
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

// points is the point of each of the caller's rows, −1 for one of weight zero.
func (s *side) points() []int32 {
	point := make([]int32, s.size)
	for i := range point {
		point[i] = -1
	}
	for k := range s.n {
		s.copies(k, func(original int) { point[original] = int32(k) })
	}
	return point
}

// exponent returns the k for which coordinates times 2^k have a joint box of
// about 1, or 0 while no float32 square can overflow or vanish unscaled.
func exponent(x, y cloud.Cloud) int {
	low, high := make([]float32, x.D), make([]float32, x.D)
	copy(low, x.X)
	copy(high, x.X)
	for _, c := range []cloud.Cloud{x, y} {
		for i, v := range c.X {
			low[i%c.D], high[i%c.D] = min(low[i%c.D], v), max(high[i%c.D], v)
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

// newSide makes c ready, scaled by 2^k.
func newSide(c cloud.Cloud, k int) (*side, error) {
	x := make([]float32, 3*c.N)
	factor := math.Ldexp(1, k)
	for i := range c.N {
		for j, v := range c.X[i*c.D : (i+1)*c.D] {
			if v == 0 {
				continue // −0 as 0
			}
			if k != 0 {
				scaled := float32(float64(v) * factor)
				if float64(scaled) != float64(v)*factor {
					return nil, unable("coordinates that span more than float32 can scale")
				}
				v = scaled
			}
			x[3*i+j] = v
		}
	}
	s := &side{size: c.N, given: c.D, unit: math.Ldexp(1, -k), total: c.N}
	var keep []int32
	for i, w := range c.W {
		if w > 0 {
			keep = append(keep, int32(i))
		}
	}
	if len(keep) == len(c.W) {
		keep = nil
	} else {
		s.total = len(keep)
	}
	g := spatial.Dedup(x, 3, c.W, keep, nil)
	s.n, s.next, s.mult, s.rep = len(g.First), g.Next, g.Mult, g.First
	s.x = x
	if s.n < c.N {
		s.x = make([]float32, 3*s.n)
		for i, f := range g.First {
			copy(s.x[3*i:3*i+3], x[3*f:])
		}
	}
	s.share = backend.Shares(c.W, s.rep, s.total)
	return s, nil
}

// both makes two sides agree whether they have a slice: the device takes it of
// both or of none.
func both[T int32 | float64](a, b []T, n, m int) (x, y []T) {
	if a == nil && b == nil {
		return nil, nil
	}
	ones := func(s []T, n int) []T {
		if s != nil {
			return s
		}
		s = make([]T, n)
		for i := range s {
			s[i] = 1
		}
		return s
	}
	return ones(a, n), ones(b, m)
}
