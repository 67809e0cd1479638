package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/cuda/cudatest"
)

func TestDoctor(t *testing.T) {
	var out, errs strings.Builder
	code := runDoctor([]string{"--json"}, &out, &errs)
	if code != exitOK && code != exitMissing || errs.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, errs.String())
	}
	var parts []string
	for line := range strings.Lines(out.String()) {
		var f finding
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if f.Text == "" || !f.OK && f.Cure == "" {
			t.Errorf("a lack without a cure, or nothing said: %s", line)
		}
		parts = append(parts, f.Part)
	}
	if !slices.Equal(parts, doctorParts) {
		t.Errorf("parts %v, want %v", parts, doctorParts)
	}
	out.Reset()
	t.Setenv("GONDOLA_LIBCUDA", "no such library")
	if code := runDoctor([]string{"--require", "gpu"}, &out, &errs); code != exitMissing ||
		!strings.Contains(out.String(), "lack  gpu") {
		t.Errorf("--require gpu without one: exit %d, %s", code, out.String())
	}
	for _, s := range settings {
		if !strings.Contains(out.String(), s.name) || s.does == "" {
			t.Errorf("the doctor does not tell of %s", s.name)
		}
	}
}

// TestDoctorGPU looks at the stand-in driver: right, broken and hanging.
func TestDoctorGPU(t *testing.T) {
	lib := cudatest.Driver(t)
	for _, tt := range []struct {
		fault, want string
		ok          bool
	}{
		{"INIT=0", `emulated device, sm_90, 1 multiprocessors, 2.0 GiB (`, true},
		{"INIT=803", "NVIDIA driver present but unusable: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", false},
		{"FAIL=ap_sink_row", "GPU lost: ap_sink_row", false},
		{"HANG=1", "the NVIDIA driver has not answered for 3s", false},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			for _, v := range cudatest.Environment(lib, tt.fault) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			wait := gpuWait
			if tt.fault == "HANG=1" {
				wait = 3 * time.Second
			}
			f := findGPU(wait)
			if f.OK != tt.ok || !strings.Contains(f.Text, tt.want) || !f.OK && f.Cure == "" {
				t.Errorf("%+v, want %q", f, tt.want)
			}
		})
	}
}

var ourVariable = regexp.MustCompile(`GONDOLA_[A-Z_]*[A-Z]`)

// Every environment variable of ours that code or a script names is told by the
// doctor, and no other. What a test sets for a process of its own begins with
// GONDOLA_TEST_ and is nobody else's affair.
func TestSettings(t *testing.T) {
	const root = "../.."
	used := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if strings.HasPrefix(name, ".") && name != ".." && name != ".ci" ||
				slices.Contains([]string{"node_modules", "out", "bin", "docs"}, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".sh", ".mjs", ".py", ""}, filepath.Ext(path)) ||
			strings.Contains(d.Name(), "doctor") {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, name := range ourVariable.FindAllString(string(b), -1) {
			if !strings.HasPrefix(name, "GONDOLA_TEST_") {
				used[name] = path
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		if used[s.name] == "" {
			t.Errorf("the doctor tells of %s, which nothing reads or sets", s.name)
		}
		delete(used, s.name)
	}
	for name, path := range used {
		t.Errorf("%s names %s, which is not among the doctor's settings", path, name)
	}
}
