package losstest

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Mistakes of the definition of Sliced.
const (
	rooted      = "a root is taken"
	byRank      = "points are matched by their rank, not by mass"
	tiesTurned  = "of equal projections the last index comes first"
	notUnit     = "directions keep their length"
	firstOnly   = "only the first direction has a gradient"
	largestOnly = "the largest direction instead of the mean"
)

// slicedBy is Sliced by its definition along the directions of the suite.
func slicedBy(cost apmlgpu.Cost, largest bool) definition {
	return func(x, y cloud.Cloud, mistake string) answer {
		var all []answer
		for _, v := range directionsIn(x.D) {
			t := slices.Clone(v)
			if s := norm(t); mistake != notUnit {
				for k := range t {
					t[k] /= s
				}
			}
			all = append(all, alongLine(x, y, t, cost, mistake))
		}
		best := 0
		out := answer{gx: make([]float64, len(x.X)), gy: make([]float64, len(y.X))}
		for l, a := range all {
			if a.value > all[best].value {
				best = l
			}
			out.value += a.value / float64(len(all))
			if l > 0 && mistake == firstOnly {
				continue
			}
			for k, g := range [][]float64{a.gx, a.gy} {
				to := [][]float64{out.gx, out.gy}[k]
				for i, v := range g {
					to[i] += v / float64(len(all))
				}
			}
		}
		if largest != (mistake == largestOnly) {
			out = all[best]
		}
		if mistake == rooted {
			out.value = math.Sqrt(out.value)
		}
		if mistake == signTurned {
			for k := range out.gy {
				out.gy[k] *= -1
			}
		}
		return out
	}
}

// alongLine is the transport between the projections on t, by what every pair of
// points moves: the overlap of their intervals of mass.
func alongLine(x, y cloud.Cloud, t []float64, cost apmlgpu.Cost, mistake string) answer {
	out := answer{gx: make([]float64, len(x.X)), gy: make([]float64, len(y.X))}
	ax, ay := intervals(x, t, mistake), intervals(y, t, mistake)
	for i := range ax {
		for j := range ay {
			mass := min(ax[i][1], ay[j][1]) - max(ax[i][0], ay[j][0])
			if mistake == byRank {
				mass = 0
				if n := float64(x.N); int(math.Round(ax[i][0]*n))*y.N/x.N == int(math.Round(ay[j][0]*float64(y.N))) {
					mass = 1 / n
				}
			}
			if mass <= 0 {
				continue
			}
			d := 0.0
			for k, v := range t {
				d += (float64(x.X[i*x.D+k]) - float64(y.X[j*x.D+k])) * v
			}
			price, slope := math.Abs(d), 0.0
			switch {
			case cost == apmlgpu.Euclidean && d > 0:
				slope = 1
			case cost == apmlgpu.Euclidean && d < 0:
				slope = -1
			case cost == apmlgpu.SqEuclidean:
				price, slope = d*d, 2*d
			case cost == apmlgpu.HalfSqEuclidean:
				price, slope = d*d/2, d
			}
			out.value += mass * price
			for k, v := range t {
				out.gx[i*x.D+k] += mass * slope * v
				if mistake != ownWayOnly {
					out.gy[j*x.D+k] -= mass * slope * v
				}
			}
		}
	}
	return out
}

// intervals are the masses of c along t: that of a point begins where that of all
// points before it ends, of equal projections by their index.
func intervals(c cloud.Cloud, t []float64, mistake string) (mass [][2]float64) {
	w, sum := make([]float64, c.N), 0.0
	for i := range c.N {
		w[i] = 1
		if c.W != nil && (mistake != noWeights || c.W[i] == 0) {
			w[i] = c.W[i]
		}
		sum += w[i]
	}
	for i := range c.N {
		before := 0.0
		for j := range c.N {
			ahead := 0.0 // of j, differences first
			for k, v := range t {
				ahead += (float64(c.X[j*c.D+k]) - float64(c.X[i*c.D+k])) * v
			}
			if ahead < 0 || ahead == 0 && (j < i) != (mistake == tiesTurned) && j != i {
				before += w[j]
			}
		}
		mass = append(mass, [2]float64{before / sum, (before + w[i]) / sum})
	}
	return mass
}
