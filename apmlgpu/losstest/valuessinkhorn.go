package losstest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// solvedTol is the tolerance at which numbers of Sinkhorn are compared with right
// ones: gradients are off by as much.
const solvedTol = 1e-12

// sinkhornOptions reads the options of a case; unknown names those without a
// meaning.
func (c valueCase) sinkhornOptions() (o apmlgpu.SinkhornOptions, unknown []string, err error) {
	all, err := c.numbersOf()
	if err != nil {
		return o, nil, err
	}
	o = apmlgpu.SinkhornOptions{Tol: solvedTol, MaxIter: 1 << 20, Grad64: true}
	p := 2.0
	rho, rhoX, rhoY := 0.0, 0.0, 0.0
	for name, v := range all {
		switch name {
		case "minprob": // as p is read of APML
			p = v
		case "eps", "epsilon", "reg":
			o.Epsilon = v
		case "blur":
			o.Blur = v
		case "rho", "regm":
			rho = v
		case "rhox":
			rhoX = v
		case "rhoy":
			rhoY = v
		case "reach":
			o.Reach = v
		default:
			unknown = append(unknown, name)
		}
	}
	reach := func(rho float64) float64 { return math.Sqrt(rho / 2) }
	switch p {
	case 1:
		o.Cost, reach = apmlgpu.Euclidean, func(rho float64) float64 { return rho }
	case 2:
	default:
		return o, nil, fmt.Errorf("no cost |x−y|^%v", p)
	}
	if rho > 0 {
		o.Reach = reach(rho)
	}
	o.ReachX, o.ReachY = reach(rhoX), reach(rhoY)
	return o, unknown, nil
}

// sinkhorn compares every way in which the factors are held.
func (c valueCase) sinkhorn(t *testing.T, backend string, x, y cloud.Cloud) {
	o, unknown, err := c.sinkhornOptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range unknown {
		if !strings.HasPrefix(name, "weights") {
			t.Logf("option without a meaning for Sinkhorn: %s", name)
		}
	}
	o.Backend = backend
	if c.device { // no more is judged there
		o.Tol = 1e-9
	}
	for _, m := range []apmlgpu.Method{apmlgpu.MethodAuto, apmlgpu.MethodStreaming} {
		o.Method = m
		if m == apmlgpu.MethodStreaming && x.N*y.N > 1<<14 {
			continue // the same rounds, minutes of them
		}
		o.Biased = false
		r, err := apmlgpu.Sinkhorn(x, y, o)
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		o.Biased = true
		b, err := apmlgpu.Sinkhorn(x, y, o)
		if err != nil {
			t.Errorf("%s, biased: %v", m, err)
			continue
		}
		c.compare(t, judge{string(m), false, sinkhornNumbers(r, b, x.D)})
	}
}

// sinkhornNumbers finds the numbers of a key of want in a divergence and a biased
// result.
func sinkhornNumbers(r, b apmlgpu.Result, d int) func(key string) []float64 {
	return func(key string) []float64 {
		if m := gradKey.FindStringSubmatch(key); m != nil {
			if m[3] == "ot_eps" {
				return gradNumbers(b, d, m[1], m[2])
			}
			return gradNumbers(r, d, m[1], m[2])
		}
		switch key {
		case "divergence":
			return []float64{r.Value}
		case "ot_eps", "value":
			return []float64{b.Value}
		case "mass":
			return []float64{b.Stats.Mass}
		case "self_x":
			return []float64{r.Stats.SelfX}
		case "self_y":
			return []float64{r.Stats.SelfY}
		case "transport_cost":
			if v, err := b.TransportCost(); err == nil {
				return []float64{v}
			}
		}
		return nil
	}
}
