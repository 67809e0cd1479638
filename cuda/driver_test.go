//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cuda/cudatest"
)

// child makes a process of the tests run one scenario: a driver is loaded once a
// process.
var child = flag.String("child", "", "run this scenario and print what came out (for the tests themselves)")

func TestMain(m *testing.M) {
	flag.Parse()
	if *child == "" {
		os.Exit(m.Run())
	}
	fmt.Println(scenario(*child))
}

// points are n random points in the unit cube.
func points(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, 3*n)
	for i := range x {
		x[i] = r.Float32()
	}
	return x
}

// job is one pair of random clouds.
func job(n, m int, tree bool) Job {
	return Job{
		Pairs: []Pair{pair(n, m)}, X: points(n, 1), Y: points(m, 2), Tree: tree, Uniform: true,
		Margin: 1e-8, Share: 0.5, Limit: math.MaxInt64,
	}
}

func pair(n, m int) Pair {
	rows, cols := math.Log(float64(m-1)/0.2), math.Log(float64(n-1)/0.2)
	return Pair{
		Rho: -math.Log(1e-20) / rows, RhoC: -math.Log(1e-20) / cols, LogTerm: rows / math.Ln2, LogTermC: cols / math.Ln2,
		Unit: 1, N: int32(n), M: int32(m), TotalN: int32(n), TotalM: int32(m), Scale: 1 << 21,
	}
}

// outcome is what a whole call gives.
type outcome struct {
	value   float64
	entries int64
	gx, gy  []float64
}

func (o outcome) String() string { return fmt.Sprintf("value %.12g, %d entries", o.value, o.entries) }

// call runs all steps of a job.
func call(ctx context.Context, d *Device, j Job, rounds int) (o outcome, err error) {
	a, _, err := d.APML(ctx, j)
	if err != nil {
		return o, err
	}
	defer a.Close()
	s, err := a.Support(j.Pairs, false, math.MaxInt32)
	if err != nil {
		return o, err
	}
	if _, err := a.Rounds(rounds, true); err != nil {
		return o, err
	}
	if _, _, err := a.Bound(); err != nil {
		return o, err
	}
	sums, gx, gy, err := a.Finish(true)
	if err != nil {
		return o, err
	}
	return outcome{sums[0].Rows[0], s.Entries, gx, gy}, nil
}

// scenario tells in a line what happened.
func scenario(name string) string {
	d, err := Open()
	if err != nil {
		_, again := Open()
		if again.Error() != err.Error() {
			return fmt.Sprintf("two answers: %v, %v", err, again)
		}
		var e *Error
		errors.As(err, &e)
		return fmt.Sprintf("%v\nhint: %s", err, e.Hint())
	}
	info, err := d.Info()
	if err != nil {
		return err.Error()
	}
	ctx := context.Background()
	j := job(150, 260, name == "tree")
	switch name {
	case "device":
		return fmt.Sprintf("%s, index %d, %s, %s, sm_%d, driver %d", info.Name, info.Index, info.PCI, info.UUID,
			info.Capability, info.Driver)
	case "golden":
		return goldenHashes(d)
	case "nearest":
		return nearest(ctx, d)
	case "soft":
		return soft(ctx, d)
	case "cancel":
		return cancel(d, j)
	case "limit":
		j.Limit = 100_000
	}
	o, err := call(ctx, d, j, 20)
	if err != nil {
		again, after := call(ctx, d, job(10, 12, false), 20)
		return fmt.Sprintf("%v\nhint: %s\nafter it: %v, %v", err, hint(err), again, after)
	}
	d.Slice(1) // every launch is cut as far as it can be
	p, err := call(ctx, d, j, 20)
	if err != nil || p.value != o.value || !slices.Equal(p.gx, o.gx) || !slices.Equal(p.gy, o.gy) {
		return fmt.Sprintf("cut launches differ: %v, %v, %v", o, p, err)
	}
	if err := d.Trim(); err != nil {
		return err.Error()
	}
	return o.String()
}

func hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint()
	}
	return ""
}

func nearest(ctx context.Context, d *Device) string {
	x, y := points(300, 1), points(517, 2)
	n, err := d.Nearest(ctx, x, y, math.MaxInt64)
	if err != nil {
		return err.Error()
	}
	wrong := 0
	for _, way := range []struct {
		a, b   []float32
		index  []int32
		square []float64
	}{{x, y, n.X, n.SquareX}, {y, x, n.Y, n.SquareY}} {
		for i := range way.index {
			best, at := math.Inf(1), int32(-1)
			for j := range len(way.b) / 3 {
				s := 0.0
				for k := range 3 {
					v := float64(way.a[3*i+k]) - float64(way.b[3*j+k])
					s += float64(v * v)
				}
				if s < best {
					best, at = s, int32(j)
				}
			}
			if at != way.index[i] || best != way.square[i] {
				wrong++
			}
		}
	}
	return fmt.Sprintf("%d neighbours, %d wrong", len(n.X)+len(n.Y), wrong)
}

