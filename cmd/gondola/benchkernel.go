package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

const (
	benchTrips  = 500 // cells of each kernel
	benchTurns  = 10  // the cells are run in so many turns, ours and theirs alternating
	benchStarts = 10  // starts of each kernel
	benchStops  = 100 // interrupts of each kernel
	benchWait   = time.Minute
)

// benchRow is one measure of gondola bench kernel. Of times it has the medians.
type benchRow struct {
	Row     string  `json:"row"`
	Measure string  `json:"measure"`
	Unit    string  `json:"unit"` // of Ours and Theirs: ms, MB, s or nothing
	Ours    float64 `json:"ours"`
	Theirs  float64 `json:"theirs"` // zero: a row of ours alone
	Ratio   float64 `json:"ratio"`  // theirs / ours; zero without theirs
	Bound   float64 `json:"bound"`  // the least ratio; without theirs the most or the exact number of ours
	Note    string  `json:"note,omitempty"`
	Skipped string  `json:"skipped,omitempty"` // why it was not measured
	OK      bool    `json:"ok"`
}

// against makes the row of a ratio.
func against(measure, unit string, bound, ours, theirs float64) benchRow {
	r := benchRow{Measure: measure, Unit: unit, Ours: ours, Theirs: theirs, Ratio: theirs / ours, Bound: bound}
	r.OK = r.Ratio >= bound
	return r
}

// atMost makes a row of ours alone, which must not be above the bound.
func atMost(measure, unit string, bound, ours float64) benchRow {
	return benchRow{Measure: measure, Unit: unit, Ours: ours, Bound: bound, OK: ours <= bound}
}

// exactly makes a row of ours alone, whose number must be the bound.
func exactly(measure string, bound, ours int) benchRow {
	return benchRow{Measure: measure, Ours: float64(ours), Bound: float64(bound), OK: ours == bound}
}

// also adds a condition to a row, with the words that tell it.
func (r benchRow) also(ok bool, format string, args ...any) benchRow {
	if r.Note != "" {
		r.Note += "; "
	}
	r.Note += fmt.Sprintf(format, args...)
	r.OK = r.OK && ok
	return r
}

func (r benchRow) String() string {
	verdict := "ok"
	switch {
	case r.Skipped != "":
		return fmt.Sprintf("%-3s %-44s skipped: %s", r.Row, r.Measure, r.Skipped)
	case !r.OK:
		verdict = "missed"
	}
	s := fmt.Sprintf("%-3s %-44s ours %8.5g %-2s", r.Row, r.Measure, r.Ours, r.Unit)
	if r.Theirs != 0 {
		s += fmt.Sprintf("  theirs %8.5g %-2s  ratio %6.2f  bound %5.2f  %s", r.Theirs, r.Unit, r.Ratio, r.Bound, verdict)
	} else {
		s += fmt.Sprintf("  %-32s  bound %5.5g  %s", "", r.Bound, verdict)
	}
	if r.Note != "" {
		s += " (" + r.Note + ")"
	}
	return s
}

// benchKernel is gondola bench kernel: it starts this kernel and a peer from
// their kernelspecs, measures both in turn through one client, and prints a row
// a measure with the ratio of the medians. Only ratios of one run mean
// anything.
func benchKernel(args []string, stdout, stderr io.Writer) int {
	fs := newFlags("bench kernel", "[flags]", stdout, stderr)
	ours := fs.String("kernel", "", "kernelspec of ours, a `NAME` or a folder (default: this program)")
	peer := fs.String("against", "python3", "kernelspec of the peer, a `NAME` or a folder")
	raw := fs.String("raw", "xpython-raw", "kernelspec of the compiled peer of row 1b")
	only := fs.String("only", "", "measure the rows whose number or name matches a `PATTERN`")
	asJSON := fs.Bool("json", false, "print one JSON object a row")
	check := fs.Bool("check", false, "exit 1 if a row misses its bound or is not measured")
	if _, code := fs.parse(args, 0); code >= 0 {
		return code
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fs.wrong("--only: %w", err)
	}
	b := &kernelBench{}
	if b.specs, err = benchSpecs(*ours, *peer); err == nil {
		b.raw, b.noRaw = kerneltest.FindSpec(*raw)
		b.dir, err = os.MkdirTemp("", "gondola-bench-")
	}
	if err != nil {
		fail(stderr, "bench kernel", err)
		return exitMissing
	}
	defer b.stop()
	missed := false
	for _, m := range kernelMeasures {
		if !pattern.MatchString(m.row) && !pattern.MatchString(m.name) {
			continue
		}
		row := b.measure(m)
		missed = missed || !row.OK
		if *asJSON {
			err = json.NewEncoder(stdout).Encode(row)
		} else {
			_, err = fmt.Fprintln(stdout, row)
		}
		if err != nil {
			return fail(stderr, "bench kernel", err)
		}
	}
	if missed && *check {
		fmt.Fprintln(stderr, "gondola bench kernel: a row misses its bound")
		return exitFailed
	}
	return exitOK
}

