package native

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script is a folder for PATH with one program, a shell script.
func script(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestUnavailable: one sentence for each part that lacks.
func TestUnavailable(t *testing.T) {
	if !loads {
		_, err := Find(t.Context(), Config{})
		if err == nil || !strings.Contains(err.Error(), "built without cgo") {
			t.Errorf("error %v, want one that names cgo", err)
		}
		return
	}
	goDir := filepath.Join(runtime.GOROOT(), "bin")
	if _, err := os.Stat(filepath.Join(goDir, "go")); err != nil {
		t.Fatalf("this test was built by a Go that is not in %s", goDir)
	}
	strange := t.TempDir()
	if err := os.WriteFile(filepath.Join(strange, "go.mod"), []byte("module example.org/strange\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(runtime.Version(), " ")
	words := goWords(version)
	for _, tt := range []struct {
		name, path, source, part, want string
	}{
		{"no go", t.TempDir(), "", "go", words + " not found in PATH"},
		{"another go", script(t, "go", `echo '{"GOVERSION":"go1.20.1"}'`), "", "go", "is go 1.20.1"},
		{"a go that fails", script(t, "go", "exit 7"), "", "go", "does not run (exit status 7)"},
		{"no gcc", goDir, "", "cc", "not found in PATH"},
		{"a gcc that fails", goDir + ":" + script(t, "gcc", "echo no such luck >&2; exit 1"), "", "cc", "does not work"},
		{"another source", os.Getenv("PATH"), strange, "source", "holds module example.org/strange"},
		{"no source", os.Getenv("PATH"), filepath.Join(strange, "gone"), "source", "is not in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", tt.path)
			t.Setenv("CC", "gcc")
			t.Setenv("GOMODCACHE", t.TempDir())
			_, err := Find(t.Context(), Config{Cache: t.TempDir(), Source: tt.source})
			var u *Unavailable
			if !errors.As(err, &u) || u.Part != tt.part || !strings.Contains(u.Text, tt.want) {
				t.Fatalf("error %+v, want part %s with %q", err, tt.part, tt.want)
			}
			if text := u.Error(); strings.Contains(text, "\n") || !strings.HasSuffix(text, " (gondola doctor)") || u.Hint() == "" {
				t.Errorf("%q is no sentence that ends in (gondola doctor), or without advice", text)
			}
		})
	}
}

// TestFetchedToolchain: a go of another version in PATH, and the right one
// where the go command keeps those that it fetched.
func TestFetchedToolchain(t *testing.T) {
	version, _, _ := strings.Cut(runtime.Version(), " ")
	modules := t.TempDir()
	dir := filepath.Join(modules, "golang.org", "toolchain@v0.0.1-"+version+"."+runtime.GOOS+"-"+runtime.GOARCH)
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "go"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", script(t, "go", `echo '{"GOVERSION":"go1.20.1"}'`)+":relative")
	t.Setenv("GOMODCACHE", modules)
	all := candidates(version)
	if len(all) != 2 || all[1] != filepath.Join(dir, "bin", "go") {
		t.Errorf("candidates %q, want that of PATH and then the fetched one", all)
	}
}

// TestCacheFolders: a home that cannot be written leads to a folder in memory,
// and a folder that others may write is closed to them.
func TestCacheFolders(t *testing.T) {
	t.Setenv("GONDOLA_CACHE", "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tc := &Toolchain{cfg: Config{Cache: filepath.Join(file, "no-folder")}, goCache: t.TempDir()}
	if err := tc.findCache(t.Context()); err != nil {
		t.Fatal(err)
	}
	if dir := tc.stores[0].dir; strings.HasPrefix(dir, file) {
		t.Errorf("%s cannot be a folder", dir)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.MkdirAll(filepath.Join(open, "native"), 0o777); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(open)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(s.dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %v, want 0700", s.dir, st.Mode())
	}
	t.Setenv("GONDOLA_CACHE", file)
	t.Setenv("TMPDIR", file)
	for _, dir := range cacheDirs("")[:1] {
		if _, err := openStore(dir); err == nil {
			t.Errorf("%s, a file, is a folder of builds", dir)
		}
	}
}

// TestFullDisk: a build goes on in the next folder when the first takes no file,
// and is refused when none does.
func TestFullDisk(t *testing.T) {
	tc := find(t)
	none := &store{filepath.Join(t.TempDir(), "file")} // as good as a full one
	if err := os.WriteFile(none.dir, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	stores := tc.stores
	defer func() { tc.stores = stores }()
	u := text(nil, pointText)
	tc.stores = []*store{none, stores[0]}
	if p := build(t, tc, u); !strings.HasPrefix(p.File, stores[0].dir) {
		t.Errorf("built in %s", p.File)
	}
	tc.stores = []*store{none}
	_, err := tc.Build(t.Context(), u)
	if lack := (*Unavailable)(nil); !errors.As(err, &lack) || lack.Part != "cache" {
		t.Errorf("error %v, want one of the cache", err)
	}
	for out, want := range map[string]bool{
		"link: writing out.so: no space left on device": true,
		"collect2: Read-only file system":               true,
		"undefined: x":                                  false,
	} {
		if got := noRoom(&toolError{"link", errors.New("exit status 1"), out}); got != want {
			t.Errorf("noRoom(%q) = %v", out, got)
		}
	}
}

// TestChanged: a toolchain that is gone or another one is told, with versions.
func TestChanged(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"compile", "link"} {
		if err := os.WriteFile(filepath.Join(tools, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := filepath.Join(script(t, "go", `echo '{"GOVERSION":"go1.27.1"}'`), "go")
	tc := &Toolchain{version: "go1.26.8", tools: tools, goCmd: cmd}
	tc.stamps = tc.stamp()
	if err := tc.changed(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "link"), []byte("new"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := tc.changed(t.Context()); err == nil || !strings.Contains(err.Error(), "it was go 1.26.8, it is go 1.27.1 now") {
		t.Errorf("error %v, want both versions", err)
	}
	if err := os.Remove(tc.goCmd); err != nil {
		t.Fatal(err)
	}
	if err := tc.changed(t.Context()); err == nil || !strings.Contains(err.Error(), "it is gone") {
		t.Errorf("error %v, want that it is gone", err)
	}
}

// TestInspect: every part has its line, and nothing lacks where this test runs.
func TestInspect(t *testing.T) {
	if !loads {
		t.Skip("this test binary loads no plugins: built without cgo")
	}
	var names []string
	for _, p := range Inspect(t.Context(), Config{Cache: t.TempDir()}) {
		names = append(names, p.Name)
		if !p.OK || p.Text == "" {
			t.Errorf("%+v", p)
		}
	}
	if got := strings.Join(names, " "); got != "source go cc cache selftest" {
		t.Errorf("parts %s", got)
	}
}
