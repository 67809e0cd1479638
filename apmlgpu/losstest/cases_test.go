package losstest

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// A file of cases may vary every field; what is not understood fails alone.
func TestCaseOptions(t *testing.T) {
	none := apmlgpu.APMLOptions{Iterations: 20, MinProb: 0.8}
	reference := apmlgpu.APMLOptions{Variant: apmlgpu.Reference}
	pinned := func(o apmlgpu.APMLOptions, threshold float64) apmlgpu.APMLOptions {
		o.Threshold = threshold
		return o
	}
	halved := pinned(reference, noThreshold)
	halved.Merge = apmlgpu.MergeHalf
	for text, want := range map[string]apmlgpu.APMLOptions{
		`{"iterations": 20.0, "p_min": 0.8, "threshold": "none (dense oracle)"}`: none,
		`{"Iterations": 20, "min-prob": 0.8, "threshold": null}`:                 none,
		`{"iterations": 20, "MinProb": 0.8, "threshold": "automatic"}`:           none,
		`{"iterations": 20, "pMin": 0.8, "threshold": 1e-20}`:                    pinned(none, 1e-20),
		`{"iterations": 20, "p_min": 0.8, "threshold": "1e-8"}`:                  pinned(none, 1e-8),
		`{"variant": "reference"}`:                                               reference,
		`{"variant": "Reference", "threshold": 0.25, "weights_x": [1]}`:          pinned(reference, 0.25),
		`{"variant": "reference", "threshold": "none"}`:                          halved,
		`{"ties": "uniform_row", "merge": "count", "margin": 1e-6}`: {Ties: apmlgpu.UniformRow,
			Merge: apmlgpu.MergeCount, Margin: 1e-6},
		`{"tol": 1e-3, "max_iter": 50, "per_point": true}`: {Tol: 1e-3, MaxIter: 50, PerPoint: true},
	} {
		var c valueCase
		if err := json.Unmarshal([]byte(`{"opt": `+text+`}`), &c); err != nil {
			t.Fatal(err)
		}
		got, isPinned, unknown, err := c.apmlOptions()
		if err != nil || len(unknown) > 0 {
			t.Errorf("%s: %v, unknown %v", text, err, unknown)
		}
		if got.Variant != want.Variant || got.Ties != want.Ties || got.Merge != want.Merge ||
			got.Threshold != want.Threshold || got.MinProb != want.MinProb || got.Iterations != want.Iterations ||
			got.Tol != want.Tol || got.MaxIter != want.MaxIter || got.Margin != want.Margin ||
			got.PerPoint != want.PerPoint || isPinned != (want.Threshold > 0) {
			t.Errorf("%s: %+v, pinned %v, want %+v", text, got, isPinned, want)
		}
	}
	for _, text := range []string{`{"threshold": "low"}`, `{"iterations": "many"}`, `{"threshold": [1]}`} {
		var c valueCase
		if err := json.Unmarshal([]byte(`{"opt": `+text+`}`), &c); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := c.apmlOptions(); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

func TestCaseWeights(t *testing.T) {
	third := 1. / 3
	for text, want := range map[string][]float64{
		`{"weights_x": [0.25, 0.75, 0]}`:                                         {0.25, 0.75, 0},
		`{"weights": {"weights_x": "1 + (i mod 2), normalised"}}`:                {0.25, 0.5, 0.25},
		`{"weights": {"x": "1 + (i mod 3), normalised"}}`:                        {third / 2, third, third * 1.5},
		`{"weights_x": "(7 * j mod 5) + 1"}`:                                     {1, 3, 5},
		`{"weights_x": "exp(-i) / 2"}`:                                           {.5, math.Exp(-1) / 2, math.Exp(-2) / 2},
		`{"weights_x": "uniform"}`:                                               nil,
		`{"weights_x": null}`:                                                    nil,
		`{"weights": {"weights_x": "1 + sqrt(i)/(1 + i), normalized"}, "eps":1}`: nil, // only that it is understood
	} {
		var c valueCase
		if err := json.Unmarshal([]byte(`{"opt": `+text+`}`), &c); err != nil {
			t.Fatal(err)
		}
		x, y := cloud.Cloud{N: 3}, cloud.Cloud{N: 2}
		if err := c.weigh(&x, &y); err != nil || y.W != nil || len(x.W) != 3 && want != nil {
			t.Fatalf("%s: %v and %v, %v", text, x.W, y.W, err)
		}
		for k, w := range want {
			if !within(x.W[k], w, 1e-15, 0) {
				t.Errorf("%s: %v, want %v", text, x.W, want)
			}
		}
	}
	for _, text := range []string{`"1 +"`, `"k"`, `"f(i)"`, `"i << 2"`, `{}`, `"'a'"`} {
		if _, err := weights(json.RawMessage(text), 3); err == nil {
			t.Errorf("weights %s: no error", text)
		}
	}
}

func TestCaseClouds(t *testing.T) {
	recipes := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(`{
		"flat": {"points": [[0, 0], [3, 4]]}, "line": {"points": [[1], [2]]},
		"of": {"of": "flat", "then": [{"scale": 2, "shift": [1, 0]}, {"shift": [0, 1], "scale": 2}]},
		"grid": {"gen": "grid", "m": 1, "off": [0.5, 1, 2]}, "stretched": {"of": "grid", "then": [{"scale": [2, 1, 0]}]},
		"padded": {"of": "flat", "then": [{"pad": 1.0}]}, "head": {"of": "flat", "then": [{"head": 9}]},
		"gauss": {"gen": "gaussgrid", "n": 3, "lo": -1, "hi": 1, "mean": 0, "std": 1, "weights": "see generators"},
		"copies": {"concat_point": {"of": "flat", "point": [9, 9]}},
		"ragged": {"points": [[0, 0], [1]]}, "bad": {"n": "many"}, "loop": {"of": "loop"},
		"zero": {"of": "flat", "then": [{"every": 0}]}, "sum": {"points": [[1]], "sha256_f32le_first8": "00"},
		"verb": {"of": "flat", "then": [{"melt": 1}]}, "lost": {"gen": "klein"}, "step": {"of": "flat", "then": [3]}
	}`), &recipes); err != nil {
		t.Fatal(err)
	}
	k := kitchen{recipes: recipes}
	for name, want := range map[string][]float32{
		"flat": {0, 0, 3, 4}, "line": {1, 2}, "of": {2, 2, 14, 18}, "grid": {0.5, 1, 2}, "stretched": {1, 1, 0},
		"padded": {0, 0, 3, 4, 0, 0}, "head": {0, 0, 3, 4}, "gauss": {-1, 0, 0, 0, 0, 0, 1, 0, 0},
		"copies": {0, 0, 3, 4, 9, 9},
	} {
		c, err := k.cloud(name)
		if err != nil || !slices.Equal(c.X, want) || c.N*c.D != len(want) {
			t.Errorf("%s: %v, %v, want %v", name, c.X, err, want)
		}
		if name == "gauss" && (len(c.W) != 3 || !within(c.W[1]/c.W[0], math.Exp(0.5), 1e-15, 0)) {
			t.Errorf("gauss: weights %v", c.W)
		}
	}
	for _, name := range []string{"ragged", "bad", "loop", "zero", "sum", "verb", "lost", "step", "absent"} {
		if c, err := k.cloud(name); err == nil {
			t.Errorf("%s: %v without an error", name, c.X)
		}
	}
}
