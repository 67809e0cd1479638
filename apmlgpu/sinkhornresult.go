package apmlgpu

// result writes everything in the caller's order.
func (s *sinkhorn) result(value float64, end *solved) (Result, error) {
	r := Result{Value: value, loss: "Sinkhorn", cost: &end.out.Cost}
	if s.late {
		s.stats.Converged = false
		s.stats.Notes = append(s.stats.Notes, "a self-term has not converged")
	}
	if !s.opt.NoGrad {
		var err error
		r.GradX, r.GradX64, err = s.gradient(s.gradX, s.kx, s.tx)
		if err == nil {
			r.GradY, r.GradY64, err = s.gradient(s.gradY, s.ky, s.ty)
		}
		if err != nil {
			return Result{}, err
		}
		noteBeyond(&s.stats, s.beyond)
	}
	p := Potentials{F: s.spread(end.f, s.kx), G: s.spread(end.g, s.ky)}
	if !s.opt.Biased {
		p.selfX, p.selfY = s.spread(s.selfX, s.kx), s.spread(s.selfY, s.ky)
	}
	r.potentials = &p
	r.plan = s.planOf(end)
	return r, nil
}

// spread writes numbers by different point in the caller's order, 0 where the
// weight is zero.
func (s *sinkhorn) spread(v []float64, index []int32) []float64 {
	out := make([]float64, len(index))
	for i, k := range index {
		if k >= 0 {
			out[i] = v[k]
		}
	}
	return out
}

// gradient writes a gradient in the caller's order: equal points share alike.
func (s *sinkhorn) gradient(g []float64, index []int32, times []float64) ([]float32, []float64, error) {
	d := s.x.D
	out := make([]float32, d*len(index))
	var wide []float64
	if s.opt.Grad64 {
		wide = make([]float64, d*len(index))
	}
	for i, k := range index {
		if k < 0 {
			continue
		}
		for c := range d {
			v := g[int(k)*s.dimX+c] / times[k]
			if v-v != 0 {
				return nil, nil, &Error{s.op, errBeyond, "scale the clouds or their weights"}
			}
			f, fits := narrow(v)
			if !fits {
				s.beyond++
			}
			out[d*i+c] = f
			if wide != nil {
				wide[d*i+c] = v
			}
		}
	}
	return out, wide, nil
}
