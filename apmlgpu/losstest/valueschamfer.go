package losstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// numbersOf are the options of a case that are numbers or truths, as 1 and 0, by
// [optKey]; those of words are left out.
func (c valueCase) numbersOf() (map[string]float64, error) {
	all := map[string]float64{}
	for name, text := range c.Opt {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			return nil, fmt.Errorf("option %s: %w", name, err)
		}
		switch v := v.(type) {
		case float64:
			all[optKey(name)] = v
		case bool:
			all[optKey(name)] = 0
			if v {
				all[optKey(name)] = 1
			}
		}
	}
	return all, nil
}

// answers are results by key of want.
type answers map[string]func() (apmlgpu.Result, error)

// chamfer compares the keys of the losses of nearest neighbours and the metrics.
func (c valueCase) chamfer(t *testing.T, backend string, x, y cloud.Cloud) {
	o, err := c.numbersOf()
	if err != nil {
		t.Fatal(err)
	}
	both := apmlgpu.ChamferOptions{Backend: backend, Grad64: true, OneWay: o["oneway"] > 0, Sum: o["sum"] > 0,
		WeightX: o["weightx"], WeightY: o["weighty"]}
	one := both
	one.OneWay, one.WeightX, one.WeightY = true, 0, 0
	hyper := apmlgpu.HyperCDOptions{Backend: backend, Grad64: true, Alpha: o["hypercdalpha"]}
	info := apmlgpu.InfoCDOptions{Backend: backend, Grad64: true, Tau: o["infocdtau"], Lambda: o["infocdlambda"]}
	published := info
	published.Reference = true
	dcd := apmlgpu.DCDOptions{Backend: backend, Grad64: true, Alpha: o["dcdalpha"], Lambda: o["dcdlambda"],
		NonReg: o["dcdnonreg"] > 0}
	nonReg := dcd
	nonReg.NonReg = true
	far := apmlgpu.HausdorffOptions{Backend: backend, Grad64: true, Quantile: o["hausdorffquantile"]}
	get := answers{
		"cd_l1":       func() (apmlgpu.Result, error) { return apmlgpu.ChamferL1(x, y, both) },
		"cd_l2":       func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(x, y, both) },
		"mean_d_x":    func() (apmlgpu.Result, error) { return twice(apmlgpu.ChamferL1(x, y, one)) },
		"mean_d_y":    func() (apmlgpu.Result, error) { return twice(apmlgpu.ChamferL1(y, x, one)) },
		"mean_d2_x":   func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(x, y, one) },
		"mean_d2_y":   func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(y, x, one) },
		"hypercd":     func() (apmlgpu.Result, error) { return apmlgpu.HyperCD(x, y, hyper) },
		"infocd":      func() (apmlgpu.Result, error) { return apmlgpu.InfoCD(x, y, info) },
		"infocd_sum":  func() (apmlgpu.Result, error) { return apmlgpu.InfoCD(x, y, published) },
		"dcd":         func() (apmlgpu.Result, error) { return apmlgpu.DCD(x, y, dcd) },
		"dcd_non_reg": func() (apmlgpu.Result, error) { return apmlgpu.DCD(x, y, nonReg) },
		"hausdorff":   func() (apmlgpu.Result, error) { return apmlgpu.Hausdorff(x, y, far) },
	}
	metrics, err := apmlgpu.Metrics(x, y, apmlgpu.MetricsOptions{Backend: backend, Radius: orRadius(o["fscorethreshold"]),
		Quantile: far.Quantile})
	if err != nil {
		t.Fatal(err)
	}
	m := metrics.Stats.Metrics
	single := map[string]float64{"hausdorff_x": m.HausdorffX, "hausdorff_y": m.HausdorffY, "precision": m.Precision,
		"recall": m.Recall, "fscore": m.FScore, "coverage": m.Coverage, "uncovered": m.Uncovered}
	c.compareAnswers(t, "nearest", get, single, x.D)
}

// orRadius is a radius where a case has none, and so no key that asks for it.
func orRadius(r float64) float64 {
	if r == 0 {
		return 1
	}
	return r
}

// sliced compares both costs.
func (c valueCase) sliced(t *testing.T, backend string, x, y cloud.Cloud) {
	opt := apmlgpu.SlicedOptions{Backend: backend, Grad64: true}
	for name, text := range c.Opt {
		var err error
		switch optKey(name) {
		case "directions":
			opt.Directions, err = directionsOf(text, x.D)
		case "max":
			err = json.Unmarshal(text, &opt.Max)
		default:
			if !strings.HasPrefix(optKey(name), "weights") {
				t.Logf("option without a meaning for Sliced: %s", name)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	with := func(cost apmlgpu.Cost) func() (apmlgpu.Result, error) {
		return func() (apmlgpu.Result, error) {
			o := opt
			o.Cost = cost
			return apmlgpu.Sliced(x, y, o)
		}
	}
	c.compareAnswers(t, "sorted", answers{
		"sw1": with(apmlgpu.Euclidean), "sw2_squared": with(apmlgpu.SqEuclidean),
	}, nil, x.D)
}

// directionsOf reads directions: vectors, a number of them, or the axes.
func directionsOf(text json.RawMessage, d int) ([][]float64, error) {
	var v [][]float64
	if json.Unmarshal(text, &v) == nil {
		return v, nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil || !strings.HasSuffix(s, "axes") {
		return nil, fmt.Errorf("directions %s are neither vectors nor axes", text)
	}
	for k := range d {
		axis := make([]float64, d)
		axis[k] = 1
		v = append(v, axis)
	}
	return v, nil
}

// compareAnswers computes what the keys of a case ask for and compares it. A
// gradient has the name of its loss behind it, or is that of the only loss.
func (c valueCase) compareAnswers(t *testing.T, method string, get answers, single map[string]float64, d int) {
	done := map[string]*apmlgpu.Result{}
	only := ""
	if asked := c.asked(get); len(asked) == 1 {
		only = asked[0]
	}
	result := func(name string) *apmlgpu.Result {
		call, ok := get[name]
		if ok && done[name] == nil {
			r, err := call()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			done[name] = &r
		}
		return done[name]
	}
	c.compare(t, judge{method, false, func(key string) []float64 {
		if m := gradKey.FindStringSubmatch(key); m != nil {
			if r := result(orName(m[3], only)); r != nil {
				return gradNumbers(*r, d, m[1], m[2])
			}
			return nil
		}
		if v, ok := single[key]; ok {
			return []float64{v}
		}
		if r := result(key); r != nil {
			return []float64{r.Value}
		}
		return nil
	}})
}

// asked are the losses whose values a case has.
func (c valueCase) asked(get answers) (names []string) {
	for name := range get {
		if _, ok := c.Want[name]; ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func orName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// twice undoes the half of CD-L1, which a mean distance does not have.
func twice(r apmlgpu.Result, err error) (apmlgpu.Result, error) {
	r.Value *= 2
	return r, err
}
