//go:build cgo && linux

package cuda

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cuda/cudatest"
)

var (
	golden = flag.Bool("golden", false, "write testdata/golden.json anew, by the emulator")
	device = flag.Bool("device", false, "judge the real device, by what the emulator has recorded")
)

const goldenFile = "testdata/golden.json"

// goldenCases are calls whose every bit is recorded: the emulator and a card must
// agree about them.
var goldenCases = []struct {
	name   string
	n, m   int
	change func(*Job)
	rounds int
}{
	{"cube", 300, 200, func(*Job) {}, 20},
	{"more rows", 1000, 100, func(*Job) {}, 20},
	{"one column", 300, 1, func(j *Job) { j.Pairs[0].Rho, j.Pairs[0].LogTerm = math.Inf(1), 0 }, 20},
	{"two and two", 2, 2, func(*Job) {}, 20},
	{"a tile and one", 129, 128, func(*Job) {}, 20},
	{"tree", 300, 200, func(j *Job) { j.Tree = true }, 20},
	{"tree of many", 2100, 1900, func(j *Job) { j.Tree = true }, 5},
	{"reference", 300, 200, reference, 20},
	{"grid with ties", 200, 150, gridded, 20},
	{"weights", 200, 150, func(j *Job) { j.WX, j.WY = ramp(200), ramp(150) }, 20},
	{"far", 200, 150, func(j *Job) { shift(j.Y, 1700) }, 20},
	{"many rounds", 300, 7, func(*Job) {}, 70},
}

func reference(j *Job) {
	j.Reference, j.Count, j.Uniform, j.Share, j.Floor = true, true, false, 1, 1e-6
}

func gridded(j *Job) {
	for i := range 3 {
		for k := i; k < len(j.X); k += 3 {
			j.X[k] = float32([]int{k / 3 % 6, k / 18 % 6, k / 108}[i]) / 8
		}
		for k := i; k < len(j.Y); k += 3 {
			j.Y[k] = float32([]int{k / 3 % 5, k / 15 % 5, k / 75}[i])/8 + 1.0/16
		}
	}
}

func ramp(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 2 * float64(i+1) / float64(n+1)
	}
	return w
}

func shift(x []float32, by float32) {
	for i := range x {
		x[i] += by
	}
}

// goldenHashes runs all cases and returns a line for each: its name and the hash of
// value, entries and gradients.
func goldenHashes(d *Device) string {
	var lines []string
	for _, c := range goldenCases {
		j := job(c.n, c.m, false)
		c.change(&j)
		o, err := call(context.Background(), d, j, c.rounds)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", c.name, err))
			continue
		}
		h := sha256.New()
		for _, v := range []any{o.value, o.entries, o.gx, o.gy} {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				lines = append(lines, err.Error())
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %x", c.name, h.Sum(nil)[:16]))
	}
	return strings.Join(append(lines, softHashes(d)...), "\n")
}

// softCases are passes of entropic transport.
var softCases = map[string]Soft{
	"log sums": {Scale: 40, Wide: true}, "log sums, narrow": {Scale: 40}, "log sums of distances": {Scale: 9, Plain: true},
}

// softHashes runs all of softCases, and the pass of each through its plan.
func softHashes(d *Device) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(softCases)) {
		sums, plan, err := softPasses(context.Background(), d, softCases[name])
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		h := sha256.New()
		for _, v := range append(sums, plan...) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
		}
		lines = append(lines, fmt.Sprintf("%s: %x", name, h.Sum(nil)[:16]))
	}
	return lines
}

// softPasses makes the log sums of s over two random clouds, and its plan.
func softPasses(ctx context.Context, d *Device, s Soft) (sums, plan []float64, err error) {
	s.X, s.Y, s.Limit = points(150, 1), points(2100, 2), math.MaxInt64
	for j := range len(s.Y) / 3 {
		s.H = append(s.H, float64(j%17)/4-11)
	}
	if sums, err = d.Softmin(ctx, s); err != nil {
		return nil, nil, err
	}
	for _, v := range sums {
		s.F = append(s.F, -v)
	}
	plan, err = d.Pull(ctx, s)
	return sums, plan, err
}

// soft tells of both passes: rows of the plan have the mass 1.
func soft(ctx context.Context, d *Device) string {
	sums, plan, err := softPasses(ctx, d, Soft{Scale: 40, Wide: true})
	if err != nil {
		return fmt.Sprintf("%v\nhint: %s", err, hint(err))
	}
	d.Slice(1) // every launch is cut as far as it can be
	again, parts, err := softPasses(ctx, d, Soft{Scale: 40, Wide: true})
	if err != nil || !slices.Equal(sums, again) || !slices.Equal(plan, parts) {
		return fmt.Sprintf("cut launches differ, %v", err)
	}
	off, total := 0.0, 0.0
	for i, v := range sums {
		off, total = max(off, math.Abs(plan[5*i]-1)), total+v
	}
	if err := d.Trim(); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d rows, sum %.12g, mass off by at most 1e-13: %v", len(sums), total, off <= 1e-13)
}

func hashes(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, hash, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			all[name] = hash
		}
	}
	return all
}

func compareGolden(t *testing.T, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	if err := json.Unmarshal([]byte(read(t, goldenFile)), &want); err != nil {
		t.Fatal(err)
	}
	if all := len(goldenCases) + len(softCases); len(want) != all {
		t.Errorf("%s has %d cases, there are %d", goldenFile, len(want), all)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s, recorded is %s", name, got[name], want[name])
		}
	}
}

// TestGolden compares the emulator with what is recorded of it: bits change only on
// purpose, by -golden.
func TestGolden(t *testing.T) {
	got := hashes(run(t, "golden", cudatest.Driver(t)))
	if *golden {
		b, err := json.MarshalIndent(got, "", "  ")
		if err == nil {
			err = os.WriteFile(goldenFile, append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	compareGolden(t, got)
}

// TestDevice judges the real device: the emulator's bits, neighbours, cut launches,
// cancel, a second call after one that did not fit.
func TestDevice(t *testing.T) {
	if !*device {
		t.Skip("needs a GPU: -device runs it")
	}
	out := func(name string) string {
		b, err := exec.Command(os.Args[0], "-child="+name).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %s", name, strings.TrimSpace(string(b)))
		return string(b)
	}
	out("device")
	compareGolden(t, hashes(out("golden")))
	for name, want := range map[string]string{
		"nearest": "817 neighbours, 0 wrong", "cancel": "then true, <nil>", "limit": "after it: value ",
		"apml": " entries", "tree": " entries", "soft": "1e-13: true",
	} {
		if got := out(name); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", name, got, want)
		}
	}
}
