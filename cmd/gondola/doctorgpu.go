package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/cuda"
)

// gpuWait is how long the child that looks at the GPU may take: a driver can hang.
const gpuWait = time.Minute

// findGPU tells of the GPU, as a child process finds it.
func findGPU(wait time.Duration) finding {
	self, err := os.Executable()
	if err != nil {
		return lackGPU(err.Error(), "")
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	out, err := exec.CommandContext(ctx, self, "doctor", "--gpu").Output()
	var f finding
	switch {
	case ctx.Err() != nil:
		return lackGPU(fmt.Sprintf("the NVIDIA driver has not answered for %v", wait), "look at nvidia-smi")
	case err != nil:
		return lackGPU("the process that looked at the GPU died: "+err.Error(), "look at nvidia-smi")
	case json.Unmarshal(out, &f) != nil:
		return lackGPU(fmt.Sprintf("the process that looked at the GPU said %.80q", out), "")
	}
	return f
}

// lackGPU is no fault: every loss runs on the CPU.
func lackGPU(reason, advice string) finding {
	cure := "every loss runs on the CPU; nothing need be done"
	if advice != "" {
		cure += ", or " + advice
	}
	if v, ok := os.LookupEnv("CUDA_VISIBLE_DEVICES"); ok {
		reason += fmt.Sprintf(" (CUDA_VISIBLE_DEVICES=%s)", v)
	}
	return finding{"gpu", false, false, reason, cure}
}

// probeGPU opens the GPU in this process, and compares a loss on it with the CPU's.
func probeGPU() finding {
	d, err := cuda.Open()
	var e *cuda.Error
	if errors.As(err, &e) {
		return lackGPU(e.Reason, e.Hint())
	}
	i, err := d.Info()
	if errors.As(err, &e) {
		return lackGPU(e.Reason, e.Hint())
	}
	const gib = 1 << 30
	text := fmt.Sprintf("%s, sm_%d, %d multiprocessors, %.1f GiB (%.1f free), driver for CUDA %d.%d", i.Name, i.Capability,
		i.Multiprocessors, float64(i.Total)/gib, float64(i.Free)/gib, i.Driver/1000, i.Driver%1000/10)
	x, y := cloud.Fibonacci(256), cloud.Turned(200)
	want, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Backend: "cpu"})
	if err != nil {
		return lackGPU(text+": "+err.Error(), "")
	}
	got, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Backend: "gpu"})
	if err != nil {
		return lackGPU(text+": "+err.Error(), "")
	}
	if off := math.Abs(got.Value/want.Value - 1); !(off < 1e-7) {
		return lackGPU(fmt.Sprintf("%s: it computes wrongly: APML of fib(256) against turned(200) is %.12g, the CPU's is %.12g",
			text, got.Value, want.Value), "do not use it")
	}
	return finding{"gpu", true, false, text + `; set Backend to "gpu" to use it`, ""}
}
