package losstest

import (
	"fmt"
	"math"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
)

// mostCoordinates is how many a point may have on a backend.
func mostCoordinates(backend string) int {
	if backend == "gpu" {
		return 3
	}
	return math.MaxInt
}

// RunDevice judges what a device computes, APML and nearest neighbours, of n points
// a cloud: supports against brute force, and values, gradients and distances against
// the CPU's, which Run judges.
func RunDevice(t *testing.T, backend string, n int) {
	t.Run("support", func(t *testing.T) { runSupports(t, backend, n) })
	t.Run("as the CPU", func(t *testing.T) { runAsCPU(t, backend, n) })
	t.Run("neighbours", func(t *testing.T) { runNeighbours(t, backend, n) })
}

// Tolerances of a device against the CPU: entries may be float there.
const (
	deviceValue    = 1e-7
	deviceGradient = 1e-6 // of its largest part
)

func runAsCPU(t *testing.T, backend string, n int) {
	families := Families(n, 21)
	for _, f := range families {
		if f.Name == "duplicates" || f.Name == "gauss" || f.Name == "quantised" {
			families = append(families, weighted(f))
		}
	}
	families = append(families, lifted(families[0], 2))
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, opt := range []apmlgpu.APMLOptions{
				{}, {Variant: apmlgpu.Reference}, {Threshold: 1e-20, Iterations: 40, Ties: apmlgpu.Split},
				{Merge: apmlgpu.MergeCount}, {Method: apmlgpu.MethodDense}, {Tol: 0.05, MaxIter: 30},
			} {
				opt.Grad64, opt.Backend = true, "cpu"
				want, wantErr := apmlgpu.APML(f.X, f.Y, opt)
				opt.Backend = backend
				got, err := apmlgpu.APML(f.X, f.Y, opt)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%+v: %v, the CPU says %v", opt, err, wantErr)
					continue
				}
				compareResults(t, fmt.Sprintf("%+v", opt), got, want)
			}
		})
	}
}

func compareResults(t *testing.T, name string, got, want apmlgpu.Result) {
	t.Helper()
	if off := math.Abs(got.Value-want.Value) / math.Abs(want.Value); !(off <= deviceValue) {
		t.Errorf("%s: value %.12g, the CPU's is %.12g", name, got.Value, want.Value)
	}
	for k, g := range [][]float64{got.GradX64, got.GradY64} {
		w := [][]float64{want.GradX64, want.GradY64}[k]
		worst, largest := 0.0, 0.0
		for i := range w {
			worst, largest = max(worst, math.Abs(g[i]-w[i])), max(largest, math.Abs(w[i]))
		}
		if len(g) != len(w) || !(worst <= deviceGradient*largest) {
			t.Errorf("%s: gradient %d is off by %g of %g", name, k, worst, largest)
		}
	}
	g, w := got.Stats, want.Stats
	if g.TiedRows != w.TiedRows || g.TiedCols != w.TiedCols || g.N != w.N || g.UniqueM != w.UniqueM {
		t.Errorf("%s: ties %d and %d of %d and %d points, the CPU's %d and %d of %d and %d", name, g.TiedRows, g.TiedCols,
			g.N, g.UniqueM, w.TiedRows, w.TiedCols, w.N, w.UniqueM)
	}
	if math.Abs(g.RowError-w.RowError) > 1e-6 || math.Abs(g.Mass/w.Mass-1) > 1e-6 {
		t.Errorf("%s: row error %g and mass %g, the CPU's %g and %g", name, g.RowError, g.Mass, w.RowError, w.Mass)
	}
}

// runNeighbours wants the CPU's bits: what follows the neighbours is the same code.
func runNeighbours(t *testing.T, backend string, n int) {
	for _, f := range Families(n, 22) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			opt := apmlgpu.ChamferOptions{Grad64: true, Backend: "cpu"}
			want, err := apmlgpu.Chamfer(f.X, f.Y, opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.Backend = backend
			got, err := apmlgpu.Chamfer(f.X, f.Y, opt)
			if err != nil {
				t.Fatal(err)
			}
			same := got.Value == want.Value
			for k, g := range [][]float64{got.GradX64, got.GradY64} {
				for i, v := range [][]float64{want.GradX64, want.GradY64}[k] {
					same = same && g[i] == v
				}
			}
			if !same {
				t.Errorf("value %.17g, the CPU's %.17g; or a gradient differs", got.Value, want.Value)
			}
		})
	}
}
