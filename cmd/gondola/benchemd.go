package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/gondola-lab/gondola/cloud"
)

// emdFamilies are the families of the rows of exact transport, with their targets at
// 4,000 and 10,000 points.
var emdFamilies = []struct {
	name        string
	few, many   float64
	first, then func(g *emdMaker) [3]float64
}{
	{"cube", 8, 8, (*emdMaker).cube, (*emdMaker).cube},
	{"sphere and cube", 8, 8, (*emdMaker).sphere, func(g *emdMaker) [3]float64 { return g.moved(g.cube(), 2, -1) }},
	{"cube, shift by 3", 8, 8, (*emdMaker).cube, func(g *emdMaker) [3]float64 { return g.shifted(g.cube(), 3) }},
	{"cube, shift by 30", 8, 8, (*emdMaker).cube, func(g *emdMaker) [3]float64 { return g.shifted(g.cube(), 30) }},
	{"sphere, shift by 3", 8, 8, (*emdMaker).sphere, func(g *emdMaker) [3]float64 { return g.shifted(g.sphere(), 3) }},
	{"blob in sphere", 4, 5, func(g *emdMaker) [3]float64 { return g.blob(0.05) }, (*emdMaker).sphere},
	{"two clusters", 3, 3, func(g *emdMaker) [3]float64 { return g.cluster(0.3) },
		func(g *emdMaker) [3]float64 { return g.cluster(0.6) }},
	{"cap", 8, 8, (*emdMaker).cap, (*emdMaker).sphere},
	{"near copy", 4, 5, (*emdMaker).cube, nil},
	{"lidar", 8, 8, func(g *emdMaker) [3]float64 { return g.lidar(0, 0, 0) },
		func(g *emdMaker) [3]float64 { return g.lidar(0.17, 0.5, 0.2) }},
	{"grid", 8, 8, nil, nil},
	{"line on plane", 3, 3, func(g *emdMaker) [3]float64 { return [3]float64{g.Float64(), 0, 0} },
		func(g *emdMaker) [3]float64 { return [3]float64{g.Float64(), g.Float64(), 0.1} }},
	{"car and chair", 4, 5, func(g *emdMaker) [3]float64 { return g.box(carBoxes) },
		func(g *emdMaker) [3]float64 { return g.box(chairBoxes) }},
}

// carBoxes and chairBoxes are corners and sides.
var (
	carBoxes = [][6]float64{{-1, -.4, -.2, 2, .8, .3}, {-.5, -.35, .1, 1, .7, .3}, {-.8, -.4, -.4, .3, .1, .3},
		{.5, -.4, -.4, .3, .1, .3}, {-.8, .3, -.4, .3, .1, .3}, {.5, .3, -.4, .3, .1, .3}}
	chairBoxes = [][6]float64{{-.4, -.4, 0, .8, .8, .08}, {-.4, .32, 0, .8, .08, 1}, {-.4, -.4, -.8, .08, .08, .8},
		{.32, -.4, -.8, .08, .08, .8}, {-.4, .32, -.8, .08, .08, .8}, {.32, .32, -.8, .08, .08, .8}}
)

// emdMaker draws points.
type emdMaker struct{ *rand.Rand }

func (g *emdMaker) cube() [3]float64 { return [3]float64{g.Float64(), g.Float64(), g.Float64()} }

func (g *emdMaker) blob(std float64) [3]float64 {
	return [3]float64{std * g.NormFloat64(), std * g.NormFloat64(), std * g.NormFloat64()}
}

func (g *emdMaker) sphere() [3]float64 {
	p := g.blob(1)
	return g.moved(p, 1/math.Sqrt(p[0]*p[0]+p[1]*p[1]+p[2]*p[2]), 0)
}

func (g *emdMaker) moved(p [3]float64, factor, by float64) [3]float64 {
	return [3]float64{factor*p[0] + by, factor*p[1] + by, factor*p[2] + by}
}

