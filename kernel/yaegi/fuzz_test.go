package yaegi

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gondola-lab/gondola/internal/gen/fuzzgo"
)

// record has what the Go compiler's programs print, one line a seed: the seed,
// a sum of the program and a sum of its output.
const recordFile = "testdata/random.txt"

// TestRandomPrograms runs random programs of the subset as cells and compares
// what they print, their panics included, with what the Go compiler's programs
// printed when the record was written. GONDOLA_RECORD=1 writes it anew.
// GONDOLA_FUZZ=100000 runs that many other programs and compiles them now.
func TestRandomPrograms(t *testing.T) {
	if s := os.Getenv("GONDOLA_FUZZ"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		first := uint64(time.Now().Unix()) << 20 // named in a failure, so that it can be run again
		if s := os.Getenv("GONDOLA_FUZZ_SEED"); s != "" {
			if first, err = strconv.ParseUint(s, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		for at := 0; at < n; at += batch {
			compareRandom(t, first+uint64(at), min(batch, n-at))
		}
		return
	}
	const n = 1000
	if os.Getenv("GONDOLA_RECORD") != "" {
		writeRecord(t, n)
	}
	text, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != n {
		t.Fatalf("%d programs in %s, want %d", len(lines), recordFile, n)
	}
	refused, every := 0, 1
	if testing.Short() {
		every = 10
	}
	for i, line := range lines {
		seed := uint64(i + 1)
		if i%every != 0 {
			continue
		}
		src := randomProgram(seed)
		var want [3]string
		copy(want[:], strings.Fields(line))
		if want[0] != fmt.Sprint(seed) || want[1] != sum(src) {
			t.Fatalf("seed %d: the generator makes another program than that of the record; write it anew", seed)
		}
		switch got, ok := interpreted(t, seed, src); {
		case !ok:
			refused++
		case sum(got) != want[2]:
			t.Errorf("seed %d: not the compiler's output; GONDOLA_FUZZ=1 GONDOLA_FUZZ_SEED=%d shows it", seed, seed)
		}
	}
	t.Logf("%d programs, %d refused", n, refused)
	if refused > n/4 {
		t.Errorf("%d of %d programs were refused: the generator leaves the subset", refused, n)
	}
}

// batch is how many programs are compiled into one.
const batch = 250

func sum(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	return strconv.FormatUint(h.Sum64(), 36)
}

// randomProgram is the program of a seed; its main is pmain.
func randomProgram(seed uint64) string { return fuzzgo.Program(seed, "p") }

// interpreted is what a program prints as a cell; ok is false if it is refused.
func interpreted(t *testing.T, seed uint64, src string) (out string, ok bool) {
	text := "package main\n\nimport \"fmt\"\n\n" + src + "func main() { pmain() }\n"
	var o outcome
	if !within(t, fmt.Sprint("seed ", seed), func() { o = newBook().run(text) }) {
		return "", true
	}
	if len(o.refused) > 0 {
		return "", false
	}
	if o.err != nil {
		t.Errorf("seed %d: %v", seed, o.err)
	}
	if o.fault != nil {
		return o.stdout + "PANIC " + o.fault.Text + "\n", true
	}
	return o.stdout, true
}

// compareRandom compares n programs with the compiler's, all in one.
func compareRandom(t *testing.T, first uint64, n int) {
	want := compiledPrograms(t, first, n)
	for i := range n {
		seed := first + uint64(i)
		if got, ok := interpreted(t, seed, randomProgram(seed)); ok && got != want[i] {
			t.Errorf("seed %d: %s\n%s", seed, difference(got, want[i]), randomProgram(seed))
		}
	}
}

// compiledPrograms is what the compiler's programs of n seeds print.
func compiledPrograms(t *testing.T, first uint64, n int) []string {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go in PATH to compare with")
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\n")
	for i := range n {
		b.WriteString(fuzzgo.Program(first+uint64(i), fmt.Sprintf("p%d", i)))
	}
	b.WriteString("func run(n int, f func()) {\n\tfmt.Printf(\"\\x00%d\\n\", n)\n\tdefer func() {\n" +
		"\t\tif r := recover(); r != nil { fmt.Println(\"PANIC\", r) }\n\t}()\n\tf()\n}\n\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\trun(%d, p%dmain)\n", i, i)
	}
	b.WriteString("}\n")
	return compiled(t, goTool, b.String(), "-gcflags=-l -N")
}

// writeRecord runs the first n programs by the compiler and writes the record.
func writeRecord(t *testing.T, n int) {
	var b strings.Builder
	for at := 0; at < n; at += batch {
		for i, out := range compiledPrograms(t, uint64(at+1), min(batch, n-at)) {
			seed := uint64(at + 1 + i)
			fmt.Fprintln(&b, seed, sum(randomProgram(seed)), sum(out))
		}
	}
	if err := os.WriteFile(recordFile, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
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
