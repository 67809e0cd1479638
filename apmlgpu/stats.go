package apmlgpu

import (
	"time"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Stats tells how a result was got and how good it is.
type Stats struct {
	Backend       string // "cpu" or "gpu"
	Device        string // of the GPU: its name and index
	BackendReason string // why "auto" took this one, or ""
	Method        string // "sparse", "dense", "streaming", "oracle", "nearest", "sorted", "auction", "simplex", "stored", "truncated"
	Variant       string // of APML: "faithful" or "reference"

	N, M             int   // points that count: those of weight zero do not
	UniqueN, UniqueM int   // different points
	NNZ              int64 // pairs of original points in the support, without those of uniform rows
	NNZRows, NNZCols int64 // the same for the row side and the column side
	Stored           int64 // entries that were held

	Iterations  int     // rounds of balancing; steps of EMD
	Converged   bool    // Tol was reached, or the fixed number of rounds done
	Mass        float64 // of the plan: M for APML, up to 1e-8
	RowError    float64 // Σ |row sum − M a_i| / M; of Sinkhorn Σ |row sum − target| / Σ a, the target a_i, or a_i e^(−f_i/ρ) with a reach
	RowErrorMax float64 // largest of |row sum − M a_i| / (M a_i)
	ColError    float64 // Σ |column sum − M b_j| / M

	TiedRows, TiedCols int     // original points whose two nearest are equally far
	Threshold          float64 // used; 0: every pair was kept
	PrunedBound        float64 // share of the mass that dropped entries would carry, by the bound B; 0 of the oracle
	PrunedCost         float64 // the same of the value
	Retries            int     // times the threshold was lowered

	Gap              float64 // of EMD: primal less dual, in units of the cost
	WorstReducedCost float64 // of EMD: least of C − f − g over all pairs

	Epsilon      float64 // ε of Sinkhorn, in units of the cost
	SelfX, SelfY float64 // its self-terms: OT_ε of each cloud with itself

	Directions int       // of Sliced
	StdErr     float64   // standard error of the mean over the directions; 0 for one, and for Max
	Direction  []float64 // of Max: the one that was taken

	Metrics *MetricValues // of metrics and Hausdorff; nil elsewhere

	Stages      []Stage
	PeakBytes   int64   // most work memory alive at once
	OutputBytes int64   // gradients
	Seconds     float64 // of the whole call

	Notes []string // sentences for people
}

// Stage is a named part of the work.
type Stage struct {
	Name    string
	Bytes   int64 // most work memory alive at once while it ran
	Seconds float64
}

// Step is what a Trace function is told after a round.
type Step struct {
	Item      int     // index in a batch; 0 of a single pair
	Iteration int     // rounds done, from 1
	RowError  float64 // share of the mass
}

// spend takes over the cost of a pair and the time since start.
func (s *Stats) spend(c backend.Spent, start time.Time) {
	for _, st := range c.Stages {
		s.Stages = append(s.Stages, Stage(st))
	}
	s.PeakBytes = c.PeakBytes
	s.Seconds = time.Since(start).Seconds()
}
