package backend

// EMD is one call of exact transport: all choices made.
type EMD struct {
	Squared bool      // the cost is the squared distance, else the distance
	MaxIter int64     // bids, paths and pivots at most; 0: no bound
	Warm    []float64 // potentials G to start from, by the caller's index; nil: none
}

// Arc is an entry of a transport plan.
type Arc struct {
	I, J int32   // the caller's indices
	Mass float64 // share of the mass
}

// EMDResult is what a call found, by the caller's indices.
type EMDResult struct {
	Arcs                []Arc     // of mass above zero, row by row, columns ascending
	F, G                []float64 // potentials: F_i + G_j <= C_ij for all pairs
	Primal, Dual        float64   // Σ P C, and Σ a F + Σ b G
	Gap                 float64   // Σ P (C − F − G), which is primal less dual
	Worst               float64   // least of C − F − G over all pairs
	Violations          int64     // pairs where that is below −Slack
	Slack               float64   // rounding of a sum of costs
	Method              string    // what has solved it
	N, M                int       // points that count
	UniqueN, UniqueM    int
	Bids, Paths, Pivots int64 // steps of the solvers
	Converged           bool  // the gap is as small as promised
	Dust                int   // points whose weight is too small to count
}
