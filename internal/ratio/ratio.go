// Package ratio times two functions in turn, in one run, and compares them: on
// a shared machine absolute times move by a factor of five, a ratio does not.
package ratio

import (
	"slices"
	"time"
)

// Of runs base and candidate alternately, rounds times each after one run of
// both that does not count, and returns the median time of base divided by the
// median time of candidate: above 1, candidate is faster.
func Of(rounds int, base, candidate func()) float64 {
	base()
	candidate()
	rounds = max(rounds, 1)
	b, c := make([]float64, rounds), make([]float64, rounds)
	for k := range rounds {
		b[k], c[k] = seconds(base), seconds(candidate)
	}
	return median(b) / median(c)
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return max(time.Since(start).Seconds(), 1e-9)
}

// median is the middle of v, or the mean of the two middle ones.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
