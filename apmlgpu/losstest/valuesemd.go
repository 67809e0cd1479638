package losstest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// emd compares exact transport, whose cost is the power p of the distance, or a
// cost by its name, and has its certificate checked.
func (c valueCase) emd(t *testing.T, backend string, x, y cloud.Cloud) {
	opt := apmlgpu.EMDOptions{Backend: backend, Grad64: true}
	for name, text := range c.Opt {
		var err error
		switch optKey(name) {
		case "minprob": // is how p reads elsewhere
			var p float64
			if err = json.Unmarshal(text, &p); err == nil && p == 2 {
				opt.Cost = apmlgpu.SqEuclidean
			} else if err == nil && p != 1 {
				t.Fatalf("the power %g of the distance is no cost", p)
			}
		case "cost":
			var word string
			err = json.Unmarshal(text, &word)
			opt.Cost = apmlgpu.Cost(strings.ToLower(word))
		default:
			if !strings.HasPrefix(optKey(name), "weights") {
				t.Logf("option without a meaning for EMD: %s", name)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := apmlgpu.EMD(x, y, opt)
	if err != nil {
		t.Fatal(err)
	}
	if s := unproven(x, y, opt.Cost, r); s != "" {
		t.Error(s)
	}
	c.compare(t, judge{"emd", false, func(key string) []float64 {
		if key == "value" {
			return []float64{r.Value}
		}
		if m := gradKey.FindStringSubmatch(key); m != nil && m[3] == "" {
			return gradNumbers(r, x.D, m[1], m[2])
		}
		return nil
	}})
}
