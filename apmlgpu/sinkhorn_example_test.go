package apmlgpu_test

import (
	"fmt"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// A cloud moved by (3, 4): the divergence is 3² + 4² at every ε, the gradient of a
// point 2·(−3, −4) times its weight of ½. The plan gives p to equal points, with
// p/(½ − p) = exp((32 + 20 − 2·25)/2ε), and costs 26 − 2p.
func ExampleSinkhorn() {
	x := cloud.FromRows([][]float32{{0, 0}, {1, 0}})
	y := cloud.FromRows([][]float32{{3, 4}, {4, 4}})
	r, err := apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Epsilon: 0.5, Tol: 1e-10})
	if err != nil {
		fmt.Println(err)
		return
	}
	cost, err := r.TransportCost()
	fmt.Printf("divergence %.3f, gradient %.3f, ⟨P,C⟩ %.3f %v\n", r.Value, r.GradX[:2], cost, err)

	x.W = []float64{1, 1}
	_, err = apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{})
	fmt.Println(err)
	r, err = apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Reach: 3})
	fmt.Printf("with a reach: %.3f, mass %.3f of 2 and 1, %v\n", r.Value, r.Stats.Mass, err)
	// Output:
	// divergence 25.000, gradient [-3.000 -4.000], ⟨P,C⟩ 25.119 <nil>
	// apmlgpu.Sinkhorn: masses differ: 2 and 1
	// with a reach: 28.329, mass 0.715 of 2 and 1, <nil>
}

// The potentials of one ε are a start for the next.
func ExampleSinkhorn_warm() {
	x, y := cloud.Fibonacci(100), cloud.Turned(120)
	o := apmlgpu.SinkhornOptions{Blur: 0.2, Tol: 1e-6}
	r, err := apmlgpu.Sinkhorn(x, y, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := r.Potentials()
	o.Warm = &p
	again, late := apmlgpu.Sinkhorn(x, y, o)
	fmt.Println(len(p.F), len(p.G), again.Stats.Iterations < 3, err, late)
	// Output:
	// 100 120 true <nil> <nil>
}
