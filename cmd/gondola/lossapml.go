package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/gondola-lab/gondola/apmlgpu"
)

// apmlLine is how a plan was got and how good it is, in the line of APML.
type apmlLine struct {
	Variant     string  `json:"variant"`
	Rounds      int     `json:"rounds"`
	Converged   bool    `json:"converged"`
	Mass        float64 `json:"mass"`
	RowErrorMax float64 `json:"row_error_max"`
	PrunedBound float64 `json:"pruned_bound"` // a share: at most 1
	PrunedCost  float64 `json:"pruned_cost"`
	Retries     int     `json:"retries"`
	TiedRows    int     `json:"tied_rows"`
	TiedCols    int     `json:"tied_cols"`
	UniqueN     int     `json:"unique_n"`
	UniqueM     int     `json:"unique_m"`
}

// apmlWords are those of a result of APML; nil for every other loss.
func apmlWords(s apmlgpu.Stats) *apmlLine {
	if s.Variant == "" {
		return nil
	}
	return &apmlLine{
		Variant: s.Variant, Rounds: s.Iterations, Converged: s.Converged, Mass: s.Mass, RowErrorMax: s.RowErrorMax,
		PrunedBound: min(s.PrunedBound, 1), PrunedCost: min(s.PrunedCost, 1), Retries: s.Retries,
		TiedRows: s.TiedRows, TiedCols: s.TiedCols, UniqueN: s.UniqueN, UniqueM: s.UniqueM,
	}
}

// traceFlag makes --trace of a loss whose options have a field Trace: each round
// becomes a line on stderr.
func traceFlag(set *flagSet, opt any, stderr io.Writer) {
	f := reflect.ValueOf(opt).Elem().FieldByName("Trace")
	if !f.IsValid() {
		return
	}
	tell := func(s apmlgpu.Step) { fmt.Fprintf(stderr, "round %d: row error %.4g\n", s.Iteration, s.RowError) }
	set.BoolFunc("trace", "print the row error after each round on stderr", func(text string) error {
		on, err := strconv.ParseBool(text)
		switch {
		case err != nil:
			return errors.New("neither true nor false")
		case on:
			f.Set(reflect.ValueOf(tell))
		default:
			f.SetZero()
		}
		return nil
	})
}
