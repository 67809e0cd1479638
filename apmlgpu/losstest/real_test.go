package losstest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Faithful with a threshold of its own choice is the dense value, on real
// clouds: far apart, dissimilar, of order 100, with duplicate points.
func TestRealPairs(t *testing.T) {
	dir := os.Getenv("GONDOLA_DATA")
	if dir == "" {
		t.Skip("GONDOLA_DATA does not name the folder of real clouds")
	}
	for _, pair := range [][2]string{
		{"pcn_car.pcd", "pcn_chair.pcd"}, {"pcn_chair.pcd", "pcn_car.pcd"}, {"bunny_source.xyz", "bunny_target.xyz"},
		{"bunny_duplicates.ply", "bunny_source.xyz"}, {"teapot.obj", "pcn_chair.pcd"},
	} {
		t.Run(pair[0]+" to "+pair[1], func(t *testing.T) {
			var f Family
			for k, c := range []*cloud.Cloud{&f.X, &f.Y} {
				var err error
				if *c, err = cloud.Open(filepath.Join(dir, pair[k])); err != nil {
					t.Fatal(err)
				}
			}
			want := mustAPML(t, f, apmlgpu.APMLOptions{Method: apmlgpu.MethodOracle, Grad64: true})
			got := mustAPML(t, f, apmlgpu.APMLOptions{Grad64: true})
			closeTo(t, got.Stats.Method, got, want, automatic)
			if got.Stats.Method != "dense" && !(got.Stats.PrunedBound <= automatic) {
				t.Errorf("the pruned bound is %g", got.Stats.PrunedBound)
			}
		})
	}
}
