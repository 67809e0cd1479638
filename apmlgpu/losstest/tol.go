package losstest

// Tolerances of the suite, each with its reason. Comparisons are written
// !(diff <= tol), so that NaN fails.
const (
	// absValue is added to every relative tolerance of a value: sums that are
	// zero in exact arithmetic keep some units in the last place.
	absValue = 1e-11
	// absDevice is the same of a device, and deviceGradients how much more gradients
	// may be off there.
	absDevice       = 1e-6
	deviceGradients = 100
	// absGradient is the same for gradients, whose terms cancel.
	absGradient = 1e-9
	// defaultRTol is for a case that names no tolerance of its own: what most have.
	defaultRTol = 1e-9
	// automatic is what Faithful promises of the dense value when it chooses its
	// own threshold: the largest pruned bound it accepts.
	automatic = 1e-6
	// sameMethod is how far two ways to hold the same plan may lie apart: the
	// order of sums, and the plan rescaled in place or by two vectors.
	sameMethod = 1e-9
	// exactSum is for sums that differ by their order only.
	exactSum = 1e-12
	// balance is for equations of a gradient as a whole, relative to its norm.
	balance = 1e-9
	// differences is for central differences in float64 with a step of 1e-5 of
	// the diameter: the step's square and the rounding of the value by the step.
	differences = 1e-6
	// float32Gradient is half a unit in the last place of float32, twice.
	float32Gradient = 1.2e-7
)

// within says that |got − want| <= rel·|want| + abs; false for NaN.
func within(got, want, rel, abs float64) bool {
	d := got - want
	if d < 0 {
		d = -d
	}
	if want < 0 {
		want = -want
	}
	return d <= rel*want+abs
}
