package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

// kernelMeasure is one row of gondola bench kernel.
type kernelMeasure struct {
	row, name string
	do        func(*kernelBench) (benchRow, error)
}

// kernelMeasures are the rows in their order; 1 and 3 come before those that
// are told in units of them.
var kernelMeasures = []kernelMeasure{
	{"1", "1+1, send to idle", (*kernelBench).roundTrip},
	{"1b", "1+1 against the compiled peer", (*kernelBench).rawTrip},
	{"1c", "start against the compiled peer", (*kernelBench).rawStart},
	{"2", "start to kernel_info_reply", (*kernelBench).startUp},
	{"3", "start to the result of 1+1", (*kernelBench).firstResult},
	{"4", "10 000 printed lines to idle", func(b *kernelBench) (benchRow, error) { return b.lines(10_000, 1) }},
	{"5", "100 000 printed lines to idle", func(b *kernelBench) (benchRow, error) { return b.lines(100_000, 1.5) }},
	{"6", "endless loop stopped", (*kernelBench).stopLoop},
	{"7", "channel, mutex, Sleep, a loss stopped", (*kernelBench).stopOthers},
	{"8", "completion", (*kernelBench).completion},
	{"9", "completion beside a cell", (*kernelBench).beside},
	{"10", "comm_msg to idle", (*kernelBench).comms},
	{"11", "displays in a burst", (*kernelBench).pictures},
	{"12", "go build and run, over row 1", (*kernelBench).goBuild},
	{"13", "crashes", (*kernelBench).crashes},
	{"14", "memory after 1+1", (*kernelBench).memory},
	{"15", "hostile clients", (*kernelBench).hostile},
	{"16", "ten cells by run, by nbclient", (*kernelBench).notebooks},
	{"17", "outputs lost in 1 000 cells", (*kernelBench).order},
}

// roundTrip times 1+1 from its send to its idle and reply. Beside the ratio our
// slowest cells must be near the median.
func (b *kernelBench) roundTrip() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	ms, p99, err := inTurn(pair, benchTurns, func(k warmKernel) ([]time.Duration, error) {
		return kerneltest.RoundTrip(k.Client, "1+1", benchTrips/benchTurns)
	})
	if err != nil {
		return benchRow{}, err
	}
	b.trip = ms[0]
	row := against(fmt.Sprintf("1+1, send to idle, p50 of %d", benchTrips), "ms", 4, ms[0], ms[1])
	return row.also(p99 <= 10*ms[0], "our p99 %.2f ms, at most %.2f", p99, 10*ms[0]), nil
}

// rawTrip is row 1 against the compiled peer.
func (b *kernelBench) rawTrip() (benchRow, error) {
	if b.noRaw != nil {
		return benchRow{}, errSkip(b.noRaw.Error())
	}
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	k, err := b.warmUp(b.raw)
	if err != nil {
		return benchRow{}, err
	}
	defer k.stop()
	ms, _, err := inTurn([]warmKernel{pair[0], k}, benchTurns, func(k warmKernel) ([]time.Duration, error) {
		return kerneltest.RoundTrip(k.Client, "1+1", benchTrips/benchTurns)
	})
	return against("1+1 against "+b.raw.DisplayName, "ms", 1.3, ms[0], ms[1]), err
}

// rawStart is row 2 against the compiled peer.
func (b *kernelBench) rawStart() (benchRow, error) {
	if b.noRaw != nil {
		return benchRow{}, errSkip(b.noRaw.Error())
	}
	return b.starts("start to kernel_info_reply against "+b.raw.DisplayName, 1.5, kerneltest.StartUp,
		[2]kerneltest.Spec{b.specs[0], b.raw}, nil)
}

// starts times the beginning of both kernels.
func (b *kernelBench) starts(measure string, bound float64,
	do func(kerneltest.Spec, ...string) (time.Duration, error), specs [2]kerneltest.Spec, ours *float64) (benchRow, error) {
	var times [2][]time.Duration
	for range benchStarts {
		for i, s := range specs {
			t, err := do(s, b.env()...)
			if err != nil {
				return benchRow{}, err
			}
			times[i] = append(times[i], t)
		}
	}
	a, c := inMS(kerneltest.Quantile(times[0], 0.5)), inMS(kerneltest.Quantile(times[1], 0.5))
	if ours != nil {
		*ours = a
	}
	return against(fmt.Sprintf("%s, %d times", measure, benchStarts), "ms", bound, a, c), nil
}

func (b *kernelBench) startUp() (benchRow, error) {
	return b.starts("start to kernel_info_reply", 10, kerneltest.StartUp, b.specs, nil)
}

func (b *kernelBench) firstResult() (benchRow, error) {
	return b.starts("start to the result of 1+1", 5, kerneltest.FirstResult, b.specs, &b.first)
}

// lines times a cell that prints, of which nothing may be lost.
func (b *kernelBench) lines(n int, bound float64) (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	ms, _, err := inTurn(pair, 3, func(k warmKernel) ([]time.Duration, error) {
		t, err := kerneltest.Lines(k.Client, k.words, n)
		return []time.Duration{t}, err
	})
	return against(fmt.Sprintf("%d printed lines to idle", n), "ms", bound, ms[0], ms[1]), err
}

