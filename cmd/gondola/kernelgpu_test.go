//go:build cgo

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/cuda/cudatest"
)

// A cell that loses the GPU ends with a sentence; the next one runs on the CPU and
// says why, and every variable is there. The driver is in the worker alone: the
// server never has it in its memory.
func TestCellLosesGPU(t *testing.T) {
	for _, v := range cudatest.Environment(cudatest.Driver(t), "FAIL=ap_grad") {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	p := startKernel(t)
	c := connect(t, p.Conn)
	shows(t, c, "x, y := cloud.Fibonacci(60), cloud.Turned(50)\nkept := 7", "")
	shows(t, c, "near, err := apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{Backend: \"gpu\"})\n"+
		"fmt.Println(near.Stats.Backend, err)", "gpu <nil>\n")
	const lost = "GPU lost: ap_grad: CUDA_ERROR_ILLEGAL_ADDRESS (700)"
	for k, cell := range []string{
		"apmlgpu.APML(x, y, apmlgpu.APMLOptions{Backend: \"gpu\"})", // loses it
		"apmlgpu.Chamfer(x, y, apmlgpu.ChamferOptions{Backend: \"gpu\"})",
	} {
		a, err := c.Run("if _, err := "+cell+"; err != nil {\n\tpanic(err)\n}", limit)
		if err != nil {
			t.Fatal(err)
		}
		if told := string(a.Reply.Content); a.Status() != "error" || len(a.Of("error")) != 1 ||
			!strings.Contains(told, lost) || !strings.Contains(told, "restart the notebook kernel") {
			t.Errorf("cell %d after the loss: %.2000s", k, told)
		}
	}
	shows(t, c, "r, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{})\n"+
		"fmt.Println(r.Stats.Backend, strings.HasPrefix(r.Stats.BackendReason, \""+lost+"\"), r.Value > 0, err)",
		"cpu true true <nil>\n")
	shows(t, c, "kept", "=[7]")
	shows(t, c, "fmt.Println(near.Stats.Backend, x.N, y.N)", "gpu 60 50\n")
	workers := children(t, p.PID())
	if len(workers) != 1 || !mapped(t, workers[0], "libcuda") {
		t.Errorf("workers %v: none has the driver", workers)
	}
	if mapped(t, p.PID(), "libcuda") {
		t.Error("the server has the driver in its memory")
	}
}

// mapped says that a process has a file of that name in its memory.
func mapped(t *testing.T, pid int, name string) bool {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), name)
}

// Whatever is wrong with the GPU, the cell that asks for it ends with a sentence, and
// the same worker runs the next one.
func TestCellWithoutGPU(t *testing.T) {
	lib := cudatest.Driver(t)
	for fault, want := range map[string]string{
		"INIT=803":           "NVIDIA driver present but unusable: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)",
		"NODEV=1":            "no CUDA device: the driver sees none",
		"LOAD=221":           "kernels do not load on this device",
		"ABI=7":              "kernels have ABI 7",
		"MEM=100000":         "memory is too small",
		"FAIL=ap_near2":      "GPU lost: ap_near2",
		"FAIL=ap_version":    "first kernel did not run",
		"DRIVER=11040":       "NVIDIA driver too old",
		"FAIL=ap_soft_sum":   "",
		"FAIL=ap_tree_near2": "",
	} {
		t.Run(fault, func(t *testing.T) {
			for _, v := range cudatest.Environment(lib, fault) {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			p := startKernel(t)
			c := connect(t, p.Conn)
			shows(t, c, "x, y := cloud.Fibonacci(60), cloud.Turned(50)\nkept := 7", "")
			before := children(t, p.PID())
			a, err := c.Run("if _, err := apmlgpu.APML(x, y, apmlgpu.APMLOptions{Backend: \"gpu\"}); err != nil {\n"+
				"\tpanic(err)\n}", limit)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" && a.Status() != "ok" || want != "" &&
				(len(a.Of("error")) != 1 || !strings.Contains(string(a.Reply.Content), want)) {
				t.Errorf("want %q: %.2000s", want, a.Reply.Content)
			}
			shows(t, c, "kept", "=[7]")
			if after := children(t, p.PID()); fmt.Sprint(before) != fmt.Sprint(after) {
				t.Errorf("workers %v, then %v", before, after)
			}
		})
	}
}
