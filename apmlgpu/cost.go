package apmlgpu

// Cost is the price of moving a unit of mass from one point to another.
type Cost string

const (
	SqEuclidean     Cost = "sqeuclidean"      // |x−y|²
	Euclidean       Cost = "euclidean"        // |x−y|
	HalfSqEuclidean Cost = "half-sqeuclidean" // |x−y|²/2
)

// known says that c is one of the three.
func (c Cost) known() bool { return c == SqEuclidean || c == Euclidean || c == HalfSqEuclidean }

// of is the price of a distance along a line, signed, and its derivative.
func (c Cost) of(d float64) (price, slope float64) {
	switch c {
	case Euclidean:
		switch {
		case d > 0:
			return d, 1
		case d < 0:
			return -d, -1
		}
		return 0, 0
	case HalfSqEuclidean:
		return d * d / 2, d
	}
	return d * d, 2 * d
}

// epsilon is the ε of a blur: 2σ², σ or σ², so that |x−y|²/2σ² stands in the
// Gibbs factor of both squared costs. A reach sets ρ alike.
func (c Cost) epsilon(blur float64) float64 {
	switch c {
	case Euclidean:
		return blur
	case HalfSqEuclidean:
		return blur * blur
	}
	return 2 * blur * blur
}

// epsilonAcross is the ε of a blur as wide as two points whose price is given.
func (c Cost) epsilonAcross(price float64) float64 {
	if c == Euclidean {
		return price
	}
	return 2 * price
}
