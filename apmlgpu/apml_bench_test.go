package apmlgpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// BenchmarkAPML times value and both gradients of cubes on one thread, and the
// least time of each stage.
func BenchmarkAPML(b *testing.B) {
	for _, n := range []int{2048, 4096, 16384} {
		for _, t := range []float64{1e-10, 0} {
			b.Run(fmt.Sprintf("op=apml/shape=cube/t=%g/n=%d", t, n), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(1, uint64(n)))
				x, y := cloud.Cube(rnd, n), cloud.Cube(rnd, n)
				least := map[string]float64{}
				b.ReportAllocs()
				for b.Loop() {
					r, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Threshold: t, Threads: 1})
					if err != nil {
						b.Fatal(err)
					}
					for _, s := range r.Stats.Stages {
						if v, ok := least[s.Name]; !ok || s.Seconds < v {
							least[s.Name] = s.Seconds
						}
					}
				}
				all := 0.0
				for name, s := range least {
					b.ReportMetric(s*1e6, "µs-"+name)
					all += s * 1e6
				}
				b.ReportMetric(math.Round(all), "µs-least")
			})
		}
	}
}
