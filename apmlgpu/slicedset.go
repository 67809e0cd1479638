package apmlgpu

import (
	"math"
	"math/rand/v2"
)

// directionSet is a fixed low-discrepancy set of l unit vectors of d
// coordinates, row-major, turned by the seed. A direction and its opposite give
// the same cost, so that half a sphere is covered: in the plane by equal
// angles, in space by a spiral of the golden ratio, above by an additive
// recurrence (a Kronecker sequence) through the normal distribution. On a line
// there is but one direction.
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
		spiral(set, turned(rnd))
	default:
		kronecker(set, d, rnd)
	}
	return set
}

// spiral fills set with the upper half of a Fibonacci sphere, turned.
func spiral(set []float64, turn [3][3]float64) {
	l := len(set) / 3
	for k := range l {
		z := (float64(k) + 0.5) / float64(l)
		r := math.Sqrt(1 - z*z)
		// The fraction first: a large angle would lose its last digits.
		_, turns := math.Modf(float64(k) / math.Phi)
		sin, cos := math.Sincos(2 * math.Pi * turns)
		p := [3]float64{r * cos, r * sin, z}
		for i, row := range turn {
			set[3*k+i] = row[0]*p[0] + row[1]*p[1] + row[2]*p[2]
		}
		normalise(set[3*k : 3*k+3])
	}
}

// turned is a random rotation or reflection: three rows made orthonormal.
func turned(rnd *rand.Rand) (q [3][3]float64) {
	for i := range q {
		for done := false; !done; {
			for k := range 3 {
				q[i][k] = rnd.NormFloat64()
			}
			for j := range i {
				dot := q[i][0]*q[j][0] + q[i][1]*q[j][1] + q[i][2]*q[j][2]
				for k := range 3 {
					q[i][k] -= dot * q[j][k]
				}
			}
			// Nearly dependent rows would keep rounding only: draw again.
			done = normalise(q[i][:]) > 1e-3
		}
	}
	return q
}

// kronecker fills set with points k·α mod 1 + a shift of the unit cube, α the
// powers of the root of g^(d+1) = g + 1 inverted, through the inverse normal
// distribution, made unit vectors.
func kronecker(set []float64, d int, rnd *rand.Rand) {
	g := 2.0
	for range 64 { // converges by a factor of at least 2 a turn
		g = math.Pow(1+g, 1/float64(d+1))
	}
	shift := make([]float64, d)
	for k := range shift {
		shift[k] = rnd.Float64()
	}
	for row := range len(set) / d {
		v := set[row*d : row*d+d]
		step := 1.0
		for k := range v {
			step /= g
			_, u := math.Modf(shift[k] + float64(row+1)*step)
			// 0 would be −∞: the middle of the finest cell instead.
			v[k] = math.Sqrt2 * math.Erfinv(2*(u+0x1p-54)-1)
		}
		if normalise(v) == 0 {
			v[0] = 1
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
