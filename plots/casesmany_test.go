package plots

import (
	"math"

	"github.com/gondola-lab/gondola/cloud"
)

// wells are landscapes of two losses over the same shifts.
func wells(n int, opt LandscapeOptions) (out []*Figure, err error) {
	for k := range n {
		g := gridOf(-1.6, 1.6, 41, -1, 1, 31, func(x, y float64) float64 { return float64(1+k*k) * (1.2 + twoWells(x, y)) })
		opt.Options.Title = []string{"EMD", "Sinkhorn", "APML", "Chamfer"}[k]
		f, err := Landscape(g, opt)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// groupPictures are pictures of several plots, and a frame of one that moves.
func groupPictures() []drawn {
	shifts := Options{XLabel: "shift along x (m)", YLabel: "shift along y (m)", Unit: "m²"}
	return []drawn{
		{"compare-wells", func() (*Figure, error) {
			fs, err := wells(2, LandscapeOptions{OneScale: true, Value: "loss", Options: shifts})
			if err != nil {
				return nil, err
			}
			return Compare(fs, CompareOptions{Options: Options{Title: "Two losses over two shifts, N = 64"}})
		}, []string{"(a) EMD", "(b) Sinkhorn", "shift along x (m)", "shift along y (m)", "loss (m²)", "minimum",
			"Minimum: (a) 1.1"}},
		{"compare-apart", func() (*Figure, error) {
			fs, err := wells(4, LandscapeOptions{OneScale: true, NoLevels: true, Value: "loss", Options: shifts})
			if err != nil {
				return nil, err
			}
			return Compare(append(fs, nil), CompareOptions{Apart: true, Options: Options{Title: "Four losses over two shifts, N = 64"},
				Names: []string{"EMD", "Sinkhorn", "APML", "Chamfer", "DCD"}})
		}, []string{"(d) Chamfer: 11 to 47.9", "(e) DCD", nothing, "least", "most", "of each panel (m²)"}},
		{"compare-lines", func() (*Figure, error) {
			var fs []*Figure
			for _, n := range []float64{16, 64, 256} {
				f, err := Line([]Curve{overRange("EMD", "emd", 0, 2, 20, func(x float64) float64 { return x * x }),
					overRange("Chamfer", "chamfer", 0, 2, 20, func(x float64) float64 { return x * x / (1 + x*math.Log2(n)/4) })},
					LineOptions{Options: Options{Title: "N = " + number(n), XLabel: "shift (m)", YLabel: "value", Unit: "m²"}})
				if err != nil {
					return nil, err
				}
				fs = append(fs, f)
			}
			return Compare(fs, CompareOptions{Options: Options{Title: "Two losses of a shifted ring"}})
		}, []string{"(a) N = 16", "(c) N = 256", "EMD", "Chamfer", "value (m²)"}},
		{"compare-plans", func() (*Figure, error) {
			var fs []*Figure
			for _, fade := range []float64{.1, .3, .6, .9} {
				f, err := PlanMap(banded(40, 60, 6, fade), PlanMapOptions{Log: true, Options: Options{Title: "ε = " + number(fade),
					Unit: "mass"}})
				if err != nil {
					return nil, err
				}
				fs = append(fs, f)
			}
			return Compare(fs, CompareOptions{Options: Options{Title: "Plans of more and more entropy"}})
		}, []string{"(a) ε = 0.1", "(d) ε = 0.9", "target j (index)", "source i (index)", "entry (mass)", "10⁻²"}},
		{"compare-clouds", func() (*Figure, error) {
			var fs []*Figure
			for _, n := range []int{40, 2500} {
				x, y := spiral(n, 0, 1), spiral(n, .2, 1.3)
				f, err := Matching(x, y, diagonal(n), MatchingOptions{Options: Options{Title: points(n), Unit: "m"}})
				if err != nil {
					return nil, err
				}
				fs = append(fs, f)
			}
			return Compare(fs, CompareOptions{})
		}, []string{"2 panels of Matching", "(b) 2,500 points", "x (m)", "y (m)", "source x", "target y"}},
		{"flow-middle", func() (*Figure, error) {
			a, err := sample20(FlowOptions{LogY: true, Metric: "W₂² (m²)", Options: Options{Unit: "m", Title: "Flow of a clump, N = 60"}})
			if err != nil {
				return nil, err
			}
			return a.Frame(9)
		}, []string{"Flow of a clump, N = 60", "x (m)", "y (m)", "W₂² (m²)", "step (count)", "frame 10 of 20", "moving x: 60 points",
			"target y: 60 points"}},
	}
}

// sample20 are 20 clouds that grow from a clump to a ring.
func sample20(opt FlowOptions) (*Animation, error) {
	_, y, _ := rings(60)
	var all []cloud.Cloud
	metric := Curve{Loss: "emd"}
	for k := range 20 {
		rest := math.Pow(.8, float64(k))
		x := y.Clone()
		for i := range x.N {
			x.X[2*i] = float32(.2*rest + (1-rest)*float64(x.X[2*i]) + .1*rest*math.Cos(float64(i)))
			x.X[2*i+1] = float32((1-rest)*float64(x.X[2*i+1]) + .1*rest*math.Sin(3*float64(i)))
		}
		all = append(all, x)
		metric.X, metric.Y = append(metric.X, float64(5*k)), append(metric.Y, rest*rest)
	}
	return Flow(all, y, metric, opt)
}
