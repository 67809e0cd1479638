//go:build linux && amd64

package cuda

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var mutants = flag.Bool("mutants", false, "put each fault into the kernels: the tests must catch it (minutes)")

// mutant is a fault in a kernel: old, which stands there, becomes new.
type mutant struct {
	name, file, old, new string
	test                 string // of emu: parts, apml or soft
}

// faults are those that the tests must catch: barriers, bounds, stale shared memory,
// divergence, arithmetic that another compiler would make.
var faults = []mutant{
	{"row past the end is read", "near2.h", "i = i < d.n ? i : d.n - 1;", "", "apml"},
	{"no wait after staging", "near2.h", "    __syncwarp();\n#pragma unroll 4", "#pragma unroll 4", "apml"},
	{"no barrier before the warps meet", "near2.h", "  __syncthreads();\n  int q", "  int q", "apml"},
	{"a barrier that half of the warps reach", "near2.h", "  __syncthreads();\n  int q",
		"  if (w < 4) __syncthreads();\n  int q", "apml"},
	{"the last run is not padded", "near2.h", "for (int k = lane; k < STAGED; k += 32) {",
		"for (int k = lane; k < c; k += 32) {", "apml"},
	{"shared memory past its end", "near2.h", "found[w][r * 32 + lane] =", "found[w][r * 32 + lane + 1] =", "apml"},
	{"a wrong mask of the transpose", "mask.h", "0x0f0f0f0fu", "0x0f0f0f1fu", "apml"},
	{"points beyond the end have bits", "mask.h", "m[r] &= valid[r] & inside;", "", "apml"},
	{"one side's radius is left out", "mask.h", "fmaxf(r2[r], p.w)", "r2[r]", "apml"},
	{"entries are written past the room", "mask.h", "if (n < A.cap) idx[n]", "if (n >= 0) idx[n + A.cap / 2]", "apml"},
	{"no barrier in the scan", "scan.h", "    scratch[lane] = q;\n  }\n  __syncthreads();",
		"    scratch[lane] = q;\n  }",
		"parts"},
	{"scratch is reused too early", "scan.h", "  all = scratch[warps - 1];\n  __syncthreads();",
		"  all = scratch[warps - 1];",
		"parts"},
	{"offsets without the block's own", "scan.h", "start += (unsigned)ap_block_scan((int)s, scratch, all);",
		"ap_block_scan((int)s, scratch, all);", "parts"},
	{"fused distance", "common.h", "  double xx = x * x, yy = y * y, zz = z * z;\n  return (xx + yy) + zz;",
		"  return fma(z, z, fma(y, y, x * x));", "parts"},
	{"the radius is not widened", "common.h", " * (1.0f + ((float)rho + 2.0f) * 9.5367431640625e-07f) + 1e-37f",
		" * 0.9999f", "apml"},
	{"the test is not strict", "exact.h", "if (v < R) sum +=", "if (v <= R) sum +=", "apml"},
	{"the merge of the two nearest", "exact.h", "ap_min2(ap_max2(n.a, oa), ap_min2(n.b, ob))",
		"ap_min2(n.b, ob)", "apml"},
	{"multiplicity is forgotten", "exact.h", "if (l.ok && d.omult && d.omult[n.first] > 1) n.b = n.a;", "", "apml"},
	{"a shuffle under divergence", "exact.h", "    sum = ap_lanes_sum(sum);\n    if (!l.ok || l.lane) continue;",
		"    if (!l.ok) continue;\n    sum = ap_lanes_sum(sum);\n    if (l.lane) continue;", "apml"},
	{"the margin is on the wrong side", "exact.h", ": gap + A.margin;", ": gap - A.margin;", "apml"},
	{"the column's part twice", "value.h", "a = row[3] *", "a = col[3] *", "apml"},
	{"scalings of the wrong side", "sink.h", "const double *w = dir ? A.u : A.v;\n  double sum",
		"const double *w = dir ? A.v : A.u;\n  double sum", "apml"},
	{"scalings in float", "sink.h", "double u = me[l.i], mass", "double u = (float)me[l.i], mass", "apml"},
	{"powers of two are lost", "sink.h", "by + ap_exponent(w[idx[e]])", "by", "apml"},
	{"ties of the other side are left out", "sink.h", "alpha * t[0] + t[1]", "alpha * t[0]", "apml"},
	{"ties pull nothing", "grad.h", "if (A.ties) ap_pull_all", "if (A.ties > 3) ap_pull_all", "apml"},
	{"no barrier in the tree of sums", "reduce.h", "    }\n    __syncthreads();\n  }\n}", "    }\n  }\n}", "apml"},
	{"a tile of the next pair", "reduce.h", "if (tile[mid].pair < pair)", "if (tile[mid].pair <= pair)", "apml"},
	{"ranks without earlier warps", "sort.h", "for (int q = 0; q < w; q++) o += counts[q][d];", "", "parts"},
	{"no barrier at the end of a round", "sort.h", "next[t] += counts[q][t];\n    __syncthreads();",
		"next[t] += counts[q][t];",
		"parts"},
	{"one lane's bound prunes for all", "tree.h", "bound = ap_warp_max(n.b)", "bound = n.b", "parts"},
	{"the home is not walked", "tree.h", "    expand(home);\n", "", "parts"},
	{"padding counts where all are kept", "tree.h", "AP_INF - AP_INF", "AP_INF", "parts"},
	{"a tie takes the higher index", "near1.h", "oj < best", "oj > best", "parts"},
	{"a near tie is decided in float", "near1.h", "s.x * 1.000001f + 1e-37f", "s.x", "parts"},
	{"columns behind the end of a split", "soft.h", "j + t < end ? A.h[k] : ap_minus_inf()", "A.h[k]", "soft"},
	{"no barrier before points are used", "soft.h",
		"    __syncthreads();\n    for (int k = 0; k < AP_TILE; k += SOFT_STEP)",
		"    for (int k = 0; k < AP_TILE; k += SOFT_STEP)", "soft"},
	{"a sum that keeps its old maximum", "soft.h", "sum *= ap_soft_power(A, most - top), most = top", "most = top", "soft"},
	{"splits are joined without their maximum", "soft.h", "p[1] * ap_exp2(p[0] - most)", "p[1]", "soft"},
	{"exponents in float", "soft.h", "bias[k + q] - A.scale", "(float)bias[k + q] - (float)A.scale", "soft"},
	{"the last split is left out", "soft.h",
		"for (int s = 0; s < A.splits; s++) sum += A.part", "for (int s = 0; s + 1 < A.splits; s++) sum += A.part", "soft"},
	{"a distance of zero is divided by", "soft.h", "c > 0.0 ? e / c : 0.0", "e / c", "soft"},
	{"the plan without its rows", "soft.h", "ap_min2(f + bias[k]", "ap_min2(bias[k]", "soft"},
}

