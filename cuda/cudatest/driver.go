// Package cudatest builds the stand-in driver of the tests: a libcuda.so.1 that
// runs the kernels on the CPU by the emulator and fails as it is told to.
package cudatest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// prefix stands before the name of a fault in the environment.
const prefix = "GONDOLA_" + "FAKECUDA_"

// Driver returns the path of the stand-in driver, built anew when its sources
// have changed. It skips the test, with the reason, where it cannot be built; in
// CI that is a failure.
func Driver(t testing.TB) string {
	t.Helper()
	if !cgo {
		t.Skip("this build has no GPU backend: it was made without cgo, or not for Linux")
	}
	path, err := driver()
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatal(err)
	default:
		t.Skip("no stand-in driver: ", err)
	}
	return ""
}

// Environment is that of a child that uses the stand-in driver with faults, as in
// "INIT=803"; emu/fakecuda.cpp lists them.
func Environment(path string, faults ...string) []string {
	env := append(os.Environ(), "GONDOLA_LIBCUDA="+path)
	for _, f := range faults {
		env = append(env, prefix+f)
	}
	return env
}

var driver = sync.OnceValues(func() (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("the emulator runs on Linux on x86-64 only, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	cxx, err := exec.LookPath("c++")
	if err != nil {
		return "", fmt.Errorf("a C++ compiler is needed: %w", err)
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		return "", fmt.Errorf("the sources are not known")
	}
	cuda := filepath.Dir(filepath.Dir(here))
	sum, err := hash(cuda)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(cuda), ".cache", "emu")
	path := filepath.Join(dir, fmt.Sprintf("libcuda-%x.so", sum[:8]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(part)
	cmd := exec.Command(cxx, "-std=c++17", "-O2", "-w", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=hidden",
		filepath.Join(cuda, "emu", "fakecuda.cpp"), "-o", part)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return path, os.Rename(part, path)
})

// hash is that of all sources of the emulator.
func hash(cuda string) ([]byte, error) {
	h := sha256.New()
	for _, pattern := range []string{"abi.h", "apml.cu", "kernels.def", "kernel/*.h", "emu/emu.h", "emu/fakecuda.cpp"} {
		files, err := filepath.Glob(filepath.Join(cuda, pattern))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			h.Write(b)
		}
	}
	return h.Sum(nil), nil
}
