package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/gondola-lab/gondola/kernel/native"
)

// languageRow is one measure of gondola bench language: a ratio of two times,
// or of two sizes, of one run.
type languageRow struct {
	Measure string  `json:"measure"`
	Ratio   float64 `json:"ratio"`
	Bound   float64 `json:"bound,omitempty"` // zero: the ratio is printed only
	Least   bool    `json:"least,omitempty"` // the bound is the least ratio, not the most
	Of      float64 `json:"of"`              // what is compared, in Unit
	To      float64 `json:"to"`              // what it is compared to
	Unit    string  `json:"unit"`
	OK      bool    `json:"ok"`
}

func (r languageRow) String() string {
	s := fmt.Sprintf("%-58s %10.4g %s to %10.4g %s  ratio %9.4g", r.Measure, r.Of, r.Unit, r.To, r.Unit, r.Ratio)
	if r.Bound == 0 {
		return s + "  printed, not bounded"
	}
	kind := map[bool]string{true: "at least", false: "at most"}[r.Least]
	return s + fmt.Sprintf("  bound %s %.4g  %s", kind, r.Bound, map[bool]string{true: "ok", false: "missed"}[r.OK])
}

// most and least make rows with a bound; printed one without.
func most(measure string, of, to float64, unit string, bound float64) languageRow {
	r := languageRow{Measure: measure, Ratio: of / to, Bound: bound, Of: of, To: to, Unit: unit}
	r.OK = r.Ratio <= bound // false for NaN
	return r
}

func least(measure string, of, to float64, unit string, bound float64) languageRow {
	r := most(measure, of, to, unit, bound)
	r.Least, r.OK = true, r.Ratio >= bound
	return r
}

func printed(measure string, of, to float64, unit string) languageRow {
	r := most(measure, of, to, unit, 0)
	r.OK = true
	return r
}

// languageBench is one run of the benchmark.
type languageBench struct {
	ctx    context.Context
	tools  *native.Toolchain
	nonce  int64   // in every text that must not be in a cache
	native float64 // seconds of a small native cell that no cache holds
	check  float64 // seconds of the check of a 30-line cell
}

// benchLanguage is gondola bench language: what cells cost, interpreted and
// compiled, as ratios of one run.
func benchLanguage(args []string, stdout, stderr io.Writer) int {
	fs := newFlags("bench language", "[--json] [--check]", stdout, stderr)
	asJSON := fs.Bool("json", false, "print one JSON object a row")
	check := fs.Bool("check", false, "exit 1 if a row misses its bound")
	if _, code := fs.parse(args, 0); code >= 0 {
		return code
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	tools, err := native.Find(ctx, native.Config{Notice: func(s string) { fmt.Fprintln(stderr, s) }})
	if err != nil {
		fail(stderr, "bench language", err)
		return exitMissing
	}
	if _, err := tools.Warm(ctx, importable()); err != nil {
		return fail(stderr, "bench language", err)
	}
	b := &languageBench{ctx: ctx, tools: tools, nonce: time.Now().UnixNano()}
	missed := false
	for _, measure := range []func() ([]languageRow, error){
		b.smallCells, b.names, b.nativeLoops, b.interpretedLoops, b.dependents, b.manyCells,
	} {
		rows, err := measure()
		if ctx.Err() != nil {
			return exitInterrupted
		}
		if err != nil {
			return fail(stderr, "bench language", err)
		}
		for _, r := range rows {
			missed = missed || !r.OK
			if *asJSON {
				err = json.NewEncoder(stdout).Encode(r)
			} else {
				_, err = fmt.Fprintln(stdout, r)
			}
			if err != nil {
				return fail(stderr, "bench language", err)
			}
		}
	}
	if missed && *check {
		fmt.Fprintln(stderr, "gondola bench language: a row misses its bound")
		return exitFailed
	}
	return exitOK
}

// fresh is a number that no text had before.
func (b *languageBench) fresh() int64 {
	b.nonce++
	return b.nonce
}

// middle is the median.
func middle(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
