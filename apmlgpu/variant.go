package apmlgpu

// Variant chooses between the two readings of APML.
type Variant string

const (
	// Faithful is the dense definition, to 1e-6 of the value, with a support
	// that is as small as that allows. It is the default.
	Faithful Variant = "faithful"
	// Reference is what the published sparse code computes, in float64.
	Reference Variant = "reference"
)

// Merge says how the row side and the column side of APML become one plan.
type Merge string

const (
	// MergeHalf is half the sum of both sides; an entry of one side keeps half.
	MergeHalf Merge = "half"
	// MergeCount is the mean over the sides that hold the pair; an entry of one
	// side keeps all. A uniform row holds every pair. With an automatic threshold,
	// which stands for none, both sides hold every pair, and this is MergeHalf.
	MergeCount Merge = "count"
)

// Ties says what becomes of a row whose two nearest points are equally far.
type Ties string

const (
	// UniformRow gives every one of the K candidates 1/K, as the dense code does.
	UniformRow Ties = "uniform"
	// Split shares the row among the tied points.
	Split Ties = "split"
)

// Method says how APML holds its plan, and Sinkhorn its Gibbs factors.
type Method string

const (
	MethodAuto      Method = "auto"      // by the size of the support
	MethodSparse    Method = "sparse"    // the support only
	MethodDense     Method = "dense"     // every pair, stored: 8 bytes each
	MethodStreaming Method = "streaming" // every pair, computed again when needed: O(N+M) memory
	MethodOracle    Method = "oracle"    // the definition in plain loops: slow, right by inspection
	MethodStored    Method = "stored"    // of Sinkhorn: every factor, 4 or 8 bytes each
	MethodTruncated Method = "truncated" // of Sinkhorn: the factors that matter at its ε
)

// Reduce says how the losses of a batch become one value. It has no effect on a
// single pair.
type Reduce string

const (
	Mean Reduce = "mean" // of the pairs
	Sum  Reduce = "sum"  // of the pairs, as the published sparse APML
)
