package flow

// sgd is the rule v ← Momentum·v + g, x ← x − Step·v.
func (r *run) sgd() func(k int, grad []float64) {
	v := make([]float64, len(r.x))
	return func(k int, grad []float64) {
		step := r.opt.length(k)
		for i, g := range grad {
			v[i] = float64(r.opt.Momentum*v[i]) + g
			r.x[i] -= float64(step * v[i])
		}
	}
}
