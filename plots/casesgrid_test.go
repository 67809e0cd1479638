package plots

import (
	"math"
)

// gridOf is a grid of f at n × m places.
func gridOf(x0, x1 float64, n int, y0, y1 float64, m int, f func(x, y float64) float64) Grid {
	var g Grid
	for i := range n {
		g.X = append(g.X, x0+(x1-x0)*float64(i)/float64(n-1))
	}
	for j := range m {
		y := y0 + (y1-y0)*float64(j)/float64(m-1)
		g.Y = append(g.Y, y)
		for _, x := range g.X {
			g.Values = append(g.Values, f(x, y))
		}
	}
	return g
}

// twoWells is (x² − 1)² + y², with minima at (±1, 0) and a saddle of value 1 at 0; the
// left well is the deeper by 0.2.
func twoWells(x, y float64) float64 { return (x*x-1)*(x*x-1) + y*y + .1*x }

// banded is a plan of n × m whose row i goes to the columns near i·m/n, with masses
// that fall by a factor of fade from one to the next.
func banded(n, m, width int, fade float64) entriesOf {
	p := entriesOf{n: n, m: m}
	for i := range n {
		for k := -width; k <= width; k++ {
			if j := i*m/n + k; j >= 0 && j < m {
				p.list = append(p.list, link{i, j, math.Pow(fade, math.Abs(float64(k))) / float64(n)})
			}
		}
	}
	return p
}

// gridPictures are landscapes and maps of plans.
func gridPictures() []drawn {
	return []drawn{
		{"landscape-wells", func() (*Figure, error) {
			g := gridOf(-1.6, 1.6, 81, -1, 1, 61, twoWells)
			return Landscape(g, LandscapeOptions{OneScale: true, Value: "EMD", Options: Options{Title: "EMD over two shifts, 64 points, cost squared",
				XLabel: "shift along x (m)", YLabel: "shift along y (m)", Unit: "m²"}})
		}, []string{"shift along x (m)", "shift along y (m)", "EMD (m²)", "minimum: −0.1 at (−1, 0)", "1.0", "−0.5"}},
		{"landscape-holes", func() (*Figure, error) {
			g := gridOf(0, 350, 36, -90, 90, 7, func(x, y float64) float64 {
				return 1e-7 * (2 + math.Sin(x/57.3) + math.Cos(y/30))
			})
			for k := 40; k < 80; k++ {
				g.Values[k] = math.NaN()
			}
			return Landscape(g, LandscapeOptions{NoLevels: true, Options: Options{Width: 520, XLabel: "angle a (degrees)",
				YLabel: "angle b (degrees)"}})
		}, []string{"Landscape of the value", "value (no unit)", "40 cells grey: not a number.", "angle b (degrees)"}},
		{"landscape-flat", func() (*Figure, error) {
			g := gridOf(0, 1, 4, 0, 4, 5, func(x, y float64) float64 { return 2.5 })
			return Landscape(g, LandscapeOptions{Options: Options{Width: 300, Height: 300, Unit: "m", Caption: "Every shift costs the same"}})
		}, []string{"2.5", "value (m)", "minimum: 2.5 at (0, 0)", "Every shift costs the same."}},
		{"planmap-rings", func() (*Figure, error) {
			_, _, p := rings(60)
			for k := range p.list {
				if i := p.list[k].i; i >= 20 && i < 30 {
					p.list[k].p *= 1.5
				}
			}
			return PlanMap(p, PlanMapOptions{Options: Options{Title: "Plan between two rings, 60 points each, Faithful"}})
		}, []string{"target j (index)", "source i (index)", "entry (no unit)", "180 of 3,600 pairs in the support, mass 1.083.",
			"Row sums are off by 0.128 in the mean, 0.385 at most.", "50"}},
		{"planmap-log", func() (*Figure, error) {
			w := make([]float64, 40)
			for i := range w {
				w[i] = 1 + float64(i%2)
			}
			return PlanMap(banded(40, 25, 6, .05), PlanMapOptions{Log: true, RowWeights: w, Options: Options{Unit: "mass",
				Title: "Entropic plan of 40 to 25 points, weights 1 and 2"}})
		}, []string{"entry (mass)", "10⁻⁸", "Column sums are off by"}},
		{"planmap-many", func() (*Figure, error) {
			return PlanMap(banded(1200, 700, 3, .5), PlanMapOptions{Options: Options{Title: "1,200 to 700 points"}})
		}, []string{"largest entry (no unit)",
			"A cell is the largest of 3 × 2 entries, a bar the mean of its sums.", "1000", "600"}},
		{"planmap-wide", func() (*Figure, error) {
			p := entriesOf{n: 2, m: 9, list: []link{{0, 0, .5}, {1, 8, .5}}}
			return PlanMap(p, PlanMapOptions{Options: Options{Caption: "EMD 0.302"}})
		}, []string{"Plan of 2 × 9, 2 entries", "EMD 0.302.", "0.5"}},
	}
}

// seriesPictures are series over iterations, and lines with logarithmic axes.
func seriesPictures() []drawn {
	falls := func(name string, n int, rate float64) Curve {
		return overRange(name, "", 0, float64(n), n, func(x float64) float64 { return math.Exp(-rate*x) + 1e-13 })
	}
	return []drawn{
		{"convergence-rates", func() (*Figure, error) {
			return Convergence([]Curve{falls("ε = 0.5", 35, 1), falls("ε = 0.05", 300, .1), falls("ε = 0.01", 300, .02)},
				ConvergenceOptions{Tol: 1e-9, Options: Options{Title: "Marginal error of Sinkhorn, N = 256, squared cost",
					YLabel: "row error"}})
		}, []string{"iteration (count)", "row error (no unit)", "tolerance: 1·10⁻⁹", "ε = 0.05", "10⁻⁶"}},
		{"convergence-zeros", func() (*Figure, error) {
			e := Curve{Name: "EMD", Loss: "emd", X: []float64{0, 25, 50, 75, 100, 150}, Y: []float64{.996, .0715, .0051, 3e-4, 0, 0}}
			c := Curve{Name: "Chamfer", Loss: "chamfer", X: e.X, Y: []float64{.996, .882, .8815, .8814, .8815, .8815}}
			return Convergence([]Curve{e, c}, ConvergenceOptions{Options: Options{Title: "Flows from a clump, N = 256",
				XLabel: "step (count)", YLabel: "EMD to the target", Unit: "m"}})
		}, []string{"EMD to the target (m)", "2 points of value 0, at the mark 0.", "0", "10⁻⁴"}},
		{"line-log", func() (*Figure, error) {
			var x []float64
			for k := range 13 {
				x = append(x, math.Pow(10, -3+float64(k)/4))
			}
			curve := func(name, loss string, f func(float64) float64) Curve {
				c := Curve{Name: name, Loss: loss, X: x}
				for _, v := range x {
					c.Y = append(c.Y, f(v))
				}
				return c
			}
			return Line([]Curve{curve("⟨P,C⟩", "sinkhorn-biased", func(e float64) float64 { return .0238 + e }),
				curve("divergence", "sinkhorn", func(e float64) float64 { return .0238 - .01*e })},
				LineOptions{LogX: true, LogY: true, Joined: true, Marks: []Mark{{"W₂²", .0237598}}, Options: Options{
					Title: "Bias of entropy, N = 256", XLabel: "ε (m²)", Unit: "m²"}})
		}, []string{"ε (m²)", "value (m²)", "W₂²: 0.02376", "10⁻³", "10⁰"}},
	}
}
