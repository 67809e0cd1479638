package losstest

import (
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/cloud"
)

// answer is a value with its gradients in the caller's order; a metric has none.
type answer struct {
	value  float64
	gx, gy []float64
}

// definition computes a loss in plain loops, word for word. It makes the mistake
// that it is told, on purpose: the suite must see each; "" is none.
type definition func(x, y cloud.Cloud, mistake string) answer

// Mistakes of the definitions of the losses of nearest neighbours.
const (
	lastIndex     = "the last index wins a tie"
	keepsZero     = "points of weight zero are neighbours"
	noWeights     = "weights are not looked at"
	noHalf        = "a half is missing"
	sumsUp        = "a sum instead of a mean"
	squares       = "squared distances instead of distances"
	roots         = "distances instead of squared distances"
	ownWayOnly    = "the gradient of the neighbour is missing"
	signTurned    = "the gradient of the second cloud has the wrong sign"
	countOffByOne = "counts are one too large"
	ratioTurned   = "the ratio of the sizes is upside down"
	countsMoved   = "the counts are of the asking points"
	logOfMean     = "the logarithm of the mean instead of the sum"
	logForgotten  = "the logarithm has no gradient"
	farLast       = "the last of the farthest points has the gradient"
	smallerWay    = "the smaller of both ways"
	notStrict     = "a distance of exactly the radius counts"
	dividedTwice  = "the mean of both shares instead of the harmonic one"
	chosenTwice   = "a point counts once for each that chose it"
)

// partners are the points of one cloud and their nearest ones in the other.
type partners struct {
	a, b  cloud.Cloud
	w     []float64 // Σ 1; 0 for a point that does not count
	n, m  float64   // points that count
	index []int     // −1 for a point that does not count
	d     []float64
	count []float64 // by point of b: how many points of a chose it
}

func partnersOf(a, b cloud.Cloud, mistake string) partners {
	p := partners{a: a, b: b, w: make([]float64, a.N), index: make([]int, a.N), d: make([]float64, a.N),
		count: make([]float64, b.N)}
	there := func(c cloud.Cloud, i int) bool { return c.W == nil || c.W[i] > 0 }
	sum := 0.0
	for i := range a.N {
		if there(a, i) {
			p.n++
			p.w[i] = 1
			if a.W != nil && mistake != noWeights {
				p.w[i] = a.W[i]
			}
			sum += p.w[i]
		}
	}
	for j := range b.N {
		if there(b, j) {
			p.m++
		}
	}
	for i := range a.N {
		p.w[i] /= sum
		if p.index[i] = -1; !there(a, i) {
			continue
		}
		least := math.Inf(1) // squared: roots of different numbers may be equal
		for j := range b.N {
			if !there(b, j) && mistake != keepsZero {
				continue
			}
			if q := squaredBetween(a, b, i, j); q < least || q == least && mistake == lastIndex {
				p.index[i], least = j, q
			}
		}
		p.d[i] = math.Sqrt(least)
		p.count[p.index[i]]++
	}
	return p
}

// priced is a loss that adds up a price of every point, whose slope is the
// derivative with respect to its distance.
func priced(price func(p partners, i int, mistake string) (price, slope float64)) definition {
	return func(x, y cloud.Cloud, mistake string) answer {
		out := answer{gx: make([]float64, len(x.X)), gy: make([]float64, len(y.X))}
		for k, p := range []partners{partnersOf(x, y, mistake), partnersOf(y, x, mistake)} {
			own, other := out.gx, out.gy
			if k == 1 {
				own, other = other, own
			}
			for i, j := range p.index {
				if j < 0 {
					continue
				}
				w := p.w[i]
				if mistake == sumsUp {
					w *= p.n
				}
				v, slope := price(p, i, mistake)
				out.value += w * v
				pulled(own, other, p, i, w*slope, mistake)
			}
		}
		if mistake == signTurned {
			for k := range out.gy {
				out.gy[k] *= -1
			}
		}
		return out
	}
}

// pulled adds slope times the direction from the neighbour of point i.
func pulled(own, other []float64, p partners, i int, slope float64, mistake string) {
	if p.d[i] == 0 {
		return
	}
	j, dim := p.index[i], p.a.D
	for k := range dim {
		v := slope * (float64(p.a.X[i*dim+k]) - float64(p.b.X[j*dim+k])) / p.d[i]
		own[i*dim+k] += v
		if mistake != ownWayOnly {
			other[j*dim+k] -= v
		}
	}
}

// half is the factor of a loss that halves both ways.
func half(mistake string) float64 {
	if mistake == noHalf {
		return 1
	}
	return 0.5
}

func chamferPrice(p partners, i int, mistake string) (price, slope float64) {
	d := p.d[i]
	if mistake == roots {
		return d, 1
	}
	return d * d, 2 * d
}

func chamferL1Price(p partners, i int, mistake string) (price, slope float64) {
	d, h := p.d[i], half(mistake)
	if mistake == squares {
		return h * d * d, 2 * h * d
	}
	return h * d, h
}

func hyperPrice(alpha float64) func(p partners, i int, mistake string) (price, slope float64) {
	return func(p partners, i int, mistake string) (price, slope float64) {
		z := alpha * p.d[i] * p.d[i]
		if mistake == roots {
			z = alpha * p.d[i]
		}
		return math.Log1p(z + math.Sqrt(z*(2+z))), 2 * math.Sqrt(alpha) / math.Sqrt(2+z)
	}
}