// TestMutantsApply keeps the table true: each fault changes its source in one place.
func TestMutantsApply(t *testing.T) {
	for _, m := range faults {
		if n := strings.Count(read(t, filepath.Join("kernel", m.file)), m.old); n != 1 {
			t.Errorf("%s: its text stands %d times in %s", m.name, n, m.file)
		}
	}
}

func TestMutants(t *testing.T) {
	if !*mutants {
		t.Skip("takes minutes: -mutants runs it")
	}
	for _, m := range faults {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "kernel", m.file)
			text := strings.Replace(read(t, path), m.old, m.new, 1)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			sanitizers := []string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}
			for _, flags := range [][]string{{"-O1"}, sanitizers} {
				if caught(t, dir, m.test, flags) {
					return
				}
			}
			t.Error("nobody has noticed")
		})
	}
}

// caught says that a test of the emulator fails. A copy that does not compile is a
// mistake of the table.
func caught(t *testing.T, dir, test string, flags []string) bool {
	t.Helper()
	binary := filepath.Join(dir, test)
	source := filepath.Join(dir, "emu", test+"_test.cpp")
	args := append(flags, "-std=c++17", "-w", "-ffp-contract=off", source, "-o", binary)
	if out, err := exec.Command("c++", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "small").CombinedOutput()
	if err == nil {
		return false
	}
	for line := range strings.Lines(string(out)) {
		for _, sign := range []string{"emu: ", "FAIL", "runtime error", "AddressSanitizer"} {
			if strings.Contains(line, sign) {
				t.Log(strings.TrimSpace(line))
				return true
			}
		}
	}
	t.Log(err)
	return true
}
