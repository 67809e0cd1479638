package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if m := memoryRow("memory", &benched{}).judge(); m.Pass || m.Skipped == "" {
		t.Errorf("a memory that nobody told: %v", m)
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
	b := &lossBench{ctx: context.Background(), dir: dir, peers: dir, python: "/bin/sh"}
	r, err := b.process(b.python, script)
	if err != nil || r.Skip != "torch cannot be imported: no module" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := b.process(filepath.Join(dir, "nopython")); err == nil {
		t.Error("a program that is not there has answered")
	}
	if _, err := b.process("/bin/sh", "-c", "echo why >&2; exit 1"); err == nil ||
		!strings.Contains(err.Error(), "why") {
		t.Errorf("a process that fails: %v", err)
	}
	if a := best(&benched{CPU: 2, Memory: 5}, &benched{CPU: 3, Memory: 4}); a.CPU != 2 || a.Memory != 4 {
		t.Errorf("best of two is %+v", a)
	}
}

func TestBenchClouds(t *testing.T) {
	b := &lossBench{dir: t.TempDir()}
	for _, shape := range []string{"cube", "sphere"} {
		x, y, err := b.clouds(shape, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{x, y} {
			c, err := cloud.OpenWith(path, cloud.Options{Stride: 3})
			if err != nil || c.N != 100 || c.D != 3 {
				t.Errorf("%s: %d×%d, %v", path, c.N, c.D, err)
			}
		}
	}
}
