package losstest

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/cuda/cudatest"
)

var device = flag.Bool("device", false, "judge the real GPU instead of the stand-in driver")

// standIn makes the process use the stand-in driver: it is opened once in its life.
func standIn(t *testing.T) {
	t.Helper()
	if *device {
		return
	}
	if err := os.Setenv("GONDOLA_LIBCUDA", cudatest.Driver(t)); err != nil {
		t.Fatal(err)
	}
}

// TestGPU judges the GPU backend over the stand-in driver, whose kernels the
// emulator runs.
func TestGPU(t *testing.T) {
	standIn(t)
	n := 120
	if *long {
		n = 2000
	}
	RunDevice(t, "gpu", n)
	t.Run("tree", func(t *testing.T) { // beyond the size of brute force
		m := 4200
		if *long {
			m = 40_000
		}
		f := Family{Name: "spheres", X: cloud.Fibonacci(m), Y: cloud.Fibonacci(m - 17)}
		opt := apmlgpu.APMLOptions{Threshold: 1e-20, Grad64: true, Backend: "cpu"}
		want := mustAPML(t, f, opt)
		opt.Backend = "gpu"
		got := mustAPML(t, f, opt)
		compareResults(t, f.Name, got, want)
		if got.Stats.NNZ != want.Stats.NNZ || got.Stats.NNZRows != want.Stats.NNZRows {
			t.Errorf("%d pairs, the CPU has %d", got.Stats.NNZ, want.Stats.NNZ)
		}
		if a, b := planPairs(t, got), planPairs(t, want); !slices.Equal(a, b) {
			t.Errorf("%d pairs of the plan are not the CPU's %d", len(a), len(b))
		}
	})
}

// planPairs are the pairs of a plan, in order.
func planPairs(t *testing.T, r apmlgpu.Result) (pairs [][2]int) {
	t.Helper()
	p, err := r.Plan()
	if err != nil {
		t.Fatal(err)
	}
	p.Each(func(i, j int, _ float64) { pairs = append(pairs, [2]int{i, j}) })
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return pairs
}
