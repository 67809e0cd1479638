package apmlgpu_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// One point from another at distance 2: with α = 2 each way gives arcosh(1 + 8).
func ExampleHyperCD() {
	x := cloud.FromRows([][]float32{{0, 0}})
	y := cloud.FromRows([][]float32{{0, 2}})
	r, err := apmlgpu.HyperCD(x, y, apmlgpu.HyperCDOptions{Alpha: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f = %.4f\n", r.Value, 2*math.Acosh(9))
	// Output:
	// 5.7745 = 5.7745
}

// Distances 3 and 0 each way, a mean of 1.5 in units of τ = 2; the published sum
// adds up 3/2 each way. The logarithms are below a millionth.
func ExampleInfoCD() {
	x := cloud.FromRows([][]float32{{0, 0}, {4, 0}})
	y := cloud.FromRows([][]float32{{0, 3}, {4, 0}})
	for _, opt := range []apmlgpu.InfoCDOptions{{}, {Reference: true}} {
		r, err := apmlgpu.InfoCD(x, y, opt)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", r.Value)
	}
	_, err := apmlgpu.InfoCD(x, y, apmlgpu.InfoCDOptions{Tau: -1})
	fmt.Println(err)
	// Output:
	// 0.750
	// 1.500
	// apmlgpu.InfoCD: option is out of range: Tau is -1, want a finite length above zero
}

// Both points of y crowd on one of x's, and nobody chooses the other: Chamfer
// sees that once, DCD twice. From x: 1 − 1/2 and 1; from y: 1 − 1/2 each.
func ExampleDCD() {
	x := cloud.FromRows([][]float32{{0, 0}, {5, 0}})
	y := cloud.FromRows([][]float32{{0, 0}, {0, 0}})
	r, err := apmlgpu.DCD(x, y, apmlgpu.DCDOptions{Alpha: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", r.Value)
	// Output:
	// 0.6250
}

// The farthest point of x is 5 away from y, that of y 1 from x.
func ExampleHausdorff() {
	x := cloud.FromRows([][]float32{{0, 0}, {5, 0}})
	y := cloud.FromRows([][]float32{{0, 0}, {0, 1}})
	r, err := apmlgpu.Hausdorff(x, y, apmlgpu.HausdorffOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := r.Stats.Metrics
	fmt.Println(r.Value, m.HausdorffX, m.HausdorffY, r.GradX)
	// Output:
	// 5 5 1 [0 0 1 0]
}

// Of x one point in two is nearer than 2 to y, of y both are to x: P is ½, R is 1.
func ExampleFScore() {
	x := cloud.FromRows([][]float32{{0, 0}, {5, 0}})
	y := cloud.FromRows([][]float32{{0, 0}, {0, 1}})
	r, err := apmlgpu.FScore(x, y, apmlgpu.FScoreOptions{Radius: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f of precision %g and recall %g\n", r.Value, r.Stats.Metrics.Precision, r.Stats.Metrics.Recall)

	_, err = apmlgpu.FScore(x, y, apmlgpu.FScoreOptions{})
	fmt.Println(errors.Is(err, apmlgpu.ErrOption))
	// Output:
	// 0.6667 of precision 0.5 and recall 1
	// true
}

// Three points of x clump at one of y's four, a fourth is at another.
func ExampleDensity() {
	x := cloud.FromRows([][]float32{{0, 0}, {0.1, 0}, {0, 0.1}, {9, 0}})
	y := cloud.FromRows([][]float32{{0, 0}, {3, 0}, {6, 0}, {9, 0}})
	r, err := apmlgpu.Density(x, y, apmlgpu.DensityOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("coverage", r.Value)
	for _, h := range r.Stats.Metrics.Hits {
		fmt.Println(h.Points, "points of y with", h.Hits, "hits")
	}
	// Output:
	// coverage 0.5
	// 2 points of y with 0 hits
	// 1 points of y with 1 hits
	// 1 points of y with 3 hits
}

func ExampleMetrics() {
	x := cloud.FromRows([][]float32{{0, 0}, {5, 0}})
	y := cloud.FromRows([][]float32{{0, 0}, {0, 1}})
	r, err := apmlgpu.Metrics(x, y, apmlgpu.MetricsOptions{Radius: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := r.Stats.Metrics
	fmt.Printf("Hausdorff %g, F-score %.4f, coverage %g\n", m.Hausdorff, m.FScore, m.Coverage)
	// Output:
	// Hausdorff 5, F-score 0.6667, coverage 0.5
}

// Both clouds differ by (3, 4): along the axes that costs 9 and 16.
func ExampleSliced() {
	x := cloud.FromRows([][]float32{{0, 0}, {1, 1}})
	y := cloud.FromRows([][]float32{{4, 5}, {3, 4}})
	axes := [][]float64{{1, 0}, {0, 1}}
	r, err := apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Directions: axes})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Value, "±", r.Stats.StdErr)
	r, err = apmlgpu.Sliced(x, y, apmlgpu.SlicedOptions{Directions: axes, Max: true, Cost: apmlgpu.Euclidean})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("largest", r.Value, "along", r.Stats.Direction, "gradient", r.GradX)
	// Output:
	// 12.5 ± 3.5
	// largest 4 along [0 1] gradient [0 -0.5 0 -0.5]
}

// A batch of two pairs: values 9 and 1, reduced to their mean.
func ExampleChamferBatch() {
	xs, err := cloud.Join(cloud.FromRows([][]float32{{0, 0}}), cloud.FromRows([][]float32{{1, 0}, {1, 0}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	ys, err := cloud.Join(cloud.FromRows([][]float32{{0, 3}, {0, 3}}), cloud.FromRows([][]float32{{0, 0}}))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := apmlgpu.ChamferBatch(xs, ys, apmlgpu.ChamferOptions{OneWay: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Values, r.Value)
	// Output:
	// [9 1] 5
}
