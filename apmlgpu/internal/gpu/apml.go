package gpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
	"github.com/gondola-lab/gondola/cuda"
)

// Limits of the pruned bounds, and how often a threshold is lowered, as on the CPU.
const (
	boundMost = 1e-6
	boundAim  = 1e-8
	retries   = 2
)

// wideFrom is the ln(1/t) from which entries are held in double: lifted floats
// would be subnormal. tiedRounds is the number of rounds that tied lines allow.
const (
	wideFrom   = 115
	tiedRounds = 32
)

// call is one call of APML.
type call struct {
	*pair
	q   backend.APML
	a   *cuda.APML
	one cuda.Pair
	out *backend.APMLResult

	logitX, logitY float64
	rounds         int
	tied           bool
}

// APML computes the plan, its value and gradients. Device memory: about 132 bytes
// a point, 16 an entry of the support, 24 with values in double.
func (p *pair) APML(q backend.APML) (*backend.APMLResult, error) {
	defer p.Enter("")
	switch {
	case q.Method == backend.Streaming:
		return nil, unable(`Method "streaming"`)
	case q.Trace != nil:
		return nil, unable("a Trace")
	}
	c := &call{pair: p, q: q, out: &backend.APMLResult{
		N: p.x.total, M: p.y.total, UniqueN: p.x.n, UniqueM: p.y.n,
	}}
	p.Enter("near2")
	spread, err := c.open()
	if err != nil {
		return nil, p.failed(err)
	}
	defer c.a.Close()
	if err := c.solve(spread); err != nil {
		return nil, p.failed(err)
	}
	return c.out, nil
}

// open takes the clouds to the device.
func (c *call) open() (cuda.Sums, error) {
	x, y := c.x, c.y
	c.logitX, c.logitY = logit(y.total, c.q.MinProb), logit(x.total, c.q.MinProb)
	c.one = cuda.Pair{
		LogTerm: c.logitX / math.Ln2, LogTermC: c.logitY / math.Ln2, Unit: x.unit,
		N: int32(x.n), M: int32(y.n), TotalN: int32(x.total), TotalM: int32(y.total),
	}
	c.grid()
	c.threshold(c.q.LogInverse)
	job := cuda.Job{
		Pairs: []cuda.Pair{c.one}, X: x.x, Y: y.x, Tree: int64(x.n)*int64(y.n) > cuda.BruteMost,
		Reference: c.q.Reference, Uniform: c.q.UniformRow, Count: c.q.CountMerge,
		Margin: c.q.Margin, Share: 0.5, Limit: c.maxBytes,
	}
	if c.q.CountMerge {
		job.Share = 1
	}
	if c.q.Reference {
		job.Floor = c.q.Floor
	}
	job.WX, job.WY = both(x.share, y.share, x.n, y.n)
	job.MX, job.MY = both(x.mult, y.mult, x.n, y.n)
	a, spread, err := c.b.device.APML(c.ctx, job)
	if err != nil {
		return cuda.Sums{}, err
	}
	c.a = a
	c.holds(a.Held())
	return spread[0], nil
}

// grid lays the Morton cells over the joint box.
func (c *call) grid() {
	low, high := [3]float32{}, [3]float32{}
	copy(low[:], c.x.x)
	copy(high[:], c.x.x)
	for _, s := range []*side{c.x, c.y} {
		for i, v := range s.x {
			low[i%3], high[i%3] = min(low[i%3], v), max(high[i%3], v)
		}
	}
	extent := float32(0)
	for k := range low {
		extent = max(extent, high[k]-low[k])
	}
	c.one.Low = low
	if extent > 0 {
		c.one.Scale = min((1<<21)/extent, math.MaxFloat32)
	}
}

// threshold sets the support factors κ for ln(1/t).
func (c *call) threshold(logInverse float64) {
	c.one.Rho, c.one.RhoC = math.Inf(1), math.Inf(1)
	if c.logitX > 0 {
		c.one.Rho = logInverse / c.logitX
	}
	if c.logitY > 0 {
		c.one.RhoC = logInverse / c.logitY
	}
}

// first is ln(1/t) of the threshold that an automatic choice begins with; see the
// same function of the CPU. The two nearest are float here: the choice may differ
// from the CPU's in its last digits.
func (c *call) first(logInverse float64, spread cuda.Sums) float64 {
	dimension := (spread.Rows[1] + spread.Cols[1]) / (spread.Rows[0] + spread.Cols[0])
	if !(dimension <= 3) { // also for 0/0
		dimension = 3
	}
	pairs := math.Log(float64(c.out.N)) + math.Log(float64(c.out.M))
	return max(logInverse, 2*pairs-math.Log(5e-15)-(max(dimension, 1)-2)*math.Log(1000))
}

// solve balances and measures the pruned bound, with a lower threshold where the
// bound asks for it, and then makes value, gradients and plan.
func (c *call) solve(spread cuda.Sums) error {
	logInverse, method := c.q.LogInverse, c.q.Method
	if c.q.Automatic {
		logInverse = c.first(logInverse, spread)
	}
	for try := 0; ; try++ {
		c.out.Retries = try
		used, err := c.build(&method, logInverse)
		if err != nil {
			return err
		}
		c.out.LogInverse = used
		if err := c.balance(); err != nil {
			return err
		}
		bound, err := c.prune(used)
		if err != nil {
			return err
		}
		c.out.PrunedBound = bound.mass / float64(c.out.M)
		worst := c.out.PrunedBound
		if !c.q.Automatic || worst <= boundMost {
			if err := c.finish(); err != nil {
				return err
			}
			c.out.PrunedCost = bound.share(c.out.Value)
			worst = max(worst, c.out.PrunedCost)
		}
		if !c.q.Automatic || worst <= boundMost {
			return c.hand()
		}
		if try >= retries || math.IsNaN(worst) || math.IsInf(worst, 1) {
			method, logInverse = backend.Dense, math.Inf(1)
		} else {
			logInverse += math.Log(worst / boundAim)
		}
	}
}

