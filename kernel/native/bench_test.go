package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gondola-lab/gondola/internal/ratio"
)

// BenchmarkBuild is a build of a small unit by compiler and linker, and as a
// share of what the go command takes for the same text (x-go-build: its time
// over ours).
func BenchmarkBuild(b *testing.B) {
	tc := find(b)
	n := 0
	unit := func() Unit {
		n++
		use := fmt.Sprintf("var _ = %d\nvar _ = fmt.Sprint\nvar _ = strings.Cut\n", n)
		return text([]string{"fmt", "strings"}, use+pointText)
	}
	dir := filepath.Join(tc.source, "internal", "benchplugin") // a folder of the overlay, in the module for its packages
	file := filepath.Join(b.TempDir(), "cell.go")
	overlay := filepath.Join(b.TempDir(), "overlay.json")
	out := filepath.Join(b.TempDir(), "out.so")
	replace := fmt.Appendf(nil, `{"Replace":{%q:%q}}`, filepath.Join(dir, "cell.go"), file)
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		b.Fatal(err)
	}
	goBuild := func() {
		u := unit()
		if err := os.WriteFile(file, []byte(u.Files["cell.go"]), 0o600); err != nil {
			b.Fatal(err)
		}
		args := append([]string{"build", "-buildmode=plugin", "-overlay", overlay, "-o", out}, tc.flags...)
		c := exec.Command(tc.goCmd, append(args, dir)...)
		c.Dir, c.Env = tc.source, tc.env
		if text, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, text)
		}
	}
	for b.Loop() {
		build(b, tc, unit())
	}
	b.ReportMetric(ratio.Of(5, goBuild, func() { build(b, tc, unit()) }), "x-go-build")
}

// BenchmarkFound is the same unit again, from the cache, and its load.
func BenchmarkFound(b *testing.B) {
	tc := find(b)
	u := text(nil, pointText)
	build(b, tc, u)
	for b.Loop() {
		if _, err := tc.Load(build(b, tc, u)); err != nil {
			b.Fatal(err)
		}
	}
}
