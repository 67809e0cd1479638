package apmlgpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cloud"
	"github.com/gondola-lab/gondola/internal/stop"
)

// Causes of an [Error], for errors.Is.
var (
	ErrEmpty        = errors.New("cloud is empty")
	ErrShape        = errors.New("shapes do not match")
	ErrNotFinite    = errors.New("coordinate is not finite")
	ErrWeights      = errors.New("weights are not usable")
	ErrMass         = errors.New("masses differ")
	ErrOption       = errors.New("option is out of range")
	ErrMemory       = errors.New("memory is too small")
	ErrNotConverged = errors.New("did not converge")
	ErrBackend      = errors.New("backend is not available")
	// ErrCanceled says that a Context or the notebook's stop has ended the call.
	// It is also context.Canceled.
	ErrCanceled error = canceled{}
)

type canceled struct{}

func (canceled) Error() string        { return "canceled" }
func (canceled) Is(target error) bool { return target == context.Canceled }

// Error reports a failed operation of this package.
type Error struct {
	Op     string // the function, as in "apmlgpu.APML"
	Err    error  // the cause; errors.Is and errors.As see through it
	Advice string // what to do next, one imperative sentence, or ""
}

// Error returns the operation and the cause with its numbers.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice. The kernel finds this method by its name and prints
// the text under the error; Error leaves it out, so logs stay short.
func (e *Error) Hint() string { return e.Advice }

func optionError(op, field string, got any, want string) error {
	return &Error{op, fmt.Errorf("%w: %s is %v, want %s", ErrOption, field, got, want),
		"set " + field + " to " + want}
}

func massError(op string, a, b float64) error {
	return &Error{op, fmt.Errorf("%w: %.10g and %.10g", ErrMass, a, b),
		"normalise both weights to the same sum, or set Reach in a loss that lets mass be created and destroyed"}
}

func memoryError(op, what string, need, limit int64) error {
	return failed(op, &backend.MemoryError{What: what, Need: need, Limits: limit})
}

// failed turns an error of a backend into one of this package.
func failed(op string, err error) error {
	var m *backend.MemoryError
	var d *backend.DeviceError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &d):
		return &Error{op, fmt.Errorf("%w: %s", ErrBackend, d.Reason), d.Advice}
	case errors.As(err, &m):
		return &Error{op, fmt.Errorf("%w: %s needs %d bytes, allowed are %d", ErrMemory, m.What, m.Need, m.Limits),
			"raise MaxBytes, thin the clouds, or let Method be automatic"}
	case errors.Is(err, stop.ErrStopped), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{op, fmt.Errorf("%w: %w", ErrCanceled, err), ""}
	}
	return &Error{op, err, ""}
}

// check refuses clouds that no loss can answer.
func check(op string, x, y cloud.Cloud) error {
	for _, c := range []struct {
		name string
		cloud.Cloud
	}{{"x", x}, {"y", y}} {
		switch {
		case c.N == 0:
			return &Error{op, fmt.Errorf("%w: %s has no point", ErrEmpty, c.name), "leave empty clouds out"}
		case c.N < 0 || c.D < 1 || len(c.X)/c.D != c.N || len(c.X)%c.D != 0:
			return &Error{op, fmt.Errorf("%w: %s says %d×%d and holds %d numbers", ErrShape, c.name, c.N, c.D,
				len(c.X)),
				"give N·D coordinates, row by row"}
		case c.N > math.MaxInt32:
			return &Error{op, fmt.Errorf("%w: %s has %d points, at most %d are indexed", ErrShape, c.name, c.N,
				math.MaxInt32), ""}
		}
	}
	if x.D != y.D {
		return &Error{op, fmt.Errorf("%w: x is %d×%d, y is %d×%d", ErrShape, x.N, x.D, y.N, y.D),
			"give clouds with the same number of coordinates a point"}
	}
	for i, c := range []cloud.Cloud{x, y} {
		if err := checkNumbers(op, []string{"x", "y"}[i], c); err != nil {
			return err
		}
	}
	return nil
}

// checkNumbers looks at every coordinate and weight of one cloud.
func checkNumbers(op, name string, c cloud.Cloud) error {
	for k, v := range c.X {
		if v-v != 0 { // NaN and both infinities
			return &Error{op, fmt.Errorf("%w: %s[%d][%d] is %v", ErrNotFinite, name, k/c.D, k%c.D, v),
				"drop or repair that point before the call"}
		}
	}
	if c.W == nil {
		return nil
	}
	if len(c.W) != c.N {
		return &Error{op, fmt.Errorf("%w: %s has %d points and %d weights", ErrShape, name, c.N, len(c.W)),
			"give one weight a point, or none at all"}
	}
	positive := false
	for i, w := range c.W {
		if !(w >= 0) || math.IsInf(w, 1) {
			return &Error{op, fmt.Errorf("%w: weight %d of %s is %v", ErrWeights, i, name, w),
				"give finite weights of at least zero"}
		}
		positive = positive || w > 0
	}
	if !positive {
		return &Error{op, fmt.Errorf("%w: all %d of %s are zero", ErrWeights, c.N, name),
			"give at least one point a weight above zero"}
	}
	return nil
}

// sameMass is how far, relatively, two masses may lie apart in a balanced loss.
const sameMass = 1e-6

// checkMass refuses weights whose sums differ; a cloud without weights has
// mass 1.
func checkMass(op string, x, y cloud.Cloud) error {
	unit := max(largestWeight(x), largestWeight(y)) // in which no sum overflows
	a, b := mass(x, unit), mass(y, unit)
	if !(math.Abs(a-b) <= sameMass*max(a, b)) {
		return massError(op, a*unit, b*unit)
	}
	return nil
}

func largestWeight(c cloud.Cloud) float64 {
	if c.W == nil {
		return 1
	}
	return slices.Max(c.W)
}

func mass(c cloud.Cloud, unit float64) float64 {
	if c.W == nil {
		return 1 / unit
	}
	sum := 0.0
	for _, w := range c.W {
		sum += w / unit
	}
	return sum
}