func (g *emdMaker) shifted(p [3]float64, by float64) [3]float64 {
	p[0] += by
	return p
}

func (g *emdMaker) cluster(far float64) [3]float64 {
	p := g.blob(0.2)
	if g.Float64() < far {
		p[0] += 5
	}
	return p
}

func (g *emdMaker) cap() [3]float64 {
	for {
		if p := g.sphere(); p[2] > 0.8 {
			return p
		}
	}
}

// lidar is a scanner of 32 rings at height 2 in a room with a waved wall.
func (g *emdMaker) lidar(turn, x, y float64) [3]float64 {
	rise := (-25 + 30*float64(g.IntN(32))/31) * math.Pi / 180
	side := float64(g.IntN(2000)) / 2000 * 2 * math.Pi
	r := 30 + 5*math.Sin(3*side)
	if rise < 0 {
		r = min(r, 2/math.Tan(-rise))
	}
	r += 0.02 * g.NormFloat64()
	return [3]float64{r*math.Cos(side+turn) + x, r*math.Sin(side+turn) + y, r * math.Tan(rise)}
}

func (g *emdMaker) box(all [][6]float64) [3]float64 {
	q, p := all[g.IntN(len(all))], g.cube()
	k := g.IntN(3)
	p[k] = math.Round(p[k])
	return [3]float64{q[0] + p[0]*q[3], q[1] + p[1]*q[4], q[2] + p[2]*q[5]}
}

// emdClouds are a family's clouds of n and m points.
func emdClouds(family, n, m int) [2]cloud.Cloud {
	g := &emdMaker{rand.New(rand.NewPCG(1, uint64(n+m)))}
	f := emdFamilies[family]
	var out [2]cloud.Cloud
	for side, size := range []int{n, m} {
		draw := []func(g *emdMaker) [3]float64{f.first, f.then}[side]
		c := cloud.Cloud{N: size, D: 3}
		wide := int(math.Sqrt(float64(size)))
		for size%wide > 0 {
			wide--
		}
		for i := range size {
			var p [3]float64
			switch {
			case draw != nil:
				p = draw(g)
			case f.name == "grid":
				by := float64(side) / 32
				p = [3]float64{float64(i%wide)/16 + by, float64(i/wide)/16 + by, 4 * by}
			default: // the copy, turned round
				q := out[0].X[3*((size-1-i)%n):]
				p = g.blob(1e-3)
				for e := range p {
					p[e] += float64(q[e])
				}
			}
			c.X = append(c.X, float32(p[0]), float32(p[1]), float32(p[2]))
		}
		out[side] = c
	}
	return out
}

// emd compares exact transport with POT's network simplex, without its matrix.
func (b *lossBench) emd(show func(lossRow) error) error {
	for _, s := range []struct {
		n, m     int
		weighted bool
	}{{1000, 1000, false}, {3000, 2000, false}, {2000, 3000, true}, {4000, 4000, false}, {10000, 10000, false}} {
		for k, f := range emdFamilies {
			row := lossRow{Unit: "x", AtLeast: true, Target: 1.5}
			row.Row = fmt.Sprintf("EMD, %s, %d × %d: POT / ours, CPU", f.name, s.n, s.m)
			switch {
			case s.weighted:
				row.Row = fmt.Sprintf("EMD, %s, %d × %d, random weights: POT / ours, CPU", f.name, s.n, s.m)
			case s.n == 1000:
				row.Target = 2
			case s.n == 4000:
				row.Target = f.few
			case s.n == 10000:
				row.Target = f.many
			}
			if !b.wants(row.Row) {
				continue
			}
			if err := b.emdRow(row, k, s.n, s.m, s.weighted, show); err != nil {
				return err
			}
		}
	}
	return nil
}

