package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// benchOne is the name under which the benchmark starts this program.
const benchOne = "one"

// runBenchOne computes APML between two raw files, value and both gradients, on
// one thread, some times, and says what the best time took and how far the
// memory rose above the start in the first.
func runBenchOne(args []string, stdout, stderr io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintln(stderr, "usage: gondola bench one X Y ROUNDS")
		return exitUsage
	}
	rounds, err := strconv.Atoi(args[2])
	if err != nil || rounds < 1 {
		fmt.Fprintf(stderr, "gondola bench one: %q is no number of rounds\n", args[2])
		return exitUsage
	}
	runtime.GOMAXPROCS(1)
	var clouds [2]cloud.Cloud
	for k := range clouds {
		if clouds[k], err = cloud.OpenWith(args[k], cloud.Options{Format: "raw", Stride: 3}); err != nil {
			return fail(stderr, "bench one", err)
		}
	}
	opt := apmlgpu.APMLOptions{Threads: 1}
	small := cloud.Fibonacci(64)
	if _, err := apmlgpu.APML(small, small, opt); err != nil { // what is loaded on first use is no part of the loss
		return fail(stderr, "bench one", err)
	}
	runtime.GC()
	b := benched{StartCPU: cpuSeconds(), CPU: math.Inf(1), Form: runtime.Version() + ", one thread"}
	start := memoryOf("VmRSS")
	for range rounds {
		before := cpuSeconds()
		r, err := apmlgpu.APML(clouds[0], clouds[1], opt)
		if err != nil {
			return fail(stderr, "bench one", err)
		}
		b.CPU = min(b.CPU, cpuSeconds()-before)
		if b.Memory == 0 {
			b.Memory = memoryOf("VmHWM") - start
		}
		b.Value, b.NNZ = r.Value, r.Stats.NNZ
	}
	if err := json.NewEncoder(stdout).Encode(b); err != nil {
		return fail(stderr, "bench one", err)
	}
	return exitOK
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
func memoryOf(field string) int64 {
	text, err := os.ReadFile("/proc/self/status")
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
