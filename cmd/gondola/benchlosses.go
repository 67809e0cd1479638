package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// peerTurns is how often ours and theirs run in turn; the best of each counts.
const peerTurns = 3

// lossRow is a row of the benchmark: a ratio or a measure with its target.
type lossRow struct {
	Row     string   `json:"row"`
	Value   float64  `json:"value"`
	Unit    string   `json:"unit"`
	Target  float64  `json:"target"`
	AtLeast bool     `json:"at_least"`          // else at most
	NoGoal  bool     `json:"no_goal,omitempty"` // a row for the reader
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
	Wall     float64 `json:"wall_seconds,omitempty"`
	Memory   int64   `json:"memory_bytes"`         // growth of the resident memory above the start, in the first call
	Peak     int64   `json:"peak_bytes,omitempty"` // resident memory of the whole process
	NNZ      int64   `json:"nnz,omitempty"`
	Rounds   int     `json:"rounds,omitempty"`
	Error    float64 `json:"error,omitempty"` // of the marginals
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
	goal := fmt.Sprintf("%s %-6.4g ", sign, r.Target)
	if r.NoGoal {
		goal, verdict = fmt.Sprintf("%9s ", ""), "    "
	}
	s := fmt.Sprintf("%-74s %9.4g %-4s %s", r.Row, r.Value, r.Unit, goal)
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
	r.Pass = r.Skipped == "" && (r.NoGoal || r.AtLeast && r.Value >= r.Target || !r.AtLeast && r.Value <= r.Target)
	r.Machine = fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if load := load(); load != "" {
		r.Machine += ", load " + load
	}
	return r
}

// load is the mean number of processes that wished to run in the last minute, ""
// where the system does not tell.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// benchLosses is gondola bench losses: rows of our own, and with --peers ours and
// each peer as processes of their own on the same bytes, one thread each, in turn.
func benchLosses(args []string, stdout, stderr io.Writer) int {
	set := newFlags("bench losses", "[flags]", stdout, stderr)
	asJSON := set.Bool("json", false, "print one JSON object a row")
	check := set.Bool("check", false, "exit 1 if a row misses its target; a skipped peer is none")
	peers := set.Bool("peers", false, "compare with other libraries too (make peers)")
	scripts := set.String("scripts", filepath.Join("bench", "peers"), "`FOLDER` of the scripts for other libraries")
	python := set.String("python", "", "Python that has torch and scipy (default: the venv of make peers, or the system's)")
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
	b := &lossBench{ctx: ctx, dir: dir, peers: *peers, scripts: *scripts, python: *python, only: *only}
	if b.python == "" {
		b.python = peersPython()
	}
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

// peersPython is the Python of make peers, or the system's.
func peersPython() string {
	venv := filepath.Join(".cache", "peers", "bin", "python")
	if _, err := os.Stat(venv); err == nil {
		return venv
	}
	return "/usr/bin/python3"
}

// lossBench is one run of the benchmark.
type lossBench struct {
	ctx                        context.Context
	dir, scripts, python, only string
	peers                      bool
}

func (b *lossBench) wants(row string) bool { return strings.Contains(row, b.only) }

func (b *lossBench) run(show func(lossRow) error) error {
	rows := []func(func(lossRow) error) error{b.grow, b.threads, b.ties, b.whole, b.entropic, b.cancel, b.largest, b.flows}
	if b.peers {
		rows = append(rows, b.dense, b.search, b.chamfer, b.emd, b.sinkhorn)
	}
	for _, f := range rows {
		if err := f(show); err != nil {
			return err
		}
	}
	return nil
}

// clouds writes two clouds as raw float32.
func (b *lossBench) clouds(shape string, n int) (x, y string, err error) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	pair, ok := benchShapes[shape]
	if !ok {
		return "", "", fmt.Errorf("no shape %q", shape)
	}
	paths := make([]string, 2)
	for k, c := range pair(rnd, n) {
		paths[k] = filepath.Join(b.dir, fmt.Sprintf("%s-%d-%d.bin", shape, n, k))
		if err := cloud.Save(paths[k], c); err != nil {
			return "", "", err
		}
	}
	return paths[0], paths[1], nil
}

// ours runs this program as a process of its own.
func (b *lossBench) ours(x, y string, rounds int, flags ...string) (*benched, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{"bench", benchOne}, flags...)
	r, err := b.process(nil, self, append(args, x, y, strconv.Itoa(rounds))...)
	if err == nil && r.Skip != "" {
		err = fmt.Errorf("%s", r.Skip)
	}
	return r, err
}

// process runs a process that prints one JSON object, with more variables.
func (b *lossBench) process(env []string, name string, args ...string) (*benched, error) {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
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

// best keeps the least times and the least memory.
func best(a, b *benched) *benched {
	if a == nil || b.Skip != "" {
		return b
	}
	c := *b
	c.CPU, c.Wall = min(a.CPU, b.CPU), min(a.Wall, b.Wall)
	c.Memory, c.Peak = min(a.Memory, b.Memory), min(a.Peak, b.Peak)
	return &c
}
