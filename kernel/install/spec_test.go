package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteListRemove(t *testing.T) {
	kernels := filepath.Join(t.TempDir(), "share ü", "kernels")
	s := Spec{Binary: "/opt/gondola/bin/gondola", Env: map[string]string{"GONDOLA_SRC": "/opt/src"}}
	for range 2 { // the second time replaces the first
		dir, err := Write(kernels, s)
		if err != nil || dir != filepath.Join(kernels, "gondola") {
			t.Fatalf("Write = %q, %v", dir, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(kernels, "gondola", "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var k map[string]any
	if err := json.Unmarshal(b, &k); err != nil {
		t.Fatal(err)
	}
	if k["interrupt_mode"] != "message" || k["language"] != "go" || k["display_name"] != "Go (Gondola)" ||
		k["kernel_protocol_version"] != nil {
		t.Errorf("kernel.json %v", k)
	}
	if argv := k["argv"].([]any); argv[0] != s.Binary || argv[3] != "{connection_file}" {
		t.Errorf("argv %v", argv)
	}
	for name, mode := range map[string]os.FileMode{"": 0o755 | os.ModeDir, "kernel.json": 0o644, "logo-64x64.png": 0o644} {
		if fi, err := os.Stat(filepath.Join(kernels, "gondola", name)); err != nil || fi.Mode() != mode {
			t.Errorf("%q has mode %v, %v, want %v", name, fi.Mode(), err, mode)
		}
	}
	if got := List(kernels); len(got) != 1 || got[0].Name != "gondola" || got[0].Alive {
		t.Errorf("List = %+v", got)
	}
	if rest, _ := filepath.Glob(filepath.Join(kernels, ".*")); len(rest) != 0 {
		t.Errorf("left behind: %v", rest)
	}
	if err := Remove(kernels, ""); err != nil {
		t.Error(err)
	}
	if err := Remove(kernels, "gondola"); !errors.Is(err, ErrMissing) {
		t.Errorf("second Remove: %v", err)
	}
}

func TestForeignAndNames(t *testing.T) {
	kernels := t.TempDir()
	dir := filepath.Join(kernels, "other")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(`{"argv":["python","-m","x"]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(kernels, Spec{Name: "other", Binary: "/x"}); !errors.Is(err, ErrForeign) {
		t.Errorf("Write over another's: %v", err)
	}
	if err := Remove(kernels, "other"); !errors.Is(err, ErrForeign) {
		t.Errorf("Remove of another's: %v", err)
	}
	for _, name := range []string{"a/b", "..", "a b", "ä"} {
		if _, err := Write(kernels, Spec{Name: name, Binary: "/x"}); !errors.Is(err, ErrName) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for _, bin := range []string{"gondola", "/tmp/go-build123/b001/exe/gondola", "/no/such/program"} {
		var h interface{ Hint() string }
		if err := CheckBinary(bin); !errors.Is(err, ErrBinary) || !errors.As(err, &h) || h.Hint() == "" {
			t.Errorf("CheckBinary(%q) = %v", bin, err)
		}
	}
}

func TestDir(t *testing.T) {
	for _, tt := range []struct {
		place Place
		env   map[string]string
		want  string
	}{
		{User, map[string]string{"JUPYTER_DATA_DIR": "/j", "HOME": "/h"}, "/j/kernels"},
		{User, map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/jupyter/kernels"},
		{Auto, map[string]string{"HOME": "/h"}, "/h/.local/share/jupyter/kernels"},
		{Auto, map[string]string{"VIRTUAL_ENV": "/v", "HOME": "/h"}, "/v/share/jupyter/kernels"},
		{Sys, map[string]string{"CONDA_PREFIX": "/c"}, "/c/share/jupyter/kernels"},
	} {
		got, err := Dir(tt.place, "", func(k string) string { return tt.env[k] })
		if err != nil || got != tt.want {
			t.Errorf("Dir(%d, %v) = %q, %v, want %q", tt.place, tt.env, got, err, tt.want)
		}
	}
	if _, err := Dir(User, "", func(string) string { return "" }); err == nil {
		t.Error("no HOME: no error")
	}
	if _, err := Dir(Prefix, "", os.Getenv); err == nil {
		t.Error("empty prefix: no error")
	}
}

func TestEnvironmentFirst(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false}, {map[string]string{"VIRTUAL_ENV": "/v"}, true},
		{map[string]string{"VIRTUAL_ENV": "/v", "JUPYTER_PREFER_ENV_PATH": "0"}, false},
		{map[string]string{"JUPYTER_PREFER_ENV_PATH": "1"}, true},
		{map[string]string{"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "base"}, false},
		{map[string]string{"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "go"}, true},
	} {
		if got := environmentFirst(func(k string) string { return tt.env[k] }); got != tt.want {
			t.Errorf("%v: %v", tt.env, got)
		}
	}
}

func TestLogo(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(LogoPNG(64)))
	if err != nil || img.Bounds().Dx() != 64 {
		t.Fatal(img.Bounds(), err)
	}
	if r, g, b, a := img.At(28, 19).RGBA(); a != 0xFFFF || !(r > g && g > b) {
		t.Error("the middle of a point is not orange")
	}
	if _, _, _, a := img.At(1, 1).RGBA(); a != 0 {
		t.Error("the corner is not clear")
	}
	if !strings.Contains(string(LogoSVG()), "<polygon") {
		t.Error("no hull in the SVG")
	}
}
