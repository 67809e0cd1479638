package losstest

// sinkhornMutants are faults of entropic transport.
var sinkhornMutants = []mutant{
	{"columns counted once more in the value", "entropicend.go", "r.value = e.x.dual(r.f) + e.y.dual(r.g)", "r.value = e.x.dual(r.f) + 2*e.y.dual(r.g)", "definition"},
	{"mass forgotten in the value", "entropicend.go", "(r.mass-e.x.total*e.y.total)", "(r.mass-1)", "sinkhorn"},
	{"whole self-terms", "sinkhornsolve.go", "value -= own / 2", "value -= own", "definition"},
	{"no gradient of the self-terms", "sinkhornsolve.go", "grad[i] -= v", "grad[i] -= 0 * v", "definition|gradient"},
	{"masses of the divergence", "sinkhornsolve.go", "s.opt.Epsilon / 2 * d * d", "s.opt.Epsilon * d * d", "sinkhorn"},
	{"not damped", "relax.go", "return s.rho / (s.rho + eps)", "return 1", "definition"},
	{"reach as a cost", "sinkhornsolve.go", "return s.opt.Cost.epsilon(reach)", "return reach", "definition"},
	{"blur squared once", "cost.go", "return 2 * blur * blur", "return blur * blur", "definition"},
	{"half the slope of the squared cost", "internal/cpu/transport.go", "scale *= 2", "scale *= 1", "definition|gradient"},
	{"no root in the cost", "internal/cpu/softmin.go", "dst[j] = math.Sqrt(v) * unit", "dst[j] = v * unit", "definition"},
	{"copies without their share", "sinkhornresult.go", "s.dimX+c] / times[k]", "s.dimX+c]", "definition"},
	{"copies counted once", "internal/cpu/gibbs.go", "w := s.times(i) * s.weight(i)", "w := s.weight(i)", "definition"},
	{"lists too short", "internal/cpu/trunc.go", "t > -listDepth-listRoom {", "t > -5 {", "sinkhorn"},
	{"nodes cut off too early", "internal/cpu/trunc.go", "h.eps)-f-t.most[k] >= listDepth+listRoom", "h.eps)-f-t.most[k] >= 4", "sinkhorn"},
	{"sums of columns by the last chunk", "internal/cpu/stored.go", "c[lo+j] += v", "c[lo+j] = v", "definition|sinkhorn"},
	{"the warm start forgotten", "sinkhornsolve.go", "take(e.x.base, gathered[0], s.kx)", "take(e.x.base, gathered[0][:0], s.kx)", "sinkhorn"},
	{"errors not measured at the end", "sinkhornsolve.go", "end.converged = end.rowError <= s.opt.Tol && end.colError <= s.opt.Tol", "end.converged = true", "sinkhorn"},
	{"rounds past MaxIter", "entropic.go", "for e.rounds < most {", "for e.rounds < 1<<20 {", "sinkhorn"},
	{"plan of different points", "potentials.go", "mass * share[i] / t", "mass * share[i] / (t - t + 1)", "sinkhorn"},
}
