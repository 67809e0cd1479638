package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// testClouds writes two small clouds and returns their paths.
func testClouds(t *testing.T) (x, y string) {
	t.Helper()
	dir := t.TempDir()
	x, y = filepath.Join(dir, "x.ply"), filepath.Join(dir, "y.xyz")
	for path, c := range map[string]cloud.Cloud{x: cloud.Fibonacci(60), y: cloud.Turned(80)} {
		if err := cloud.Save(path, c); err != nil {
			t.Fatal(err)
		}
	}
	return x, y
}

func TestLossLine(t *testing.T) {
	x, y := testClouds(t)
	grad := filepath.Join(t.TempDir(), "g.npz")
	a, _ := cloud.Open(x)
	b, _ := cloud.Open(y)
	for _, l := range apmlgpu.Losses() {
		// Flags may stand anywhere, with one dash or two.
		args := []string{l.Name, "--threads", "2", x, "-max-bytes=100000000", y}
		for name, v := range l.Needs {
			args = append(args, "--"+kebab(name), fmt.Sprint(v))
		}
		if !l.Metric {
			args = append(args, "-grad64", "--grad="+grad)
		}
		var out, complaint bytes.Buffer
		code := runLoss(args, &out, &complaint)
		if code != exitOK || complaint.Len() > 0 || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%s: exit %d, %q, %q", l.Name, code, out.String(), complaint.String())
		}
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"loss", "value", "n", "m", "nnz", "row_error", "col_error", "threshold",
			"method",
			"backend", "peak_bytes", "seconds", "notes"} {
			if _, ok := line[key]; !ok {
				t.Errorf("%s: the line lacks %q", l.Name, key)
			}
		}
		r, err := l.Run(a, b, l.Usual())
		if err != nil || line["value"] != r.Value || line["n"] != 60. || line["m"] != 80. || line["loss"] != l.Name {
			t.Errorf("%s: the line is %v, the loss %v, %v", l.Name, line, r.Value, err)
		}
		if l.Metric {
			continue
		}
		for name, want := range map[string][]float32{"gradx": r.GradX, "grady": r.GradY} {
			g, err := cloud.OpenWith(grad, cloud.Options{Array: name})
			if err != nil || !slices.Equal(g.X, want) {
				t.Errorf("%s: %s differs from the call, %v", l.Name, name, err)
			}
		}
	}
}