// stopLoop times the stop of an endless loop. It need not be as fast as theirs,
// but a person may not feel it, and every variable is kept.
func (b *kernelBench) stopLoop() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	var times [2][]time.Duration
	for i, k := range pair {
		if times[i], err = kerneltest.Interrupts(k.Peer, k.Client, b.specs[i], benchStops); err != nil {
			return benchRow{}, err
		}
	}
	ours, worst := kerneltest.Quantile(times[0], 0.5), kerneltest.Quantile(times[0], 1)
	row := against(fmt.Sprintf("endless loop stopped %d times, p50", benchStops), "ms", 0.1, inMS(ours),
		inMS(kerneltest.Quantile(times[1], 0.5)))
	return row.also(ours <= 100*time.Millisecond && worst <= 500*time.Millisecond, "at most 100 ms; slowest %.1f, at most 500",
		inMS(worst)), nil
}

// completion times what is offered behind a package and behind a value.
func (b *kernelBench) completion() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	for _, k := range pair {
		if _, err := k.Run(k.words.Setup, benchWait); err != nil {
			return benchRow{}, err
		}
	}
	ms, _, err := inTurn(pair, benchTurns, func(k warmKernel) ([]time.Duration, error) {
		return kerneltest.Completions(k.Client, k.words, 5)
	})
	return against("completion of fmt.Pri and of a value, p50", "ms", 5, ms[0], ms[1]), err
}

// comms times a message of a comm.
func (b *kernelBench) comms() (benchRow, error) {
	pair, err := b.pair()
	if err != nil {
		return benchRow{}, err
	}
	ms, _, err := inTurn(pair, benchTurns, func(k warmKernel) ([]time.Duration, error) {
		return kerneltest.Comms(k.Client, 50)
	})
	return against("comm_msg to idle, p50 of 500", "ms", 4, ms[0], ms[1]), err
}

// memory compares what both kernels hold after their first cells.
func (b *kernelBench) memory() (benchRow, error) {
	var mb [2]float64
	for i, s := range b.specs {
		k, err := b.warmUp(s)
		if err != nil {
			return benchRow{}, err
		}
		n, err := k.Memory()
		k.stop()
		if err != nil {
			return benchRow{}, errSkip(err.Error())
		}
		mb[i] = float64(n) / 1e6
	}
	return against("memory of all processes after 1+1", "MB", 1/1.5, mb[0], mb[1]), nil
}

// tenCells are the notebooks of row 16: the same work in both languages.
var tenCells = map[string][]string{
	"go": {"xs := []float64{}", "for i := range 1000 {\n\txs = append(xs, float64(i))\n}", "sum := 0.0",
		"for _, x := range xs {\n\tsum += x\n}", "sum", "fmt.Println(len(xs))", "m := map[string]int{}",
		"for _, w := range strings.Fields(\"a b a c\") {\n\tm[w]++\n}", "m", "math.Sqrt(sum)"},
	"python": {"import math\nxs = []", "for i in range(1000):\n    xs.append(float(i))", "sum = 0.0",
		"for x in xs:\n    sum += x", "sum", "print(len(xs))", "m = {}",
		"for w in 'a b a c'.split():\n    m[w] = m.get(w, 0) + 1", "m", "math.sqrt(sum)"},
}

// byNBClient runs a notebook as nbclient does.
const byNBClient = `import sys, nbformat, nbclient
nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), kernel_name="python3").execute()`

// notebooks times ten cells by gondola run and by nbclient over ipykernel, from
// the start of the process to its end.
func (b *kernelBench) notebooks() (benchRow, error) {
	self, err := os.Executable()
	if err != nil {
		return benchRow{}, err
	}
	files := map[string]string{}
	for language, cells := range tenCells {
		text, err := kerneltest.Notebook(language, cells)
		if err != nil {
			return benchRow{}, err
		}
		files[language] = filepath.Join(b.dir, language+".ipynb")
		if err := os.WriteFile(files[language], text, 0o666); err != nil {
			return benchRow{}, err
		}
	}
	python := b.specs[1].Argv[0]
	if b.specs[1].Language != "python" || exec.Command(python, "-c", "import nbclient").Run() != nil {
		return benchRow{}, errSkip("the peer's interpreter has no nbclient")
	}
	commands := [2][]string{{self, "run", files["go"]}, {python, "-c", byNBClient, files["python"]}}
	var times [2][]time.Duration
	for range 5 {
		for i, argv := range commands {
			t, err := b.timeCommand(argv)
			if err != nil {
				return benchRow{}, err
			}
			times[i] = append(times[i], t)
		}
	}
	return against("ten cells by run, by nbclient", "ms", 3, inMS(kerneltest.Quantile(times[0], 0.5)),
		inMS(kerneltest.Quantile(times[1], 0.5))), nil
}

// timeCommand runs a program to its end.
func (b *kernelBench) timeCommand(argv []string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), benchWait)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = b.dir
	c.Env = append(os.Environ(), b.env()...)
	t := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %.500s", argv[0], err, out)
	}
	return time.Since(t), nil
}
