package apmlgpu

import (
	"fmt"

	"github.com/gondola-lab/gondola/cloud"
)

// Loss is a row of the list of losses, which command line, benchmarks and menus
// read.
type Loss struct {
	Name     string // as on the command line
	Function string // of this package
	Unit     string // of the value
	Cost     string // ground cost
	Summary  string // one sentence
	// Options returns a pointer to a fresh options struct of the loss: its
	// exported fields are the names of the options.
	Options func() any
	// Defaults has the meaning of zero of the fields where that is not off.
	Defaults map[string]string
	// Run calls the loss; options is what Options returned, filled in.
	Run func(x, y cloud.Cloud, options any) (Result, error)
	// RunBatch calls the loss for every pair of two batches.
	RunBatch func(xs, ys cloud.Batch, options any) (BatchResult, error)
}

// commonDefaults are those of the options that every loss has.
func withCommon(d map[string]string) map[string]string {
	d["Reduce"] = or(d["Reduce"], "mean")
	d["Backend"] = "auto"
	d["Threads"] = "all"
	d["MaxBytes"] = "a quarter of the memory"
	return d
}

// Losses returns the list of losses, a fresh one.
func Losses() []Loss {
	return []Loss{
		{
			Name: "apml", Function: "APML", Unit: "length × points", Cost: "Euclidean",
			Summary: "adaptive probabilistic matching: every target gets its mass, from near partners",
			Options: func() any { return new(APMLOptions) },
			Defaults: withCommon(map[string]string{
				"Variant": "faithful", "MinProb": "0.8", "Iterations": "20", "MaxIter": "1000", "Margin": "1e-8",
				"Threshold": "automatic, from 1e-20; 1e-10 for reference", "Merge": "half; count for reference",
				"Ties": "uniform; split for reference", "Reduce": "mean; sum for reference", "Method": "auto",
			}),
			Run: run(APML), RunBatch: run(APMLBatch),
		},
		{
			Name: "chamfer", Function: "Chamfer", Unit: "length²", Cost: "SqEuclidean",
			Summary:  "mean squared distance to the nearest point, both ways added",
			Options:  func() any { return new(ChamferOptions) },
			Defaults: withCommon(map[string]string{"WeightX": "1", "WeightY": "1"}),
			Run:      run(Chamfer), RunBatch: run(ChamferBatch),
		},
		{
			Name: "chamfer-l1", Function: "ChamferL1", Unit: "length", Cost: "Euclidean",
			Summary:  "mean distance to the nearest point, half of both ways added",
			Options:  func() any { return new(ChamferOptions) },
			Defaults: withCommon(map[string]string{"WeightX": "1", "WeightY": "1"}),
			Run:      run(ChamferL1), RunBatch: run(ChamferL1Batch),
		},
	}
}

// run checks the type of the options.
func run[C, O, R any](f func(x, y C, o O) (R, error)) func(x, y C, options any) (R, error) {
	return func(x, y C, options any) (R, error) {
		o, ok := options.(*O)
		if !ok {
			var none R
			return none, &Error{"apmlgpu.Loss.Run", fmt.Errorf("%w: options are a %T, want a %T", ErrOption, options, o),
				"fill in what Options returned"}
		}
		return f(x, y, *o)
	}
}
