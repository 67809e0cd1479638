package cloud

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"
)

// rounded is the first 8 bytes of SHA-256 over the coordinates in steps of
// 1/4096: logarithms and sines may differ in the last bit between machines.
func rounded(c Cloud) string {
	h := sha256.New()
	for _, v := range c.X {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(int64(math.Round(4096*float64(v))))))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// goldens are the checksums of every generator: a change of one bit of a draw
// changes the clouds of everybody's experiments.
func goldens() []struct {
	name, sum string
	c         Cloud
} {
	rnd := func() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }
	return []struct {
		name, sum string
		c         Cloud
	}{
		{"fibonacci", "2802669388a57c76", Fibonacci(200)},
		{"cap", "41d62f2afbf62a34", Cap(200)},
		{"turned", "afc578e5d9892900", Turned(200)},
		{"near", "51027543626cace5", Near(Fibonacci(200), 0.1)},
		{"ngon", "d14bf94240c75643", NGon(7, 0.3)},
		{"grid", "3cc5b1e5a968f6ab", Grid(4, 0.5)},
		{"cube", "a639bd143af40f23", Cube(rnd(), 200)},
		{"gauss", "0ae8643e735a49c7", Gauss(rnd(), 200)},
		{"sphere", "43feb606fb21ca0d", Sphere(rnd(), 200)},
		{"ball", "863d05f9fa09de8d", Ball(rnd(), 200)},
		{"torus", "4e2ac90144fc4384", Torus(rnd(), 200, 0.4)},
		{"swiss roll", "4fdd16c8b8e82556", SwissRoll(rnd(), 200)},
		{"two moons", "d0b783b90ce10db1", TwoMoons(rnd(), 201, 0.05)},
		{"helix", "33b2297ca0e3363a", Helix(200, 3)},
		{"lidar rings", "c1b5291621d728bb", LidarRings(200, 0.1)},
		{"two clusters", "c15616bd4163c51d", TwoClusters(rnd(), 200, 0.7)},
		{"shell", "92ec60da23fb597a", Shell(rnd(), 200)},
		{"chair", "81a3b151652f8584", Chair(rnd(), 200)},
		{"table", "1f8a3b2a82212168", Table(rnd(), 200)},
	}
}

func TestGoldens(t *testing.T) {
	for _, g := range goldens() {
		if got := rounded(g.c); got != g.sum {
			t.Errorf("%s: checksum %q, want %q", g.name, got, g.sum)
		}
	}
}

