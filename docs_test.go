package gondola_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are README and everything under docs/ that a person reads.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "notebooks/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, more...)
	}
	all := map[string]string{}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		all[n] = string(b)
	}
	return all
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

func TestLinks(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

var (
	makeCall   = regexp.MustCompile("(?m)(?:^|`|\\s)make ([a-z][a-z-]+)(?:`|$| +#|  )")
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	command    = regexp.MustCompile("(?m)(?:^|`)(?:bin/)?gondola ([a-z]+)")
)

func TestTargetsAndCommands(t *testing.T) {
	b, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(string(b), -1) {
		targets[m[1]] = true
	}
	main, err := os.ReadFile("cmd/gondola/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for page, text := range pages(t) {
		for _, m := range makeCall.FindAllStringSubmatch(text, -1) {
			if !targets[m[1]] {
				t.Errorf("%s names make %s, which is no target", page, m[1])
			}
		}
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(main), `"`+m[1]+`"`) {
				t.Errorf("%s names gondola %s, which is no subcommand", page, m[1])
			}
		}
	}
}

// TestReadmeCell runs README's first cell as a notebook would and wants the
// output that stands under it.
func TestReadmeCell(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary: left out with -short")
	}
	text := pages(t)["README.md"]
	cellText, ok1 := fence(text, "go")
	want, ok2 := fence(text, "text")
	if !ok1 || !ok2 {
		t.Fatal("README has no go cell with a text output under it")
	}
	if n := strings.Count(cellText, "\n"); n > 8 {
		t.Errorf("the first cell has %d lines, at most 8", n)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "gondola")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/gondola").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	file := filepath.Join(dir, "first.go")
	if err := os.WriteFile(file, []byte("// %%\n"+cellText), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "run", file).Output()
	if err != nil || strings.TrimSpace(string(out)) != strings.TrimSpace(want) {
		t.Errorf("the first cell prints %q, %v; README says %q", out, err, want)
	}
}

// fence returns the first fenced block of that language.
func fence(text, language string) (string, bool) {
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	if !ok {
		return "", false
	}
	body, _, ok := strings.Cut(rest, "```")
	return body, ok
}
