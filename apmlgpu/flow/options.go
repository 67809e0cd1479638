package flow

import (
	"context"
	"fmt"
	"math"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// Method is the rule by which a flow takes its steps.
type Method string

// The rules.
const (
	SGD   Method = "sgd"   // against the gradient, with momentum
	Adam  Method = "adam"  // each coordinate by its own scale: moments 0.9 and 0.999, 1e-8, corrected for their start
	LBFGS Method = "lbfgs" // quasi-Newton with a line search, for smooth losses
)

// Options tunes [Run]. The zero value is the recommended setting.
type Options struct {
	Method   Method  // SGD, Adam or LBFGS. Zero means SGD.
	Steps    int     // steps at most, above zero. Zero means 150.
	Step     float64 // size of a step, above zero: see Run. Zero means 0.1, of Adam 0.01 × the joint diameter. Not of LBFGS.
	Momentum float64 // share of the last move of SGD that stays, in [0,1). Zero means none.
	Scale    float64 // factor of GradX, above zero. Zero means N, or N/M for sums of APML.

	// Schedule is the factor of Step, at least 0, in step k of so many, from 0. Nil means
	// 1. Not of LBFGS.
	Schedule func(k, steps int) float64

	// Tol is the norm of the gradient (Path.GradNorm) that ends the flow, above zero. Zero
	// means every step is taken; LBFGS ends where no step goes down.
	Tol float64

	Every   int             // steps from one kept cloud to the next, above zero. Zero means about 100 clouds in all.
	Frame   func(Frame)     // is called with each kept cloud as soon as it is there. Nil means none.
	Context context.Context // ends the flow between two calls of the loss. Nil means only the notebook's stop does.
}

// Frame is a kept cloud of a flow under way. The cloud belongs to the path: read it.
type Frame struct {
	Step                      int
	Cloud                     cloud.Cloud
	Value, GradNorm, RowError float64
}

// Linear is a Schedule: it falls from 1 to 0 in a line. Losses whose gradient does not
// fade at the end, those of plain distances, come to rest by it.
func Linear(k, steps int) float64 { return 1 - float64(k)/float64(steps) }

// keptClouds is about how many clouds a path keeps by itself.
const keptClouds = 100

// resolve fills defaults and refuses nonsense; below it nobody tests for zero. The
// checks look at the fields as given, and are written so that NaN fails.
func (o Options) resolve(x, y cloud.Cloud) (Options, error) {
	positive := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	switch {
	case o.Method != "" && o.Method != SGD && o.Method != Adam && o.Method != LBFGS:
		return o, optionError("Method", fmt.Sprintf("%q", o.Method), `"sgd", "adam" or "lbfgs"`)
	case o.Steps < 0:
		return o, optionError("Steps", o.Steps, "a number of steps above zero")
	case !positive(o.Step):
		return o, optionError("Step", o.Step, "a finite length above zero")
	case !(o.Momentum >= 0 && o.Momentum < 1):
		return o, optionError("Momentum", o.Momentum, "a share of at least 0 and below 1")
	case !positive(o.Scale):
		return o, optionError("Scale", o.Scale, "a finite factor above zero")
	case !positive(o.Tol):
		return o, optionError("Tol", o.Tol, "a finite norm above zero")
	case o.Every < 0:
		return o, optionError("Every", o.Every, "a number of steps above zero")
	case o.Momentum > 0 && o.Method != "" && o.Method != SGD:
		return o, optionError("Momentum", o.Momentum, "zero for "+string(o.Method))
	case o.Method == LBFGS && o.Step > 0:
		return o, optionError("Step", o.Step, "zero for lbfgs, which finds its steps itself")
	case o.Method == LBFGS && o.Schedule != nil:
		return o, optionError("Schedule", "set", "nil for lbfgs, which finds its steps itself")
	}
	or := func(v *float64, def float64) {
		if *v == 0 {
			*v = def
		}
	}
	if o.Method == "" {
		o.Method = SGD
	}
	if o.Steps == 0 {
		o.Steps = 150
	}
	if o.Every == 0 {
		o.Every = (o.Steps + keptClouds - 1) / keptClouds
	}
	if o.Method == Adam {
		or(&o.Step, 0.01*cloud.Diameter(x, y))
	}
	or(&o.Step, 0.1) // and where all points are one
	return o, nil
}

func optionError(field string, got any, want string) error {
	return fail(apmlgpu.ErrOption, "set "+field+" to "+want, "%s is %v, want %s", field, got, want)
}

// length is the step of step k.
func (o Options) length(k int) float64 {
	if o.Schedule == nil {
		return o.Step
	}
	return o.Step * o.Schedule(k, o.Steps)
}
