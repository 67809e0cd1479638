//go:build linux

package session

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/engine"
	"github.com/gondola-lab/gondola/kernel/native"
)

// section is one part of a transcript: what cell n is or must answer.
type section struct {
	kind string // cell, result, stdout, stderr, error
	n    int
	text string
}

var marker = regexp.MustCompile(`^-- (\w+) (\d+) --$`)

func parseTranscript(text string) []section {
	var out []section
	text = strings.TrimSuffix(text, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if m := marker.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			out = append(out, section{kind: m[1], n: n})
		} else if len(out) > 0 {
			out[len(out)-1].text += line + "\n"
		}
	}
	for i := range out { // the last newline is not part of the text
		out[i].text = strings.TrimSuffix(out[i].text, "\n")
	}
	return out
}

// refusal matches the error of a cell that this build cannot run.
var refusal = regexp.MustCompile(`native|toolchain|interpret`)

// isRefused tells whether a cell was refused by name. A program that the
// interpreter does not take though it is on the list is a hole, and wrong.
func isRefused(a answer) bool {
	return a.out.Err != nil && slices.Contains([]string{"Unsupported", "MagicError"}, a.out.Err.Name) &&
		refusal.MatchString(a.failure())
}

// verdict is right, refused or wrong.
type verdict string

// judge runs the cells of a transcript in one session and compares each answer.
// A cell may be refused by an error that names a construct; the transcript
// ends there.
func judge(t *testing.T, p Policy, secs []section) (verdict, string) {
	t.Helper()
	s := newTestSession(t)
	s.policy = p
	want := map[string]string{}
	for _, c := range secs {
		want[c.kind+strconv.Itoa(c.n)] = c.text
	}
	for _, c := range secs {
		if c.kind != "cell" {
			continue
		}
		a := runCell(t, s, c.n, c.text)
		if bad := compare(a, c.n, want); bad != "" {
			if isRefused(a) {
				return "refused", fmt.Sprintf("cell %d: %s", c.n, a.out.Err.Value)
			}
			return "wrong", fmt.Sprintf("cell %d: %s", c.n, bad)
		}
	}
	return "right", ""
}

// compare tells what of an answer differs from the transcript, or "".
func compare(a answer, n int, want map[string]string) string {
	key := strconv.Itoa(n)
	if lines, ok := want["error"+key]; ok {
		if a.out.Err == nil {
			return "should fail"
		}
		for l := range strings.SplitSeq(lines, "\n") {
			if !strings.Contains(a.failure(), l) {
				return fmt.Sprintf("error lacks %q in %q", l, a.failure())
			}
		}
	} else if a.out.Err != nil {
		return "failed: " + a.failure()
	}
	if got, w := strings.TrimRight(a.stdout, "\n"), strings.TrimRight(want["stdout"+key], "\n"); got != w {
		return fmt.Sprintf("stdout %q, want %q", got, w)
	}
	if lines, ok := want["stderr"+key]; ok {
		for l := range strings.SplitSeq(lines, "\n") {
			if !strings.Contains(a.stderr, l) {
				return fmt.Sprintf("stderr lacks %q in %q", l, a.stderr)
			}
		}
	} else if a.stderr != "" {
		return fmt.Sprintf("stderr %q, want none", a.stderr)
	}
	w, ok := want["result"+key]
	if a.hasResult != ok || strings.TrimRight(a.result, "\n") != strings.TrimRight(w, "\n") {
		return fmt.Sprintf("result %v %q, want %v %q", a.hasResult, a.result, ok, w)
	}
	return ""
}

// mustBeRight are the transcripts that use nothing which needs native code.
var mustBeRight = []string{
	"01-values", "02-redefine-function", "03-redefine-signature", "08-imports", "09-all-or-nothing", "10-panic-keeps",
	"12-scopes", "13-redeclare", "14-errors-are-values", "17-constants", "20-goroutines", "22-all-errors",
}

// casesDir is the folder of the cases beside the losses' values, or a skip.
func casesDir(t *testing.T, name string) string {
	t.Helper()
	file := os.Getenv("GONDOLA_CASES")
	if file == "" {
		t.Skip("GONDOLA_CASES is not set: it is the path of losses/values.json of the cases")
	}
	return filepath.Join(filepath.Dir(filepath.Dir(file)), name)
}

