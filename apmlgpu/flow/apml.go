package flow

import (
	"sync"

	"github.com/gondola-lab/gondola/apmlgpu"
	"github.com/gondola-lab/gondola/cloud"
)

// What APML leaves out of a plan, as a share of mass or value: at most, as where it
// chooses the threshold itself, and what the next call of a flow aims at.
const (
	leftMost = 1e-6
	leftAim  = 1e-8
)

// Thresholds that a flow passes on.
const (
	leastThreshold = 1e-290
	mostThreshold  = 1e-20
)

// APML is [apmlgpu.APML] as a loss whose calls start from the threshold of the call
// before, where the options leave the threshold open: between clouds that differ much
// a call by itself finds it by trying twice. A threshold that turns out to leave out
// more than 1e-6 of mass or value is not used: the call is made again without it.
//
// Each [Run] begins anew, so that two runs are alike to the bit. Several goroutines may
// call it, one after the other; let each flow have one of its own.
func APML(opt apmlgpu.APMLOptions) Loss {
	open := opt.Threshold == 0 && opt.Variant != apmlgpu.Reference && opt.Merge != apmlgpu.MergeCount && opt.Trace == nil
	var mu sync.Mutex
	var m memory
	next := 0.0
	return func(x, y cloud.Cloud) (apmlgpu.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if !m.knows(x, y) {
			next, m.y, m.n = 0, y.X, x.N
		}
		o := opt
		if open {
			o.Threshold = next
		}
		r, err := apmlgpu.APML(x, y, o)
		if o.Threshold != opt.Threshold && err == nil && !(left(r) <= leftMost) {
			r, err = apmlgpu.APML(x, y, opt)
		}
		if next = 0; err == nil && open {
			next = nextThreshold(r)
		}
		return r, err
	}
}

// left is what a result leaves out, at most.
func left(r apmlgpu.Result) float64 { return max(r.Stats.PrunedBound, r.Stats.PrunedCost) }

// nextThreshold is the one for a cloud a little further on, or 0: let the call choose.
// What is left out is proportional to it.
func nextThreshold(r apmlgpu.Result) float64 {
	t := r.Stats.Threshold
	if b := left(r); b > 0 {
		t *= leftAim / b
	}
	if !(t >= leastThreshold) {
		return 0
	}
	return min(t, mostThreshold)
}
