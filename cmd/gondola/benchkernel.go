package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gondola-lab/gondola/kernel/kerneltest"
)

const (
	benchTrips  = 500 // cells of each kernel
	benchTurns  = 10  // the cells are run in so many turns, ours and theirs alternating
	benchStarts = 10  // starts of each kernel
	benchStops  = 50  // interrupts of each kernel
	stopWithin  = 100 // ms, of our median interrupt
	benchWait   = time.Minute
)

// benchRow is one measure of gondola bench kernel. The times are medians.
type benchRow struct {
	Measure string  `json:"measure"`
	Ours    float64 `json:"ours_ms"`
	Theirs  float64 `json:"theirs_ms"`
	Ratio   float64 `json:"ratio"` // theirs / ours
	Bound   float64 `json:"bound"` // the least ratio
	P99     float64 `json:"ours_p99_ms,omitempty"`
	OK      bool    `json:"ok"`
}

func (r benchRow) String() string {
	verdict := "ok"
	if !r.OK {
		verdict = "missed"
	}
	s := fmt.Sprintf("%-36s  ours %7.2f ms  theirs %7.2f ms  ratio %5.1f  bound %4.1f  %s",
		r.Measure, r.Ours, r.Theirs, r.Ratio, r.Bound, verdict)
	if r.P99 > 0 {
		s += fmt.Sprintf(" (our p99 %.2f ms, bound %.2f)", r.P99, 10*r.Ours)
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
	against := fs.String("against", "python3", "kernelspec of the peer, a `NAME` or a folder")
	asJSON := fs.Bool("json", false, "print one JSON object a row")
	check := fs.Bool("check", false, "exit 1 if a row misses its bound")
	if _, code := fs.parse(args, 0); code >= 0 {
		return code
	}
	specs, err := benchSpecs(*ours, *against)
	if err != nil {
		fail(stderr, "bench kernel", err)
		return exitMissing
	}
	missed := false
	for _, measure := range []func([2]kerneltest.Spec) (benchRow, error){benchRoundTrip, benchStartUp, benchInterrupt} {
		row, err := measure(specs)
		if err != nil {
			return fail(stderr, "bench kernel", err)
		}
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

// newBenchRow makes the row of two lists of times, ours and theirs.
func newBenchRow(measure string, bound float64, times [2][]time.Duration) benchRow {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	r := benchRow{Measure: measure, Bound: bound,
		Ours: ms(kerneltest.Quantile(times[0], 0.5)), Theirs: ms(kerneltest.Quantile(times[1], 0.5))}
	r.Ratio = r.Theirs / r.Ours
	r.OK = r.Ratio >= bound
	return r
}

// warmKernel is a kernel that is up and has run cells, with a client.
type warmKernel struct {
	*kerneltest.Peer
	*kerneltest.Client
}

// stop ends the kernel.
func (k warmKernel) stop() {
	if k.Client != nil {
		k.Client.Close()
	}
	k.Peer.Stop()
}

// warmUp starts a kernel and runs some cells.
func warmUp(spec kerneltest.Spec) (k warmKernel, err error) {
	if k.Peer, err = kerneltest.Start(spec, io.Discard); err != nil {
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

// benchRoundTrip times 1+1 from its send to its idle and reply. Beside the ratio
// our slowest cells must be near the median.
func benchRoundTrip(specs [2]kerneltest.Spec) (benchRow, error) {
	var clients [2]*kerneltest.Client
	for i, s := range specs {
		k, err := warmUp(s)
		if err != nil {
			return benchRow{}, err
		}
		defer k.stop()
		clients[i] = k.Client
	}
	var times [2][]time.Duration
	for range benchTurns {
		for i, c := range clients {
			t, err := kerneltest.RoundTrip(c, "1+1", benchTrips/benchTurns)
			if err != nil {
				return benchRow{}, err
			}
			times[i] = append(times[i], t...)
		}
	}
	row := newBenchRow(fmt.Sprintf("1+1, send to idle, p50 of %d", benchTrips), 4, times)
	row.P99 = float64(kerneltest.Quantile(times[0], 0.99).Microseconds()) / 1e3
	row.OK = row.OK && row.P99 <= 10*row.Ours
	return row, nil
}

// benchStartUp times the start of the process to its kernel_info_reply.
func benchStartUp(specs [2]kerneltest.Spec) (benchRow, error) {
	var times [2][]time.Duration
	for range benchStarts {
		for i, s := range specs {
			t, err := kerneltest.StartUp(s)
			if err != nil {
				return benchRow{}, err
			}
			times[i] = append(times[i], t)
		}
	}
	return newBenchRow(fmt.Sprintf("start to kernel_info_reply, %d times", benchStarts), 10, times), nil
}

// benchInterrupt times the stop of an endless loop. It need not be as fast as
// theirs, but a person may not feel it.
func benchInterrupt(specs [2]kerneltest.Spec) (benchRow, error) {
	var times [2][]time.Duration
	for i, s := range specs {
		k, err := warmUp(s)
		if err != nil {
			return benchRow{}, err
		}
		times[i], err = kerneltest.Interrupts(k.Peer, k.Client, s, benchStops)
		k.stop()
		if err != nil {
			return benchRow{}, err
		}
	}
	row := newBenchRow(fmt.Sprintf("endless loop stopped %d times, p50", benchStops), 0.1, times)
	row.OK = row.OK && row.Ours <= stopWithin
	return row, nil
}