func TestTranscripts(t *testing.T) {
	dir := casesDir(t, "session")
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", dir, err)
	}
	for _, p := range []Policy{Auto, Native, Interpret} {
		count := map[verdict]int{}
		all := p != Interpret && compiles(t)
		if p == Native && (!all || testing.Short()) {
			t.Logf("policy %s is left out: it compiles every cell (-short %v)", p, testing.Short())
			continue
		}
		for _, f := range files {
			name := filepath.Base(f)
			t.Run(string(p)+"/"+name, func(t *testing.T) {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				v, why := judge(t, p, parseTranscript(string(text)))
				count[v]++
				t.Logf("%s %s", v, why)
				if v == "wrong" || v == "refused" && (all || slices.Contains(mustBeRight, strings.TrimSuffix(name, ".txtar"))) {
					t.Errorf("%s is %s: %s", name, v, why)
				}
			})
		}
		t.Logf("transcripts, policy %s: right %d refused %d wrong %d of %d", p, count["right"], count["refused"], count["wrong"], len(files))
	}
}

// compiles tells whether cells can be compiled here, and logs why not.
func compiles(t *testing.T) bool {
	t.Helper()
	_, err := native.Find(t.Context(), native.Config{})
	if err != nil {
		t.Logf("without native cells: %v", err)
	}
	return err == nil
}

// needsCompiler skips a test where cells cannot be compiled, with the reason.
func needsCompiler(t *testing.T) {
	t.Helper()
	if _, err := native.Find(t.Context(), native.Config{}); err != nil {
		t.Skip(err)
	}
}

// TestPrograms runs each program of the cases as one cell.
func TestPrograms(t *testing.T) {
	count := map[verdict]int{}
	total, all := 0, compiles(t)
	for _, sub := range []string{"golang", "golang-micro"} {
		files, err := filepath.Glob(filepath.Join(casesDir(t, sub), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no programs in %s: %v", sub, err)
		}
		total += len(files)
		for _, f := range files {
			t.Run(filepath.Base(f), func(t *testing.T) {
				for _, program := range []bool{false, true} {
					if program && testing.Short() { // compiled again, to the same text but for its frame
						t.Log("as a program it is left out with -short")
						continue
					}
					v, why := judgeProgram(t, f, program)
					t.Logf("%s %s", v, why)
					if v == "wrong" || v == "refused" && all {
						t.Errorf("%s (as a program: %v): %s", filepath.Base(f), program, why)
					}
					if !program {
						count[v]++
					}
				}
			})
		}
	}
	t.Logf("programs: right %d refused %d wrong %d of %d", count["right"], count["refused"], count["wrong"], total)
}

func judgeProgram(t *testing.T, file string, program bool) (verdict, string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if err != nil {
		t.Fatal(err)
	}
	a := execute(t, newTestSession(t), engine.Cell{ID: 1, Number: 1, Code: string(text), Program: program})
	switch {
	case a.out.Err == nil && a.stdout == string(want):
		return "right", ""
	case a.out.Err == nil:
		return "wrong", fmt.Sprintf("stdout %q, want %q", a.stdout, want)
	case a.stdout == "" && isRefused(a):
		return "refused", a.out.Err.Value
	}
	return "wrong", fmt.Sprintf("stdout %q, error %s", a.stdout, a.failure())
}

// The judge itself must see every kind of difference.
func TestCompareSeesDifferences(t *testing.T) {
	ok := answer{stdout: "a\n", stderr: "warning: x\n", result: "1", hasResult: true}
	want := map[string]string{"stdout1": "a", "stderr1": "warning", "result1": "1"}
	if bad := compare(ok, 1, want); bad != "" {
		t.Errorf("a right answer is %s", bad)
	}
	failed := answer{out: engine.Outcome{Err: plainError("Panic", "boom")}}
	for name, tt := range map[string]struct {
		a    answer
		want map[string]string
	}{
		"stdout":         {answer{stdout: "b"}, map[string]string{"stdout1": "a"}},
		"stdout at all":  {answer{stdout: "b"}, nil},
		"stderr":         {answer{stderr: "b"}, map[string]string{"stderr1": "a"}},
		"stderr at all":  {answer{stderr: "b"}, nil},
		"result":         {answer{result: "1", hasResult: true}, map[string]string{"result1": "2"}},
		"no result":      {answer{}, map[string]string{"result1": "2"}},
		"result at all":  {answer{result: "", hasResult: true}, nil},
		"error":          {failed, map[string]string{"error1": "Panic\nother"}},
		"error at all":   {failed, nil},
		"no error":       {answer{}, map[string]string{"error1": "Panic"}},
		"result and all": {failed, map[string]string{"error1": "boom", "stdout1": "x"}},
	} {
		if compare(tt.a, 1, tt.want) == "" {
			t.Errorf("%s: the difference was not seen", name)
		}
	}
}
