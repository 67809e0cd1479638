package plots_test

import (
	"fmt"
	"math"

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
