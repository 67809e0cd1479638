//go:build cgo && linux

package cuda

// #include "shim.h"
import "C"

import (
	"context"
)

// Softmin gives for every row log₂ Σ_j 2^(H_j − Scale c_ij). Cost: O(N·M).
func (d *Device) Softmin(ctx context.Context, s Soft) ([]float64, error) {
	s.F = nil
	return d.soft(ctx, "Softmin", s, 1)
}

// Pull gives five numbers a row: Σ_j e_ij (1, c_ij, x_i − y_j) with
// e_ij = 2^(F_i + H_j − Scale c_ij); for plain distances (x_i − y_j)/c_ij.
// Cost: O(N·M).
func (d *Device) Pull(ctx context.Context, s Soft) ([]float64, error) {
	return d.soft(ctx, "Pull", s, C.AP_PULL)
}

func (d *Device) soft(ctx context.Context, op string, s Soft, width int) ([]float64, error) {
	if err := s.check(op, width > 1); err != nil {
		return nil, err
	}
	leave, err := d.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	n, m := len(s.X)/3, len(s.Y)/3
	j := C.ap_softjob{scale: C.double(s.Scale), limit: C.int64_t(s.Limit), n: C.int32_t(n), m: C.int32_t(m),
		plain: truth(s.Plain), wide: truth(s.Wide)}
	out := make([]float64, n*width)
	st := C.ap_soft_rows(d.c, &j, (*C.float)(first(s.X)), (*C.float)(first(s.Y)), (*C.double)(first(s.H)),
		(*C.double)(first(s.F)), (*C.double)(first(out)))
	if st == C.AP_CANCELED && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, d.check(op, st)
}
