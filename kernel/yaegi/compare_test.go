package yaegi

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// sample is a program of testdata/compare and what the compiler's program does:
//
//	=== name
//	package main …
//	--- status 2: panic: boom
//	what it prints
//
// The status of a program that the subset refuses ends with "; refused".
type sample struct {
	name, source, status, stdout string
	refused                      bool
}

func samples(t *testing.T, file string) (out []sample) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		var s sample
		s.name, part, _ = strings.Cut(part, "\n")
		s.source, part, _ = strings.Cut(part, "\n--- ")
		s.status, s.stdout, _ = strings.Cut(part, "\n")
		s.status, s.refused = strings.CutSuffix(s.status, "; refused")
		out = append(out, s)
	}
	return out
}

// TestCompare runs each program and compares what it prints, and its panic,
// with what the compiler's program did when the file was written. With
// GONDOLA_RECORD set it writes the files anew by the Go compiler.
func TestCompare(t *testing.T) {
	files, err := filepath.Glob("testdata/compare/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		list := samples(t, file)
		if os.Getenv("GONDOLA_RECORD") != "" {
			record(t, file, list)
		}
		for _, s := range list {
			var o outcome
			if !within(t, s.name, func() { o = newBook().run(s.source) }) {
				continue
			}
			status := "status 0"
			if o.fault != nil {
				status = "status 2: panic: " + o.fault.Text
			}
			switch {
			case (len(o.refused) > 0) != s.refused:
				t.Errorf("%s: refused: %v", s.name, o.refused)
			case s.refused:
			case o.err != nil || printed(o.stdout) != printed(s.stdout) || !sameStatus(status, s.status):
				t.Errorf("%s: %v, %s, want %s\n%s", s.name, o.err, status, s.status, difference(o.stdout, s.stdout))
			}
		}
	}
}

// printed is what a program prints as a file of samples has it: valid text,
// that ends in no blank line.
func printed(s string) string {
	return strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\n")
}

var numbers = regexp.MustCompile(` \[[-0-9:]+\]( with (length|capacity) \d+)?|: [^ :]*\[.*\]$`)

// sameStatus compares panics but for the numbers of an index, which only the
// session knows.
func sameStatus(got, want string) bool {
	return numbers.ReplaceAllString(got, "") == numbers.ReplaceAllString(want, "")
}

// record runs the programs of a file by the Go compiler and writes the file.
func record(t *testing.T, file string, list []sample) {
	var b strings.Builder
	for i, s := range list {
		main := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(main, []byte(s.source), 0o600); err != nil {
			t.Fatal(err)
		}
		bin := strings.TrimSuffix(main, ".go")
		if text, err := exec.Command("go", "build", "-o", bin, main).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", s.name, text)
		}
		var stdout, stderr strings.Builder
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, bin)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		s.status = "status 0"
		if err := cmd.Run(); err != nil {
			first, _, _ := strings.Cut(stderr.String(), "\n")
			if ctx.Err() != nil {
				t.Fatalf("%s: the program does not end", s.name)
			}
			s.status = fmt.Sprintf("status %d: %s", cmd.ProcessState.ExitCode(), first)
		}
		s.stdout = stdout.String()
		list[i] = s
		mark := ""
		if s.refused {
			mark = "; refused"
		}
		fmt.Fprintf(&b, "=== %s\n%s\n--- %s%s\n%s\n", s.name, s.source, s.status, mark, s.stdout)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
