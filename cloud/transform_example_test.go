package cloud_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/cloud"
)

func ExampleCloud_Center() {
	c := cloud.FromRows([][]float32{{0}, {4}})
	c.W = []float64{3, 1} // the mean is 1
	fmt.Println(c.Center().X)
	// Output: [-1 3]
}

func ExampleCloud_Scale() {
	fmt.Println(cloud.FromRows([][]float32{{1, 2}}).Scale(0.5).X)
	// Output: [0.5 1]
}

func ExampleCloud_Shift() {
	c, err := cloud.FromRows([][]float32{{1, 2}}).Shift(10, 20)
	fmt.Println(c.X, err)
	// Output: [11 22] <nil>
}

func ExampleCloud_Sub() {
	c, err := cloud.FromRows([][]float32{{0}, {1}, {2}}).Sub([]int{2, 2, 0})
	fmt.Println(c.X, err)
	// Output: [2 2 0] <nil>
}

func ExampleCloud_Bounds() {
	fmt.Println(cloud.FromRows([][]float32{{0, 5}, {3, 1}}).Bounds())
	// Output: [0 1] [3 5]
}

func ExampleCloud_Equal() {
	c := cloud.FromRows([][]float32{{0}, {1}})
	d := c.Clone()
	d.W = []float64{0.5, 0.5} // what nil means
	fmt.Println(c.Equal(d), c.Equal(c.Scale(2)))
	// Output: true false
}

func ExampleCloud_Clone() {
	c := cloud.FromRows([][]float32{{0}})
	d := c.Clone()
	d.X[0] = 7
	fmt.Println(c.X, d.X)
	// Output: [0] [7]
}

func ExampleCloud_Weight() {
	c := cloud.FromRows([][]float32{{0}, {1}})
	fmt.Println(c.Weight(1), c.Mass())
	c.W = []float64{1, 3}
	fmt.Println(c.Weight(1), c.Mass())
	// Output:
	// 0.5 1
	// 3 4
}

func ExampleCloud_String() {
	fmt.Println(cloud.FromRows([][]float32{{0, 5}, {3, 1}}))
	// Output: 2 points in 2 dimensions, box [0 1] to [3 5]
}

// What Normalize did to one cloud is done to another, and undone.
func ExampleTransform() {
	x := cloud.FromRows([][]float32{{10}, {14}})
	y := cloud.FromRows([][]float32{{16}})
	_, t := x.Normalize()
	unit, err := t.Apply(y)
	fmt.Println(unit.X, err)
	back, err := t.Invert(unit)
	fmt.Println(back.X, err)
	// Output:
	// [2] <nil>
	// [16] <nil>
}

func ExampleBatch() {
	b, err := cloud.Join(cloud.Grid(2, 0), cloud.Grid(1, 0))
	fmt.Println(b.Len(), b.At(1).N, err, b.Validate())
	b.X[len(b.X)-1] = float32(math.Inf(1))
	err = b.Validate()
	fmt.Println(errors.Is(err, cloud.ErrNotFinite), err)
	// Output:
	// 2 1 <nil> <nil>
	// true cloud.Validate: cloud 1: not a finite number: coordinate 2 of point 0 is +Inf
}
