package backend

// Sides of a Gibbs: x against y, or one cloud against itself.
const (
	Between = iota
	WithinX
	WithinY
)

// Ground costs of a Gibbs.
const (
	Square     = "sqeuclidean"
	Plain      = "euclidean"
	HalfSquare = "half-sqeuclidean"
)

// Forms in which a Gibbs holds its factors. Streaming is a form too: then every
// factor is computed again in every round.
const (
	Stored    = "stored"
	Truncated = "truncated"
)

// GibbsForm says what to open and how its factors are held.
type GibbsForm struct {
	Sides  int    // Between, WithinX or WithinY
	Cost   string // Square, Plain or HalfSquare
	Method string // Stored, Truncated or Streaming; of Coarse always Stored
	Narrow bool   // stored factors are float32
	Most   int64  // entries of a truncated form, above which it is refused as memory; 0: what fits
	Coarse int    // clusters of at least two points, at most so many a side, instead of points; 0: points
}

// Gibbs holds the Gibbs factors K_ij = exp((f_i + g_j − C_ij)/ε) of two sides of
// a pair, n against m different points, in the backend's own order. Vectors are
// float64, one number a point, and belong to the caller.
type Gibbs interface {
	Size() (n, m int)
	// Shares returns the weights of both sides, each with sum 1, which nobody
	// writes to.
	Shares() (a, b []float64)
	// Largest is an upper bound of the cost.
	Largest() float64
	// Softmin sets dst_i = −ε log Σ_j exp(h_j − C_ij/ε) with the maximum taken out,
	// or with the sides exchanged. h may be −∞, not everywhere. Memory: a line.
	Softmin(dst, h []float64, eps float64, swapped bool) error
	// Hold makes the factors of f, g and ε. It says false where one does not fit
	// into the numbers that hold it.
	Hold(f, g []float64, eps float64) (bool, error)
	// Covers says that what a truncated form has left out does not matter for
	// potentials f and g either; else Hold is needed. Drift says the same by the
	// largest logarithms of scalings of rows and of columns, added.
	Covers(f, g []float64) bool
	Drift(most float64) bool
	// Drop lets go of the factors. While a truncated form holds some, Softmin and
	// Transport go over its pairs, else over all.
	Drop()
	// Round takes w and gives r = K w to step, row by row in any order and side by
	// side, and then sets c = Kᵀ z, z_i = step(i, r_i). A nil c leaves that out.
	Round(w, c []float64, step func(i int, r float64) float64) error
	// Meet finds factors of groups of neighbours that bring the plan z_i K_ij w_j nearer
	// to its masses; it says false where it has none.
	Meet(q Meet) (bool, error)
	// Transport goes through the plan a_i b_j exp((f_i + g_j − C_ij)/ε).
	Transport(q Transport) (*Transported, error)
	// Extend is Softmin where h belongs to the columns of a coarse Gibbs of the same
	// sides, or to its rows if swapped.
	Extend(dst, h []float64, coarse Gibbs, eps float64, swapped bool) error
	// Factor is exp((f + g − C_ij)/ε), and Factors that of every column.
	Factor(i, j int, f, g, eps float64) float64
	Factors(dst []float64, i int, f float64, g []float64, eps float64)
	// Held tells what is held: the form, its entries, and the share of a row's mass
	// that entries left out may carry.
	Held() (method string, entries int64, bound float64)
	// Close gives the memory back.
	Close()
}

// Meet is a plan z_i K_ij w_j that should have the masses A and B; U and V get a factor
// a point, and stay as they are where there is none.
type Meet struct{ Z, W, A, B, U, V []float64 }

// Transport is a pass through a plan.
type Transport struct {
	F, G []float64
	A, B []float64 // masses of the points
	Eps  float64
	Grad bool
}

// Transported is what a pass found. Gradients are those of ⟨P, C⟩ with P held, by
// point and coordinate, of all copies of a point together.
type Transported struct {
	Rows, Cols   []float64 // sums of the plan
	Cost         float64   // ⟨P, C⟩
	GradX, GradY []float64
}
