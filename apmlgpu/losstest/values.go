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
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// RunValues runs every case of the file at path on the backend, as a subtest
// named by its id. A case of a loss that is not built is a skip with that
// reason; one that is not understood fails by itself.
func RunValues(t *testing.T, backend, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases  []json.RawMessage
		Clouds map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(file.Cases) == 0 {
		t.Fatalf("%s holds no case", path)
	}
	k := kitchen{file.Clouds, filepath.Dir(path)}
	for n, text := range file.Cases {
		var c valueCase
		err := json.Unmarshal(text, &c)
		if c.ID == "" {
			c.ID = fmt.Sprintf("case %d", n)
		}
		t.Run(c.ID, func(t *testing.T) {
			switch {
			case c.Op != "" && !slices.Contains([]string{"apml", "chamfer", "emd", "sinkhorn", "sliced"}, c.Op):
				t.Skipf("loss %q is not built yet", c.Op)
			case err != nil:
				t.Fatal(err)
			case c.Op == "":
				t.Fatal("the case names no op")
			}
			c.run(t, backend, k)
		})
	}
}

func (c valueCase) run(t *testing.T, backend string, k kitchen) {
	defer func() { // of one case, not of the file
		if p := recover(); p != nil {
			t.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	var clouds [2]cloud.Cloud
	for side, name := range []string{c.X, c.Y} {
		got, err := k.cloud(name)
		if f := (errFile{}); errors.As(err, &f) {
			t.Skip(f)
		}
		if err != nil {
			t.Fatal(err)
		}
		clouds[side] = got
	}
	x, y := clouds[0], clouds[1]
	if err := c.weigh(&x, &y); err != nil {
		t.Fatal(err)
	}
	if backend == "gpu" {
		c.forDevice(t, x)
	}
	switch c.Op {
	case "chamfer":
		c.chamfer(t, backend, x, y)
	case "emd":
		c.emd(t, backend, x, y)
	case "sinkhorn":
		c.sinkhorn(t, backend, x, y)
	case "sliced":
		c.sliced(t, backend, x, y)
	default:
		c.apml(t, backend, x, y)
	}
}

// forDevice takes the tolerances of a device, and skips what it does not compute.
func (c *valueCase) forDevice(t *testing.T, x cloud.Cloud) {
	switch {
	case c.Op == "emd" || c.Op == "sliced":
		t.Skipf("the GPU does not compute %s", c.Op)
	case x.D > mostCoordinates("gpu"):
		t.Skipf("the GPU does not compute clouds of %d coordinates a point", x.D)
	case c.RTol32 == nil:
		t.Skip("the case has no tolerance of a device: its scalings leave float32")
	}
	c.RTol, c.device = c.RTol32, true
}

func (c valueCase) apml(t *testing.T, backend string, x, y cloud.Cloud) {
	opt, pinned, unknown, err := c.apmlOptions()
	if err != nil {
		t.Fatal(err)
	}
	if len(unknown) > 0 {
		t.Logf("options without a meaning for APML: %v", unknown)
	}
	opt.Backend, opt.Grad64 = backend, true
	for _, m := range []apmlgpu.Method{
		apmlgpu.MethodOracle, apmlgpu.MethodAuto, apmlgpu.MethodSparse, apmlgpu.MethodDense, apmlgpu.MethodStreaming,
	} {
		opt.Method = m
		if (m == apmlgpu.MethodStreaming || m == apmlgpu.MethodOracle) && x.N*y.N > 1<<22 ||
			m == apmlgpu.MethodStreaming && x.N*y.N > 1<<17 {
			continue // minutes, and the same lines as dense
		}
		if backend == "gpu" && (m == apmlgpu.MethodOracle || m == apmlgpu.MethodStreaming) {
			continue // the CPU's alone
		}
		r, err := apmlgpu.APML(x, y, opt)
		if err != nil {
			t.Errorf("%s: %v", m, err)
			continue
		}
		chosen := !pinned && (m == apmlgpu.MethodAuto || m == apmlgpu.MethodSparse)
		c.compare(t, judge{string(m), chosen, apmlNumbers(r, x.D)})
	}
}

// apmlNumbers finds the number or numbers of a key of want.
func apmlNumbers(r apmlgpu.Result, d int) func(key string) []float64 {
	s := r.Stats
	one := map[string]float64{
		"value": r.Value, "mass": s.Mass, "row_err_l1": s.RowError, "row_err_max": s.RowErrorMax,
		"col_err_l1": s.ColError,
		"tied_rows":  float64(s.TiedRows), "tied_cols": float64(s.TiedCols),
		"nnz": float64(s.NNZ), "nnz_rows_dir": float64(s.NNZRows), "nnz_cols_dir": float64(s.NNZCols),
	}
	return func(key string) []float64 {
		if v, ok := one[key]; ok {
			return []float64{v}
		}
		if m := gradKey.FindStringSubmatch(key); m != nil && m[3] == "" {
			return gradNumbers(r, d, m[1], m[2])
		}
		return nil
	}
}

// gradKey is a gradient in want: all of it, its norm, or that of one point, of
// a named loss where a case has several.
var gradKey = regexp.MustCompile(`^grad_(x|y)(?:_(norm|\d+))?(?:_([a-z]\w*))?$`)

func gradNumbers(r apmlgpu.Result, d int, side, part string) []float64 {
	g := r.GradX64
	if side == "y" {
		g = r.GradY64
	}
	switch part {
	case "":
		return g
	case "norm":
		return []float64{norm(g)}
	}
	if k, err := strconv.Atoi(part); err == nil && k < len(g)/d {
		return g[k*d : k*d+d]
	}
	return nil
}

// judge is one way in which a case was computed.
type judge struct {
	method  string
	chosen  bool // Faithful has chosen its threshold: the value to 1e-6, the rest near it
	numbers func(key string) []float64
}

// compare looks at every key of want that the case has.
func (c valueCase) compare(t *testing.T, j judge) {
	t.Helper()
	rtol := orElse(c.RTol, defaultRTol)
	for key, want := range c.Want {
		if strings.HasSuffix(key, "_found") || strings.HasSuffix(key, "_used") {
			continue
		}
		w, got := flat(want), j.numbers(key)
		switch {
		case got == nil:
			t.Errorf("key %q is not known", key)
		case len(w) != len(got):
			t.Errorf("%s: %s has %d numbers, want %d", j.method, key, len(got), len(w))
		case strings.HasPrefix(key, "nnz") || strings.HasPrefix(key, "tied"):
			if got[0] != w[0] {
				t.Errorf("%s: %s is %.0f, want %.0f", j.method, key, got[0], w[0])
			}
		default:
			c.number(t, j, key, got, w, rtol)
		}
	}
	for key, want := range c.Exact {
		w, got := flat(want), j.numbers(key)
		if got == nil || len(w) != len(got) {
			continue // another loss has that formula
		}
		c.number(t, j, "exact "+key, got, w, max(orElse(c.ExactRTol, automatic), rtol))
	}
}

// number compares numbers of one key. A gradient's terms cancel, so that its
// tolerance has an absolute part.
func (c valueCase) number(t *testing.T, j judge, key string, got, want []float64, rtol float64) {
	t.Helper()
	abs := absValue
	if strings.Contains(key, "grad") {
		abs = absGradient
	}
	if c.device {
		abs = absDevice
		if strings.Contains(key, "grad") {
			rtol, abs = deviceGradients*rtol, deviceGradients*abs
		}
	}
	if j.chosen {
		rtol = max(rtol, automatic)
		if !strings.HasSuffix(key, "value") && !strings.HasSuffix(key, "mass") {
			abs += 10 * automatic * max(1, norm(want))
		}
	}
	for k, w := range want {
		if !within(got[k], w, rtol, abs) {
			t.Errorf("%s: %s (number %d of %d) is %.17g, want %.17g, off by %.1e relative", j.method, key, k+1,
				len(want), got[k], w, math.Abs(got[k]/w-1))
			return
		}
	}
}

// flat is a number, or an array of numbers or of points, as numbers; nil if it
// holds anything else.
func flat(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []any:
		var out []float64
		for _, e := range v {
			part := flat(e)
			if part == nil {
				return nil
			}
			out = append(out, part...)
		}
		return out
	}
	return nil
}

func orElse(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}

func norm(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a * a
	}
	return math.Sqrt(s)
}