func dcdPrice(alpha, lambda float64, nonReg bool) func(p partners, i int, mistake string) (price, slope float64) {
	return func(p partners, i int, mistake string) (price, slope float64) {
		ratio, n := p.n/p.m, p.count[p.index[i]]
		switch mistake {
		case ratioTurned:
			ratio = 1 / ratio
		case countOffByOne:
			n++
		case countsMoved:
			n = 1
		}
		if nonReg {
			ratio = max(1, ratio)
		}
		d, h := p.d[i], half(mistake)
		e := ratio / (math.Pow(n, lambda) + 1e-6) * math.Exp(-alpha*d*d)
		return h * (1 - e), h * e * 2 * alpha * d
	}
}

// infoPrice has the logarithm of the whole way in the price of every point: the
// weights sum to one.
func infoPrice(tau, lambda float64, published bool) func(p partners, i int, mistake string) (price, slope float64) {
	return func(p partners, i int, mistake string) (price, slope float64) {
		sum, n := 0.0, p.n
		for k, j := range p.index {
			if j >= 0 {
				sum += n * p.w[k] * math.Exp(-p.d[k]/tau)
			}
		}
		h, d := half(mistake), p.d[i]
		own := math.Exp(-d/tau) * n
		if mistake == logOfMean {
			sum, own = sum/n, own/n
		}
		if mistake == logForgotten {
			own = 0
		}
		if published {
			sum += n * lambda
			return h * n * (d/tau + lambda*math.Log(sum)), h * n / tau * (1 - lambda*own/sum)
		}
		return h * (d/tau + lambda*math.Log(sum)), h / tau * (1 - lambda*own/sum)
	}
}

// farthest is Hausdorff with a quantile.
func farthest(q float64) definition {
	return func(x, y cloud.Cloud, mistake string) answer {
		out := answer{gx: make([]float64, len(x.X)), gy: make([]float64, len(y.X))}
		ways := []partners{partnersOf(x, y, mistake), partnersOf(y, x, mistake)}
		var far [2]int
		for k, p := range ways {
			far[k] = p.reach(q, mistake)
		}
		k := 0
		if dx, dy := ways[0].d[far[0]], ways[1].d[far[1]]; dy > dx != (mistake == smallerWay) {
			k = 1
		}
		p := ways[k]
		out.value = p.d[far[k]]
		if k == 0 {
			pulled(out.gx, out.gy, p, far[0], 1, mistake)
		} else {
			pulled(out.gy, out.gx, p, far[1], 1, mistake)
		}
		return out
	}
}

// reach is the point with the smallest distance within which the share q of the
// weights lies, found by trying every distance.
func (p partners) reach(q float64, mistake string) int {
	best := -1
	for i, j := range p.index {
		if j < 0 {
			continue
		}
		share := 0.0
		for k, d := range p.d {
			if p.index[k] >= 0 && d <= p.d[i] {
				share += p.w[k]
			}
		}
		if share >= q-1e-12 && (best < 0 || p.d[i] < p.d[best] || p.d[i] == p.d[best] && mistake == farLast) {
			best = i
		}
	}
	return best
}

// fScore is the F-score at a radius.
func fScore(radius float64) definition {
	return func(x, y cloud.Cloud, mistake string) answer {
		var share [2]float64
		for k, p := range []partners{partnersOf(x, y, mistake), partnersOf(y, x, mistake)} {
			for i, j := range p.index {
				if j >= 0 && (p.d[i] < radius || p.d[i] == radius && mistake == notStrict) {
					share[k] += p.w[i]
				}
			}
		}
		switch {
		case share[0]+share[1] == 0:
			return answer{}
		case mistake == dividedTwice:
			return answer{value: (share[0] + share[1]) / 2}
		}
		return answer{value: 2 * share[0] * share[1] / (share[0] + share[1])}
	}
}

// covered is the share of y that is chosen.
func covered(x, y cloud.Cloud, mistake string) answer {
	p, back := partnersOf(x, y, mistake), partnersOf(y, x, mistake)
	out := answer{}
	for j, n := range p.count {
		if mistake == chosenTwice {
			out.value += back.w[j] * n
		} else if n > 0 {
			out.value += back.w[j]
		}
	}
	return out
}

// differs compares two answers; it says where they differ, or "".
func (got answer) differs(want answer, tol float64) string {
	if !within(got.value, want.value, tol, absValue) {
		return fmt.Sprintf("value is %.17g, by definition %.17g", got.value, want.value)
	}
	for k, pair := range [][2][]float64{{got.gx, want.gx}, {got.gy, want.gy}} {
		if len(pair[0]) != len(pair[1]) {
			return fmt.Sprintf("gradient %d has %d numbers, by definition %d", k, len(pair[0]), len(pair[1]))
		}
		size := norm(pair[1])
		for i, v := range pair[1] {
			if !within(pair[0][i], v, 0, tol*size+absValue) {
				return fmt.Sprintf("gradient %d, number %d, is %.17g, by definition %.17g", k, i, pair[0][i], v)
			}
		}
	}
	return ""
}
