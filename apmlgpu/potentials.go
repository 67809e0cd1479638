package apmlgpu

import (
	"fmt"
	"slices"
)

// Potentials are the dual variables of a transport problem in the caller's
// order, in units of the cost: f_i + g_j <= C_ij for all pairs, with equality
// where the exact plan has mass. A point of weight zero has 0.
type Potentials struct {
	F, G []float64
}

// Potentials returns the potentials of EMD, a copy. Other losses answer
// ErrOption.
func (r Result) Potentials() (Potentials, error) {
	if r.potentials == nil {
		return Potentials{}, &Error{"apmlgpu.Potentials", fmt.Errorf("%w: %s has no potentials", ErrOption, r.loss),
			"call EMD for potentials"}
	}
	return Potentials{F: slices.Clone(r.potentials.F), G: slices.Clone(r.potentials.G)}, nil
}
