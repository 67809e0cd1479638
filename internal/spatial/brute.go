package spatial

import "math"

// Brute answers the questions of a tree by looking at every point, in any
// dimension, all in float64. It serves points that a tree cannot hold, and is
// the oracle of the tree's tests.
type Brute struct {
	X []float32 // rows of D coordinates
	D int
}

// SquaredDistance is Σ (p_k − q_k)² in float64, differences first, added in
// the order of the coordinates; every operation rounds by itself.
func SquaredDistance(p, q []float32) float64 {
	if len(p) == 3 && len(q) == 3 {
		x, y, z := float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1]), float64(p[2])-float64(q[2])
		return float64(x*x) + float64(y*y) + float64(z*z)
	}
	s := 0.0
	for k, v := range p {
		d := float64(v) - float64(q[k])
		s += float64(d * d)
	}
	return s
}

// Two is [Tree.Two] over all points; places are rows of X.
func (b *Brute) Two(q []float32) (first int32, d1, d2 float64) {
	d1, d2 = math.Inf(1), math.Inf(1)
	for i := 0; i < len(b.X); i += b.D {
		switch d := SquaredDistance(b.X[i:i+b.D], q); {
		case d < d1:
			first, d1, d2 = int32(i/b.D), d, d1
		case d < d2:
			d2 = d
		}
	}
	return first, d1, d2
}

// Nearest is [Tree.Nearest] over all points: the lowest row wins a tie, whatever
// the guess.
func (b *Brute) Nearest(q []float32, _ int32) (int32, float64) {
	best, at := math.Inf(1), int32(-1)
	for i := 0; i < len(b.X); i += b.D {
		if d := SquaredDistance(b.X[i:i+b.D], q); d < best || at < 0 {
			best, at = d, int32(i/b.D)
		}
	}
	return at, best
}

// Ball is [Tree.Ball] over all points, and exact.
func (b *Brute) Ball(q []float32, r2 float64, out []int32) []int32 {
	for i := 0; i < len(b.X); i += b.D {
		if SquaredDistance(b.X[i:i+b.D], q) <= r2*slack {
			out = append(out, int32(i/b.D))
		}
	}
	return out
}
