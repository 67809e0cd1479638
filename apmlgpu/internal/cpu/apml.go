package cpu

import (
	"math"

	"github.com/gondola-lab/gondola/apmlgpu/internal/backend"
)

// Limits of the pruned bounds, of mass and of value: above boundMost an automatic
// threshold is lowered to where the bound would be boundAim, retries times at
// most; then all pairs are taken.
const (
	boundMost = 1e-6
	boundAim  = 1e-8
	retries   = 2
)

// first is ln(1/t) of the threshold that an automatic choice begins with: 1e-20,
// or where it is lower 5e-15/(N·M)² on a surface, a thousand times that for each
// dimension more. Between random clouds the pruned bound at a fixed threshold
// grows about as (N·M)²: it asked for 8e-28 at 4,096 points on a sphere, 1e-24 in
// a cube, and 1e-33 and 4e-30 at 131,072. Beginning there saves the first of two
// rounds; a wrong guess costs time, never the value.
//
// The dimension is the number of points over Σ ln(d₂/d₁), its likeliest value
// where points lie evenly (Levina and Bickel, 2004).
func (a *apml) first(logInverse float64) float64 {
	dimension := float64(a.x.spreadN+a.y.spreadN) / (a.x.spread + a.y.spread)
	if !(dimension <= 3) { // also for 0/0
		dimension = 3
	}
	pairs := math.Log(float64(a.out.N)) + math.Log(float64(a.out.M))
	return max(logInverse, 2*pairs-math.Log(5e-15)-(max(dimension, 1)-2)*math.Log(1000))
}

// apml is one call.
type apml struct {
	*pair
	q    backend.APML
	x, y *half
	out  *backend.APMLResult

	held   int64 // bytes of the plan now alive
	turned int64 // bytes of them that are the plan by columns
	ahead  int64 // bytes reserved for the balance of a streaming plan
	back   int64 // bytes reserved for the gradient of a plan by rows
	used   int64 // bytes now alive that were reserved
	halves int64 // bytes of x and y
}

// APML computes the plan, its value and gradients. Memory: about 100 bytes a
// point and 24 an entry of the support, or 8 a pair when it is dense.
func (p *pair) APML(q backend.APML) (*backend.APMLResult, error) {
	defer p.ledger.enter("")
	a := &apml{pair: p, q: q, out: &backend.APMLResult{
		N: p.x.total, M: p.y.total, UniqueN: p.x.n, UniqueM: p.y.n,
	}}
	points := int64(p.x.n) + int64(p.y.n)
	later := balanceBytes(p.x, p.y) + tieBytes*points
	if err := p.ledger.reserve("APML", later); err != nil {
		return nil, err
	}
	defer p.ledger.reserve("", -later)
	if err := p.ledger.take("APML", halfBytes*points); err != nil {
		return nil, err
	}
	a.halves = halfBytes * points
	defer func() { p.ledger.drop(a.halves) }()
	if err := a.near2(); err != nil {
		return nil, err
	}
	return a.out, a.solve()
}

// near2 is the first stage: the two nearest of every point, both ways.
func (a *apml) near2() (err error) {
	a.ledger.enter("near2")
	r := rule{p: a.q.MinProb, margin: a.q.Margin, share: 0.5, uniformRow: a.q.UniformRow, floor: a.q.Reference}
	if a.q.CountMerge {
		r.share = 1
	}
	if a.x, err = newHalf(a.pair.x, a.pair.y, r, a.crew); err != nil {
		return err
	}
	if a.y, err = newHalf(a.pair.y, a.pair.x, r, a.crew); err != nil {
		return err
	}
	a.out.TiedRows, a.out.TiedCols = int(a.x.tied), int(a.y.tied)
	a.out.SwallowedRows, a.out.Swallowed = int(a.x.swallowed), int(a.x.swallowed+a.y.swallowed)
	return nil
}

