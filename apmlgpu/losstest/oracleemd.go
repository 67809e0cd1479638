package losstest

import (
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Mistakes of the definition of EMD.
const (
	wrongCost  = "another power of the distance is the cost"
	greedy     = "the nearest free pair is taken first"
	halfOpen   = "half of the mass is left at home"
	zeroCounts = "points of weight zero have mass"
)

// emdBy is exact transport by successive shortest paths over all pairs, in plain
// loops. It has no gradient: several plans may cost the same.
func emdBy(cost apmlgpu.Cost) definition {
	return func(x, y cloud.Cloud, mistake string) answer {
		c := make([][]float64, x.N)
		for i := range c {
			c[i] = make([]float64, y.N)
			for j := range c[i] {
				s := 0.0
				for k := range x.D {
					d := float64(x.X[i*x.D+k]) - float64(y.X[j*x.D+k])
					s += d * d
				}
				switch squared := cost != apmlgpu.Euclidean; {
				case squared == (mistake == wrongCost):
					c[i][j] = math.Sqrt(s)
				case cost == apmlgpu.HalfSqEuclidean:
					c[i][j] = s / 2
				default:
					c[i][j] = s
				}
			}
		}
		a, b := shares(x, mistake), shares(y, mistake)
		if mistake == greedy {
			return answer{value: greedily(c, a, b)}
		}
		value := shortestPaths(c, a, b)
		switch mistake {
		case sumsUp:
			value *= float64(x.N)
		case halfOpen:
			value /= 2
		}
		return answer{value: value}
	}
}

// shares are the weights of a cloud, summing to one.
func shares(c cloud.Cloud, mistake string) []float64 {
	w, sum := make([]float64, c.N), 0.0
	for i := range w {
		w[i] = 1
		if c.W != nil && (mistake != noWeights || c.W[i] == 0) {
			w[i] = c.W[i]
		}
		if mistake == zeroCounts && w[i] == 0 {
			w[i] = 1 / float64(c.N)
		}
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// nothing is a mass that rounding has left over.
const nothing = 1e-14

// shortestPaths moves mass along ever shorter paths until all is moved.
func shortestPaths(c [][]float64, a, b []float64) float64 {
	n, m := len(a), len(b)
	left, room := slices.Clone(a), slices.Clone(b)
	flow := make([][]float64, n)
	for i := range flow {
		flow[i] = make([]float64, m)
	}
	u, v := make([]float64, n), make([]float64, m)
	dx, dy := make([]float64, n), make([]float64, m)
	px, py := make([]int, n), make([]int, m)
	done := make([]bool, n+m)
	for {
		from := slices.IndexFunc(left, func(w float64) bool { return w > nothing })
		if from < 0 {
			break
		}
		for i := range dx {
			dx[i], px[i] = math.Inf(1), -1
		}
		for j := range dy {
			dy[j], py[j] = math.Inf(1), -1
		}
		clear(done)
		dx[from] = 0
		end := -1
		for end < 0 {
			k, d := -1, math.Inf(1)
			for i := range dx {
				if !done[i] && dx[i] < d {
					k, d = i, dx[i]
				}
			}
			for j := range dy {
				if !done[n+j] && dy[j] < d {
					k, d = n+j, dy[j]
				}
			}
			if k < 0 {
				break
			}
			done[k] = true
			if k >= n && room[k-n] > nothing {
				end = k - n
				break
			}
			if k < n {
				for j := range dy {
					if r := max(0, c[k][j]-u[k]-v[j]); !done[n+j] && d+r < dy[j] {
						dy[j], py[j] = d+r, k
					}
				}
				continue
			}
			for i := range dx {
				if r := max(0, u[i]+v[k-n]-c[i][k-n]); !done[i] && flow[i][k-n] > nothing && d+r < dx[i] {
					dx[i], px[i] = d+r, k-n
				}
			}
		}
		if end < 0 {
			break // what is left is rounding
		}
		far := dy[end]
		for i := range u {
			u[i] += far - min(dx[i], far)
		}
		for j := range v {
			v[j] -= far - min(dy[j], far)
		}
		most := min(left[from], room[end])
		for j := end; ; {
			i := py[j]
			if px[i] < 0 {
				break
			}
			j = px[i]
			most = min(most, flow[i][j])
		}
		for j := end; ; {
			i := py[j]
			flow[i][j] += most
			if px[i] < 0 {
				break
			}
			j = px[i]
			flow[i][j] -= most
		}
		left[from] -= most
		room[end] -= most
	}
	value := 0.0
	for i := range flow {
		for j, f := range flow[i] {
			value += f * c[i][j]
		}
	}
	return value
}

// greedily takes the cheapest pair that has mass left, again and again.
func greedily(c [][]float64, a, b []float64) float64 {
	left, room := slices.Clone(a), slices.Clone(b)
	value := 0.0
	for {
		best, p, q := math.Inf(1), -1, -1
		for i := range c {
			for j, r := range c[i] {
				if left[i] > nothing && room[j] > nothing && r < best {
					best, p, q = r, i, j
				}
			}
		}
		if p < 0 {
			return value
		}
		move := min(left[p], room[q])
		value += move * best
		left[p] -= move
		room[q] -= move
	}
}
