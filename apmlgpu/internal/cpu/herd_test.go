package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/ratio"
	"github.com/gondola-lab/gondola/internal/spatial"
)

// herdClouds are clouds whose neighbours are hard to find, each in its own way.
func herdClouds(n int) map[string][2]cloud.Cloud {
	rnd := rand.New(rand.NewPCG(9, uint64(n)))
	cube := func() cloud.Cloud { return cloud.Cube(rnd, n) }
	change := func(c cloud.Cloud, f func(i int, p []float32)) cloud.Cloud {
		for i := range n {
			f(i, c.X[3*i:3*i+3])
		}
		return c
	}
	return map[string][2]cloud.Cloud{
		"cube": {cube(), cube()},
		"grid": {change(cube(), func(_ int, p []float32) {
			for c := range p {
				p[c] = float32(math.Round(float64(p[c]) * 8))
			}
		}), change(cube(), func(_ int, p []float32) {
			for c := range p {
				p[c] = float32(math.Round(float64(p[c])*8)) + 0.5
			}
		})},
		"far": {cube(), change(cube(), func(_ int, p []float32) { p[1] += 4000 })},
		"one lone point": {cube(), change(cube(), func(i int, p []float32) {
			if i == 0 {
				p[0] = 1e6
			}
		})},
		"small in big": {cube(), change(cube(), func(_ int, p []float32) { p[0], p[1], p[2] = p[0]/1e4, p[1]/1e4, p[2]/1e4 })},
		"scales":       {change(cube(), func(i int, p []float32) { p[0] *= float32(math.Ldexp(1, -i%60)) }), cube()},
		"few":          {cube(), cloud.Cube(rnd, 3)},
		"one":          {cube(), cloud.Cube(rnd, 1)},
	}
}

// A herd answers what the tree answers.
func TestHerdIsTree(t *testing.T) {
	for name, c := range herdClouds(700) {
		p := open(t, c[0], c[1], backend.Resources{})
		for swap, s := range []*side{p.x, p.y} {
			o := []*side{p.y, p.x}[swap]
			h, asked, together := newHerd(s, o), 0, 0
			for h.to = 0; h.to < s.n; {
				h.lead(h.to, 0, s.n)
				where := func(i int) string { return fmt.Sprintf("%s, side %d, point %d", name, swap, i) }
				h.two(func(i int, _ int32, d1, d2 float64) {
					asked++
					if _, a, b := s.other(o, i); d1 != a || d2 != b {
						t.Fatalf("%s: two nearest are %v and %v, the tree's %v and %v", where(i), d1, d2, a, b)
					}
				})
				if h.together {
					together++
				}
				for i := h.from; i < h.to; i++ {
					_, _, d2 := s.other(o, i)
					h.bound[i-h.from] = spatial.Widen(2 * min(d2, 1e12))
				}
				h.gather(mostLeaves)
				for i := h.from; i < h.to && h.together; i++ {
					_, _, d2 := s.other(o, i)
					want := o.find.Ball(s.row(i), 2*min(d2, 1e12), nil)
					got := h.ball(h.point(i), h.bound[i-h.from], nil)
					exact := func(j int32) bool { return !(spatial.SquaredDistance(s.row(i), o.row(int(j))) <= 2*d2) }
					if got, want = slices.DeleteFunc(got, exact), slices.DeleteFunc(want, exact); !slices.Equal(got, want) {
						t.Fatalf("%s: ball has %v, the tree's %v", where(i), got, want)
					}
				}
			}
			if asked != s.n || together == 0 {
				t.Errorf("%s, side %d: %d of %d points asked, %d herds together", name, swap, asked, s.n, together)
			}
		}
	}
}

func (s *side) other(o *side, i int) (int32, float64, float64) { return o.find.Two(s.row(i)) }

// BenchmarkTwo compares the search of the two nearest by herds with one by one.
func BenchmarkTwo(b *testing.B) {
	for _, n := range []int{4096, 131072} {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		p := open(b, cloud.Cube(rnd, n), cloud.Cube(rnd, n), backend.Resources{})
		sum := 0.0
		herds := func() {
			h := newHerd(p.x, p.y)
			for h.to = 0; h.to < n; {
				h.lead(h.to, 0, n)
				h.two(func(_ int, _ int32, d1, d2 float64) { sum += d1 + d2 })
			}
		}
		b.Run(fmt.Sprintf("op=two/backend=cpu/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				herds()
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpoints/s")
			b.ReportMetric(ratio.Of(9, func() {
				for i := range n {
					_, d1, d2 := p.x.other(p.y, i)
					sum += d1 + d2
				}
			}, herds), "x-one-by-one")
		})
	}
}
