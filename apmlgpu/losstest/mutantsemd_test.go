package losstest

// emdMutants are faults of exact transport.
var emdMutants = []mutant{
	{"stopped before the last pivots", "internal/cpu/simplex.go", "coarseTol = 1e-12", "coarseTol = 1e-3", "emd"},
	{"a plan of rows only", "internal/cpu/simplex.go", "case m == 0:", "case m == 0 || k >= n:", "emd"},
	{"lists taken for all pairs", "internal/cpu/listed.go", "\t\t\t\tmore = true\n", "", "emd"},
	{"bounds of lists forgotten", "internal/cpu/lists.go", "a.bound[i] = found[len(found)-1].r", "a.bound[i] = math.Inf(1)", "emd"},
	{"no paths at the end", "internal/cpu/levels.go", "if err := a.finish(); err != nil || t.late {", "if err := error(nil); err != nil || t.late {", "emd"},
	{"bounds of cells too high", "internal/cpu/nodebound.go", "return max(a, s-c.crude)", "return max(a, s-c.crude) + 0.05", "emd"},
	{"weights not looked at by EMD", "internal/cpu/masses.go", "weight(i)/largest/sum*float64(total)", "float64(total)/float64(len(h.unit))", "emd|definition"},
	{"light points taken for dust", "internal/cpu/emd.go", "const dustShare = 1e-13", "const dustShare = 1e-2", "emd|definition"},
	{"sizes of uniform clouds exchanged", "internal/cpu/masses.go", "t.x.each(m / g)", "t.x.each(n / g)", "emd|definition"},
	{"copies counted once", "internal/cpu/masses.go", "h.mass[k] += h.unit[i]", "h.mass[k] = h.unit[i]", "emd|definition"},
	{"means not given back", "internal/cpu/emdproof.go", "sign * 2 * s", "sign * s", "emd"},
	{"a gap that is not looked at", "internal/cpu/emdproof.go", "!t.late && gap <=", "gap >= 0 || gap <=", "emd"},
	{"gradient of y turned round", "emdresult.go", "gy[int(a.J)*d+c] -= w", "gy[int(a.J)*d+c] += w", "gradient|property"},
	{"gradient of the squared cost halved", "emdresult.go", "a.Mass * 2 * e.factor", "a.Mass * e.factor", "gradient"},
	{"half of the half squared cost forgotten", "emd.go", "factor = 0.5", "factor = 1", "definition"},
	{"plan of the wrong column", "emdresult.go", "f(int(a.J), a.Mass)", "f(int(a.I), a.Mass)", "emd"},
}
