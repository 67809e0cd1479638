package losstest

import (
	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Options of the suite's rows: ones at which every part of a loss counts on
// clouds of size 1.
const (
	hyperAlpha = 3
	infoTau    = 0.5
	infoLambda = 0.3
	dcdAlpha   = 20
	dcdLambda  = 0.5
	someRadius = 0.5
	someShare  = 0.7
)

// someDirections are for up to five coordinates: an axis, along which points of
// a lattice tie exactly, and two along which none do.
var someDirections = [][]float64{{1, 0, 0, 0, 0}, {0.618, -1.2732, 0.3331, 2.0791, 1.0123},
	{-0.4142, 0.2361, 2.7183, 0.7071, 3.1416}}

// directionsIn are directions of d coordinates; nil where there are none. On a
// line all are the same but for their sign, and a largest one is a matter of
// rounding: one is enough there.
func directionsIn(d int) (v [][]float64) {
	for _, t := range someDirections {
		if d >= 1 && d <= len(t) && (d > 1 || v == nil) {
			v = append(v, t[:d])
		}
	}
	return v
}

// chamferLosses are the rows of the losses of nearest neighbours, the metrics and
// Sliced.
func chamferLosses(backend string) []loss {
	near := []string{lastIndex, keepsZero, noWeights, sumsUp, ownWayOnly, signTurned}
	and := func(more ...string) []string { return append(append([]string(nil), near...), more...) }
	rows := []loss{
		row("chamfer", apmlgpu.Chamfer, apmlgpu.ChamferBatch, func(c call) apmlgpu.ChamferOptions {
			return apmlgpu.ChamferOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce}
		}, 2).defined(priced(chamferPrice), and(roots)...),
		row("chamfer-l1", apmlgpu.ChamferL1, apmlgpu.ChamferL1Batch, func(c call) apmlgpu.ChamferOptions {
			return apmlgpu.ChamferOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce}
		}, 1).defined(priced(chamferL1Price), and(noHalf, squares)...),
		row("hypercd", apmlgpu.HyperCD, apmlgpu.HyperCDBatch, func(c call) apmlgpu.HyperCDOptions {
			return apmlgpu.HyperCDOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce, Alpha: hyperAlpha / c.length(1) / c.length(1)}
		}, 0).defined(priced(hyperPrice(hyperAlpha)), and(roots)...),
	}
	for _, nonReg := range []bool{false, true} {
		name := "dcd"
		if nonReg {
			name = "dcd, not regularised"
		}
		rows = append(rows, row(name, apmlgpu.DCD, apmlgpu.DCDBatch, func(c call) apmlgpu.DCDOptions {
			return apmlgpu.DCDOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce, Alpha: dcdAlpha / c.length(1) / c.length(1), Lambda: dcdLambda,
				NonReg: nonReg}
		}, 0).defined(priced(dcdPrice(dcdAlpha, dcdLambda, nonReg)), and(noHalf, countOffByOne, countsMoved,
			ratioTurned)...))
	}
	for _, published := range []bool{false, true} {
		name := "infocd"
		if published {
			name = "infocd, published"
		}
		rows = append(rows, row(name, apmlgpu.InfoCD, apmlgpu.InfoCDBatch, func(c call) apmlgpu.InfoCDOptions {
			return apmlgpu.InfoCDOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce, Tau: c.length(infoTau), Lambda: infoLambda, Reference: published}
		}, 0).defined(priced(infoPrice(infoTau, infoLambda, published)), and(noHalf, logOfMean, logForgotten)...))
	}
	return append(rows, farRows(backend)...)
}

