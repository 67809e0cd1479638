package losstest

import (
	"errors"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Options of the suite's rows: lengths of the order of the clouds, so that rounds
// are few and every part counts.
const (
	someBlur   = 0.7
	someReach  = 0.9
	otherReach = 0.4
	// exactTol is a tolerance at which what is left is rounding, and mostRounds ends
	// rounds between clouds so far apart that rounding keeps them from it.
	exactTol   = 1e-13
	mostRounds = 300
)

// sinkhornLosses are the rows of entropic transport.
func sinkhornLosses(backend string) []loss {
	wrong := []string{keepsZero, noWeights, signTurned, blurSquared}
	and := func(more ...string) []string { return append(append([]string(nil), wrong...), more...) }
	return []loss{
		sinkhornRow(backend, "sinkhorn", 2, apmlgpu.SinkhornOptions{}).
			defined(entropicBy(apmlgpu.SqEuclidean, false, 0, 0), and(selfLeft, selfWhole)...),
		sinkhornRow(backend, "sinkhorn, biased distances", 1, apmlgpu.SinkhornOptions{Cost: apmlgpu.Euclidean, Biased: true,
			Method: apmlgpu.MethodStreaming}).
			defined(entropicBy(apmlgpu.Euclidean, true, 0, 0), and(selfTaken, entropyAlone)...),
		sinkhornRow(backend, "sinkhorn, unbalanced", 2, apmlgpu.SinkhornOptions{Cost: apmlgpu.HalfSqEuclidean, Reach: someReach}).
			defined(entropicBy(apmlgpu.HalfSqEuclidean, false, someReach, someReach), and(selfLeft, notDamped)...),
	}
}

// sinkhornRow is Sinkhorn at a blur of the suite. A result that has not converged
// is one all the same.
func sinkhornRow(backend, name string, degree float64, opt apmlgpu.SinkhornOptions) loss {
	with := func(c call) apmlgpu.SinkhornOptions {
		o := opt
		o.Backend, o.Grad64, o.Threads, o.MaxBytes, o.Context, o.Reduce = backend, true, c.threads, c.maxBytes, c.context, c.reduce
		o.Blur, o.Reach, o.ReachX, o.ReachY = c.length(someBlur), c.length(o.Reach), c.length(o.ReachX), c.length(o.ReachY)
		o.Tol, o.MaxIter = exactTol, mostRounds
		return o
	}
	l := row(name, func(x, y cloud.Cloud, o apmlgpu.SinkhornOptions) (apmlgpu.Result, error) {
		r, err := apmlgpu.Sinkhorn(x, y, o)
		return r, unlessLate(err)
	}, func(xs, ys cloud.Batch, o apmlgpu.SinkhornOptions) (apmlgpu.BatchResult, error) {
		r, err := apmlgpu.SinkhornBatch(xs, ys, o)
		return r, unlessLate(err)
	}, with, degree)
	l.entropic = true
	return l
}

func unlessLate(err error) error {
	if errors.Is(err, apmlgpu.ErrNotConverged) {
		return nil
	}
	return err
}
