package apmlgpu

import "fmt"

// Result is what a loss returns.
//
// GradX is N×D and GradY M×D, row by row, in the caller's order; a point of
// weight zero has gradient 0. GradX64 and GradY64 are the same before rounding,
// where Grad64 asked for them.
type Result struct {
	Value            float64
	GradX, GradY     []float32
	GradX64, GradY64 []float64
	Stats            Stats

	loss string
	cost *float64 // ⟨P, C⟩ where there is a plan
	plan func() (*Plan, error)

	potentials  *Potentials
	certificate *Certificate
}

// TransportCost returns ⟨P, C⟩, what the plan costs: of APML the sum of its
// entries times their distances, its value before PerPoint; of EMD its value, of Sinkhorn
// its value without entropy and self-terms. Losses without a plan answer ErrOption.
func (r Result) TransportCost() (float64, error) {
	if r.cost == nil {
		return 0, &Error{"apmlgpu.TransportCost", fmt.Errorf("%w: %s has no plan", ErrOption, r.loss), "call APML, EMD or Sinkhorn for a plan"}
	}
	return *r.cost, nil
}

// Plan computes the plan again and returns it, in the order and with the
// indices of the clouds of the call. Cost: that of the call; what the plan keeps
// is its entries, and for Map copies of both clouds. Losses without a plan answer
// ErrOption.
func (r Result) Plan() (*Plan, error) {
	if r.plan == nil {
		return nil, &Error{"apmlgpu.Plan", fmt.Errorf("%w: %s has no plan", ErrOption, r.loss),
			"call APML, EMD or Sinkhorn for a plan"}
	}
	return r.plan()
}

// outputBytes is the memory of the gradients.
func (r Result) outputBytes() int64 {
	return 4*int64(len(r.GradX)+len(r.GradY)) + 8*int64(len(r.GradX64)+len(r.GradY64))
}

// rows are the lines of the tables of a result.
func (r Result) rows() [][2]string {
	s := r.Stats
	rows := [][2]string{
		{r.loss, fmt.Sprintf("%.9g", r.Value)},
		{"points", counts(s.N, s.UniqueN) + " and " + counts(s.M, s.UniqueM)},
	}
	if s.NNZ > 0 {
		rows = append(rows, [2]string{"pairs", fmt.Sprintf("%d of %.4g", s.NNZ, float64(s.N)*float64(s.M))})
	}
	if s.Variant != "" {
		rows = append(rows,
			[2]string{"variant", s.Variant + ", " + s.limit()},
			[2]string{"rounds", fmt.Sprint(s.Iterations)},
			[2]string{"row error", fmt.Sprintf("%.4g, at most %.4g in a row", s.RowError, s.RowErrorMax)},
			[2]string{"column error", fmt.Sprintf("%.4g", s.ColError)},
		)
	}
	if c := r.certificate; c != nil {
		rows = append(rows, [2]string{"duality gap", fmt.Sprintf("%.2g, %d pairs below their potentials", c.Gap, c.Violations)},
			[2]string{"steps", fmt.Sprint(s.Iterations)})
	}
	if s.Epsilon > 0 {
		rows = append(rows,
			[2]string{"epsilon", fmt.Sprintf("%.4g", s.Epsilon)},
			[2]string{"rounds", fmt.Sprint(s.Iterations)},
			[2]string{"row error", fmt.Sprintf("%.4g, at most %.4g in a row", s.RowError, s.RowErrorMax)},
			[2]string{"column error", fmt.Sprintf("%.4g", s.ColError)},
		)
	}
	if s.Directions > 0 {
		rows = append(rows, [2]string{"directions", fmt.Sprintf("%d, standard error %.4g", s.Directions, s.StdErr)})
	}
	rows = append(rows, s.Metrics.rows()...)
	rows = append(rows,
		[2]string{"method", s.Method + " on " + s.Backend},
		[2]string{"memory", fmt.Sprintf("%.3g MiB", float64(s.PeakBytes)/(1<<20))},
		[2]string{"time", fmt.Sprintf("%.3g s", s.Seconds)},
	)
	for _, n := range s.Notes {
		rows = append(rows, [2]string{"note", n})
	}
	return rows
}

// counts is how many points count, and how many of them differ.
func counts(n, unique int) string {
	if unique == 0 || unique == n {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%d different)", n, unique)
}

// limit says which pairs of APML were kept.
func (s Stats) limit() string {
	if s.Threshold == 0 {
		return "every pair kept"
	}
	if s.Method == string(MethodOracle) { // which has no scalings to bound by
		return fmt.Sprintf("threshold %.3g", s.Threshold)
	}
	return fmt.Sprintf("threshold %.3g, below it at most %.2g of the value", s.Threshold, min(max(s.PrunedBound, s.PrunedCost), 1))
}

// String is the result as lines of text.
func (r Result) String() string { return plainTable(r.rows()) }

// MIMEBundle shows the result in a notebook: a small table, and text.
func (r Result) MIMEBundle() (map[string]any, error) { return bundle(r.rows()), nil }
