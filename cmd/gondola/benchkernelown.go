package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// stops are cells that wait or compute for ever in one call, for row 7.
var stops = map[string]string{
	"channel": "fmt.Println(\"in\")\n<-make(chan int)",
	"mutex":   "var mu sync.Mutex\nmu.Lock()\nfmt.Println(\"in\")\nmu.Lock()",
	"Sleep":   "fmt.Println(\"in\")\ntime.Sleep(time.Hour)",
	"a loss": "rnd := rand.New(rand.NewPCG(1, 2))\nx, y := cloud.Cube(rnd, 4096), cloud.Cube(rnd, 4096)\n" +
		"fmt.Println(\"in\")\nfor {\n\tapmlgpu.APML(x, y, apmlgpu.APMLOptions{})\n}",
}

// stopOthers times the stop of what blocks in compiled code; a variable is kept.
func (b *kernelBench) stopOthers() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	c := pair[0].Client
	if _, err := c.Run("kept := 7", benchWait); err != nil {
		return benchRow{}, err
	}
	row := atMost("channel, mutex, Sleep, a loss stopped", "ms", 500, 0)
	for _, what := range []string{"channel", "mutex", "Sleep", "a loss"} {
		id, err := c.Send(kerneltest.Shell, "execute_request", kerneltest.Request{Code: stops[what]})
		if err == nil {
			_, err = c.Take(kerneltest.IOPub, benchWait, func(m *kerneltest.Message) bool {
				return m.Parent.MsgID == id && m.Header.MsgType == "stream"
			})
		}
		if err != nil {
			return row, fmt.Errorf("%s: %w", what, err)
		}
		t := time.Now()
		if _, err = c.Send(kerneltest.Control, "interrupt_request", struct{}{}); err == nil {
			_, err = c.Finish(kerneltest.Shell, id, benchWait)
		}
		took := inMS(time.Since(t))
		if err != nil {
			return row, fmt.Errorf("%s: %w", what, err)
		}
		row.Ours = max(row.Ours, took)
		row = row.also(took <= 500, "%s %.1f", what, took)
		if a, err := c.Run("kept", benchWait); err != nil || a.Shown() != "=[7]" {
			return row, fmt.Errorf("after the stop of %s a variable shows %q, %v", what, a.Shown(), err)
		}
	}
	return row, nil
}

// beside times completion while a cell runs.
func (b *kernelBench) beside() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	k := pair[0]
	if _, err = k.Run(k.words.Setup, benchWait); err != nil {
		return benchRow{}, err
	}
	times, err := kerneltest.Beside(k.Client, k.words, 20)
	return atMost("completion beside a cell, slowest of 40", "ms", 250, inMS(kerneltest.Quantile(times, 1))), err
}

// pictures counts displays of a burst, alone and beside a subscriber that never
// reads.
func (b *kernelBench) pictures() (benchRow, error) {
	const n = 5000
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	k := pair[0]
	alone, err := kerneltest.Pictures(k.Client, k.words, n)
	if err != nil {
		return benchRow{}, err
	}
	m, err := kerneltest.Mute(k.Peer.Conn)
	if err != nil {
		return benchRow{}, err
	}
	defer m.Close()
	beside, err := kerneltest.Pictures(k.Client, k.words, n)
	row := exactly("displays lost of 5 000, twice", 0, 2*n-alone-beside)
	return row.also(true, "alone %d, beside a subscriber that never reads %d", n-alone, n-beside), err
}

