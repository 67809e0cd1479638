package losstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/ratio"
)

// Bench times every loss on the named backend, value and both gradients: points
// a second, and for APML how many times faster it is than the oracle in the
// same run.
func Bench(b *testing.B, backend string) {
	for _, n := range []int{512, 4096, 32768} {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		x, y := cloud.Sphere(rnd, n), cloud.Sphere(rnd, n)
		for _, l := range losses(backend) {
			b.Run(fmt.Sprintf("op=%s/backend=%s/n=%d", l.name, backend, n), func(b *testing.B) {
				once := func() {
					if _, err := l.call(x, y, call{threads: 1}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					once()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpoints/s")
				if l.name != "apml" || n > 512 {
					return
				}
				oracle := apmlgpu.APMLOptions{Method: apmlgpu.MethodOracle, Grad64: true}
				b.ReportMetric(ratio.Of(5, func() {
					if _, err := apmlgpu.APML(x, y, oracle); err != nil {
						b.Fatal(err)
					}
				}, once), "x-oracle")
			})
		}
	}
}
