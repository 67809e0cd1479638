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
