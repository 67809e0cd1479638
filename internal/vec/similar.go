package vec

import "math"

// Pair is a point and the points of the other cloud as the exponents of their
// similarities need them. A number stands four times, as the assembly takes it, and it
// knows the order of the fields.
type Pair struct{ d1, reach, sharp, kappa, logit [4]float64 }

// SetOther sets what all points of the other cloud have: the support factor and the
// logarithm of the odds.
func (p *Pair) SetOther(kappa, logit float64) {
	for k := range p.kappa {
		p.kappa[k], p.logit[k] = -kappa, logit
	}
}

// SetPoint sets the point's least distance, reach and sharpness.
func (p *Pair) SetPoint(d1, reach, sharp float64) {
	for k := range p.d1 {
		p.d1[k], p.reach[k], p.sharp[k] = d1, reach, -sharp
	}
}

// Similar turns the distances in b of a point from the points idx of the other cloud
// into the exponents of their similarities: in a those to the point, −sharp (d − d1)
// where d − d1 is below its reach, and in b those to each point j of the other cloud,
// −(logit/gap[j]) (d − d1[j]) where d − d1[j] is below kappa gap[j]; −Inf elsewhere. A
// gap of zero has none. It tells how many of each are not −Inf, and how many pairs have
// neither.
//
// a, b and idx have room for whole fours, and the indices up to there are of the other
// cloud. The bits are the same on every machine.
//
// Cost: 1.5 ns a pair by assembly, 5 in Go.
func (p *Pair) Similar(idx []int32, d1, gap, a, b []float64) (rows, cols, none int) {
	n := len(idx)
	if n == 0 {
		return 0, 0, 0
	}
	if whole := (n + 3) &^ 3; cap(idx) < whole || cap(a) < whole || cap(b) < whole {
		panic("vec: no room for whole fours")
	}
	return similar(p, idx, d1, gap, a, b)
}

func similarPlain(p *Pair, idx []int32, d1, gap, a, b []float64) (rows, cols, none int) {
	least, reach, sharp, kappa, logit := p.d1[0], p.reach[0], p.sharp[0], p.kappa[0], p.logit[0]
	a, b = a[:len(idx)], b[:len(idx)]
	for k, j := range idx {
		g, s, t := gap[j], d1[j]-b[k], b[k]-least
		in := 0
		a[k], b[k] = math.Inf(-1), math.Inf(-1)
		if t < reach {
			a[k] = t * sharp
			rows, in = rows+1, 1
		}
		if kappa*g < s {
			b[k] = s * (logit / g)
			cols, in = cols+1, 1
		}
		none += 1 - in
	}
	return rows, cols, none
}
