package yaegi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPrograms runs whole programs as cells; each file ends in what the Go
// compiler makes of it. They are inside the subset: a refusal fails.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src, want, _ := strings.Cut(string(text), "-- output --\n")
			var o outcome
			if within(t, file, func() { o = newBook().run(src) }) && o.String() != want {
				t.Errorf("%s", difference(o.String(), want))
			}
		})
	}
}

// TestCases runs the programs of a folder, NAME.go with NAME.out: each right or
// refused, none wrong.
func TestCases(t *testing.T) {
	dir := os.Getenv("GONDOLA_PROGRAMS")
	if dir == "" {
		t.Skip("GONDOLA_PROGRAMS names no folder of programs with their outputs")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in %s: %v", dir, err)
	}
	right, refused := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		var o outcome
		switch {
		case !within(t, file, func() { o = newBook().run(string(src)) }):
		case len(o.refused) > 0:
			refused++
			t.Logf("%s: refused: %s", filepath.Base(file), o.refused[0])
		case o.String() == string(want):
			right++
		default:
			t.Errorf("%s: %s", filepath.Base(file), difference(o.String(), string(want)))
		}
	}
	t.Logf("right %d, refused %d, wrong %d", right, refused, len(files)-right-refused)
}