// emdRow runs ours and POT in turn on one pair, and wants the same value.
func (b *lossBench) emdRow(row lossRow, family, n, m int, weighted bool, show func(lossRow) error) error {
	paths, err := b.emdFiles(family, n, m, weighted)
	if err != nil {
		return err
	}
	for range max(1, min(peerTurns, 9000/n)) {
		o, err := b.ours(paths[0], paths[1], max(1, 4000/n), "-loss", "emd")
		if err != nil {
			return err
		}
		t, err := b.process(nil, b.python, filepath.Join(b.scripts, "emd_pot.py"), paths[0], paths[1], "1")
		if err != nil {
			t = &benched{Skip: err.Error()}
		}
		row.Ours, row.Theirs = best(row.Ours, o), best(row.Theirs, t)
		if row.Skipped = t.Skip; t.Skip != "" {
			row.Theirs = nil
			return show(row)
		}
		if !(math.Abs(o.Value-t.Value) <= 1e-9*t.Value) {
			return fmt.Errorf("%s: our value is %.15g, theirs %.15g", row.Row, o.Value, t.Value)
		}
		row.Value = row.Theirs.CPU / row.Ours.CPU
	}
	if err := show(row); err != nil || n != 10000 || family != 0 {
		return err
	}
	memory := lossRow{Row: "EMD, cube, 10000 × 10000: the matrix / our memory", Unit: "x", Target: 40, AtLeast: true,
		Ours: row.Ours}
	memory.Value = 8 * float64(n) * float64(m) / float64(row.Ours.Memory)
	return show(memory)
}

// largest are exact transports between 100,000 points, which no peer has the memory for.
func (b *lossBench) largest(show func(lossRow) error) error {
	const n = 100000
	for _, goal := range []struct {
		family  int
		seconds float64
	}{{0, 30}, {2, 90}} {
		name := fmt.Sprintf("EMD, %s, %d × %d", emdFamilies[goal.family].name, n, n)
		if !b.wants(name+": CPU time") && !b.wants(name+": memory of the process") {
			continue
		}
		paths, err := b.emdFiles(goal.family, n, n, false)
		if err != nil {
			return err
		}
		r, err := b.ours(paths[0], paths[1], 1, "-loss", "emd")
		if err != nil {
			return err
		}
		if err := show(lossRow{Row: name + ": CPU time", Value: r.CPU, Unit: "s", Target: goal.seconds, Ours: r}); err != nil {
			return err
		}
		row := lossRow{Row: name + ": memory of the process", Value: float64(r.Peak) / 1e6, Unit: "MB", Target: 200, Ours: r}
		if r.Peak <= 0 {
			row.Skipped = untold
		}
		if err := show(row); err != nil {
			return err
		}
	}
	return nil
}

// emdFiles writes a family's clouds, and weights where they are wanted.
func (b *lossBench) emdFiles(family, n, m int, weighted bool) ([]string, error) {
	paths := make([]string, 2)
	for k, c := range emdClouds(family, n, m) {
		paths[k] = filepath.Join(b.dir, fmt.Sprintf("emd-%d-%d-%d-%d-%v.bin", family, n, m, k, weighted))
		if err := cloud.Save(paths[k], c); err != nil {
			return nil, err
		}
		if weighted {
			if err := saveWeights(paths[k]+".w", c.N); err != nil {
				return nil, err
			}
		}
	}
	return paths, nil
}

// saveWeights writes n random weights that sum to 1, raw float64.
func saveWeights(path string, n int) error {
	rnd := rand.New(rand.NewPCG(2, uint64(n)))
	w, sum := make([]float64, n), 0.0
	for i := range w {
		w[i] = rnd.Float64() + 0.01
		sum += w[i]
	}
	var out []byte
	for _, v := range w {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v/sum))
	}
	return os.WriteFile(path, out, 0o644)
}

// weightsOf reads what saveWeights wrote; nil where there is no such file.
func weightsOf(path string) []float64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	w := make([]float64, len(text)/8)
	for i := range w {
		w[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return w
}
