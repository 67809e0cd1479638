package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

func TestBenchUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{nil, exitUsage, "there are losses, kernel, language"},
		{[]string{"-h"}, exitOK, "losses"},
		{[]string{"speed"}, exitUsage, `no benchmark "speed"`},
		{[]string{"losses", "extra"}, exitUsage, "extra"},
		{[]string{"losses", "--check", "--only", "no such row"}, exitUsage, `no row holds "no such row"`},
	} {
		var out, complaint bytes.Buffer
		code := runBench(tt.args, nil, &out, &complaint)
		if all := out.String() + complaint.String(); code != tt.code || !strings.Contains(all, tt.says) {
			t.Errorf("%v: exit %d, want %d; says %q", tt.args, code, tt.code, all)
		}
	}
}

// The rows of flows: what is measured is there, and --only picks.
func TestBenchFlows(t *testing.T) {
	b := &lossBench{ctx: context.Background(), only: "Sinkhorn, flow"}
	var rows []lossRow
	if err := b.flows(func(r lossRow) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || !(rows[0].Value > 0) || !rows[0].NoGoal {
		t.Errorf("%+v", rows)
	}
}

// A process of ours: what it says of itself is JSON with all its numbers.
func TestBenchOne(t *testing.T) {
	b := &lossBench{ctx: context.Background(), dir: t.TempDir()}
	x, y, err := b.clouds("sphere", 500)
	if err != nil {
		t.Fatal(err)
	}
	var out, complaint bytes.Buffer
	if code := runBench([]string{benchOne, x, y, "2"}, nil, &out, &complaint); code != exitOK {
		t.Fatalf("exit %d: %s", code, complaint.String())
	}
	var r benched
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || !(r.Value > 0) || !(r.CPU >= 0) || r.NNZ < 1000 {
		t.Errorf("%s: %v", out.String(), err)
	}
	for _, args := range [][]string{{x, y}, {x, y, "0"}} {
		if code := runBenchOne(args, &out, &complaint); code != exitUsage {
			t.Errorf("%v: exit %d", args, code)
		}
	}
	if code := runBenchOne([]string{x, "nowhere", "1"}, &out, &complaint); code != exitFailed {
		t.Errorf("a file that is not there: exit %d", code)
	}
}

func TestLossRow(t *testing.T) {
	for _, tt := range []struct {
		row  lossRow
		pass bool
	}{
		{lossRow{Value: 101, Target: 100, AtLeast: true}, true},
		{lossRow{Value: 99, Target: 100, AtLeast: true}, false},
		{lossRow{Value: 1.1, Target: 1.15}, true},
		{lossRow{Value: 1.2, Target: 1.15}, false},
		{lossRow{Value: math.NaN(), Target: 1.15}, false},
		{lossRow{Value: 200, Target: 100, AtLeast: true, Skipped: "torch cannot be imported"}, false},
	} {
		r := tt.row.judge()
		if r.Pass != tt.pass || r.Machine == "" {
			t.Errorf("%+v passes: %v, want %v", tt.row, r.Pass, tt.pass)
		}
		if tt.row.Skipped != "" && !strings.Contains(r.String(), "skipped: "+tt.row.Skipped) {
			t.Errorf("a skipped row prints %q", r)
		}
	}
	if r := (lossRow{Value: 300, Target: 1, NoGoal: true}).judge(); !r.Pass || strings.Contains(r.String(), "miss") {
		t.Errorf("a row for the reader: %v", r)
	}
}

// A peer that is not there is a row with its reason, and no failure.
func TestMissingPeer(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "apml_dense_torch.py")
	if err := os.WriteFile(script, []byte(`echo '{"skip": "torch cannot be imported: no module"}'`),
		0o666); err != nil {
		t.Fatal(err)
	}
	b := &lossBench{ctx: context.Background(), dir: dir, scripts: dir, python: "/bin/sh"}
	if r, note := b.torch("x", "y", 2048, "plain", "", nil); r.Skip != "torch cannot be imported: no module" || note != "" {
		t.Errorf("torch that is not there: %+v, %q", r, note)
	}
	r, err := b.process(nil, b.python, script)
	if err != nil || r.Skip != "torch cannot be imported: no module" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := b.process(nil, filepath.Join(dir, "nopython")); err == nil {
		t.Error("a program that is not there has answered")
	}
	if _, err := b.process(nil, "/bin/sh", "-c", "echo why >&2; exit 1"); err == nil ||
		!strings.Contains(err.Error(), "why") {
		t.Errorf("a process that fails: %v", err)
	}
	if a := best(&benched{CPU: 2, Memory: 5}, &benched{CPU: 3, Memory: 4}); a.CPU != 2 || a.Memory != 4 {
		t.Errorf("best of two is %+v", a)
	}
}

func TestBenchClouds(t *testing.T) {
	b := &lossBench{dir: t.TempDir()}
	for shape := range benchShapes {
		x, y, err := b.clouds(shape, 125)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{x, y} {
			c, err := cloud.OpenWith(path, cloud.Options{Stride: 3})
			if err != nil || c.N != 125 || c.D != 3 {
				t.Errorf("%s: %d×%d, %v", path, c.N, c.D, err)
			}
		}
	}
}

// Every family of exact transport has clouds of its sizes, and weights that are read
// as they were written.
func TestEMDClouds(t *testing.T) {
	for k, f := range emdFamilies {
		for side, c := range emdClouds(k, 120, 75) {
			if want := []int{120, 75}[side]; c.N != want || c.Validate() != nil {
				t.Errorf("%s: %d points, want %d, %v", f.name, c.N, want, c.Validate())
			}
		}
	}
	path := filepath.Join(t.TempDir(), "w")
	if err := saveWeights(path, 9); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, w := range weightsOf(path) {
		sum += w
	}
	if !(math.Abs(sum-1) <= 1e-15) || weightsOf(path+"x") != nil {
		t.Errorf("weights sum to %g", sum)
	}
}

// Where torch would need too much memory its time follows the exponent of the sizes
// before, and the row says so.
func TestTorchByExponent(t *testing.T) {
	b := &lossBench{}
	r, note := b.torch("", "", 1<<20, "plain", "", []float64{1, 8}) // 8 times for twice the points: exponent 3
	want := 8 * math.Pow(float64(1<<20)/4096, 3)
	if !(math.Abs(r.CPU/want-1) <= 1e-12) || !strings.Contains(note, "exponent 3.00 from 2048 to 4096") {
		t.Errorf("%v s, %q; want %v", r.CPU, note, want)
	}
}

// The quadratic search finds what APML's own search finds.
func TestQuadratic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x, y := cloud.Cube(rnd, 300), cloud.Cube(rnd, 250)
	r, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Threshold: 1e-10, Variant: apmlgpu.Reference})
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := quadratic(x.X, y.X, 1e-10), quadratic(y.X, x.X, 1e-10)
	if off := rows + cols - int(r.Stats.NNZRows+r.Stats.NNZCols); off < -2 || off > 2 { // float32 squares decide a few
		t.Errorf("%d and %d pairs, APML has %d and %d", rows, cols, r.Stats.NNZRows, r.Stats.NNZCols)
	}
}
