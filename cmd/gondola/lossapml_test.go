package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Every field of the options is a flag that does what the field does.
func TestEveryFieldIsAFlag(t *testing.T) {
	x, y := testClouds(t)
	a, _ := cloud.Open(x)
	b, _ := cloud.Open(y)
	flags := map[string][]string{
		"Variant": {"reference"}, "MinProb": {"0.5"}, "Iterations": {"7"}, "Tol": {"0.05"}, "MaxIter": {"3", "--tol", "1e-9"},
		"Threshold": {"1e-3"}, "Merge": {"count", "--threshold", "1e-3"}, "Ties": {"split"}, "Reduce": {"sum"},
		"Margin": {"0.1"}, "Method": {"dense"}, "Backend": {"cpu"}, "Threads": {"2"}, "MaxBytes": {"40000000"},
		"PerPoint": nil, "ScaleFree": {"--margin", "0.1"}, "NoGrad": nil, "Grad64": nil,
	}
	options := map[string]apmlgpu.APMLOptions{
		"Variant": {Variant: "reference"}, "MinProb": {MinProb: 0.5}, "Iterations": {Iterations: 7}, "Tol": {Tol: 0.05},
		"MaxIter": {Tol: 1e-9, MaxIter: 3}, "Threshold": {Threshold: 1e-3}, "Merge": {Merge: "count", Threshold: 1e-3},
		"Margin": {Margin: 0.1}, "PerPoint": {PerPoint: true}, "ScaleFree": {ScaleFree: true, Margin: 0.1},
		"Method": {Method: "dense"}, "Threads": {Threads: 2}, "MaxBytes": {MaxBytes: 40000000},
		"Ties": {Ties: "split"}, "NoGrad": {NoGrad: true},
	}
	fields := reflect.TypeFor[apmlgpu.APMLOptions]()
	for k := range fields.NumField() {
		name := fields.Field(k).Name
		if name == "Context" || name == "Trace" {
			continue // an interrupt ends it; told below
		}
		rest, ok := flags[name]
		if !ok {
			t.Errorf("no flag was tried for %s", name)
			continue
		}
		var out, complaint bytes.Buffer
		code := runLoss(append([]string{"apml", x, y, "--" + kebab(name)}, rest...), &out, &complaint)
		var line lossLine
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%s: exit %d, %q: %v", name, code, complaint.String(), err)
		}
		want, err := apmlgpu.APML(a, b, options[name])
		if (err == nil) != (code == exitOK) || line.Value != want.Value || line.Method != want.Stats.Method ||
			line.APML == nil || line.APML.Rounds != want.Stats.Iterations || line.APML.Converged != want.Stats.Converged {
			t.Errorf("--%s: exit %d, line %s, the call gives %v by %s, %v", kebab(name), code, out.String(), want.Value,
				want.Stats.Method, err)
		}
	}
}

func TestLossTrace(t *testing.T) {
	x, y := testClouds(t)
	for arg, want := range map[string]int{"--trace": 3, "--trace=false": 0} {
		var out, complaint bytes.Buffer
		code := runLoss([]string{"apml", x, y, "--iterations", "3", arg}, &out, &complaint)
		if code != exitOK || strings.Count(complaint.String(), "row error 0.") != want || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %q", arg, code, complaint.String())
		}
	}
	var out, complaint bytes.Buffer
	if code := runLoss([]string{"apml", x, y, "--trace=perhaps"}, &out, &complaint); code != exitUsage {
		t.Errorf("--trace=perhaps: exit %d", code)
	}
	if code := runLoss([]string{"chamfer", x, y, "--trace"}, &out, &complaint); code != exitUsage {
		t.Errorf("chamfer has no rounds: exit %d", code)
	}
}
