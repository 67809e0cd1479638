package losstest

import (
	"github.com/gondola-lab/gondola/apmlgpu"
)

// emdLosses are the rows of exact transport, one a cost.
func emdLosses(backend string) (rows []loss) {
	for _, cost := range []apmlgpu.Cost{apmlgpu.Euclidean, apmlgpu.SqEuclidean, apmlgpu.HalfSqEuclidean} {
		name, degree := "emd, "+string(cost), 2.0
		if cost == apmlgpu.Euclidean {
			name, degree = "emd", 1
		}
		l := row(name, apmlgpu.EMD, apmlgpu.EMDBatch, func(c call) apmlgpu.EMDOptions {
			return apmlgpu.EMDOptions{Cost: cost, Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce}
		}, degree).defined(emdBy(cost), wrongCost, greedy, halfOpen, zeroCounts, noWeights, sumsUp)
		l.loose, l.proven = true, true
		rows = append(rows, l)
	}
	return rows
}