// Every point lies where the shape is, and the points cover it as they should.
func TestShapes(t *testing.T) {
	const n = 20000
	norm := func(p []float32) float64 { return math.Hypot(math.Hypot(float64(p[0]), float64(p[1])), float64(p[2])) }
	for _, tt := range []struct {
		name   string
		make   func(rnd *rand.Rand) Cloud
		off    func(i int, p []float32) float64 // how far the point is off
		inside func(p []float32) bool           // a part of the shape
		share  float64                          // the share of the points in it
	}{
		{"ball", func(r *rand.Rand) Cloud { return Ball(r, n) },
			func(_ int, p []float32) float64 { return max(norm(p)-1, 0) },
			func(p []float32) bool { return norm(p) < .5 }, 1. / 8},
		{"torus", func(r *rand.Rand) Cloud { return Torus(r, n, .5) },
			func(_ int, p []float32) float64 {
				return math.Hypot(math.Hypot(float64(p[0]), float64(p[1]))-1, float64(p[2])) - .5
			},
			func(p []float32) bool { return math.Hypot(float64(p[0]), float64(p[1])) > 1 }, .5 + .5/math.Pi}, // ∫(1+cos/2)
		{"swiss roll", func(r *rand.Rand) Cloud { return SwissRoll(r, n) },
			func(_ int, p []float32) float64 {
				at := math.Hypot(float64(p[0]), float64(p[2]))
				return math.Hypot(at*math.Cos(at)-float64(p[0]), at*math.Sin(at)-float64(p[2])) / 20
			},
			func(p []float32) bool { return p[1] < 7 }, 1. / 3},
		{"two moons", func(r *rand.Rand) Cloud { return TwoMoons(r, n, 0) },
			func(i int, p []float32) float64 {
				if i < n/2 {
					return math.Hypot(float64(p[0]), float64(p[1])) - 1 + max(0, -float64(p[1])-1e-7)
				}
				return math.Hypot(float64(p[0])-1, float64(p[1])-.5) - 1
			},
			func(p []float32) bool { return p[0] < 0 }, .25},
		{"helix", func(*rand.Rand) Cloud { return Helix(n, 4) },
			func(_ int, p []float32) float64 {
				sin, cos := math.Sincos(4 * math.Pi * (float64(p[2]) + 1))
				return math.Hypot(cos-float64(p[0]), sin-float64(p[1])) / 10
			},
			func(p []float32) bool { return p[2] < -.5 }, .25},
		{"lidar rings", func(*rand.Rand) Cloud { return LidarRings(n, 1) },
			func(_ int, p []float32) float64 { return float64(p[2] + 2) },
			func(p []float32) bool { return math.Hypot(float64(p[0]), float64(p[1])) > 40 }, 2. / 16},
		{"two clusters", func(r *rand.Rand) Cloud { return TwoClusters(r, n, .3) },
			func(_ int, p []float32) float64 {
				return max(math.Abs(float64(p[1])), math.Abs(float64(p[2])), .6) - .6
			},
			func(p []float32) bool { return p[0] < 2.5 }, .3},
		{"shell", func(r *rand.Rand) Cloud { return Shell(r, n) },
			func(i int, p []float32) float64 {
				return norm(p) - map[bool]float64{true: 1, false: 1.01 + .01*float64(i)/n}[i == 0]
			},
			func(p []float32) bool { return p[2] < 0 }, .5},
		{"chair", func(r *rand.Rand) Cloud { return Chair(r, n) },
			func(_ int, p []float32) float64 {
				return math.Abs(float64(p[2])-.5) + max(math.Abs(float64(p[0])), math.Abs(float64(p[1])), .25) - .75
			},
			// legs 4·(2·.0025+4·.0225), seat 2·.25+4·.025, back 2·.025+2·.25+2·.025
			func(p []float32) bool { return p[2] > .5 }, (.6 - .025 + .001) / (.38 + .6 + .6)},
		{"table", func(r *rand.Rand) Cloud { return Table(r, n) },
			func(_ int, p []float32) float64 {
				return max(math.Abs(float64(p[0])), .6) + max(math.Abs(float64(p[1])), .35) - .95
			},
			// legs 4·(2·.0025+4·.035), top 2·.84+2·.06+2·.035
			func(p []float32) bool { return p[2] < .69 }, 4 * (.0025 + 4*.05*.69) / (.58 + 1.87)},
	} {
		c := tt.make(rand.New(rand.NewPCG(3, 4)))
		if err := c.Validate(); err != nil || c.N != n {
			t.Errorf("%s: %v, %v", tt.name, c, err)
			continue
		}
		in := 0.0
		for i := range n {
			p := c.row(i)
			if off := tt.off(i, p); !(off <= 2e-6) {
				t.Errorf("%s: point %d, %v, is off by %g", tt.name, i, p, off)
				break
			}
			if tt.inside(p) {
				in++
			}
		}
		if !(math.Abs(in/n-tt.share) < .015) {
			t.Errorf("%s: %.4f of the points lie in the part that should hold %.4f", tt.name, in/n, tt.share)
		}
	}
	for name, c := range map[string]Cloud{"ball": Ball(nil, -1), "torus": Torus(nil, -1, 1), "moons": TwoMoons(nil, -1, 1),
		"helix": Helix(-1, 1), "rings": LidarRings(-1, 0), "clusters": TwoClusters(nil, -1, .5), "shell": Shell(nil, -1),
		"chair": Chair(nil, -1), "roll": SwissRoll(nil, -1)} {
		if c.N != 0 || len(c.X) != 0 {
			t.Errorf("%s of −1 points: %v", name, c)
		}
	}
	if c := TwoMoons(nil, 1, 0); c.N != 1 || c.X[1] != .5 {
		t.Errorf("one moon: %v", c.X)
	}
	if a, b := Ball(nil, 9), Ball(rand.New(rand.NewPCG(1, 9)), 9); !a.Equal(b) {
		t.Error("nil is not the seeds (1, n)")
	}
}
