package cloud

import (
	"fmt"
	"slices"
)

// Batch is several clouds of one dimension in one call. It is ragged: cloud b
// is rows Off[b] to Off[b+1] of X, so Off has one number more than there are
// clouds and begins with zero. W holds a weight a row, or is nil: every cloud
// has uniform weights of its own.
type Batch struct {
	D   int
	Off []int
	X   []float32
	W   []float64
}

// BatchOf makes a Batch of a dense b×n×d tensor, row-major: cloud i is the first
// lengths[i] rows of item i, and the padding behind them never enters: it may
// hold anything, NaN too. A nil lengths means n everywhere. The numbers are
// copied and not looked at; Validate does that.
//
// Errors: ErrShape for numbers that are not b·n·d, for lengths that are not b, and
// for one below zero or above n; ErrEmpty for a length of zero, with its index.
func BatchOf(x []float32, b, n, d int, lengths []int) (Batch, error) {
	const op = "cloud.BatchOf"
	if b < 1 || n < 1 || d < 1 || len(x)/b/n/d != 1 || len(x)%(b*n*d) != 0 {
		return Batch{}, shapeError(op, fmt.Sprintf("%d numbers for %d×%d×%d", len(x), b, n, d))
	}
	if lengths != nil && len(lengths) != b {
		return Batch{}, shapeError(op, fmt.Sprintf("%d lengths for %d clouds", len(lengths), b))
	}
	out := Batch{D: d, Off: make([]int, 1, b+1)}
	if lengths == nil {
		out.X = make([]float32, 0, len(x))
	}
	for i := range b {
		m := n
		if lengths != nil {
			m = lengths[i]
		}
		switch {
		case m == 0:
			return Batch{}, &Error{Op: op, Err: fmt.Errorf("%w: cloud %d has none", ErrEmpty, i),
				Advice: "leave the empty cloud out of the batch"}
		case m < 0 || m > n:
			return Batch{}, shapeError(op, fmt.Sprintf("length %d of cloud %d is not in 1 to %d", m, i, n))
		}
		out.X = append(out.X, x[i*n*d:(i*n+m)*d]...)
		out.Off = append(out.Off, out.Off[i]+m)
	}
	return out, nil
}

// Join makes a Batch of clouds of one dimension, in their order. Weights are
// kept: if some clouds have weights and others none, the others get 1/N.
// Attributes are left out.
func Join(clouds ...Cloud) (Batch, error) {
	const op = "cloud.Join"
	if len(clouds) == 0 {
		return Batch{}, &Error{Op: op, Err: fmt.Errorf("%w: no clouds", ErrEmpty), Advice: "give at least one cloud"}
	}
	weighted := slices.ContainsFunc(clouds, func(c Cloud) bool { return c.W != nil })
	out := Batch{D: clouds[0].D, Off: make([]int, 1, len(clouds)+1)}
	for b, c := range clouds {
		if err := c.shape(op); err != nil {
			return Batch{}, inCloud(err, b)
		}
		if c.D != out.D {
			return Batch{}, shapeError(op, fmt.Sprintf("cloud 0 has %d dimensions, cloud %d has %d", out.D, b, c.D))
		}
		out.X = append(out.X, c.X...)
		out.Off = append(out.Off, out.Off[b]+c.N)
		for i := 0; weighted && i < c.N; i++ {
			out.W = append(out.W, c.Weight(i))
		}
	}
	return out, nil
}

// Len returns the number of clouds.
func (b Batch) Len() int { return max(0, len(b.Off)-1) }

// At returns cloud i. It shares the memory of b.
func (b Batch) At(i int) Cloud {
	lo, hi := b.Off[i], b.Off[i+1]
	c := Cloud{N: hi - lo, D: b.D, X: b.X[lo*b.D : hi*b.D : hi*b.D]}
	if b.W != nil {
		c.W = b.W[lo:hi:hi]
	}
	return c
}

// Validate reports what is wrong with b, or nil; an error inside a cloud names
// the cloud's index.
func (b Batch) Validate() error {
	const op = "cloud.Validate"
	if b.Len() == 0 {
		return &Error{Op: op, Err: fmt.Errorf("%w: the batch has no clouds", ErrEmpty), Advice: "give at least one cloud"}
	}
	rows := b.Off[b.Len()]
	if b.D < 1 || b.Off[0] != 0 || !slices.IsSorted(b.Off) || len(b.X)/b.D != rows || len(b.X)%b.D != 0 {
		return shapeError(op, fmt.Sprintf("%d numbers for offsets %d to %d in %d dimensions", len(b.X), b.Off[0], rows, b.D))
	}
	if b.W != nil && len(b.W) != rows {
		return shapeError(op, fmt.Sprintf("%d weights for %d rows", len(b.W), rows))
	}
	for i := range b.Len() {
		if err := b.At(i).validate(op); err != nil {
			return inCloud(err, i)
		}
	}
	return nil
}

// inCloud puts the index of a cloud into an error of this package.
func inCloud(err error, b int) error {
	e := *err.(*Error)
	e.Err = fmt.Errorf("cloud %d: %w", b, e.Err)
	return &e
}
