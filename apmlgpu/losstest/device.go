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

// RunDevice judges what a device computes, APML, entropic transport and nearest
// neighbours, of n points a cloud: supports against brute force, and values, gradients
// and distances against the CPU's, which Run judges; entropic transport at most at
// 400 points, since each round is all pairs and an emulator may be the device.
func RunDevice(t *testing.T, backend string, n int) {
	t.Run("support", func(t *testing.T) { runSupports(t, backend, n) })
	t.Run("as the CPU", func(t *testing.T) { runAsCPU(t, backend, n) })
	t.Run("neighbours", func(t *testing.T) { runNeighbours(t, backend, n) })
	t.Run("entropic", func(t *testing.T) { runEntropic(t, backend, min(n, 400)) })
	t.Run("closed forms", func(t *testing.T) { sinkhornClosed(t, backend) })
	t.Run("plan", func(t *testing.T) { sinkhornPlan(t, backend) })
	t.Run("warm", func(t *testing.T) { sinkhornWarm(t, backend) })
	t.Run("reach", func(t *testing.T) { sinkhornReach(t, backend) })
	t.Run("mistakes", func(t *testing.T) { sinkhornMistakes(t, backend) })
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
	if s := gradientsOff(got, want, deviceGradient, 0); s != "" {
		t.Errorf("%s: %s", name, s)
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

// deviceEntropic is how far a value of entropic transport may be off the CPU's, of
// the largest cost.
const deviceEntropic = 1e-6

// runEntropic compares Sinkhorn with the CPU's, both solved well.
func runEntropic(t *testing.T, backend string, n int) {
	for _, f := range Families(n, 23) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			most := largestSquare(f.X, f.Y)
			for _, opt := range []apmlgpu.SinkhornOptions{
				{Tol: 1e-6}, {Tol: 1e-5, Cost: apmlgpu.Euclidean}, {Tol: 1e-8, Cost: apmlgpu.HalfSqEuclidean, Biased: true},
				{Tol: 1e-6, Reach: math.Sqrt(most) / 4},
			} {
				if opt.Reach == 0 && most == 0 {
					continue
				}
				opt.Grad64, opt.Backend, opt.MaxIter = true, "cpu", 1000
				want, wantErr := apmlgpu.Sinkhorn(f.X, f.Y, opt)
				opt.Backend = backend
				got, err := apmlgpu.Sinkhorn(f.X, f.Y, opt)
				if wantErr != nil && unlessLate(wantErr) == nil {
					continue // nothing to compare with
				}
				if err != nil || wantErr != nil {
					t.Errorf("%+v: %v, the CPU says %v", opt, err, wantErr)
					continue
				}
				off, slope := math.Abs(got.Value-want.Value), 1/float64(f.X.N) // of a point that moves
				if opt.Cost != apmlgpu.Euclidean {
					slope *= math.Sqrt(most)
				}
				if !(off <= max(deviceEntropic, opt.Tol)*most) || got.Stats.Backend != backend {
					t.Errorf("%+v: value %.12g, the CPU's is %.12g", opt, got.Value, want.Value)
				}
				if s := gradientsOff(got, want, 100*max(deviceEntropic, opt.Tol), slope); s != "" {
					t.Errorf("%+v: %s", opt, s)
				}
			}
		})
	}
}

// gradientsOff says which gradient is off by more than tol of its largest part, or of
// least where that is more: gradients of a cloud and itself are what rounding leaves.
func gradientsOff(got, want apmlgpu.Result, tol, least float64) string {
	for k, g := range [][]float64{got.GradX64, got.GradY64} {
		w := [][]float64{want.GradX64, want.GradY64}[k]
		worst, largest := 0.0, least
		for i := range w {
			worst, largest = max(worst, math.Abs(g[i]-w[i])), max(largest, math.Abs(w[i]))
		}
		if len(g) != len(w) || !(worst <= tol*largest) {
			return fmt.Sprintf("gradient %d is off by %g of %g", k, worst, largest)
		}
	}
	return ""
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
