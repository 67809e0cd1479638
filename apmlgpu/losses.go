package apmlgpu

import (
	"fmt"
	"reflect"
	"slices"

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
	// Needs are options that have no default, with a usual value.
	Needs map[string]float64
	// Metric says that it judges and has no gradient, and so no NoGrad and Grad64.
	Metric bool
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

// Losses returns the list of losses and metrics, a fresh one.
func Losses() []Loss {
	return slices.Concat(transportLosses(), chamferLosses(), metrics())
}

func transportLosses() []Loss {
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
			Name: "emd", Function: "EMD", Unit: "cost", Cost: "Euclidean",
			Summary:  "exact transport: the least mean cost of moving one cloud into the other, with its proof",
			Options:  func() any { return new(EMDOptions) },
			Defaults: withCommon(map[string]string{"Cost": "euclidean", "MaxIter": "no bound"}),
			Run:      run(EMD), RunBatch: run(EMDBatch),
		},
		{
			Name: "sinkhorn", Function: "Sinkhorn", Unit: "cost", Cost: "SqEuclidean",
			Summary: "Sinkhorn divergence: optimal transport with entropy, less what each cloud costs against itself",
			Options: func() any { return new(SinkhornOptions) },
			Defaults: withCommon(map[string]string{
				"Cost": "sqeuclidean", "Blur": "0.05 of the joint diameter", "Epsilon": "by Blur", "Reach": "no limit: balanced",
				"ReachX": "Reach", "ReachY": "Reach", "Scaling": "0.5", "Tol": "1e-3", "MaxIter": "1000", "Method": "auto",
			}),
			Run: run(Sinkhorn), RunBatch: run(SinkhornBatch),
		},
	}
}

// Usual returns what Options does, with the usual values of what Needs names.
func (l Loss) Usual() any {
	o := l.Options()
	for name, v := range l.Needs {
		reflect.ValueOf(o).Elem().FieldByName(name).SetFloat(v)
	}
	return o
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
