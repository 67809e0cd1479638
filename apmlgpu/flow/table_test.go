package flow

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// steady is a Schedule that does nothing.
func steady(int, int) float64 { return 1 }

// Cap(256) flows to Fibonacci(256): the mean exact transport and how many targets are
// nobody's nearest, after 25, 50 and 150 steps of 0.1·d. d is the sum over both
// directions of (x − y) for Chamfer-L2, half the unit vectors for Chamfer-L1, x less its
// partner for EMD and less its barycentric map for Sinkhorn: half the gradients of the
// squared costs. Those of plain distances fade as 1 − k/150. Each value within 10 % or
// 0.01, for a flow amplifies the last digit.
func TestClumpedPrediction(t *testing.T) {
	x, y := cloud.Cap(256), cloud.Fibonacci(256)
	loss := func(name string, options any) Loss {
		l, err := Of(name, options)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	var ends []float64
	for _, tt := range []struct {
		name     string
		loss     Loss
		step     float64
		schedule func(k, steps int) float64
		emd      [3]float64
		bare     [3]float64
	}{
		{"Chamfer-L2", loss("chamfer", nil), .05, steady, [3]float64{.8819, .8814, .8815}, [3]float64{187, 187, 187}},
		{"Chamfer-L1", loss("chamfer-l1", nil), .1, Linear, [3]float64{.9037, .8999, .9004}, [3]float64{195, 195, 195}},
		{"APML, 20", loss("apml", nil), .1, Linear, [3]float64{.3438, .2745, .2083}, [3]float64{66, 48, 38}},
		{"APML, 200", loss("apml", &apmlgpu.APMLOptions{Iterations: 200}), .1, Linear, [3]float64{.0823, .0585, .0256},
			[3]float64{9, 5, 4}},
		{"Sinkhorn, biased", Sinkhorn(apmlgpu.SinkhornOptions{Epsilon: .05, Biased: true}), .05, steady,
			[3]float64{.1027, .0360, .0329}, [3]float64{15, 1, 1}},
		{"divergence", Sinkhorn(apmlgpu.SinkhornOptions{Epsilon: .05}), .05, steady, [3]float64{.0814, .0108, .0078},
			[3]float64{10, 1, 0}},
		{"EMD", EMD(apmlgpu.EMDOptions{Cost: apmlgpu.SqEuclidean}), .05, steady, [3]float64{.0715, .0051, 0},
			[3]float64{0, 0, 0}},
	} {
		p, err := Run(x, y, tt.loss, Options{Step: tt.step, Schedule: tt.schedule, Every: 25})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for k, at := range []int{1, 2, 6} {
			emd, bare := judge(t, p.Clouds[at], y)
			t.Logf("%-17s step %3d: EMD %.4f (%.4f), bare %3.0f (%3.0f)", tt.name, p.At[at], emd, tt.emd[k], bare, tt.bare[k])
			if !(math.Abs(emd-tt.emd[k]) <= max(.01, .1*tt.emd[k])) {
				t.Errorf("%s, step %d: EMD %.4f, want %.4f", tt.name, p.At[at], emd, tt.emd[k])
			}
			if !(math.Abs(bare-tt.bare[k]) <= max(3, .1*tt.bare[k])) {
				t.Errorf("%s, step %d: %g targets are nobody's nearest, want %g", tt.name, p.At[at], bare, tt.bare[k])
			}
			if k == 2 {
				ends = append(ends, emd)
			}
		}
	}
	emd, bare := judge(t, x, y)
	if !(math.Abs(emd-.9959489926) <= 2e-6) || bare != 223 {
		t.Errorf("start: EMD %.6f, %g targets are nobody's nearest", emd, bare)
	}
	order := []int{1, 0, 2, 4, 3, 5, 6} // from the farthest to the nearest
	for k := 1; k < len(ends); k++ {
		if !(ends[order[k]] < ends[order[k-1]]) {
			t.Errorf("the order of the ends: %v", ends)
		}
	}
}

// judge is the mean exact transport and the number of targets that no point is nearest to.
func judge(t *testing.T, x, y cloud.Cloud) (emd, bare float64) {
	t.Helper()
	r, err := apmlgpu.EMD(x, y, apmlgpu.EMDOptions{NoGrad: true})
	if err != nil {
		t.Fatal(err)
	}
	d, err := apmlgpu.Density(x, y, apmlgpu.DensityOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Value, math.Round(float64(y.N) * (1 - d.Value))
}