// Metrics have their numbers in the line, Sliced its directions.
func TestMetricsLine(t *testing.T) {
	x, y := testClouds(t)
	a, _ := cloud.Open(x)
	b, _ := cloud.Open(y)
	line := func(args ...string) (all map[string]any) {
		t.Helper()
		var out, complaint bytes.Buffer
		if code := runLoss(append(args, x, y), &out, &complaint); code != exitOK {
			t.Fatalf("%v: exit %d: %s", args, code, complaint.String())
		}
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	m := line("metrics", "--radius", "0.2", "--quantile", "0.9")["metrics"].(map[string]any)
	r, err := apmlgpu.Metrics(a, b, apmlgpu.MetricsOptions{Radius: 0.2, Quantile: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	want := r.Stats.Metrics
	for name, v := range map[string]float64{"hausdorff": want.Hausdorff, "hausdorff_x": want.HausdorffX,
		"hausdorff_y": want.HausdorffY, "quantile": 0.9, "radius": 0.2, "fscore": want.FScore,
		"precision": want.Precision, "recall": want.Recall, "coverage": want.Coverage, "uncovered": want.Uncovered} {
		if m[name] != v {
			t.Errorf("%s is %v, want %v", name, m[name], v)
		}
	}
	points := 0.
	for _, pair := range m["hits"].([]any) {
		points += pair.([]any)[1].(float64)
	}
	if points != 80 {
		t.Errorf("hits %v are of %v points, want 80", m["hits"], points)
	}
	got := line("sliced", "--directions", "1,0,0;0,2,0", "--cost", "euclidean")
	s, err := apmlgpu.Sliced(a, b, apmlgpu.SlicedOptions{Directions: [][]float64{{1, 0, 0}, {0, 1, 0}},
		Cost: apmlgpu.Euclidean})
	if err != nil || got["value"] != s.Value || got["directions"] != 2. || got["std_err"] != s.Stats.StdErr {
		t.Errorf("the line is %v, the loss %v, %v", got, s.Value, err)
	}
	got = line("sliced", "--max", "--seed", "3", "--l=5")
	if d, _ := got["direction"].([]any); len(d) != 3 || got["directions"] != 5. {
		t.Errorf("the line of --max is %v", got)
	}
}

func TestLossOptions(t *testing.T) {
	x, y := testClouds(t)
	value := func(args ...string) float64 {
		t.Helper()
		var out, complaint bytes.Buffer
		if code := runLoss(append([]string{"apml", x, y}, args...), &out, &complaint); code != exitOK {
			t.Fatalf("%v: exit %d: %s", args, code, complaint.String())
		}
		var line lossLine
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		return line.Value
	}
	a, _ := cloud.Open(x)
	b, _ := cloud.Open(y)
	want, err := apmlgpu.APML(a, b, apmlgpu.APMLOptions{
		MinProb: 0.5, Threshold: 1e-8, Variant: apmlgpu.Reference, Iterations: 7, PerPoint: true, Margin: 1e-6,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := value("--min-prob", "0.5", "--threshold", "1e-8", "--variant", "reference", "--iterations=7",
		"--per-point", "--margin", "1e-6")
	if got != want.Value {
		t.Errorf("value with all options is %v, the call gives %v", got, want.Value)
	}
	text := filepath.Join(t.TempDir(), "some.dat")
	if err := os.WriteFile(text, []byte("1 2 nan\n4 5 6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	code := runLoss([]string{"chamfer", text, text, "--format", "xyz", "--drop-nan"}, &out, &complaint)
	if code != exitOK || !strings.Contains(out.String(), `"n":1,`) || !strings.Contains(out.String(), `"notes":["`) {
		t.Errorf("--format and --drop-nan: exit %d, %s%s", code, out.String(), complaint.String())
	}
	if got := value("--threads", "0", "--max-bytes", "0", "--tol", "0"); got == want.Value || !(got > 0) {
		t.Errorf("value with zeros that mean nothing else is %v", got)
	}
	arrays := filepath.Join(t.TempDir(), "arrays.npz")
	if err := cloud.SaveArrays(arrays,
		cloud.Array{Name: "a", Shape: []int{1, 3}, F32: []float32{1, 2, 3}},
		cloud.Array{Name: "b", Shape: []int{1, 3}, F32: []float32{4, 5, 6}}); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	code = runLoss([]string{"chamfer", arrays, arrays, "--array", "b"}, &out, &complaint)
	if code != exitOK || !strings.Contains(out.String(), `"n":1,`) {
		t.Errorf("--array: exit %d, %s%s", code, out.String(), complaint.String())
	}
	table := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(table, []byte("id,north,east\na,1,2\nb,4,8\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, columns := range []string{"east,north", "3,2"} {
		out.Reset()
		code = runLoss([]string{"chamfer", table, table, "--columns", columns}, &out, &complaint)
		if code != exitOK || !strings.Contains(out.String(), `"n":2,`) {
			t.Errorf("--columns %s: exit %d, %s%s", columns, code, out.String(), complaint.String())
		}
	}
}

func TestLossMistakes(t *testing.T) {
	x, y := testClouds(t)
	bad := filepath.Join(t.TempDir(), "bad.xyz")
	if err := os.WriteFile(bad, []byte("1 2 nan\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	npz := filepath.Join(t.TempDir(), "two.npz")
	if err := cloud.SaveArrays(npz, cloud.Array{Name: "a", Shape: []int{1, 3}, F32: make([]float32, 3)}); err != nil {
		t.Fatal(err)
	}
	raw := filepath.Join(t.TempDir(), "x.bin")
	if err := os.WriteFile(raw, make([]byte, 24), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"nothing", nil, exitUsage, "chamfer-l1"},
		{"unknown loss", []string{"wasserstein", x, y}, exitUsage,
			`no loss "wasserstein"; there are ` + strings.Join(lossNames(), ", ")},
		{"one file", []string{"apml", x}, exitUsage, "1 files, want two"},
		{"unknown flag", []string{"apml", x, y, "--blur", "1"}, exitUsage, "blur"},
		{"no number", []string{"apml", x, y, "--min-prob", "high"}, exitUsage, "min-prob"},
		{"out of range", []string{"apml", x, y, "--min-prob", "1"}, exitUsage, "MinProb is 1"},
		{"zero that would be 0.8", []string{"apml", x, y, "--min-prob=0"}, exitUsage, "--min-prob 0 would mean its default"},
		{"zero that would be 20", []string{"apml", x, y, "--iterations", "0"}, exitUsage, "--iterations 0"},
		{"a threshold that is too small", []string{"apml", x, y, "--threshold", "1e-400"}, exitUsage, "--threshold 0"},
		{"bad stride", []string{"apml", raw, y, "--stride", "-1"}, exitUsage, "Stride is -1"},
		{"no such column", []string{"apml", x, y, "--columns", "9"}, exitUsage, "Columns is"},
		{"no origin", []string{"apml", x, y, "--origin", "1,b"}, exitUsage, "origin"},
		{"an origin in the plane", []string{"apml", x, y, "--origin", "1,2"}, exitUsage, "Origin is"},
		{"too many points", []string{"apml", y, y, "--max-points", "79"}, exitFailed, "79"},
		{"no such array", []string{"apml", npz, npz, "--array", "z"}, exitFailed, "npz"},
		{"grad without gradients", []string{"apml", x, y, "--grad", "g.npz", "--no-grad"}, exitUsage, "exclude"},
		{"a metric's gradient", []string{"fscore", x, y, "--radius", "1", "--grad", "g.npz"}, exitUsage, "fscore is a metric"},
		{"no radius", []string{"fscore", x, y}, exitUsage, "Radius is 0"},
		{"a seed below zero", []string{"sliced", x, y, "--seed", "-1"}, exitUsage, "seed"},
		{"no vectors", []string{"sliced", x, y, "--directions", "1,x,0"}, exitUsage, "1,0,0;0,1,0"},
		{"flat vectors", []string{"sliced", x, y, "--directions", "1,0"}, exitUsage, "2 numbers in direction 0"},
		{"no format", []string{"apml", x, y, "--format", "stl"}, exitUsage, "give Format as one of npy"},
		{"no backend", []string{"apml", x, y, "--backend", "gpu"}, exitMissing, "backend is not available: "},
		{"no file", []string{"chamfer", x, "nowhere.ply"}, exitFailed, "nowhere.ply"},
		{"NaN", []string{"chamfer", bad, y}, exitFailed, "bad.xyz"},
		{"not converged", []string{"apml", x, y, "--tol", "1e-9", "--max-iter", "2"}, exitFailed, "did not converge"},
	} {
		var out, complaint bytes.Buffer
		code := runLoss(tt.args, &out, &complaint)
		if code != tt.code || !strings.Contains(complaint.String(), tt.says) {
			t.Errorf("%s: exit %d, want %d; says %q, want %q", tt.name, code, tt.code, complaint.String(), tt.says)
		}
		if printed := out.Len() > 0; printed != (tt.name == "not converged") {
			t.Errorf("%s: printed %q", tt.name, out.String())
		}
	}
}

// Every field of the options that is no function or context has a flag.
func TestKebab(t *testing.T) {
	for name, want := range map[string]string{"MinProb": "min-prob", "Tol": "tol", "Grad64": "grad64",
		"MaxBytes": "max-bytes", "WeightX": "weight-x", "OneWay": "one-way"} {
		if got := kebab(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
	for _, l := range apmlgpu.Losses() {
		set := newFlags("x", "", new(bytes.Buffer), new(bytes.Buffer))
		optionFlags(set, l.Options(), l.Defaults)
		v := reflect.TypeOf(l.Options()).Elem()
		for k := range v.NumField() {
			kind := v.Field(k).Type.Kind()
			if has := set.Lookup(kebab(v.Field(k).Name)) != nil; has != (kind != reflect.Func &&
				kind != reflect.Interface && kind != reflect.Pointer) {
				t.Errorf("%s: field %s of kind %v has a flag: %v", l.Name, v.Field(k).Name, kind, has)
			}
		}
	}
}

func TestParseMixed(t *testing.T) {
	set := newFlags("x", "", new(bytes.Buffer), new(bytes.Buffer))
	n := set.Int("n", 0, "")
	rest, code := set.parse([]string{"a", "-n", "3", "b", "--", "-c"}, -1)
	if code != -1 || *n != 3 || !slices.Equal(rest, []string{"a", "b", "-c"}) {
		t.Errorf("rest %v, n = %d, code %d", rest, *n, code)
	}
}

// An interrupt is no failure of the loss: it has its own code.
func TestLossInterrupted(t *testing.T) {
	var complaint bytes.Buffer
	err := &apmlgpu.Error{Op: "apmlgpu.APML", Err: apmlgpu.ErrCanceled}
	if code := lossExit(err, &complaint); code != exitInterrupted || strings.Count(complaint.String(), "\n") != 1 {
		t.Errorf("exit %d, %q", code, complaint.String())
	}
}
