package losstest

// emdMutants are faults of exact transport.
var emdMutants = []mutant{
	{"a pivot that takes the larger flow", "internal/cpu/simplex.go", "s.flow[p] < most {", "s.flow[p] > most {", "emd"},
	{"stopped before the last pivots", "internal/cpu/simplex.go", "coarse := 1e-12 * s.scale", "coarse := 1e-3 * s.scale", "emd"},
	{"potentials moved the other way", "internal/cpu/simplex.go", "if (k < n) == rows {", "if (k < n) != rows {", "emd"},
	{"a plan of rows only", "internal/cpu/simplex.go", "case m == 0:", "case m == 0 || k >= n:", "emd"},
	{"weights not looked at by EMD", "internal/cpu/emd.go", "weight(i)/largest/sum*float64(total)", "float64(total)/float64(len(h.unit))", "emd|definition"},
	{"points of weight zero have mass", "internal/cpu/emd.go", "case w/largest/sum >= dustShare:", "case w/largest/sum >= 0:", "emd|definition"},
	{"sizes of uniform clouds exchanged", "internal/cpu/emd.go", "t.x.each(m / g)", "t.x.each(n / g)", "emd|definition"},
	{"copies counted once", "internal/cpu/emd.go", "h.mass[k] += h.unit[i]", "h.mass[k] = h.unit[i]", "emd|definition"},
	{"means not given back", "internal/cpu/emdproof.go", "sign * 2 * s", "sign * s", "emd"},
	{"a gap that is not looked at", "internal/cpu/emdproof.go", "!t.late && gap <=", "gap >= 0 || gap <=", "emd"},
	{"gradient of y turned round", "emdresult.go", "gy[int(a.J)*d+c] -= w", "gy[int(a.J)*d+c] += w", "gradient|property"},
	{"gradient of the squared cost halved", "emdresult.go", "a.Mass * 2 * e.factor", "a.Mass * e.factor", "gradient"},
	{"half of the half squared cost forgotten", "emd.go", "factor = 0.5", "factor = 1", "definition"},
	{"plan of the wrong column", "emdresult.go", "f(int(a.J), a.Mass)", "f(int(a.I), a.Mass)", "emd"},
}
