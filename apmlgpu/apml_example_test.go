package apmlgpu_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Two points at distance 2 from each other, against themselves: each gives
// q = (1−p)/(2−p) = 1/6 of its mass to the other, so the value is 2·2·q.
func ExampleAPML() {
	x := cloud.FromRows([][]float32{{0, 0, 0}, {2, 0, 0}})
	r, err := apmlgpu.APML(x, x, apmlgpu.APMLOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("value %.4f, gradient %.4f\n", r.Value, r.GradX)

	p, err := r.Plan()
	if err != nil {
		fmt.Println(err)
		return
	}
	p.Each(func(i, j int, v float64) { fmt.Printf("%d → %d: %.4f\n", i, j, v) })

	_, err = apmlgpu.APML(x, x, apmlgpu.APMLOptions{MinProb: 1})
	var h interface{ Hint() string }
	fmt.Println(err)
	fmt.Println(errors.Is(err, apmlgpu.ErrOption), errors.As(err, &h) && h.Hint() != "")
	// Output:
	// value 0.6667, gradient [-0.1667 0.0000 0.0000 0.1667 0.0000 0.0000]
	// 0 → 0: 0.8333
	// 0 → 1: 0.1667
	// 1 → 0: 0.1667
	// 1 → 1: 0.8333
	// apmlgpu.APML: option is out of range: MinProb is 1, want a probability of at least 0 and below 1
	// true true
}

// Two losses of the list, as a menu reads them. APML gives 5/6 to the nearest and
// 1/6 to the other: (5·3 + 4 + 5 + 5·0)/6.
func ExampleLosses() {
	x := cloud.FromRows([][]float32{{0, 0}, {4, 0}})
	y := cloud.FromRows([][]float32{{0, 3}, {4, 0}})
	for _, l := range apmlgpu.Losses() {
		if l.Name != "apml" && l.Name != "chamfer" {
			continue
		}
		r, err := l.Run(x, y, l.Usual())
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: %.3f %s\n", l.Name, r.Value, l.Unit)
	}
	// Output:
	// apml: 4.000 length × points
	// chamfer: 9.000 length²
}

// Two points against four, as an operator: the row side gives 1/2 to the own two
// partners, the column side 5/6 and 1/6, so half of both is 2/3 and 1/12, and each
// column has 8/9 from its own point. The left one moves to 8/9·0 + 1/9·9 = 1.
func ExamplePlan() {
	x := cloud.FromRows([][]float32{{0, 0}, {9, 0}})
	y := cloud.FromRows([][]float32{{0, 1}, {0, -1}, {9, 2}, {9, -2}})
	r, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Ties: apmlgpu.Split})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := r.Plan()
	if err != nil {
		fmt.Println(err)
		return
	}
	mass, err := p.Apply([]float64{1, 1, 0, 0}) // how much of the upper and lower left goes to each
	fmt.Printf("%.2f %v\n", mass, err)
	fmt.Printf("rows %.2f, columns %.2f\n", p.Rows(), p.Cols())
	moved, err := p.Map()
	fmt.Printf("%.1f %v\n", moved.X, err)
	fmt.Println(p, len(p.Top(3)))
	// Output:
	// [1.78 0.22] <nil>
	// rows [2.00 2.00], columns [1.00 1.00 1.00 1.00]
	// [1.0 0.0 8.0 0.0] <nil>
	// plan of 2×4, 8 entries 3
}

// A batch of two pairs, of one point and of two: 5, and 2·2·q with q = 1/6.
func ExampleAPMLBatch() {
	xs, _ := cloud.Join(cloud.FromRows([][]float32{{0, 0}}), cloud.FromRows([][]float32{{0, 0}, {2, 0}}))
	ys, _ := cloud.Join(cloud.FromRows([][]float32{{3, 4}}), cloud.FromRows([][]float32{{0, 0}, {2, 0}}))
	r, err := apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{Reduce: apmlgpu.Sum})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, of %.4f\n", r.Value, r.Values)

	xs.X[2] = float32(math.NaN())
	_, err = apmlgpu.APMLBatch(xs, ys, apmlgpu.APMLOptions{})
	fmt.Println(err)
	// Output:
	// 5.6667, of [5.0000 0.6667]
	// apmlgpu.APMLBatch: item 1: coordinate is not finite: x[0][0] is NaN
}
