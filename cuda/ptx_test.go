package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources are the files of the PTX in the order of their includes, as
// tools/ptx.sh hashes them.
func sources(t *testing.T) []string {
	t.Helper()
	files := []string{"abi.h", "kernel/dev.h", "kernel/common.h"}
	unit := read(t, "apml.cu")
	for _, m := range regexp.MustCompile(`#include "(kernel/\w+\.h)"`).FindAllStringSubmatch(unit, -1) {
		files = append(files, m[1])
	}
	return append(files, "apml.cu")
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPTXIsOfTheSources(t *testing.T) {
	h := sha256.New()
	for _, f := range sources(t) {
		h.Write([]byte(read(t, f)))
	}
	want := fmt.Sprintf("// sources sha256:%x\n", h.Sum(nil))
	if !strings.HasSuffix(PTX(), want) {
		t.Errorf("apml.ptx was made from other sources: make ptx")
	}
}

// kernels returns name and argument of every row of kernels.def.
func kernels(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^KERNEL\((\w+), (\w+)\)`).FindAllStringSubmatch(read(t, "kernels.def"), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// TestEntries compares the entries of the PTX with kernels.def and the sizes of
// their parameters with those that abi.h asserts.
func TestEntries(t *testing.T) {
	size := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^AP_SIZE\((\w+), (\d+)\);`).FindAllStringSubmatch(read(t, "abi.h"), -1) {
		size[m[1]] = m[2]
	}
	want := kernels(t)
	got := map[string]bool{}
	entry := regexp.MustCompile(`\.entry (\w+)\(\s*\.param \.align \d+ \.b8 \w+\[(\d+)\]`)
	for _, m := range entry.FindAllStringSubmatch(PTX(), -1) {
		got[m[1]] = true
		switch arg, ok := want[m[1]]; {
		case !ok:
			t.Errorf("the PTX has %s, kernels.def has not", m[1])
		case size[arg] != m[2]:
			t.Errorf("%s takes %s bytes, %s has %s", m[1], m[2], arg, size[arg])
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("kernels.def has %s, the PTX has not", name)
		}
	}
	if strings.Count(PTX(), ".entry ") != len(got) {
		t.Errorf("%d entries, of which %d were read", strings.Count(PTX(), ".entry "), len(got))
	}
}

// TestKernelsAreIncluded wants every kernel header in the one unit.
func TestKernelsAreIncluded(t *testing.T) {
	files, err := os.ReadDir("kernel")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(sources(t), "kernel/"+f.Name()) {
			t.Errorf("kernel/%s is not in apml.cu", f.Name())
		}
	}
}

func TestLint(t *testing.T) {
	for _, f := range lint(PTX()) {
		t.Error(f)
	}
}

// fused says how many fused multiply-adds of floats and of doubles an entry has:
// none where distances decide, but in box tests and in exponentials. An entry that is
// not here has none. A change of these counts wants a look at the PTX.
var fused = map[string][2]int{
	"ap_tree_near2": {14, 0}, "ap_tree_count": {6, 0}, "ap_tree_write": {6, 0}, // boxes
	"ap_exact": {6, 12}, "ap_value": {12, 24}, "ap_spread": {0, 16}, // polynomials
	"ap_tiesum": {0, 1}, "ap_sink_row": {0, 2}, "ap_sink_col": {0, 2}, "ap_error": {0, 2}, "ap_grad": {0, 12}, // sums
	"ap_soft_sum": {30, 60}, "ap_soft_merge": {0, 20}, "ap_soft_pull": {0, 12}, // polynomials
}

// lint tells what a PTX must not have.
func lint(text string) (faults []string) {
	for _, head := range []string{".version 7.5\n", ".target sm_75\n", ".address_size 64\n"} {
		if !strings.Contains(text, head) {
			faults = append(faults, "no line "+strings.TrimSpace(head))
		}
	}
	parts := strings.Split(text, ".entry ")
	for _, p := range parts[1:] {
		name, body, _ := strings.Cut(p, "(")
		for _, bad := range []struct{ pattern, why string }{
			{`\b(atom|red)\.[a-z.]*f(32|64)`, "adds floats in any order"},
			{`\.approx`, "uses an approximate instruction"},
			{`\.ftz`, "drops small numbers"},
			{`\.local\b`, "keeps an array in local memory"},
			{`\bcall\b`, "calls a function"},
		} {
			if m := regexp.MustCompile(bad.pattern).FindString(body); m != "" {
				faults = append(faults, fmt.Sprintf("%s %s: %s", name, bad.why, m))
			}
		}
		var n [2]int
		for k, pattern := range []string{`\bfma\.rn\.f32`, `\bfma\.rn\.f64`} {
			n[k] = len(regexp.MustCompile(pattern).FindAllString(body, -1))
		}
		if n != fused[name] {
			faults = append(faults, fmt.Sprintf("%s has %d fused multiply-adds, expected are %d", name, n, fused[name]))
		}
	}
	if m := regexp.MustCompile(`(?m)^\.extern.*`).FindString(text); m != "" {
		faults = append(faults, "needs another file: "+m)
	}
	return faults
}

// TestLintFaults injects one fault each and wants it named.
func TestLintFaults(t *testing.T) {
	head := ".version 7.5\n.target sm_75\n.address_size 64\n"
	entry := func(name, line string) string { return head + ".visible .entry " + name + "(\n{\n\t" + line + "\n}\n" }
	for _, tt := range []struct{ text, want string }{
		{strings.Replace(entry("k", ""), "7.5", "8.0", 1), "no line .version 7.5"},
		{strings.Replace(entry("k", ""), "sm_75", "sm_90", 1), "no line .target sm_75"},
		{entry("k", "red.global.add.f32 [%rd1], %f1;"), "k adds floats in any order"},
		{entry("k", "atom.global.add.f64 %fd1, [%rd1], %fd2;"), "k adds floats in any order"},
		{entry("k", "ex2.approx.f32 %f1, %f2;"), "k uses an approximate instruction"},
		{entry("k", "add.rn.ftz.f32 %f1, %f2, %f3;"), "k drops small numbers"},
		{entry("k", ".local .align 4 .b8 __local_depot0[40];"), "k keeps an array in local memory"},
		{entry("k", "call.uni (retval0), f;"), "k calls a function"},
		{entry("ap_near2", "fma.rn.f32 %f1, %f2, %f3, %f4;"), "ap_near2 has [1 0] fused"},
		{entry("k", "") + ".extern .func f;", "needs another file"},
	} {
		if got := strings.Join(lint(tt.text), "\n"); !strings.Contains(got, tt.want) {
			t.Errorf("%q: faults %q, want %q", tt.text[len(head):], got, tt.want)
		}
	}
	right := "atom.global.add.s32 %r1, [%rd1], 1;\n\tfma.rn.f64 %fd1, %fd2, %fd3, %fd4;"
	if got := lint(entry("ap_tiesum", right)); len(got) != 0 {
		t.Errorf("a right entry: %v", got)
	}
}
