package flow_test

import (
	"errors"
	"fmt"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/apmlgpu/flow"
	"github.com/gondola-lab/gondola/cloud"
)

// Two points on a line go to their targets: a tenth of the way in each step.
func ExampleRun() {
	x := cloud.FromRows([][]float32{{4}, {-1}})
	y := cloud.FromRows([][]float32{{1}, {3}})
	loss := flow.EMD(apmlgpu.EMDOptions{Cost: apmlgpu.HalfSqEuclidean})
	p, err := flow.Run(x, y, loss, flow.Options{Steps: 3, Every: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, c := range p.Clouds {
		fmt.Printf("step %d: %.3f, value %.4f\n", p.At[k], c.X, p.Value[k])
	}

	_, err = flow.Run(x, y, loss, flow.Options{Momentum: 1})
	fmt.Println(err, errors.Is(err, apmlgpu.ErrOption))
	// Output:
	// step 0: [4.000 -1.000], value 1.2500
	// step 1: [3.900 -0.800], value 1.0125
	// step 2: [3.810 -0.620], value 0.8201
	// step 3: [3.729 -0.458], value 0.6643
	// flow.Run: option is out of range: Momentum is 1, want a share of at least 0 and below 1 true
}

// Any loss of the list, by its name.
func ExampleOf() {
	for _, name := range []string{"chamfer", "emd"} {
		loss, err := flow.Of(name, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := flow.Run(cloud.Cap(64), cloud.Fibonacci(64), loss, flow.Options{Step: 0.1, Schedule: flow.Linear})
		fmt.Printf("%s: %.3f to %.3f, %v\n", name, p.Value[0], p.Value[150], err)
	}
	_, err := flow.Of("fscore", nil)
	fmt.Println(err)
	// Output:
	// chamfer: 1.130 to 0.102, <nil>
	// emd: 1.002 to 0.000, <nil>
	// flow.Of: option is out of range: no loss with a gradient is named "fscore"
}

// A loss of one's own: a share of the divergence beside Chamfer.
func ExampleLoss() {
	sum := func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		a, err := apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{})
		if err != nil {
			return a, err
		}
		b, err := apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Epsilon: 0.1})
		a.Value += 0.1 * b.Value
		for i, v := range b.GradX {
			a.GradX[i] += 0.1 * v
		}
		return a, err
	}
	p, err := flow.Run(cloud.Cap(64), cloud.Fibonacci(64), sum, flow.Options{Method: flow.Adam, Steps: 100})
	fmt.Println(p.Value[100] < 0.5*p.Value[0], err)
	// Output: true <nil>
}

func ExampleSinkhorn() {
	loss := flow.Sinkhorn(apmlgpu.SinkhornOptions{Epsilon: 0.05})
	p, err := flow.Run(cloud.Cap(64), cloud.Fibonacci(64), loss, flow.Options{})
	fmt.Println(len(p.Steps()), p.End().N, p.Value[150] < 0.01*p.Value[0], err)
	// Output: 151 64 true <nil>
}