// farRows are Hausdorff, the metrics and Sliced.
func farRows(backend string) []loss {
	hausdorff := func(q float64) func(c call) apmlgpu.HausdorffOptions {
		return func(c call) apmlgpu.HausdorffOptions {
			return apmlgpu.HausdorffOptions{Backend: backend, Grad64: true, Threads: c.threads, MaxBytes: c.maxBytes,
				Context: c.context, Reduce: c.reduce, Quantile: q}
		}
	}
	far := []string{keepsZero, lastIndex, farLast, smallerWay, ownWayOnly}
	score := row("fscore", apmlgpu.FScore, apmlgpu.FScoreBatch, func(c call) apmlgpu.FScoreOptions {
		return apmlgpu.FScoreOptions{Backend: backend, Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context,
			Reduce: c.reduce, Radius: c.length(someRadius)}
	}, 0).defined(fScore(someRadius), keepsZero, noWeights, notStrict, dividedTwice)
	density := row("density", apmlgpu.Density, apmlgpu.DensityBatch, func(c call) apmlgpu.DensityOptions {
		return apmlgpu.DensityOptions{Backend: backend, Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context,
			Reduce: c.reduce}
	}, 0).defined(covered, lastIndex, keepsZero, noWeights, chosenTwice)
	all := row("metrics", apmlgpu.Metrics, apmlgpu.MetricsBatch, func(c call) apmlgpu.MetricsOptions {
		return apmlgpu.MetricsOptions{Backend: backend, Threads: c.threads, MaxBytes: c.maxBytes, Context: c.context,
			Reduce: c.reduce, Radius: c.length(someRadius), Quantile: someShare}
	}, 1).defined(func(x, y cloud.Cloud, mistake string) answer {
		return answer{value: farthest(someShare)(x, y, mistake).value}
	}, keepsZero, noWeights, smallerWay)
	score.metric, density.metric, all.metric = true, true, true
	rows := []loss{
		row("hausdorff", apmlgpu.Hausdorff, apmlgpu.HausdorffBatch, hausdorff(0), 1).defined(farthest(1), far...),
		row("hausdorff, quantile", apmlgpu.Hausdorff, apmlgpu.HausdorffBatch, hausdorff(someShare), 1).
			defined(farthest(someShare), append(far, noWeights)...),
		score, density, all,
	}
	return append(rows, slicedRow(backend, "sliced", 2, apmlgpu.SlicedOptions{}),
		slicedRow(backend, "sliced, distances", 1, apmlgpu.SlicedOptions{Cost: apmlgpu.Euclidean}),
		slicedRow(backend, "sliced, largest", 2, apmlgpu.SlicedOptions{Max: true,
			Cost: apmlgpu.HalfSqEuclidean}))
}

// slicedRow is Sliced along someDirections.
func slicedRow(backend, name string, degree float64, opt apmlgpu.SlicedOptions) loss {
	with := func(c call) apmlgpu.SlicedOptions {
		o := opt
		o.Backend, o.Grad64, o.Threads, o.MaxBytes, o.Context, o.Reduce = backend, true, c.threads, c.maxBytes, c.context,
			c.reduce
		return o
	}
	l := row(name, func(x, y cloud.Cloud, o apmlgpu.SlicedOptions) (apmlgpu.Result, error) {
		o.Directions = directionsIn(x.D)
		return apmlgpu.Sliced(x, y, o)
	}, func(xs, ys cloud.Batch, o apmlgpu.SlicedOptions) (apmlgpu.BatchResult, error) {
		o.Directions = directionsIn(xs.D)
		return apmlgpu.SlicedBatch(xs, ys, o)
	}, with, degree)
	cost := opt.Cost
	if cost == "" {
		cost = apmlgpu.SqEuclidean
	}
	l = l.defined(slicedBy(cost, opt.Max), rooted, byRank, noWeights, notUnit, ownWayOnly, signTurned,
		largestOnly)
	if cost != apmlgpu.Euclidean { // whose gradient knows only the side
		l.wrong = append(l.wrong, tiesTurned)
	}
	if !opt.Max {
		l.wrong = append(l.wrong, firstOnly)
	}
	l.fixed = true
	return l
}
