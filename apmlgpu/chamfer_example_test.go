package apmlgpu_test

import (
	"errors"
	"fmt"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Two points against the same two, one of them moved up by 3.
func ExampleChamfer() {
	x := cloud.FromRows([][]float32{{0, 0}, {4, 0}})
	y := cloud.FromRows([][]float32{{0, 3}, {4, 0}})
	r, err := apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("chamfer %.1f\n", r.Value) // (9+0)/2 each way
	fmt.Println(r.GradX[1])               // 2·(0−3)/2 each way

	_, err = apmlgpu.Chamfer(x, cloud.FromRows([][]float32{{1, 2, 3}}), apmlgpu.ChamferOptions{})
	fmt.Println(err)
	var h interface{ Hint() string }
	fmt.Println(errors.Is(err, apmlgpu.ErrShape), errors.As(err, &h) && h.Hint() != "")
	// Output:
	// chamfer 9.0
	// -6
	// apmlgpu.Chamfer: shapes do not match: x is 2×2, y is 1×3
	// true true
}

// Distances 3 and 0 each way, with half their mean.
func ExampleChamferL1() {
	x := cloud.FromRows([][]float32{{0, 0}, {4, 0}})
	y := cloud.FromRows([][]float32{{0, 3}, {4, 0}})
	r, err := apmlgpu.ChamferL1(x, y, apmlgpu.ChamferOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, one way %.2f\n", r.Value, oneWay(x, y))
	// Output:
	// 1.50, one way 0.75
}

func oneWay(x, y cloud.Cloud) float64 {
	r, err := apmlgpu.ChamferL1(x, y, apmlgpu.ChamferOptions{OneWay: true})
	if err != nil {
		fmt.Println(err)
	}
	return r.Value
}
