package losstest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// golden is a number of another library: bench/peers/goldens.py has made it.
type golden struct {
	Tool, Call, Loss, Key string
	N, M                  int
	Weighted              bool
	Value, RTol           float64
	Options               struct {
		Cost           apmlgpu.Cost
		Epsilon, Reach float64
		Biased         bool
	}
}

// goldenCloud is cloud s of n points, as the script makes it.
func goldenCloud(n, s int, weighted bool) cloud.Cloud {
	c := cloud.Cloud{N: n, D: 3}
	sum := 0.0
	for i := range n {
		for k := range 3 {
			c.X = append(c.X, float32((37*i*i+(101+13*k)*i+57*k+911*s)%257)/64)
		}
		if weighted {
			c.W = append(c.W, float64(1+(7*i+3*s)%5))
			sum += c.W[i]
		}
	}
	for i := range c.W {
		c.W[i] /= sum
	}
	return c
}

// Both transports have the numbers of other libraries, each kept with its tool, version
// and call.
func TestGoldens(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "transport.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []golden
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("%d numbers", len(all))
	}
	for _, g := range all {
		x, y, o := goldenCloud(g.N, 1, g.Weighted), goldenCloud(g.M, 2, g.Weighted), g.Options
		var r apmlgpu.Result
		var err error
		switch g.Loss {
		case "emd":
			r, err = apmlgpu.EMD(x, y, apmlgpu.EMDOptions{Cost: o.Cost})
		case "sinkhorn":
			r, err = apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Cost: o.Cost, Epsilon: o.Epsilon, Reach: o.Reach, Biased: o.Biased,
				Tol: 1e-10, MaxIter: 100000})
		}
		if err != nil {
			t.Fatalf("%s, %s: %v", g.Tool, g.Call, err)
		}
		got := math.NaN()
		switch g.Key {
		case "value":
			got = r.Value
		case "mass":
			got = r.Stats.Mass
		case "transport cost":
			if got, err = r.TransportCost(); err != nil {
				t.Fatal(err)
			}
		}
		if !within(got, g.Value, g.RTol, 0) {
			t.Errorf("%s, %s, %d and %d points, weights %v: %.15g, ours %.15g (%.1e)", g.Tool, g.Call, g.N, g.M, g.Weighted, g.Value,
				got, got/g.Value-1)
		}
	}
}