// goBuild compares the build and run of a one-line program with a cell.
func (b *kernelBench) goBuild() (benchRow, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return benchRow{}, errSkip("no Go toolchain in PATH")
	}
	if b.trip == 0 {
		if _, err := b.roundTrip(); err != nil {
			return benchRow{}, err
		}
	}
	dir := filepath.Join(b.dir, "program")
	err = os.MkdirAll(dir, 0o777)
	for name, text := range map[string]string{"go.mod": "module one\n\ngo 1.26\n",
		"main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1 + 1) }\n"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
		}
	}
	var times []time.Duration
	for i := range 6 { // the first fills the cache with fmt
		text := fmt.Sprintf("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1 + %d) }\n", i)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666)
		}
		if err != nil {
			return benchRow{}, err
		}
		t, err := b.timeCommand([]string{"/bin/sh", "-c", `cd "$0" && "$1" build -o one . && ./one`, dir, tool})
		if err != nil {
			return benchRow{}, err
		}
		if i > 0 {
			times = append(times, t)
		}
	}
	return against("go build and run of one line, over row 1", "ms", 50, b.trip, inMS(kerneltest.Quantile(times, 0.5))), nil
}

// crashes runs the cells that end a process, in a kernel that may have 1 GiB.
func (b *kernelBench) crashes() (benchRow, error) {
	if b.first == 0 {
		if _, err := b.firstResult(); err != nil {
			return benchRow{}, err
		}
	}
	spec := b.specs[0]
	i := slices.Index(spec.Argv, "kernel") + 1
	spec.Argv = slices.Insert(slices.Clone(spec.Argv), i, "-mem-limit", "1G")
	k, err := b.warmUp(spec)
	if err != nil {
		return benchRow{}, err
	}
	defer k.stop()
	cases, good, worst := kerneltest.Crashes(), 0, time.Duration(0)
	var wrong []string
	for _, x := range cases {
		took, err := x.Try(k.Client)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", x.Name, err))
			continue
		}
		good++
		if x.Lost {
			worst = max(worst, took)
		}
	}
	row := exactly("crashes answered as written", len(cases), good)
	if len(wrong) > 0 {
		row = row.also(false, "%s", strings.Join(wrong, "; "))
	}
	return row.also(inMS(worst) <= 5*b.first, "next 1+1 after a worker's end %.1f ms at most, bound %.1f", inMS(worst),
		5*b.first), nil
}

// hostile runs the cases of wrong clients; a good one is answered after each.
func (b *kernelBench) hostile() (benchRow, error) {
	p, err := kerneltest.Start(b.specs[0], io.Discard, b.env()...)
	if err != nil {
		return benchRow{}, err
	}
	defer p.Stop()
	good, err := kerneltest.ConnectWithin(p.Conn, benchWait)
	if err == nil {
		err = good.Ready(benchWait)
	}
	if err != nil {
		return benchRow{}, err
	}
	defer good.Close()
	passed, wrong := 0, []string{}
	cases := append(kerneltest.Raw(), kerneltest.Wrong()...)
	for _, h := range cases {
		err := h.Do(p.Conn)
		if err == nil {
			_, err = kerneltest.RoundTrip(good, "1+1", 1)
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", h.Name, err))
			continue
		}
		passed++
	}
	row := exactly("hostile clients survived", len(cases), passed)
	if len(wrong) > 0 {
		row = row.also(false, "%s", strings.Join(wrong, "; "))
	}
	return row, nil
}

// order counts the cells of print, display, print in which something is lost,
// late or out of order.
func (b *kernelBench) order() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	c, wrong := pair[0].Client, 0
	for i := range 1000 {
		a, err := c.Run(fmt.Sprintf("fmt.Println(\"a%d\")\ndisplay.Show(\"d%d\")\nfmt.Println(\"b%d\")", i, i, i), benchWait)
		if err != nil {
			return benchRow{}, err
		}
		if a.Shown() != fmt.Sprintf("a%d\n[d%d]b%d\n", i, i, i) {
			wrong++
		}
	}
	if _, err := c.Ask(kerneltest.Control, "kernel_info_request", struct{}{}, benchWait); err != nil {
		return benchRow{}, err
	}
	late := 0
	for _, m := range c.Waiting(kerneltest.IOPub) {
		if m.Parent.MsgID != "" && m.Header.MsgType != "status" {
			late++
		}
	}
	return exactly("outputs lost or out of order, late, in 1 000", 0, wrong+late), nil
}
