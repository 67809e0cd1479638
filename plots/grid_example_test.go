package plots_test

import (
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/plots"
)

// A bowl over two shifts.
func ExampleLandscape() {
	var g plots.Grid
	for k := -4; k <= 4; k++ {
		g.X, g.Y = append(g.X, float64(k)/4), append(g.Y, float64(k)/4)
	}
	for _, y := range g.Y {
		for _, x := range g.X {
			g.Values = append(g.Values, (x-.25)*(x-.25)+2*y*y)
		}
	}
	f, err := plots.Landscape(g, plots.LandscapeOptions{OneScale: true, Value: "loss",
		Options: plots.Options{Title: "A bowl", XLabel: "shift along x (m)", YLabel: "shift along y (m)", Unit: "m²"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())

	g.Values[5] = math.Inf(1)
	_, err = plots.Landscape(g, plots.LandscapeOptions{})
	fmt.Println(err)
	// Output:
	// A bowl. loss (m²) over shift along x (m) and shift along y (m), 9 × 9: least 0 at (0.25, 0), most 3.562 at (−1, −1).
	// plots.Landscape: a value is not finite: the value at X 5, Y 0 is +Inf
}

// A plan of which each row gives half of its mass to the next column.
func ExamplePlanMap() {
	f, err := plots.PlanMap(half(4), plots.PlanMapOptions{RowWeights: []float64{1, 1, 1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())
	// Output:
	// Plan of 4 × 4, 8 entries. 8 of 16 pairs in the support, mass 1. Row sums are off by 0.3 in the mean, 0.375 at most. Column sums are off by 0 in the mean, 0 at most.
}

// An error that falls by ten in each round, down to nothing.
func ExampleConvergence() {
	f, err := plots.Convergence([]plots.Curve{{Name: "gap", Loss: "emd", X: []float64{1, 2, 3, 4}, Y: []float64{.1, .01, .001, 0}}},
		plots.ConvergenceOptions{Tol: 1e-3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())
	// Output:
	// Convergence of gap. value (no unit) over iteration (count): gap has 4 points, 0.1 at 1, 0 at 4; tolerance at 0.001. 1 point of value 0, at the mark 0.
}

// The same loss of two sizes, on one scale.
func ExampleCompare() {
	var panels []*plots.Figure
	for _, n := range []float64{4, 16} {
		c := plots.Curve{Name: "loss", Loss: "apml", X: []float64{0, 1, 2}, Y: []float64{0, n, 2 * n}}
		f, err := plots.Line([]plots.Curve{c}, plots.LineOptions{Options: plots.Options{XLabel: "shift (m)", Unit: "m"}})
		if err != nil {
			fmt.Println(err)
			return
		}
		panels = append(panels, f)
	}
	f, err := plots.Compare(panels, plots.CompareOptions{Names: []string{"N = 4", "N = 16"},
		Options: plots.Options{Title: "A sum grows with N"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Text())

	_, err = plots.Compare([]*plots.Figure{f, panels[0]}, plots.CompareOptions{})
	fmt.Println(err)
	// Output:
	// A sum grows with N. (a) N = 4: loss. value (m) over shift (m): loss has 3 points, least 0 at 0, most 8 at 2. (b) N = 16: loss. value (m) over shift (m): loss has 3 points, least 0 at 0, most 32 at 2.
	// plots.Compare: an option cannot be used: panel (a) is a picture of Compare
}

// Two points on their way.
func ExampleFlow() {
	target := cloud.Cloud{N: 2, D: 2, X: []float32{0, 0, 1, 1}}
	var all []cloud.Cloud
	metric := plots.Curve{Loss: "emd"}
	for k := range 3 {
		rest := 1 / float32(int(1)<<k)
		all = append(all, cloud.Cloud{N: 2, D: 2, X: []float32{rest, 0, 1 - rest, 1}})
		metric.X, metric.Y = append(metric.X, float64(k)), append(metric.Y, float64(rest))
	}
	a, err := plots.Flow(all, target, metric, plots.FlowOptions{Metric: "EMD (m)", Options: plots.Options{Unit: "m"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Text())
	// Output:
	// Flow of 2 points. 3 frames of 2 points on their way to 2 points; EMD (m) is 1 at step 0, 0.25 at step 2.
}
