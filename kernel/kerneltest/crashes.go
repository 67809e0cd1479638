package kerneltest

import (
	"fmt"
	"strings"
	"time"
)

// Crash is a cell that would end a process, and what a reader must be told.
type Crash struct {
	Name, Code string
	Ename      string // empty: the cell ends well
	Word       string // a part of what the reader sees
	Lost       bool   // the values, with the worker
}

// Crashes lists what cells can do to the process that runs them, but for the
// panic of the interpreter itself, which no cell can cause on purpose. They are
// cells of Go; the one whose memory grows needs a kernel with a limit.
func Crashes() []Crash {
	return []Crash{
		{"panic in the cell", `panic("boom")`, "Panic", "boom", false},
		{"panic in a goroutine", "go func() { panic(\"boom\") }()\ntime.Sleep(200 * time.Millisecond)", "",
			"in a goroutine of cell [", false},
		{"os.Exit", "os.Exit(3)", "Exit", "os.Exit(3) is not run in a notebook", false},
		{"endless recursion", "func deep(n int) int { return deep(n+1) + 1 }\ndeep(0)", "StackOverflow", "calls of deep",
			false},
		{"endless recursion, compiled", "%%native\nfunc deeper(n int) int { return deeper(n+1) + 1 }\ndeeper(0)",
			"StackOverflow", "deep", false},
		{"64 GiB in one go", "len(make([]byte, 64<<30))", "OutOfMemory", "make of 68719.5 MB", false},
		{"64 GiB in one go, compiled", "%%native\nlen(make([]byte, 64<<30))", "WorkerLost", "OutOfMemory", true},
		{"memory that grows", "var all [][]byte\nfor {\n\tb := make([]byte, 32<<20)\n\tfor i := 0; i < len(b); i += 4096 " +
			"{\n\t\tb[i] = 1\n\t}\n\tall = append(all, b)\n}", "WorkerLost", "OutOfMemory", true},
		{"fatal error of the runtime", "var mu sync.Mutex\nmu.Unlock()", "WorkerLost", "unlock of unlocked mutex", true},
		{"panic in a goroutine of compiled code", "type loud struct{}\nfunc (loud) Write([]byte) (int, error) { panic(\"boom\") }\n" +
			"echo := exec.Command(\"echo\", \"x\")\necho.Stdout = loud{}\necho.Run()", "WorkerLost", "panic: boom", true},
		{"SIGABRT", "syscall.Kill(syscall.Getpid(), syscall.SIGABRT)\ntime.Sleep(time.Minute)", "WorkerLost", "SIGABRT", true},
		{"killed from outside", "syscall.Kill(syscall.Getpid(), syscall.SIGKILL)\ntime.Sleep(time.Minute)", "WorkerLost",
			"killed from outside", true},
	}
}

// Try runs the cell of a crash between others and says what is wrong with the
// answers. It gives the time from the end of the cell to the idle of the next
// 1+1.
func (x Crash) Try(c *Client) (time.Duration, error) {
	const limit = 2 * time.Minute
	if _, err := c.Run("func two() int { return 2 }\nkept := 7", limit); err != nil {
		return 0, err
	}
	a, err := c.Run(x.Code, limit)
	if err != nil {
		return 0, err
	}
	told := a.Shown() + string(a.Reply.Content)
	if got := a.Reply.Get("ename"); got != x.Ename || len(a.Of("error")) > 1 || !strings.Contains(told, x.Word) {
		return 0, fmt.Errorf("ename %q, want %q with %q: %.800s", got, x.Ename, x.Word, told)
	}
	t := time.Now()
	if a, err = c.Run("1+1", limit); err != nil || a.Shown() != "=[2]" {
		return 0, fmt.Errorf("the next cell: %v, %q", err, a.Shown())
	}
	took := time.Since(t)
	if a, err = c.Run("two()", limit); err != nil || a.Shown() != "=[2]" {
		return 0, fmt.Errorf("a function that is to be kept: %v, %q", err, a.Shown())
	}
	if a, err = c.Run("kept", limit); err != nil || (a.Shown() == "=[7]") == x.Lost {
		return 0, fmt.Errorf("a variable, lost %v: %v, %q", x.Lost, err, a.Shown())
	}
	return took, nil
}
