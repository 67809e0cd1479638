package apmlgpu

import (
	"math"
	"math/rand/v2"
)

// directionSet is a fixed low-discrepancy set of l unit vectors of d
// coordinates, row-major, turned by the seed. A direction and its opposite give
// the same cost, so that half a sphere is covered: in the plane by equal
// angles, in space by a spiral of the golden ratio. Above three dimensions, where
// no such formula is even in all pairs of coordinates, it is frames of
// orthogonal vectors (Rowland et al., arXiv:1903.03784), over each of which the
// mean square of a projection is exact. On a line there is but one direction.
func directionSet(l, d int, seed uint64) []float64 {
	rnd := rand.New(rand.NewPCG(1, seed))
	set := make([]float64, l*d)
	switch d {
	case 1:
		for k := range set {
			set[k] = 1
		}
	case 2:
		turn := rnd.Float64()
		for k := range l {
			set[2*k+1], set[2*k] = math.Sincos(math.Pi * (float64(k) + turn) / float64(l))
		}
	case 3:
		spiral(set, rnd)
	default:
		frames(set, d, rnd)
	}
	return set
}

// spiral fills set with the upper half of a Fibonacci sphere, turned.
func spiral(set []float64, rnd *rand.Rand) {
	turn := make([]float64, 9)
	frames(turn, 3, rnd)
	l := len(set) / 3
	for k := range l {
		z := (float64(k) + 0.5) / float64(l)
		r := math.Sqrt(1 - z*z)
		// The fraction first: a large angle would lose its last digits.
		_, turns := math.Modf(float64(k) / math.Phi)
		sin, cos := math.Sincos(2 * math.Pi * turns)
		p := [3]float64{r * cos, r * sin, z}
		for i := range 3 {
			set[3*k+i] = turn[3*i]*p[0] + turn[3*i+1]*p[1] + turn[3*i+2]*p[2]
		}
		normalise(set[3*k : 3*k+3])
	}
}

// frames fills set with unit vectors that are orthogonal to each other, d at a
// time: random ones, made so one after the other. The last frame may be short.
func frames(set []float64, d int, rnd *rand.Rand) {
	for k := 0; k < len(set); k += d {
		v := set[k : k+d]
		frame := set[k/(d*d)*(d*d) : k] // the vectors before it in its frame
		for done := false; !done; {
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
			normalise(v)
			for range 2 { // once more, for what rounding has left
				for j := 0; j < len(frame); j += d {
					dot := 0.0
					for i, a := range frame[j : j+d] {
						dot += a * v[i]
					}
					for i, a := range frame[j : j+d] {
						v[i] -= dot * a
					}
				}
			}
			// Nearly dependent vectors would keep rounding only: draw again.
			done = normalise(v) > 1e-6
		}
	}
}

// normalise divides v by its length and returns that; the zero vector stays.
func normalise(v []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, a := range v {
		largest = max(largest, math.Abs(a))
	}
	if largest == 0 {
		return 0
	}
	for k := range v { // scaled first: squares of given numbers may overflow or vanish
		v[k] /= largest
		sum += v[k] * v[k]
	}
	root := math.Sqrt(sum)
	for k := range v {
		v[k] /= root
	}
	return root * largest
}