// kernelBench is one run of the benchmark.
type kernelBench struct {
	specs [2]kerneltest.Spec // ours, theirs
	raw   kerneltest.Spec    // the compiled peer
	noRaw error              // why there is none
	dir   string             // histories and notebooks of this run
	warm  []warmKernel       // both, once they are wanted
	trip  float64            // row 1 of ours, ms
	first float64            // row 3 of ours, ms
}

// env keeps the histories of the kernels out of the user's.
func (b *kernelBench) env() []string {
	return []string{"XDG_STATE_HOME=" + b.dir, "IPYTHONDIR=" + b.dir}
}

func (b *kernelBench) stop() {
	b.cool()
	os.RemoveAll(b.dir)
}

// cool ends the kernels that are up.
func (b *kernelBench) cool() {
	for _, k := range b.warm {
		k.stop()
	}
	b.warm = nil
}

// errSkip is a row that cannot be measured here, with the reason.
type errSkip string

func (e errSkip) Error() string { return string(e) }

// measure makes the row of m. One that fails is missed, with its error: the
// others are still worth their time.
func (b *kernelBench) measure(m kernelMeasure) benchRow {
	row, err := m.do(b)
	if err != nil {
		b.cool() // the next row begins with fresh kernels
		row = benchRow{Note: err.Error()}
		if why, ok := err.(errSkip); ok {
			row = benchRow{Skipped: string(why)}
		}
	}
	row.Row = m.row
	if row.Measure == "" {
		row.Measure = m.name
	}
	if math.IsNaN(row.Ratio) || math.IsInf(row.Ratio, 0) { // JSON has no word for them
		row.Ratio, row.OK = 0, false
	}
	return row
}

// benchSpecs finds the kernelspecs, ours first.
func benchSpecs(ours, against string) (specs [2]kerneltest.Spec, err error) {
	self, err := os.Executable()
	if err != nil {
		return specs, err
	}
	specs[0] = kerneltest.Spec{Argv: []string{self, "kernel", "-f", "{connection_file}"}, Language: "go",
		Interrupt: "message"}
	if ours != "" {
		if specs[0], err = kerneltest.FindSpec(ours); err != nil {
			return specs, err
		}
	}
	specs[1], err = kerneltest.FindSpec(against)
	return specs, err
}

// warmKernel is a kernel that is up and has run cells, with a client.
type warmKernel struct {
	*kerneltest.Peer
	*kerneltest.Client
	words kerneltest.Words
}

// stop ends the kernel.
func (k warmKernel) stop() {
	if k.Client != nil {
		k.Client.Close()
	}
	k.Peer.Stop()
}

// warmUp starts a kernel and runs some cells.
func (b *kernelBench) warmUp(spec kerneltest.Spec) (k warmKernel, err error) {
	k.words = kerneltest.Speech[spec.Language]
	if k.Peer, err = kerneltest.Start(spec, io.Discard, b.env()...); err != nil {
		return k, err
	}
	if k.Client, err = kerneltest.ConnectWithin(k.Peer.Conn, benchWait); err == nil {
		err = k.Client.Ready(benchWait)
	}
	if err == nil {
		_, err = kerneltest.RoundTrip(k.Client, "1+1", 20)
	}
	if err != nil {
		k.stop()
	}
	return k, err
}

// pair gives both kernels, warm.
func (b *kernelBench) pair() ([]warmKernel, error) {
	for _, s := range b.specs[len(b.warm):] {
		k, err := b.warmUp(s)
		if err != nil {
			return nil, err
		}
		b.warm = append(b.warm, k)
	}
	return b.warm, nil
}

// inTurn measures both kernels alternately and gives the medians in ms, and
// the worst of the 99 % best of ours.
func inTurn(kernels []warmKernel, turns int, do func(warmKernel) ([]time.Duration, error)) (ms [2]float64,
	p99 float64, err error) {
	var times [2][]time.Duration
	for range turns {
		for i, k := range kernels {
			t, err := do(k)
			if err != nil {
				return ms, 0, err
			}
			times[i] = append(times[i], t...)
		}
	}
	for i := range kernels {
		ms[i] = inMS(kerneltest.Quantile(times[i], 0.5))
	}
	return ms, inMS(kerneltest.Quantile(times[0], 0.99)), nil
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
