// Package backend is the contract between the losses and whatever computes
// them: a Backend opens a pair of clouds, a Pair supplies operations. A loss is
// written once over these operations.
package backend

import (
	"context"
	"fmt"

	"github.com/gondola-lab/gondola/cloud"
)

// Backend opens pairs. The clouds have been checked: they are not empty, agree
// in D, are finite, and weights are finite, at least zero, with a sum above
// zero. A backend never writes to them and keeps no part of them.
type Backend interface {
	Name() string
	Open(x, y cloud.Cloud, r Resources) (Pair, error)
}

// Resources bound what a pair may use.
type Resources struct {
	Threads  int             // at least 1; no result depends on it
	MaxBytes int64           // work memory
	Context  context.Context // never nil
}

// Pair is two clouds opened on a backend, without their points of weight zero.
// Its operations run one at a time.
type Pair interface {
	// Nearest finds for every point of x its nearest point of y, or the other
	// way round if swapped.
	Nearest(swapped bool) (Neighbours, error)
	// APML computes the sparse or dense APML plan, its value and gradients.
	APML(q APML) (*APMLResult, error)
	// Gibbs opens two sides for entropic transport.
	Gibbs(form GibbsForm) (Gibbs, error)
	// Points tells of the different points of x, or of y, in the backend's order:
	// which one each of the caller's is, −1 where its weight is zero, and how often
	// each is there.
	Points(ofY bool) (index []int32, times []float64)
	// Enter begins a stage of the work by its name; "" ends it.
	Enter(stage string)
	// Spent tells what the operations so far have cost.
	Spent() Spent
	// Close lets go of everything; no goroutine is left.
	Close()
}

// Neighbours are nearest points, by the caller's index of the asking point.
// The lowest index wins a tie. A point of weight zero has no neighbour: Index
// −1, Square 0.
type Neighbours struct {
	Index  []int32
	Square []float64 // squared distance, length²
}

// Stage is a named part of the work.
type Stage struct {
	Name    string
	Bytes   int64 // most work memory alive at once while it ran
	Seconds float64
}

// Spent is the cost of a pair's operations.
type Spent struct {
	Stages    []Stage
	PeakBytes int64
	Alive     int64 // bytes that the pair holds now
}

// Methods of APML.
const (
	Auto      = "auto"
	Sparse    = "sparse"
	Dense     = "dense"
	Streaming = "streaming"
)

// APML is one call: all choices made, all defaults filled in.
type APML struct {
	Method     string
	MinProb    float64 // p
	Margin     float64 // δ
	Iterations int     // rounds, when Tol is zero
	Tol        float64 // row error to reach, or zero
	MaxIter    int     // rounds at most, when Tol is not zero
	LogInverse float64 // ln(1/t), t the threshold; +Inf keeps every pair
	Automatic  bool    // lower the threshold if the pruned bound asks
	CountMerge bool    // merge by the number of sides that hold the pair
	UniformRow bool    // rule of exact ties: uniform over all, else split
	Reference  bool    // gap, scaling step and gradient of the published code
	Floor      float64 // least length that a direction is divided by, with Reference
	NoGrad     bool
	Grad64     bool // give the gradients in float64 too
	Plan       bool // give the plan too
	Trace      func(iteration int, rowError float64)
}

// APMLResult is what a call found.
type APMLResult struct {
	Value                    float64
	GradX, GradY             []float32
	GradX64, GradY64         []float64
	Method                   string
	N, M, UniqueN, UniqueM   int
	NNZ, NNZRows, NNZCols    int64 // pairs of original points
	Stored                   int64 // entries held in memory
	Iterations               int
	Converged                bool
	Mass                     float64
	RowError, RowErrorMax    float64
	ColError                 float64
	TiedRows, TiedCols       int
	LogInverse               float64
	PrunedBound, PrunedCost  float64
	Retries                  int
	Plan                     *Plan
	SwallowedRows, Swallowed int // rows, and all queries, whose gap is below the margin without a tie
}

// Plan is a balanced plan as an operator, by different points:
//
//	P_ij = Stored_ij + U_i (Alpha_i + Beta_j) V_j
//
// where the sum is halved if both terms are there and Half is set. Equal points
// of the caller share their row or column.
type Plan struct {
	N, M        int     // points of the caller
	X, Y        []int32 // the different point of each of the caller's, −1 where the weight is zero
	U, V        []float64
	Alpha, Beta []float64 // terms of tied rows and columns, which hold every pair; nil: none
	Half        bool
	Stored      Entries
}

// Entries are the stored entries of a plan.
type Entries interface {
	// Line calls f for those of row i, columns ascending.
	Line(i int, f func(j int, v float64))
	At(i, j int) float64
}

// DeviceError says that a device cannot be used, or not for this call.
type DeviceError struct {
	Reason string // a whole sentence
	Advice string // what to do about it, or ""
}

func (e *DeviceError) Error() string { return e.Reason }

// MemoryError says that work would need more memory than allowed. Nothing of
// it was allocated.
type MemoryError struct {
	What         string
	Need, Limits int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s needs %d bytes, allowed are %d", e.What, e.Need, e.Limits)
}
