package cpu

import (
	"math"
	"testing"

	"github.com/gondola-lab/gondola/cloud"
)

// Whole masses are the weights' shares to two units, whichever way rounding goes, and
// their sum is the total.
func TestWholeMasses(t *testing.T) {
	for name, weight := range map[string]func(i int) float64{
		"two kinds":    func(i int) float64 { return float64(1 + i%2) },
		"three kinds":  func(i int) float64 { return float64(1 + i%3) },
		"one is heavy": func(i int) float64 { return 1 + 1e6*float64(i/3000) },
		"mixed":        func(i int) float64 { return 1 + math.Sin(float64(i)) },
		"tiny":         func(i int) float64 { return math.Pow(10, -float64(i%13)) },
	} {
		const n = 3001
		h := heap{c: cloud.Cloud{N: n, D: 1, W: make([]float64, n)}, unit: make([]int64, n)}
		sum := 0.0
		for i := range n {
			h.c.W[i], h.unit[i] = weight(i), 1
			sum += h.c.W[i]
		}
		const total = 1 << 49
		h.share(total)
		all, worst := int64(0), 0.0
		for i, u := range h.unit {
			all += u
			worst = max(worst, math.Abs(float64(u)-h.c.W[i]/sum*total))
			if u < 1 {
				t.Errorf("%s: point %d has mass %d", name, i, u)
			}
		}
		if all != total || !(worst <= 2) {
			t.Errorf("%s: sum %d of %d, a point is off by %g units", name, all, int64(total), worst)
		}
	}
}
