package losstest

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Mistakes of the definition of Sinkhorn.
const (
	entropyAlone = "entropy is taken against 1, not a⊗b"
	blurSquared  = "ε is half of what the blur sets"
	selfLeft     = "the self-terms are left out"
	selfWhole    = "the self-terms count whole"
	selfTaken    = "the self-terms are taken from the biased value"
	notDamped    = "the second reach is forgotten"
)

// entropicBy is Sinkhorn by its definition at the blur of the suite, in plain
// loops; a reach of 0 means that the marginal is met.
func entropicBy(cost apmlgpu.Cost, biased bool, reachX, reachY float64) definition {
	of := func(length float64) float64 {
		switch cost {
		case apmlgpu.Euclidean:
			return length
		case apmlgpu.HalfSqEuclidean:
			return length * length
		}
		return 2 * length * length
	}
	return func(x, y cloud.Cloud, mistake string) answer {
		p := plainEntropy{cost: cost, eps: of(someBlur), counted: mistake == entropyAlone}
		if mistake == blurSquared {
			p.eps /= 2
		}
		reachX, reachY := reachX, reachY
		if mistake == notDamped {
			reachY = 0
		}
		a, b := massesOf(x, mistake, reachX+reachY > 0), massesOf(y, mistake, reachX+reachY > 0)
		out := p.solve(x, y, a, b, of(reachX), of(reachY))
		if biased != (mistake == selfTaken || mistake == selfLeft) {
			return turnedBy(out, mistake)
		}
		share := 0.5
		if mistake == selfWhole {
			share = 1
		}
		own, other := p.solve(x, x, a, a, of(reachX), of(reachX)), p.solve(y, y, b, b, of(reachY), of(reachY))
		out.value -= share * (own.value + other.value)
		for i, v := range own.gx {
			out.gx[i] -= share * (v + own.gy[i])
		}
		for i, v := range other.gx {
			out.gy[i] -= share * (v + other.gy[i])
		}
		d := 0.0
		for _, v := range a {
			d += v
		}
		for _, v := range b {
			d -= v
		}
		if reachX+reachY > 0 {
			out.value += p.eps / 2 * d * d
		}
		return turnedBy(out, mistake)
	}
}

func turnedBy(a answer, mistake string) answer {
	for k := range a.gy {
		if mistake == signTurned {
			a.gy[k] *= -1
		}
	}
	return a
}

// massesOf are the weights of a cloud, with sum 1 unless they are masses.
func massesOf(c cloud.Cloud, mistake string, asTheyAre bool) []float64 {
	w := make([]float64, c.N)
	sum := 0.0
	for i := range w {
		w[i] = 1 / float64(c.N)
		if c.W != nil {
			w[i] = c.W[i]
			if mistake == noWeights && w[i] > 0 || mistake == keepsZero && w[i] == 0 {
				w[i] = 1 / float64(c.N)
			}
		}
		sum += w[i]
	}
	for i := range w {
		if !asTheyAre || mistake == noWeights {
			w[i] /= sum
		}
	}
	return w
}

// plainEntropy is entropic transport in plain loops.
type plainEntropy struct {
	cost    apmlgpu.Cost
	eps     float64
	counted bool
}

// price is C_ij and its derivative along each coordinate of x_i.
func (p plainEntropy) price(x, y cloud.Cloud, i, j int) (float64, []float64) {
	square, slope := 0.0, make([]float64, x.D)
	for c := range slope {
		slope[c] = float64(x.X[i*x.D+c]) - float64(y.X[j*y.D+c])
		square += slope[c] * slope[c]
	}
	d, by := math.Sqrt(square), 1.0
	switch p.cost {
	case apmlgpu.Euclidean:
		square, by = d, 0
		if d > 0 {
			by = 1 / d
		}
	case apmlgpu.HalfSqEuclidean:
		square /= 2
	default:
		by = 2
	}
	for c := range slope {
		slope[c] *= by
	}
	return square, slope
}

// solve does rounds in the log domain until potentials stay. Between a cloud and
// itself both are the same: turns would go on for ever where clusters hardly meet.
func (p plainEntropy) solve(x, y cloud.Cloud, a, b []float64, rhoX, rhoY float64) answer {
	price := make([][]float64, x.N)
	back := make([][]float64, y.N)
	for i := range price {
		price[i] = make([]float64, y.N)
		for j := range price[i] {
			price[i][j], _ = p.price(x, y, i, j)
			if i == 0 {
				back[j] = make([]float64, x.N)
			}
			back[j][i] = price[i][j]
		}
	}
	own := rhoX == rhoY && slices.Equal(x.X, y.X) && slices.Equal(a, b)
	f, g := make([]float64, x.N), make([]float64, y.N)
	for range 20000 {
		moved := max(p.half(f, g, b, price, rhoX), p.half(g, f, a, back, rhoY))
		if !(moved > 1e-15*p.eps) {
			break
		}
		for i := range f {
			if own {
				f[i] = (f[i] + g[i]) / 2
				g[i] = f[i]
			}
		}
	}
	out := answer{gx: make([]float64, len(x.X)), gy: make([]float64, len(y.X))}
	mass, both := 0.0, 0.0
	for i, s := range a {
		for j, t := range b {
			if s == 0 || t == 0 {
				continue
			}
			v := s * t * math.Exp((f[i]+g[j]-price[i][j])/p.eps)
			mass += v
			both += s * t
			if p.counted {
				out.value += p.eps * v * math.Log(s*t)
			}
			_, slope := p.price(x, y, i, j)
			for c, d := range slope {
				out.gx[i*x.D+c] += v * d
				out.gy[j*y.D+c] -= v * d
			}
		}
	}
	out.value += dual(f, a, rhoX) + dual(g, b, rhoY) - p.eps*(mass-both)
	return out
}

// half is one softmin step with its damping; it returns how far it went.
func (p plainEntropy) half(f, g, b []float64, price [][]float64, rho float64) (moved float64) {
	for i, line := range price {
		most, sum := math.Inf(-1), 0.0
		for j, c := range line {
			if b[j] > 0 {
				most = max(most, (g[j]-c)/p.eps)
			}
		}
		for j, c := range line {
			if b[j] > 0 {
				sum += b[j] * math.Exp((g[j]-c)/p.eps-most)
			}
		}
		to := -p.eps * (most + math.Log(sum))
		if rho > 0 {
			to *= rho / (rho + p.eps)
		}
		moved, f[i] = max(moved, math.Abs(to-f[i])), to
	}
	return moved
}

func dual(f, a []float64, rho float64) (sum float64) {
	for i, w := range a {
		switch {
		case w == 0:
		case rho > 0:
			sum -= rho * w * (math.Exp(-f[i]/rho) - 1)
		default:
			sum += w * f[i]
		}
	}
	return sum
}
