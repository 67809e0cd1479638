//go:build cgo

package main

import (
	"strings"
	"testing"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// Whatever a cell does, it has one answer that says what was lost, the notebook
// lives, and the next cell is right.
func TestBadCells(t *testing.T) {
	p := startKernel(t, "/bin/sh", "-c", `exec "$0" -mem-limit 1G "$@"`)
	c := connect(t, p.Conn)
	for _, tt := range []struct {
		name, code string
		ename      string // empty: the cell ends well
		words      []string
		lost       bool // the variables, with the worker
	}{
		{"does not compile", "y := eps + 1\nz := zeta", "CompileError", []string{"undefined: eps", "undefined: zeta", ":1:6"},
			false},
		{"does not parse", "func (", "CompileError", []string{":1:"}, false},
		{"panics", "var list []int\nlist[5]", "RuntimeError", []string{"index out of range [5] with length 0"}, false},
		{"a goroutine panics", "go func() { panic(\"boom\") }()\ntime.Sleep(300 * time.Millisecond)", "",
			[]string{"panic: boom", "in a goroutine of cell ["}, false},
		{"os.Exit(3)", "os.Exit(3)", "Exit", []string{"os.Exit(3) is not run in a notebook"}, false},
		{"log.Fatal", "log.Fatal(\"no\")", "Exit", []string{"no"}, false},
		{"endless recursion", "func deep(n int) int { return deep(n+1) + 1 }\ndeep(0)", "StackOverflow",
			[]string{"calls of deep deep"}, false},
		{"100 MB of text", "line := strings.Repeat(\"0123456789\", 100)\nfor i := 0; i < 100_000; i++ {\n\tfmt.Println(line)\n}\nfmt.Println(\"the end\")", "",
			[]string{"MB, ", "lines not shown", "the end"}, false},
		{"fatal error", "var mu sync.Mutex\nmu.Unlock()", "WorkerLost",
			[]string{"unlock of unlocked mutex", "Kept: ", "Lost: "}, true},
		{"memory grows", "var all [][]byte\nfor {\n\tb := make([]byte, 32<<20)\n\tfor i := 0; i < len(b); i += 4096 {\n\t\tb[i] = 1\n\t}\n\tall = append(all, b)\n}",
			"WorkerLost", []string{"OutOfMemory: ", "1.1 GB are allowed", "Lost: "}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shows(t, c, "func two() int { return 2 }\nkept := 7", "")
			a, err := c.Run(tt.code, 4*limit)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Reply.Get("ename"); got != tt.ename || len(a.Of("error")) > 1 {
				t.Errorf("ename %q, want %q; %d error messages: %.2000s", got, tt.ename, len(a.Of("error")), a.Reply.Content)
			}
			told := a.Shown() + string(a.Reply.Content)
			for _, w := range tt.words {
				if !strings.Contains(told, w) {
					t.Errorf("the answer lacks %q: %.2000s", w, told)
				}
			}
			if len(told) > 4<<20 {
				t.Errorf("the answer has %d bytes", len(told))
			}
			shows(t, c, "two()", "=[2]")
			if tt.lost {
				if a, err := c.Run("kept", limit); err != nil || !strings.Contains(a.Reply.Get("evalue"), "lost with the worker") {
					t.Errorf("a lost value: %v, %s", err, a.Reply.Content)
				}
			} else {
				shows(t, c, "kept", "=[7]")
			}
			if a, err := c.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, limit); err != nil || a.Status() != "ok" {
				t.Errorf("control: %v", err)
			}
		})
	}
}