// cancel ends a call before it begins and one under way.
func cancel(d *Device, j Job) string {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, first := call(ctx, d, j, 20)
	ctx, stop = context.WithCancel(context.Background())
	defer stop()
	a, _, err := d.APML(ctx, j)
	if err != nil {
		return err.Error()
	}
	waiting, release := context.WithCancel(context.Background())
	release()
	_, third := call(waiting, d, j, 20) // another is at work, and this one does not want to wait
	stop()
	for a.ctx.Err() == nil || second(a) == nil {
	}
	last := second(a)
	a.Close()
	o, err := call(context.Background(), d, j, 20)
	return fmt.Sprintf("%v, %v, %v, then %v, %v", first, third, last, o.entries > 0, err)
}

func second(a *APML) error {
	_, err := a.Support(a.job.Pairs, false, math.MaxInt32)
	return err
}

// run runs a scenario in a child process with faults.
func run(t *testing.T, name, lib string, faults ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-child="+name)
	cmd.Env = cudatest.Environment(lib, faults...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func TestFaults(t *testing.T) {
	lib := cudatest.Driver(t)
	for _, tt := range []struct {
		name, child string
		faults      []string
		want        []string
	}{
		{"old driver", "apml", []string{"DRIVER=11040"}, []string{
			"NVIDIA driver too old: it supports CUDA 11.4, 11.5 is needed", "hint: install driver 495"}},
		{"no device", "apml", []string{"NODEV=1"}, []string{"no CUDA device: the driver sees none",
			"CUDA_VISIBLE_DEVICES"}},
		{"no device, said by init", "apml", []string{"INIT=100"}, []string{"no CUDA device", "CUDA_ERROR_NO_DEVICE (100)"}},
		{"mismatch", "apml", []string{"INIT=803"}, []string{"NVIDIA driver present but unusable: " +
			"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): emulated", "library and kernel module"}},
		{"not ready", "apml", []string{"INIT=802"}, []string{"CUDA_ERROR_SYSTEM_NOT_READY (802)", "fabric manager"}},
		{"unknown", "apml", []string{"INIT=999"}, []string{"unusable: CUDA_ERROR_UNKNOWN (999)", "nvidia-smi"}},
		{"not started", "apml", []string{"INIT=3"}, []string{"unusable: CUDA_ERROR_NOT_INITIALIZED (3)"}},
		{"unheard of", "apml", []string{"INIT=804"}, []string{"unusable: error (804)"}},
		{"old device", "apml", []string{"CC=61"}, []string{"CUDA device too old: 6.1, 7.5 is needed", "Turing"}},
		{"prohibited", "apml", []string{"MODE=2"}, []string{"CUDA device is set to prohibited", "compute mode"}},
		{"taken", "apml", []string{"RETAIN=46"}, []string{"used by another process alone: " +
			"CUDA_ERROR_DEVICE_UNAVAILABLE (46)"}},
		{"not opened", "apml", []string{"RETAIN=2"}, []string{"cannot open the CUDA device: CUDA_ERROR_OUT_OF_MEMORY (2)"}},
		{"no JIT", "apml", []string{"LOAD=221"}, []string{"kernels do not load on this device: " +
			"CUDA_ERROR_JIT_COMPILER_NOT_FOUND (221)", "emulated log of the JIT", "libnvidia-ptxjitcompiler"}},
		{"newer PTX", "apml", []string{"LOAD=222"}, []string{"kernels do not load", "PTX_VERSION (222)", "newer driver"}},
		{"bad PTX", "apml", []string{"LOAD=218"}, []string{"kernels do not load", "INVALID_PTX (218)"}},
		{"no binary", "apml", []string{"LOAD=209"}, []string{"kernels do not load", "NO_BINARY_FOR_GPU (209)"}},
		{"other kernels", "apml", []string{"ABI=7"}, []string{"kernels do not fit this program: kernels have ABI 7, " +
			"this program 3"}},
		{"first kernel", "apml", []string{"FAIL=ap_version"}, []string{"first kernel did not run: GPU lost: "}},
		{"no memory at all", "apml", []string{"OOM=0"}, []string{"first kernel did not run: GPU memory"}},
		{"lost", "apml", []string{"FAIL=ap_grad"}, []string{"GPU lost: ap_grad: CUDA_ERROR_ILLEGAL_ADDRESS (700)",
			"restart the notebook kernel", "after it: value 0, 0 entries, cuda.APML: GPU lost: ap_grad"}},
		{"lost, told late", "apml", []string{"FAIL=ap_near2", "LATE=1"}, []string{"GPU lost: ", "(700)"}},
		{"small device", "apml", []string{"MEM=200000"}, []string{"GPU memory: ", "MiB needed", "thin the clouds",
			"after it: value ", "<nil>"}},
		{"small limit", "limit", nil, []string{"GPU memory: ", "after it: value ", "<nil>"}},
		{"one allocation fails", "apml", []string{"OOM=2"}, []string{"value ", " entries"}},
		{"which device", "device", []string{"DEVICES=3"}, []string{"emulated device, index 0, 0000:01:00.0, GPU-a0"}},
		{"cancel", "cancel", nil, []string{"context canceled, context canceled, context canceled, then true, <nil>"}},
		{"entropic", "soft", []string{"LATE=1"}, []string{"150 rows, sum ", "at most 1e-13: true"}},
		{"entropic, lost", "soft", []string{"FAIL=ap_soft_pull"}, []string{"GPU lost: ap_soft_pull: ", "(700)",
			"restart the notebook kernel"}},
		{"entropic, small device", "soft", []string{"MEM=50000"}, []string{"GPU memory: ", "thin the clouds"}},
		{"nearest", "nearest", []string{"LATE=1"}, []string{"817 neighbours, 0 wrong"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tt.child, lib, tt.faults...)
			for _, w := range tt.want {
				if !strings.Contains(got, w) {
					t.Errorf("got %q, want %q in it", got, w)
				}
			}
		})
	}
}

// TestEveryAllocation lets each allocation of a call fail by itself.
func TestEveryAllocation(t *testing.T) {
	lib := cudatest.Driver(t)
	for _, way := range []string{"apml", "tree", "soft", "nearest"} {
		want := run(t, way, lib)
		for k := 2; k < 8; k++ { // the first is the check of the kernels
			if got := run(t, way, lib, fmt.Sprintf("OOM=%d", k)); got != want {
				t.Errorf("%s, allocation %d: %q, want %q", way, k, got, want)
			}
		}
	}
}

// TestEveryKernel lets each kernel of a call fail by itself: the device is lost,
// in words, or the kernel was not used.
func TestEveryKernel(t *testing.T) {
	lib := cudatest.Driver(t)
	want := map[string]string{}
	for _, way := range []string{"apml", "tree", "soft"} {
		want[way] = run(t, way, lib)
	}
	for name := range kernels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, want := range want {
				got := run(t, way, lib, "FAIL="+name)
				lost := strings.Contains(got, "GPU lost: ") && strings.Contains(got, "(700)")
				if !lost && got != want {
					t.Errorf("%s: %q", way, got)
				}
			}
		})
	}
}

