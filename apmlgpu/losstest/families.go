package losstest

import (
	"math"
	"math/rand/v2"

	"github.com/gondola-lab/gondola/cloud"
)

// Family is a pair of clouds of one kind.
type Family struct {
	Name string
	X, Y cloud.Cloud
}

// Families are the kinds of input on which losses differ: easy ones, and those
// on which naive code goes wrong. n is the size of the clouds, about; every
// call with the same n and seed gives the same clouds.
func Families(n int, seed uint64) []Family {
	rnd := rand.New(rand.NewPCG(1, seed))
	sphere := cloud.Sphere(rnd, n)
	other := cloud.Sphere(rnd, n)
	ball := scaled(cloud.Sphere(rnd, n/2), 0.01)
	side := max(2, int(math.Cbrt(float64(n))))
	return []Family{
		{"cube", cloud.Cube(rnd, n), cloud.Cube(rnd, n)},
		{"gauss", cloud.Gauss(rnd, n), cloud.Gauss(rnd, n+n/4)},
		{"sphere", sphere, other},
		{"noisy copy", sphere, jittered(rnd, sphere, 0.01)},
		{"permutation", sphere, permuted(rnd, sphere)},
		{"far, 20 radii", sphere, shifted(other, 20)},
		{"far, 2000 radii", sphere, shifted(other, 2000)},
		{"small in big", scaled(other, 0.001), sphere},
		{"collapsed", cloud.Cloud{N: n, D: 3, X: make([]float32, 3*n)}, sphere},
		{"duplicates", sphere, repeated(rnd, other, n/20)},
		{"zero padding", padded(sphere, n/4), padded(other, n/8)},
		{"outliers on one side", sphere, outliers(rnd, other)},
		{"outliers on both sides", outliers(rnd, sphere), outliers(rnd, other)},
		{"offset grid", lattice(side, 0), lattice(side, 0.5)},
		{"same grid", lattice(side, 0), lattice(side, 0)},
		{"quantised", rounded(sphere, 16), rounded(other, 16)},
		{"two clusters", joined(ball, shifted(ball, 5)), joined(ball, cloud.FromRows([][]float32{{5, 0, 0}}))},
		{"lidar rings", rings(n, 0), rings(n, 0.1)},
		{"adversarial shell", scaled(other, 1e-6), shell(rnd, n)},
	}
}

// each returns a copy of c with f applied to every point.
func each(c cloud.Cloud, f func(i int, p []float32)) cloud.Cloud {
	out := cloud.Cloud{N: c.N, D: c.D, X: append([]float32(nil), c.X...)}
	for i := range c.N {
		f(i, out.X[i*c.D:(i+1)*c.D])
	}
	return out
}

func scaled(c cloud.Cloud, s float32) cloud.Cloud {
	return each(c, func(_ int, p []float32) { p[0], p[1], p[2] = p[0]*s, p[1]*s, p[2]*s })
}

func shifted(c cloud.Cloud, by float32) cloud.Cloud {
	return each(c, func(_ int, p []float32) { p[0] += by })
}

func jittered(rnd *rand.Rand, c cloud.Cloud, std float32) cloud.Cloud {
	return each(c, func(_ int, p []float32) {
		for k := range p {
			p[k] += std * float32(rnd.NormFloat64())
		}
	})
}

func permuted(rnd *rand.Rand, c cloud.Cloud) cloud.Cloud {
	order := rnd.Perm(c.N)
	return each(c, func(i int, p []float32) { copy(p, c.X[3*order[i]:3*order[i]+3]) })
}

// repeated writes k points over others.
func repeated(rnd *rand.Rand, c cloud.Cloud, k int) cloud.Cloud {
	out := each(c, func(int, []float32) {})
	for range k {
		i, j := rnd.IntN(c.N), rnd.IntN(c.N)
		copy(out.X[3*i:3*i+3], c.X[3*j:3*j+3])
	}
	return out
}

// padded appends k points at the origin.
func padded(c cloud.Cloud, k int) cloud.Cloud {
	return cloud.Cloud{N: c.N + k, D: 3, X: append(append([]float32(nil), c.X...), make([]float32, 3*k)...)}
}

// outliers moves one point of a hundred far away.
func outliers(rnd *rand.Rand, c cloud.Cloud) cloud.Cloud {
	return each(c, func(i int, p []float32) {
		if i%100 == 0 {
			for k := range p {
				p[k] = 50 * float32(rnd.NormFloat64())
			}
		}
	})
}

func lattice(m int, off float32) cloud.Cloud {
	c := cloud.Cloud{N: m * m * m, D: 3}
	for i := range c.N {
		c.X = append(c.X, float32(i/(m*m))+off, float32(i/m%m)+off, float32(i%m)+off)
	}
	return c
}

func rounded(c cloud.Cloud, steps float32) cloud.Cloud {
	return each(c, func(_ int, p []float32) {
		for k := range p {
			p[k] = float32(math.Round(float64(p[k]*steps))) / steps
		}
	})
}

func joined(a, b cloud.Cloud) cloud.Cloud {
	return cloud.Cloud{N: a.N + b.N, D: 3, X: append(append([]float32(nil), a.X...), b.X...)}
}

// rings are circles on a floor, as a turning scanner sees it: dense near the
// middle, sparse far out.
func rings(n int, turn float64) cloud.Cloud {
	c := cloud.Cloud{N: n, D: 3}
	const beams = 16
	for i := range n {
		r := 2 / math.Tan(0.02+0.02*float64(i%beams))
		a := 2*math.Pi*float64(i/beams)/float64(n/beams+1) + turn
		c.X = append(c.X, float32(r*math.Cos(a)), float32(r*math.Sin(a)), -2)
	}
	return c
}

// shell has one point at distance 1 of the origin and all others between 1.01
// and 1.02: every pair is in the support.
func shell(rnd *rand.Rand, n int) cloud.Cloud {
	return each(cloud.Sphere(rnd, n), func(i int, p []float32) {
		r := 1.01 + 0.01*float32(i)/float32(n)
		if i == 0 {
			r = 1
		}
		p[0], p[1], p[2] = p[0]*r, p[1]*r, p[2]*r
	})
}
