package yaegi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/internal/gen/fuzzgo"
)

// TestRandomPrograms runs random programs of the subset by the Go compiler,
// all in one, and as cells, and compares what they print.
func TestRandomPrograms(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go in PATH to compare with")
	}
	n, first := 100, 1
	if s := os.Getenv("GONDOLA_FUZZ"); s != "" {
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		first = 1000
	}
	if testing.Short() {
		n = 30
	}
	programs := make([]string, n)
	var b strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\n")
	for i := range programs {
		programs[i] = fuzzgo.Program(uint64(first+i), fmt.Sprintf("p%d", i))
		b.WriteString(programs[i])
	}
	b.WriteString("func run(n int, f func()) {\n\tfmt.Printf(\"\\x00%d\\n\", n)\n\tdefer func() {\n\t\tif r := recover(); r != nil { fmt.Println(\"PANIC\", r) }\n\t}()\n\tf()\n}\n\nfunc main() {\n")
	for i := range programs {
		fmt.Fprintf(&b, "\trun(%d, p%dmain)\n", i, i)
	}
	b.WriteString("}\n")
	want := compiled(t, goTool, b.String(), "-gcflags=-l -N")
	refused := 0
	for i, src := range programs {
		text := "package main\n\nimport \"fmt\"\n\n" + src + fmt.Sprintf("func main() { p%dmain() }\n", i)
		var o outcome
		if !within(t, "program "+fmt.Sprint(first+i), func() { o = newBook().run(text) }) {
			continue
		}
		if len(o.refused) > 0 {
			refused++
			continue
		}
		got := o.stdout
		if o.fault != nil {
			got += "PANIC " + o.fault.Text + "\n"
		}
		if o.err != nil || got != want[i] {
			t.Errorf("seed %d: %v\n%s", first+i, o.err, difference(got, want[i]))
			if dir := os.Getenv("GONDOLA_FUZZ_KEEP"); dir != "" && o.prog != nil {
				os.WriteFile(filepath.Join(dir, fmt.Sprint(first+i)+".go"), []byte(text), 0o644)
				os.WriteFile(filepath.Join(dir, fmt.Sprint(first+i)+".low"), []byte(o.prog.Text), 0o644)
			}
		}
	}
	t.Logf("%d programs, %d refused", n, refused)
	if refused > n/2 {
		t.Errorf("%d of %d programs were refused: the generator leaves the subset", refused, n)
	}
}

// compiled builds and runs a program and returns what it prints after each
// mark.
func compiled(t *testing.T, goTool, src, flags string) []string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(goTool, "build", flags, "-o", filepath.Join(dir, "main"), file)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the compiler refuses: %v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "main")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out[max(0, len(out)-2000):])
	}
	parts := strings.Split(string(out), "\x00")[1:]
	for i, p := range parts {
		_, parts[i], _ = strings.Cut(p, "\n")
	}
	return parts
}

// difference shows the first lines that differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, a, b)
		}
	}
	return "the same"
}
