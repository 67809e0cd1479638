package apmlgpu

import "fmt"

// Certificate proves that a value is the least: for potentials f and g with
// f_i + g_j <= C_ij, no plan costs less than the dual Σ a f + Σ b g. All in units of
// the cost.
type Certificate struct {
	Primal           float64 // what the plan costs: the value
	Dual             float64 // what no plan goes below
	Gap              float64 // primal less dual, Σ P (C − f − g)
	WorstReducedCost float64 // least of C_ij − f_i − g_j over all pairs, which were all looked at
	Violations       int64   // pairs where that is below zero by more than rounding
}

// Certificate returns the proof of EMD. Other losses answer ErrOption.
func (r Result) Certificate() (Certificate, error) {
	if r.certificate == nil {
		return Certificate{}, &Error{"apmlgpu.Certificate", fmt.Errorf("%w: %s has no certificate", ErrOption, r.loss),
			"call EMD for a certificate"}
	}
	return *r.certificate, nil
}
