package flow

import "math"

// The constants of Adam as published: Kingma and Ba, arXiv:1412.6980.
const (
	adamFirst  = 0.9
	adamSecond = 0.999
	adamFloor  = 1e-8
)

// adam is the rule m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², x ← x − Step·m̂/(√v̂ + 1e-8),
// m̂ and v̂ the moments over 1 − β^k.
func (r *run) adam() func(k int, grad []float64) {
	m, v := make([]float64, len(r.x)), make([]float64, len(r.x))
	return func(k int, grad []float64) {
		step := r.opt.length(k)
		first, second := 1-math.Pow(adamFirst, float64(k+1)), 1-math.Pow(adamSecond, float64(k+1))
		for i, g := range grad {
			m[i] = float64(adamFirst*m[i]) + float64((1-adamFirst)*g)
			v[i] = float64(adamSecond*v[i]) + float64((1-adamSecond)*float64(g*g))
			r.x[i] -= step * (m[i] / first) / (math.Sqrt(v[i]/second) + adamFloor)
		}
	}
}
