package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gondola-lab/gondola/cloud"
)

// Sizes and targets of the benchmark of losses.
const (
	peerPoints   = 4096
	peerTurns    = 4    // ours and theirs in turn; the best of each counts
	cpuTarget    = 100. // dense torch / ours, CPU time
	memoryTarget = 30.  // dense torch / ours, memory above the start
	growTarget   = 1.15 // exponent of the time in the number of points
	wholeTarget  = 1 << 30
)

// growSizes are the sizes of the curve; the exponent is between its ends.
var growSizes = []int{1 << 14, 1 << 16, 1 << 18, 1 << 20}

// lossRow is a row of the benchmark: a ratio or a measure with its target.
type lossRow struct {
	Row     string   `json:"row"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Target  float64  `json:"target"`
	AtLeast bool     `json:"at_least"` // else at most
	Pass    bool     `json:"pass"`
	Skipped string   `json:"skipped,omitempty"` // why there is no value
	Ours    *benched `json:"ours,omitempty"`
	Theirs  *benched `json:"theirs,omitempty"`
	Machine string   `json:"machine"`
}

// benched is what a process that ran a loss says of itself.
type benched struct {
	Value    float64 `json:"value"`
	CPU      float64 `json:"cpu_seconds"`       // of the best call, value and both gradients
	StartCPU float64 `json:"start_cpu_seconds"` // that the process had used before
	Memory   int64   `json:"memory_bytes"`      // growth of the resident memory above the start, in the first call
	NNZ      int64   `json:"nnz,omitempty"`
	Form     string  `json:"form"`
	Skip     string  `json:"skip,omitempty"`
}

func (r lossRow) String() string {
	sign, verdict := "<=", "miss"
	if r.AtLeast {
		sign = ">="
	}
	if r.Pass {
		verdict = "pass"
	}
	s := fmt.Sprintf("%-64s %9.4g %-9s %s %-6.4g ", r.Row, r.Value, r.Unit, sign, r.Target)
	if r.Skipped != "" {
		return s + "skipped: " + r.Skipped
	}
	s += verdict
	for k, b := range []*benched{r.Ours, r.Theirs} {
		if b != nil {
			s += fmt.Sprintf("  %s %.4g s CPU, %.4g MiB", []string{"ours", "theirs"}[k], b.CPU,
				float64(b.Memory)/(1<<20))
		}
	}
	return s
}

// judge fills Pass; a NaN does not pass.
func (r lossRow) judge() lossRow {
	r.Pass = r.Skipped == "" && (r.AtLeast && r.Value >= r.Target || !r.AtLeast && r.Value <= r.Target)
	r.Machine = fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	return r
}

// benchLosses is gondola bench losses: ours and each peer as processes of their
// own on the same bytes, one thread each, in turn.
func benchLosses(args []string, stdout, stderr io.Writer) int {
	set := newFlags("bench losses", "[flags]", stdout, stderr)
	asJSON := set.Bool("json", false, "print one JSON object a row")
	check := set.Bool("check", false, "exit 1 if a row misses its target; a skipped peer is none")
	peers := set.String("peers", filepath.Join("bench", "peers"), "`FOLDER` of the scripts for other libraries")
	python := set.String("python", "/usr/bin/python3", "Python that has torch")
	only := set.String("only", "", "`WORD` that the rows must hold")
	if _, code := set.parse(args, 0); code >= 0 {
		return code
	}
	dir, err := os.MkdirTemp("", "gondola-bench-")
	if err != nil {
		return fail(stderr, "bench losses", err)
	}
	defer os.RemoveAll(dir)
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt)
	defer release()
	b := &lossBench{ctx: ctx, dir: dir, peers: *peers, python: *python, only: *only}
	missed, shown := 0, 0
	show := func(r lossRow) error {
		r = r.judge()
		shown++
		if !r.Pass && r.Skipped == "" {
			missed++
		}
		if *asJSON {
			return json.NewEncoder(stdout).Encode(r)
		}
		_, err := fmt.Fprintln(stdout, r)
		return err
	}
	if err := b.run(show); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted
		}
		return fail(stderr, "bench losses", err)
	}
	if shown == 0 {
		return set.wrong("no row holds %q", *only)
	}
	if *check && missed > 0 {
		fmt.Fprintf(stderr, "gondola bench losses: %d rows miss their targets\n", missed)
		return exitFailed
	}
	return exitOK
}

// lossBench is one run of the benchmark.
type lossBench struct {
	ctx                      context.Context
	dir, peers, python, only string
}

func (b *lossBench) wants(row string) bool { return strings.Contains(row, b.only) }

func (b *lossBench) run(show func(lossRow) error) error {
	for _, shape := range []string{"cube", "sphere"} {
		if err := b.dense(shape, show); err != nil {
			return err
		}
	}
	return b.grow(show)
}

// dense compares with dense torch: value and both gradients.
func (b *lossBench) dense(shape string, show func(lossRow) error) error {
	name := fmt.Sprintf("APML, %s, %d: dense torch, plain / sparse", shape, peerPoints)
	if !b.wants(name) {
		return nil
	}
	x, y, err := b.clouds(shape, peerPoints)
	if err != nil {
		return err
	}
	var ours, theirs *benched
	for range peerTurns {
		o, err := b.ours(x, y, 5)
		if err != nil {
			return err
		}
		t, err := b.process(b.python, filepath.Join(b.peers, "apml_dense_torch.py"), x, y, "plain")
		if err != nil {
			t = &benched{Skip: err.Error()}
		}
		if ours, theirs = best(ours, o), best(theirs, t); t.Skip != "" {
			break
		}
	}
	cpu := lossRow{Row: name + ", CPU", Unit: "x", Target: cpuTarget, AtLeast: true, Ours: ours, Skipped: theirs.Skip}
	memory := lossRow{Row: name + ", memory", Unit: "x", Target: memoryTarget, AtLeast: true, Ours: ours,
		Skipped: theirs.Skip}
	if theirs.Skip == "" {
		cpu.Theirs, memory.Theirs = theirs, theirs
		cpu.Value, memory.Value = theirs.CPU/ours.CPU, float64(theirs.Memory)/float64(ours.Memory)
		if ours.Memory <= 0 || theirs.Memory <= 0 {
			memory.Skipped = untold
		}
	}
	if err := show(cpu); err != nil {
		return err
	}
	return show(memory)
}

// untold is why a row about memory has no value.
const untold = "this system does not tell the memory of a process"

// memoryRow is the row of a call's memory.
func memoryRow(name string, b *benched) lossRow {
	r := lossRow{Row: name, Value: float64(b.Memory) / (1 << 20), Unit: "MiB", Target: wholeTarget >> 20, Ours: b}
	if b.Memory <= 0 {
		r.Skipped = untold
	}
	return r
}

// best keeps the least CPU time and the least memory.
func best(a, b *benched) *benched {
	if a == nil || b.Skip != "" {
		return b
	}
	c := *b
	c.CPU, c.Memory = min(a.CPU, b.CPU), min(a.Memory, b.Memory)
	return &c
}

// grow runs ours on spheres of growing size.
func (b *lossBench) grow(show func(lossRow) error) error {
	const (
		exponent = "APML, sphere, 16,384 to 1,048,576: exponent of the CPU time"
		whole    = "APML, sphere, 1,048,576: memory of the whole call"
	)
	if !b.wants(exponent) && !b.wants(whole) {
		return nil
	}
	var first, last *benched
	for _, n := range growSizes {
		x, y, err := b.clouds("sphere", n)
		if err != nil {
			return err
		}
		rounds := max(1, 1<<18/n)
		if last, err = b.ours(x, y, rounds); err != nil {
			return err
		}
		if first == nil {
			first = last
		}
		// A row of its own for the reader: its target is the memory alone.
		name := fmt.Sprintf("APML, sphere, %d: %.3g s CPU, %d pairs; memory", n, last.CPU, last.NNZ)
		if err := show(memoryRow(name, last)); err != nil {
			return err
		}
	}
	steps := math.Log(float64(growSizes[len(growSizes)-1]) / float64(growSizes[0]))
	if err := show(lossRow{Row: exponent, Value: math.Log(last.CPU/first.CPU) / steps, Unit: "", Target: growTarget,
		Ours: last}); err != nil {
		return err
	}
	return show(memoryRow(whole, last))
}

// clouds writes two random clouds as raw float32.
func (b *lossBench) clouds(shape string, n int) (x, y string, err error) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	paths := make([]string, 2)
	for k := range paths {
		c := cloud.Cube(rnd, n)
		if shape == "sphere" {
			c = cloud.Sphere(rnd, n)
		}
		paths[k] = filepath.Join(b.dir, fmt.Sprintf("%s-%d-%d.bin", shape, n, k))
		if err := cloud.Save(paths[k], c); err != nil {
			return "", "", err
		}
	}
	return paths[0], paths[1], nil
}

// ours runs this program as a process of its own.
func (b *lossBench) ours(x, y string, rounds int) (*benched, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, err := b.process(self, "bench", benchOne, x, y, strconv.Itoa(rounds))
	if err == nil && r.Skip != "" {
		err = fmt.Errorf("%s", r.Skip)
	}
	return r, err
}

// process runs a process that prints one JSON object.
func (b *lossBench) process(name string, args ...string) (*benched, error) {
	cmd := exec.CommandContext(b.ctx, name, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, lastLine(complaint.String()))
	}
	r := &benched{}
	if err := json.Unmarshal(out, r); err != nil {
		return nil, fmt.Errorf("%s printed %q: %w", filepath.Base(name), out, err)
	}
	return r, nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
