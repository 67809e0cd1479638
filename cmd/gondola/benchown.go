package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gondola-lab/gondola/cloud"
)

// benchShapes are the pairs of clouds of the benchmark.
var benchShapes = map[string]func(rnd *rand.Rand, n int) [2]cloud.Cloud{
	"cube": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		return [2]cloud.Cloud{cloud.Cube(rnd, n), cloud.Cube(rnd, n)}
	},
	"sphere": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		return [2]cloud.Cloud{cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)}
	},
	"sphere, shift by 10": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		x, y := cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)
		for i := range n {
			y.X[3*i] += 10
		}
		return [2]cloud.Cloud{x, y}
	},
	"collapsed": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		x := cloud.Cube(rnd, n)
		for i := range n {
			copy(x.X[3*i:3*i+3], x.X[:3])
		}
		return [2]cloud.Cloud{x, cloud.Cube(rnd, n)}
	},
	"half padded": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		x := cloud.Cube(rnd, n)
		clear(x.X[3*(n/2):])
		return [2]cloud.Cloud{x, cloud.Cube(rnd, n)}
	},
	"both half padded": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		x, y := cloud.Cube(rnd, n), cloud.Cube(rnd, n)
		clear(x.X[3*(n/2):])
		clear(y.X[3*(n/2):])
		return [2]cloud.Cloud{x, y}
	},
	"shifted cube": func(rnd *rand.Rand, n int) [2]cloud.Cloud {
		x, y := cloud.Cube(rnd, n), cloud.Cube(rnd, n)
		for i := range n {
			y.X[3*i] += 0.5
		}
		return [2]cloud.Cloud{x, y}
	},
	"5 % duplicates":  func(rnd *rand.Rand, n int) [2]cloud.Cloud { return repeated(rnd, n, 20) },
	"50 % duplicates": func(rnd *rand.Rand, n int) [2]cloud.Cloud { return repeated(rnd, n, 2) },
	"offset grid": func(_ *rand.Rand, n int) [2]cloud.Cloud {
		m := int(math.Round(math.Cbrt(float64(n))))
		return [2]cloud.Cloud{cloud.Grid(m, 0), cloud.Grid(m, 0.5)}
	},
}

// repeated is cubes of which one point in so many is the next one again.
func repeated(rnd *rand.Rand, n, one int) [2]cloud.Cloud {
	c := [2]cloud.Cloud{cloud.Cube(rnd, n), cloud.Cube(rnd, n)}
	for _, c := range c {
		for i := 0; i+1 < n; i += one {
			copy(c.X[3*i:3*i+3], c.X[3*i+3:])
		}
	}
	return c
}

// growSizes are the sizes of the curve; the exponent is between its ends.
var growSizes = []int{1 << 14, 1 << 17, 1 << 20}

// grow runs ours on spheres of growing size.
func (b *lossBench) grow(show func(lossRow) error) error {
	for _, t := range []string{"1e-10", "0"} {
		word := "t = " + t
		if t == "0" {
			word = "t chosen"
		}
		last8 := fmt.Sprintf("APML, sphere, %s: CPU time of 1,048,576 / 131,072 points", word)
		exponent := fmt.Sprintf("APML, sphere, %s: exponent of the CPU time, 16,384 to 1,048,576", word)
		if !b.wants(last8) && !b.wants(exponent) {
			continue
		}
		var all []*benched
		for _, n := range growSizes {
			x, y, err := b.clouds("sphere", n)
			if err != nil {
				return err
			}
			r, err := b.ours(x, y, max(2, 1<<18/n), "-threshold", t)
			if err != nil {
				return err
			}
			all = append(all, r)
			name := fmt.Sprintf("APML, sphere, %s, %d points: CPU time, %d pairs", word, n, r.NNZ)
			if err := show(lossRow{Row: name, Value: r.CPU, Unit: "s", NoGoal: true, Ours: r}); err != nil {
				return err
			}
		}
		first, last := all[0], all[len(all)-1]
		if err := show(lossRow{Row: last8, Value: last.CPU / all[1].CPU, Unit: "x", Target: 10, Ours: last}); err != nil {
			return err
		}
		steps := math.Log(float64(growSizes[len(growSizes)-1]) / float64(growSizes[0]))
		row := lossRow{Row: exponent, Value: math.Log(last.CPU/first.CPU) / steps, Target: 1.15, Ours: last}
		if err := show(row); err != nil {
			return err
		}
	}
	return nil
}

