package apmlgpu_test

import (
	"fmt"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Nearest partners would send both points of x to the first of y; each of y takes
// one only.
func ExampleEMD() {
	x := cloud.FromRows([][]float32{{0, 0, 0}, {1, 0, 0}})
	y := cloud.FromRows([][]float32{{0, 0, 0}, {5, 0, 0}})
	r, err := apmlgpu.EMD(x, y, apmlgpu.EMDOptions{})
	if err != nil {
		panic(err)
	}
	p, _ := r.Plan()
	p.Each(func(i, j int, m float64) { fmt.Printf("%d to %d: %g\n", i, j, m) })
	fmt.Println(r.Value, r.GradX)
	// Output:
	// 0 to 0: 0.5
	// 1 to 1: 0.5
	// 2 [0 0 0 -0.5 0 0]
}

func ExampleEMDBatch() {
	x := cloud.FromRows([][]float32{{0, 0, 0}})
	y := cloud.FromRows([][]float32{{3, 4, 0}, {0, 1, 0}})
	xs, _ := cloud.Join(x, x)
	ys, _ := cloud.Join(x, y)
	r, err := apmlgpu.EMDBatch(xs, ys, apmlgpu.EMDOptions{})
	fmt.Println(r.Values, r.Value, err)
	// Output: [0 3] 1.5 <nil>
}

// A certificate is the proof that no plan costs less.
func ExampleResult_Certificate() {
	x, y := cloud.Fibonacci(200), cloud.Turned(300)
	r, err := apmlgpu.EMD(x, y, apmlgpu.EMDOptions{NoGrad: true})
	if err != nil {
		panic(err)
	}
	c, _ := r.Certificate()
	fmt.Printf("primal %.6f, dual %.6f, %d pairs below their potentials\n", c.Primal, c.Dual, c.Violations)
	// Output: primal 0.151574, dual 0.151574, 0 pairs below their potentials
}

// Potentials are prices: what moving a point away and filling another is worth.
func ExampleResult_Potentials() {
	x := cloud.FromRows([][]float32{{0, 0, 0}, {1, 0, 0}})
	y := cloud.FromRows([][]float32{{0, 0, 0}, {5, 0, 0}})
	r, _ := apmlgpu.EMD(x, y, apmlgpu.EMDOptions{})
	p, _ := r.Potentials()
	fmt.Println(p.F[0]+p.G[0], p.F[1]+p.G[1])
	// Output: 0 4
}