// build makes the plan before balancing. Where the support is not small, and an
// automatic threshold leaves it free, every pair is taken.
func (c *call) build(method *string, logInverse float64) (used float64, err error) {
	most := int64(math.MaxInt32)
	if *method == backend.Auto {
		most = int64(min(float64(c.x.n)*float64(c.y.n)/backend.SparseShare, math.MaxInt32))
	}
	c.out.Method = backend.Sparse
	if *method == backend.Dense {
		if c.q.Automatic {
			logInverse = math.Inf(1)
		}
		c.out.Method = backend.Dense
	}
	c.Enter("support")
	c.threshold(logInverse)
	s, err := c.a.Support([]cuda.Pair{c.one}, logInverse > wideFrom, most)
	if err != nil {
		return 0, err
	}
	c.holds(c.a.Held())
	ties := c.rounding() > tiedRounds && s.Tied
	switch {
	case s.Refused && *method == backend.Auto, ties && c.q.Automatic && *method != backend.Dense:
		*method = backend.Dense
		return c.build(method, logInverse)
	case s.Refused:
		return 0, unable("supports of more than 2^31 pairs (%d)", s.Entries)
	case ties:
		return 0, unable("more than %d rounds with tied rows at a given threshold", tiedRounds)
	}
	out := c.out
	out.TiedRows, out.TiedCols = int(s.Ties[0].Rows[0]), int(s.Ties[0].Cols[0])
	out.SwallowedRows = int(s.Ties[0].Rows[1])
	out.Swallowed = out.SwallowedRows + int(s.Ties[0].Cols[1])
	kept := s.Pairs[0].Rows
	out.NNZ, out.NNZRows, out.NNZCols, out.Stored = int64(kept[0]), int64(kept[1]), int64(kept[2]), s.Entries
	return logInverse, nil
}

// rounding is the number of rounds at most.
func (c *call) rounding() int {
	if c.q.Tol > 0 {
		return c.q.MaxIter
	}
	return c.q.Iterations
}

// balance runs a fixed number of rounds, or until the row error is at most Tol.
func (c *call) balance() error {
	c.Enter("balance")
	if c.q.Tol == 0 {
		_, err := c.a.Rounds(c.q.Iterations, false)
		c.out.Iterations, c.out.Converged = c.q.Iterations, true
		return err
	}
	c.out.Converged = false
	for c.out.Iterations = 0; c.out.Iterations < c.q.MaxIter && !c.out.Converged; c.out.Iterations++ {
		s, err := c.a.Rounds(1, true)
		if err != nil {
			return err
		}
		c.out.Converged = s[0].Rows[2]/float64(c.out.M) <= c.q.Tol
	}
	return nil
}

// finish makes value, gradients and errors.
func (c *call) finish() error {
	c.Enter("gradient")
	sums, gx, gy, err := c.a.Finish(!c.q.NoGrad)
	if err != nil {
		return err
	}
	out, rows, cols := c.out, sums[0].Rows, sums[0].Cols
	out.Value, out.Mass = rows[0], rows[1]
	out.RowError, out.RowErrorMax, out.ColError = rows[2]/float64(out.M), rows[3], cols[2]/float64(out.M)
	if c.q.NoGrad {
		return nil
	}
	out.GradX, out.GradX64 = c.gradient(c.x, gx)
	out.GradY, out.GradY64 = c.gradient(c.y, gy)
	return nil
}

// gradient is by the caller's index.
func (c *call) gradient(s *side, g []float64) (narrow []float32, wide []float64) {
	narrow = make([]float32, s.size*s.given)
	if c.q.Grad64 {
		wide = make([]float64, s.size*s.given)
	}
	for i := range s.n {
		s.copies(i, func(original int) {
			for k := range s.given {
				narrow[original*s.given+k] = float32(g[3*i+k])
				if wide != nil {
					wide[original*s.given+k] = g[3*i+k]
				}
			}
		})
	}
	return narrow, wide
}

// pruned bounds what dropped entries would carry, and cost.
type pruned struct{ mass, cost float64 }

func (p pruned) share(value float64) float64 {
	if p.cost == 0 {
		return 0
	}
	return p.cost / value
}

// prune is t/2 (Σ u_i/Z_i Σ v_j + Σ u_i Σ v_j/Z'_j), and the same of the cost; see
// the same function of the CPU. Logarithms, because the sums may pass 1e100.
func (c *call) prune(logInverse float64) (pruned, error) {
	if math.IsInf(logInverse, 1) {
		return pruned{}, nil
	}
	s, base, err := c.a.Bound()
	if err != nil {
		return pruned{}, err
	}
	logs := func(sums [4]float64, base int32) (l [3]float64) {
		for k := range l {
			l[k] = math.Log(sums[k]) + float64(base)*math.Ln2
		}
		return l
	}
	x, y := logs(s[0].Rows, base[0][0]), logs(s[0].Cols, base[0][1])
	return pruned{
		mass: expSum(x[1]+y[0]-logInverse, x[0]+y[1]-logInverse),
		cost: expSum(x[2]+y[0]-logInverse, x[0]+y[2]-logInverse),
	}, nil
}

// expSum is e^a + e^b.
func expSum(a, b float64) float64 {
	top := max(a, b)
	if math.IsInf(top, -1) {
		return 0
	}
	return math.Exp(top + math.Log(math.Exp(a-top)+math.Exp(b-top)))
}