// threads compares the time on the clock of one thread with that of two.
func (b *lossBench) threads(show func(lossRow) error) error {
	const name = "APML, sphere, 131,072: time of 1 thread / 2 threads, on an idle machine"
	if !b.wants(name) {
		return nil
	}
	x, y, err := b.clouds("sphere", 1<<17)
	if err != nil {
		return err
	}
	var one, two *benched
	for range peerTurns {
		for threads, to := range map[string]**benched{"1": &one, "2": &two} {
			r, err := b.ours(x, y, 6, "-threads", threads)
			if err != nil {
				return err
			}
			*to = best(*to, r)
		}
	}
	return show(lossRow{Row: name, Value: one.Wall / two.Wall, Unit: "x", Target: 1.7, AtLeast: true, Ours: two})
}

// ties compares hard inputs with a cube of their size. A cloud of which half is
// zeros is dissimilar to a whole one, and a chosen t goes down to 1e-80 for it
// as for any pair like that: its bound is over such a pair, half an edge apart.
func (b *lossBench) ties(show func(lossRow) error) error {
	for _, t := range []string{"1e-20", "0"} {
		word := "t = " + t
		if t == "0" {
			word = "t chosen"
		}
		for _, shape := range []string{
			"collapsed", "both half padded", "half padded", "5 % duplicates", "50 % duplicates", "offset grid",
		} {
			for _, m := range []int{8, 16, 32} {
				peers := []string{"cube"}
				if shape == "half padded" && t == "0" {
					peers = []string{"shifted cube", "cube"}
				}
				for k, peer := range peers {
					n := m * m * m
					name := fmt.Sprintf("APML, %s, %s, %d points: CPU time / %s's", shape, word, n, peer)
					if !b.wants(name) {
						continue
					}
					r, err := b.tie(shape, peer, n, t)
					if err != nil {
						return err
					}
					if r.Row = name; k > 0 {
						r.NoGoal = true
					}
					if err := show(r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (b *lossBench) tie(shape, peer string, n int, threshold string) (lossRow, error) {
	took := map[string]*benched{}
	for _, s := range []string{shape, peer} {
		x, y, err := b.clouds(s, n)
		if err != nil {
			return lossRow{}, err
		}
		for range peerTurns {
			r, err := b.ours(x, y, max(2, 1<<14/n), "-threshold", threshold)
			if err != nil {
				return lossRow{}, err
			}
			took[s] = best(took[s], r)
		}
	}
	ours, theirs := took[shape], took[peer]
	return lossRow{Value: ours.CPU / theirs.CPU, Unit: "x", Target: 2, Ours: ours, Theirs: theirs}, nil
}

// whole is the memory of a process that takes a million points against a million.
func (b *lossBench) whole(show func(lossRow) error) error {
	for _, goal := range []struct {
		threshold string
		bytes     float64
	}{{"1e-10", 350e6}, {"1e-20", 550e6}} {
		name := fmt.Sprintf("APML, sphere, 1,048,576, t = %s: memory of the process", goal.threshold)
		if !b.wants(name) {
			continue
		}
		x, y, err := b.clouds("sphere", 1<<20)
		if err != nil {
			return err
		}
		r, err := b.ours(x, y, 1, "-threshold", goal.threshold)
		if err != nil {
			return err
		}
		row := lossRow{Row: name, Value: float64(r.Peak) / 1e6, Unit: "MB", Target: goal.bytes / 1e6, Ours: r}
		if r.Peak <= 0 {
			row.Skipped = untold
		}
		if err := show(row); err != nil {
			return err
		}
	}
	return nil
}

// untold is why a row about memory has no value.
const untold = "this system does not tell the memory of a process"
