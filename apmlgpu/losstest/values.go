// Package losstest judges losses and backends: right values, properties,
// gradients, hostile input, and benchmarks. It is public, so that a backend
// elsewhere can be judged by it, and knows nothing of how a loss is computed.
package losstest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// valueCase is one case of a file of right values.
type valueCase struct {
	ID, Op, X, Y string
	Opt          struct {
		Iterations int
		MinProb    float64 `json:"p_min"`
		Threshold  any
		Ties       string
		Variant    string
		Weights    struct {
			X json.RawMessage `json:"weights_x"`
			Y json.RawMessage `json:"weights_y"`
		}
	}
	Want      map[string]any
	Exact     map[string]any
	RTol      float64 `json:"rtol"`
	ExactRTol float64 `json:"exact_rtol"`
}

// RunValues runs every case of the file at path on the backend, as a subtest
// named by its id. A case of a loss that is not built is a skip with that
// reason.
func RunValues(t *testing.T, backend, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases  []valueCase
		Clouds map[string]recipe
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s holds no case", path)
	}
	k := kitchen{file.Clouds, filepath.Dir(path)}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			if c.Op != "apml" && c.Op != "chamfer" {
				t.Skipf("loss %q is not built yet", c.Op)
			}
			x, err := k.cloud(c.X)
			if err == nil {
				var y cloud.Cloud
				if y, err = k.cloud(c.Y); err == nil {
					c.run(t, backend, x, y)
				}
			}
			if f := (errFile{}); errors.As(err, &f) {
				t.Skip(f)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func (c valueCase) run(t *testing.T, backend string, x, y cloud.Cloud) {
	var err error
	if x.W, err = weights(c.Opt.Weights.X, x.N); err != nil {
		t.Fatal(err)
	}
	if y.W, err = weights(c.Opt.Weights.Y, y.N); err != nil {
		t.Fatal(err)
	}
	if c.Op == "chamfer" {
		c.chamfer(t, backend, x, y)
		return
	}
	opt := apmlgpu.APMLOptions{
		Variant: apmlgpu.Variant(c.Opt.Variant), Ties: apmlgpu.Ties(c.Opt.Ties), MinProb: c.Opt.MinProb,
		Iterations: c.Opt.Iterations, Backend: backend, Grad64: true,
	}
	threshold, pinned := c.Opt.Threshold.(float64)
	opt.Threshold = threshold
	for _, m := range []apmlgpu.Method{
		apmlgpu.MethodOracle, apmlgpu.MethodAuto, apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodStreaming,
	} {
		opt.Method = m
		if m == apmlgpu.MethodStreaming && x.N*y.N > 1<<17 {
			continue // minutes, and the same lines as dense
		}
		rtol := c.RTol
		if chosen := m == apmlgpu.MethodAuto || m == apmlgpu.MethodSparse; chosen && !pinned {
			rtol = max(rtol, automatic)
		}
		r, err := apmlgpu.APML(x, y, opt)
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		c.compare(t, string(m), r, rtol)
	}
}

// compare looks at every key of want that the case has.
func (c valueCase) compare(t *testing.T, method string, r apmlgpu.Result, rtol float64) {
	t.Helper()
	s := r.Stats
	numbers := map[string]float64{
		"value": r.Value, "mass": s.Mass, "row_err_l1": s.RowError, "row_err_max": s.RowErrorMax,
		"grad_x_norm": norm(r.GradX64), "grad_y_norm": norm(r.GradY64),
	}
	counts := map[string]int64{
		"tied_rows": int64(s.TiedRows), "tied_cols": int64(s.TiedCols),
		"nnz": s.NNZ, "nnz_rows_dir": s.NNZRows, "nnz_cols_dir": s.NNZCols,
	}
	for key, want := range c.Want {
		if strings.HasSuffix(key, "_found") || strings.HasSuffix(key, "_used") {
			continue
		}
		if w, ok := want.(float64); ok {
			if got, ok := numbers[key]; ok {
				c.number(t, method, key, got, w, rtol)
			} else if got, ok := counts[key]; !ok || float64(got) != w {
				t.Errorf("%s: %s is %d, want %v", method, key, got, w)
			}
			continue
		}
		w, ok := want.([]any)
		if !ok || key != "grad_x_0" {
			t.Errorf("key %q is not known", key)
			continue
		}
		for k := range w {
			c.number(t, method, fmt.Sprintf("grad_x_0[%d]", k), r.GradX64[k], w[k].(float64), rtol)
		}
	}
	if want, ok := c.Exact["value"].(float64); ok && !within(r.Value, want, max(c.ExactRTol, rtol), absValue) {
		t.Errorf("%s: value is %.17g, the formula says %.17g", method, r.Value, want)
	}
}

func (c valueCase) number(t *testing.T, method, key string, got, want, rtol float64) {
	t.Helper()
	abs := absValue
	if strings.HasPrefix(key, "grad") {
		abs = max(absGradient, (rtol-c.RTol)*10)
	}
	if !within(got, want, rtol, abs) {
		t.Errorf("%s: %s is %.17g, want %.17g, off by %.1e relative", method, key, got, want, math.Abs(got/want-1))
	}
}

// chamfer compares the keys of the two losses that are built.
func (c valueCase) chamfer(t *testing.T, backend string, x, y cloud.Cloud) {
	both := apmlgpu.ChamferOptions{Backend: backend, NoGrad: true}
	one := both
	one.OneWay = true
	for key, get := range map[string]func() (apmlgpu.Result, error){
		"cd_l1":     func() (apmlgpu.Result, error) { return apmlgpu.ChamferL1(x, y, both) },
		"cd_l2":     func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(x, y, both) },
		"mean_d_x":  func() (apmlgpu.Result, error) { return twice(apmlgpu.ChamferL1(x, y, one)) },
		"mean_d_y":  func() (apmlgpu.Result, error) { return twice(apmlgpu.ChamferL1(y, x, one)) },
		"mean_d2_x": func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(x, y, one) },
		"mean_d2_y": func() (apmlgpu.Result, error) { return apmlgpu.Chamfer(y, x, one) },
	} {
		r, err := get()
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if want, ok := c.Want[key].(float64); ok && !within(r.Value, want, c.RTol, absValue) {
			t.Errorf("%s is %.17g, want %.17g", key, r.Value, want)
		}
		if want, ok := c.Exact[key].(float64); ok && !within(r.Value, want, c.ExactRTol, absValue) {
			t.Errorf("%s is %.17g, the formula says %.17g", key, r.Value, want)
		}
	}
}

// twice undoes the half of CD-L1, which a mean distance does not have.
func twice(r apmlgpu.Result, err error) (apmlgpu.Result, error) {
	r.Value *= 2
	return r, err
}

// weights reads weights given as numbers, or as "1 + (i mod 3), normalised".
func weights(text json.RawMessage, n int) ([]float64, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var w []float64
	if json.Unmarshal(text, &w) == nil {
		return w, nil
	}
	var s string
	var letter string
	var mod int
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	s = strings.NewReplacer("(", "", ")", "", ",", "").Replace(s)
	if _, err := fmt.Sscanf(s, "1 + %s mod %d normalised", &letter, &mod); err != nil {
		return nil, fmt.Errorf("weights %q: %w", s, err)
	}
	sum := 0.0
	for i := range n {
		w = append(w, float64(1+i%mod))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w, nil
}

func norm(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a * a
	}
	return math.Sqrt(s)
}
