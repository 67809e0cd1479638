package losstest

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

var long = flag.Bool("long", false, "every pair of real clouds that the oracle has room for, not only small ones")

// fewPairs are those of every run: a scan far from itself, dissimilar shapes,
// duplicates, and coordinates of order 100 beside some of order 1.
var fewPairs = map[[2]string]bool{
	{"bunny_source.xyz", "bunny_target.xyz"}: true, {"pcn_car.pcd", "pcn_chair.pcd"}: true,
	{"bunny_duplicates.ply", "bunny_source.xyz"}: true, {"bunny_source.xyz", "moomoo.off"}: true,
}

// Faithful with a threshold of its own choice is the dense value, and Reference
// the published algorithm's, on real clouds: far apart, dissimilar, of order 100,
// uneven, with duplicate points. The log has the threshold of each pair.
func TestRealPairs(t *testing.T) {
	names, clouds := realClouds(t)
	for i, x := range clouds {
		for j, y := range clouds {
			if !*long && !fewPairs[[2]string{names[i], names[j]}] {
				continue
			}
			t.Run(names[i]+" to "+names[j], func(t *testing.T) { realPair(t, Family{"", x, y}) })
		}
	}
}

// realClouds reads the folder of real clouds; without it the test is skipped.
func realClouds(t *testing.T) (names []string, clouds []cloud.Cloud) {
	t.Helper()
	dir := os.Getenv("GONDOLA_DATA")
	if dir == "" {
		t.Skip("GONDOLA_DATA does not name the folder of real clouds")
	}
	names = []string{
		"bunny_source.xyz", "bunny_target.xyz", "moomoo.off", "pcn_chair.pcd", "pcn_car.pcd", "bunny_duplicates.ply",
		"spot.obj", "cat_a.pcd", "cat_b.pcd", "teapot.obj", "kitti_000008.bin",
	}
	for _, name := range names {
		c, err := cloud.OpenWith(filepath.Join(dir, name), cloud.Options{Stride: map[bool]int{true: 4}[filepath.Ext(name) == ".bin"]})
		if err != nil {
			t.Fatal(err)
		}
		clouds = append(clouds, c)
	}
	return names, clouds
}

func realPair(t *testing.T, f Family) {
	want, err := apmlgpu.APML(f.X, f.Y, apmlgpu.APMLOptions{Method: apmlgpu.MethodOracle, Grad64: true})
	if errors.Is(err, apmlgpu.ErrMemory) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := mustAPML(t, f, apmlgpu.APMLOptions{Grad64: true})
	s := got.Stats
	closeTo(t, s.Method, got, want, automatic)
	t.Logf("faithful %.12g, oracle %.12g (%.1e), threshold %.3g, bound %.2g, %s, %d of %d pairs", got.Value, want.Value,
		math.Abs(got.Value/want.Value-1), s.Threshold, s.PrunedBound, s.Method, s.NNZ, int64(s.N)*int64(s.M))
	if s.Method == "sparse" && !(s.PrunedBound <= automatic) {
		t.Errorf("the pruned bound is %g", s.PrunedBound)
	}
	thresholds := []float64{1e-10, 1e-8}
	if !*long {
		thresholds = thresholds[:1]
	}
	for _, threshold := range thresholds {
		o := apmlgpu.APMLOptions{Variant: apmlgpu.Reference, Threshold: threshold, Method: apmlgpu.MethodOracle, Grad64: true}
		want := mustAPML(t, f, o)
		o.Method = apmlgpu.MethodAuto
		got := mustAPML(t, f, o)
		closeTo(t, fmt.Sprintf("reference at %g", threshold), got, want, sameMethod)
		if got.Stats.NNZ != want.Stats.NNZ {
			t.Errorf("reference at %g: nnz %d, the oracle's %d", threshold, got.Stats.NNZ, want.Stats.NNZ)
		}
	}
}