// solve balances and measures the pruned bound, with a lower threshold where
// the bound asks for it, and then makes value, gradients and plan.
func (a *apml) solve() error {
	defer a.giveBack()
	logInverse, method := a.q.LogInverse, a.q.Method
	if a.q.Automatic {
		logInverse = a.first(logInverse)
	}
	for try := 0; ; try++ {
		a.out.Retries = try
		p, err := a.build(method, logInverse)
		if err != nil {
			return err
		}
		if a.q.Automatic && a.out.Method != backend.Sparse {
			logInverse = math.Inf(1)
		}
		a.out.LogInverse = logInverse
		a.ledger.enter("balance")
		a.use(balanceBytes(a.pair.x, a.pair.y) + a.ahead)
		b := newBalance(a.pair.x, a.pair.y)
		err = b.run(p, a.q, a.ledger, a.crew)
		a.held += b.drift.bytes
		if dense, again := a.denser(err); again {
			method = dense
			continue
		}
		if err != nil {
			return err
		}
		bound := a.prune(b, logInverse)
		a.out.PrunedBound = bound.mass / float64(a.pair.y.total)
		worst := a.out.PrunedBound
		if !a.q.Automatic || worst <= boundMost {
			if err := a.finish(p, b); err != nil {
				return err
			}
			a.out.PrunedCost = bound.share(a.out.Value)
			worst = max(worst, a.out.PrunedCost)
		}
		if !a.q.Automatic || worst <= boundMost {
			return a.hand(p, b)
		}
		a.giveBack()
		if try >= retries || math.IsNaN(worst) || math.IsInf(worst, 1) {
			method, logInverse = backend.Dense, math.Inf(1)
		} else {
			logInverse += math.Log(worst / boundAim)
		}
	}
}

// use makes bytes alive that were reserved for the plan and its balance.
func (a *apml) use(bytes int64) {
	a.ledger.use(bytes)
	a.used += bytes
}

// giveBack gives the memory of the plan and its balance back.
func (a *apml) giveBack() {
	a.ledger.drop(a.held)
	a.ledger.use(-a.used)
	a.ledger.reserve("", -a.ahead-a.back)
	a.held, a.turned, a.ahead, a.back, a.used = 0, 0, 0, 0, 0
}

// forget gives the distances and gaps of the points back: a sparse plan has all of them
// in its entries. One that is kept for the caller has not: it tells of them.
func (a *apml) forget() {
	a.ledger.drop(a.halves)
	a.halves = 0
	for _, h := range []*half{a.x, a.y} {
		h.d1, h.gap, h.q = nil, nil, nil
	}
}

// finish makes value, gradients and errors.
func (a *apml) finish(p plan, b *balance) error {
	a.ledger.enter("gradient")
	b.sum = nil
	if a.out.Method == backend.Sparse && !a.q.Automatic && !a.q.Plan { // nor will there be another threshold
		a.forget()
	}
	a.use(a.back)
	out, x, y := a.out, a.pair.x, a.pair.y
	out.Iterations, out.Converged = b.done, b.converged
	per := float64(y.total) / float64(x.total)
	gx := &gradient{a: x, b: y, u: b.u, w: b.counted(y, b.v), per: per}
	gy := &gradient{a: y, b: x, u: b.v, per: 1, transpose: true}
	if a.q.Reference {
		gx.floor, gy.floor = a.q.Floor, a.q.Floor
	}
	if !a.q.NoGrad {
		gx.g32, gy.g32 = make([]float32, x.size*x.given), make([]float32, y.size*y.given)
		if a.q.Grad64 {
			gx.g64, gy.g64 = make([]float64, x.size*x.given), make([]float64, y.size*y.given)
		}
	}
	if err := p.pull(gx); err != nil {
		return err
	}
	gy.w = b.counted(x, b.u)
	if err := p.pull(gy); err != nil {
		return err
	}
	rows, cols := gx.total(), gy.total()
	out.Value, out.Mass = rows.value, rows.mass
	out.GradX, out.GradY, out.GradX64, out.GradY64 = gx.g32, gy.g32, gx.g64, gy.g64
	out.RowError, out.RowErrorMax = rows.off/float64(y.total), rows.offMax
	out.ColError = cols.off / float64(y.total)
	return nil
}

// hand gives the plan to the caller, if asked for.
func (a *apml) hand(p plan, b *balance) error {
	if !a.q.Plan {
		return nil
	}
	a.ledger.enter("plan")
	return a.keep(p, b)
}
