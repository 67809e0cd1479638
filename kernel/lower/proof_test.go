package lower

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// proof is a program that package yaegi runs and compares with the compiler's.
type proof struct{ name, source string }

// programs are those of package yaegi's tests, by the names of the list.
func programs(t *testing.T) (l []proof) {
	t.Helper()
	read := func(pattern string, use func(file, text string)) {
		files, err := filepath.Glob("../yaegi/testdata/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			use(strings.TrimSuffix(filepath.Base(f), ".txt"), string(b))
		}
	}
	read("programs/*.txt", func(file, text string) {
		src, _, _ := strings.Cut(text, "-- output --\n")
		l = append(l, proof{"program " + file, src})
	})
	read("compare/*.txt", func(file, text string) {
		for _, part := range strings.Split("\n"+text, "\n=== ")[1:] {
			name, rest, _ := strings.Cut(part, "\n")
			src, _, _ := strings.Cut(rest, "\n--- ")
			l = append(l, proof{"compare " + file + ": " + name, src})
		}
	})
	return l
}