// TestOrders wants one answer from brute force and from the tree but for the last
// bits, and the same bits whatever the order of threads and blocks, late or not,
// with no memory left at the end.
func TestOrders(t *testing.T) {
	lib := cudatest.Driver(t)
	for _, way := range []string{"apml", "tree", "soft"} {
		want := run(t, way, lib)
		for _, faults := range [][]string{{"ORDER=1"}, {"ORDER=2", "LATE=1"}, {"ORDER=3", "LATE=1"}} {
			if got := run(t, way, lib, faults...); got != want {
				t.Errorf("%s with %v: %q, want %q", way, faults, got, want)
			}
		}
		if got := run(t, way, lib, "LEAK=1"); !strings.HasSuffix(got, "0 blocks, 0 bytes left\n"+want) {
			t.Errorf("%s leaves memory: %q", way, got)
		}
	}
	if brute, tree := run(t, "apml", lib), run(t, "tree", lib); brute != tree {
		t.Errorf("by brute force %q, by the tree %q", brute, tree)
	}
}

func TestNoDriver(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-child=apml")
	cmd.Env = append(os.Environ(), "GONDOLA_LIBCUDA=libnosuch.so.1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no NVIDIA driver: libnosuch.so.1") ||
		!strings.Contains(string(out), "--gpus all") {
		t.Errorf("%v: %q", err, out)
	}
}

func TestDevices(t *testing.T) {
	lib := cudatest.Driver(t)
	for device, want := range map[string]string{
		"1": "index 1,", "0000:03:00.0": "index 2,", "GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1": "index 1,",
		"3":    "no such CUDA device: 3 asked for, 3 present",
		"none": "no such CUDA device: none asked for, 3 present",
	} {
		cmd := exec.Command(os.Args[0], "-child=device")
		cmd.Env = append(cudatest.Environment(lib, "DEVICES=3"), "GONDOLA_DEVICE="+device)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %q, want %q", device, err, out, want)
		}
	}
}
