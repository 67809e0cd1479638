package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// benchOne is the name under which the benchmark starts this program.
const benchOne = "one"

// collectEarly makes a process that computes losses of many points collect garbage
// when its heap has grown by a twelfth, and gives what is to be called once the points
// are read: with few of them the heap grows as usual again. With many it is a few large
// slices without pointers, so that a collection costs nothing and garbage does.
func collectEarly() (counted func(clouds [2]cloud.Cloud)) {
	usual := debug.SetGCPercent(8)
	return func(clouds [2]cloud.Cloud) {
		if clouds[0].N+clouds[1].N < 1<<20 {
			debug.SetGCPercent(usual)
		}
	}
}

// runBenchOne computes a loss between two raw files, value and both gradients,
// some times, and says what the best time took and how far the memory rose above
// the start in the first.
func runBenchOne(args []string, stdout, stderr io.Writer) int {
	set := newFlags("bench one", "[flags] X Y ROUNDS", stdout, stderr)
	var o oneLoss
	set.StringVar(&o.loss, "loss", "apml", "`NAME`: apml, chamfer, emd or sinkhorn")
	set.Float64Var(&o.threshold, "threshold", 0, "threshold of apml; 0 chooses")
	set.Float64Var(&o.epsilon, "epsilon", 0, "ε of sinkhorn; 0 chooses")
	set.Float64Var(&o.tol, "tol", 0, "error of the marginals of sinkhorn; 0 chooses")
	set.IntVar(&o.threads, "threads", 1, "threads")
	rest, code := set.parse(args, 3)
	switch {
	case code >= 0:
		return code
	case len(rest) < 3:
		return set.wrong("X, Y and ROUNDS are needed")
	}
	rounds, err := strconv.Atoi(rest[2])
	if err != nil || rounds < 1 {
		return set.wrong("%q is no number of rounds", rest[2])
	}
	runtime.GOMAXPROCS(o.threads)
	var clouds [2]cloud.Cloud
	counted := collectEarly()
	for k := range clouds {
		if clouds[k], err = cloud.OpenWith(rest[k], cloud.Options{Format: "raw", Stride: 3}); err != nil {
			return fail(stderr, "bench one", err)
		}
		clouds[k].W = weightsOf(rest[k] + ".w")
	}
	counted(clouds)
	call := o.call()
	if call == nil {
		return set.wrong("no loss %q is timed here", o.loss)
	}
	small := cloud.Fibonacci(64)
	if _, err := call(small, small); err != nil { // what is loaded on first use is no part of the loss
		return fail(stderr, "bench one", err)
	}
	runtime.GC()
	b := benched{StartCPU: cpuSeconds(), CPU: math.Inf(1), Wall: math.Inf(1)}
	b.Form = fmt.Sprintf("%s, %d threads", runtime.Version(), o.threads)
	start := memoryOf("VmRSS")
	for range rounds {
		before, now := cpuSeconds(), time.Now()
		r, err := call(clouds[0], clouds[1])
		if err != nil {
			return fail(stderr, "bench one", err)
		}
		b.take(r, cpuSeconds()-before, time.Since(now).Seconds(), start)
	}
	if err := json.NewEncoder(stdout).Encode(b); err != nil {
		return fail(stderr, "bench one", err)
	}
	return exitOK
}

// oneLoss is the loss that is timed, with its options.
type oneLoss struct {
	loss                    string
	threshold, epsilon, tol float64
	threads                 int
}

// mostRounds ends Sinkhorn where it would not converge.
const mostRounds = 100000

// call is the loss as a function, nil for a name that is none. Entropic transport is
// that between the clouds alone, as other libraries have it.
func (o oneLoss) call() func(x, y cloud.Cloud) (apmlgpu.Result, error) {
	switch o.loss {
	case "apml":
		return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.APML(x, y, apmlgpu.APMLOptions{Threads: o.threads, Threshold: o.threshold})
		}
	case "chamfer":
		return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{Threads: o.threads})
		}
	case "emd":
		return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			return apmlgpu.EMD(x, y, apmlgpu.EMDOptions{Threads: o.threads})
		}
	case "sinkhorn":
		return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
			r, err := apmlgpu.Sinkhorn(x, y, apmlgpu.SinkhornOptions{Epsilon: o.epsilon, Tol: o.tol, Biased: true,
				MaxIter: mostRounds, Threads: o.threads})
			if err == nil {
				r.Value, err = r.TransportCost()
			}
			return r, err
		}
	}
	return nil
}

// take keeps the least times, and the memory of the first call.
func (b *benched) take(r apmlgpu.Result, cpu, wall float64, start int64) {
	b.CPU, b.Wall = min(b.CPU, cpu), min(b.Wall, wall)
	if b.Peak == 0 {
		b.Peak = memoryOf("VmHWM")
		b.Memory = b.Peak - start
	}
	b.Value, b.NNZ, b.Rounds = r.Value, r.Stats.NNZ, r.Stats.Iterations
	b.Error = max(r.Stats.RowError, r.Stats.ColError)
}

// cpuSeconds is the CPU time of this process so far, all its threads.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// memoryOf is VmRSS or VmHWM of this process in bytes, 0 where the system does
// not tell.
func memoryOf(field string) int64 { return memoryIn("/proc/self/status", field) }

// memoryIn is a number of a file of lines like "VmRSS: 12 kB", in bytes.
func memoryIn(path, field string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(line, ":"); ok && name == field {
			if f := strings.Fields(rest); len(f) > 0 {
				kib, _ := strconv.ParseInt(f[0], 10, 64)
				return kib << 10
			}
		}
	}
	return 0
}
